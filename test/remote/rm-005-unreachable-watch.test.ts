import { afterEach, describe, expect, test } from 'vitest'
import { PeerConnected, PeerDisconnected, PeerQuarantined } from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { freePort } from '../processes/harness/free-port.ts'
import { nextEvent, type TestNode, TestNodes } from './nodes.ts'

const giveUpAfterMs = 100

describe.each(['tcp', 'memory'] as const)('RM-005 over %s', (kind) => {
  let nodes = new TestNodes(kind)
  afterEach(async () => {
    await nodes.stop()
    nodes = new TestNodes(kind, 7)
  })

  /** One that gives others up soon, and what it has quarantined. */
  const start = async () => {
    const a = await nodes.start({ remote: { giveUpAfterMs } })
    const quarantined: unknown[] = []
    a.system.eventStream.subscribe(PeerQuarantined, (event) => quarantined.push(event))
    const whenGone = (where: string): Promise<void> =>
      a.system.whenStopped(a.remoting.refAt(where, '/user/ear'))
    return { a, quarantined, whenGone }
  }

  /** How long it took, in milliseconds. */
  const timed = async (promise: Promise<unknown>): Promise<number> => {
    const beginMs = performance.now()
    await promise
    return performance.now() - beginMs
  }

  const speak = async (from: TestNode, to: TestNode) => {
    const ear = createTestProbe<string>(to.system, 'ear')
    from.remoting.refAt(to.remoting.address, '/user/ear').tell('hello')
    await ear.expect('hello')
    return ear
  }

  test.each([
    ['a system that does not run', '127.0.0.1:1'],
    ['an incarnation of it', '127.0.0.1:1#00000000000000aa'],
    ['a host that nobody knows', 'nowhere.invalid:2552'],
  ])('a watch of %s ends, not before its time, and quarantines nobody', async (_, where) => {
    const { quarantined, whenGone } = await start()
    expect(await timed(whenGone(where))).toBeGreaterThan(giveUpAfterMs - 5)
    expect(quarantined).toEqual([])
  })

  test('who asks there is told that it was not sent', async () => {
    const { a } = await start()
    const asked = a.remoting.refAt('127.0.0.1:1', '/user/ear').ask((replyTo) => ({ replyTo }))
    await expect(asked).rejects.toMatchObject({ code: 'ASK_NOT_SENT', reason: 'unreachable' })
  })

  test('a watch of one that comes in time holds', async () => {
    const { network } = nodes
    const port = network === undefined ? await freePort() : 4_000
    const a = await nodes.start({ remote: { giveUpAfterMs: 30_000 } })
    const gone = a.system.whenStopped(a.remoting.refAt(`127.0.0.1:${port}`, '/user/ear'))
    const connected = nextEvent(a.system, PeerConnected)
    const b = await nodes.start({ port })
    const ear = createTestProbe<string>(b.system, 'ear')
    await connected
    ear.stop()
    await gone
  })

  test('a watch of an incarnation that is not there ends when another is met, which is not quarantined', async () => {
    const { a, quarantined, whenGone } = await start()
    const b = await nodes.start()
    const unknown = `${b.remoting.address}#00000000000000aa`
    const first = whenGone(unknown)
    await speak(a, b)
    await first
    // Also where one is known to live there.
    await whenGone(unknown)
    expect([quarantined, a.remoting.peerAt(b.remoting.address)]).toEqual([[], b.remoting.node])
  })

  test('a watch of one that is no member ends when it is killed, and it is welcome when it comes back', async () => {
    const { a, quarantined, whenGone } = await start()
    const b = await nodes.start()
    await speak(a, b)
    const gone = whenGone(b.remoting.address)
    await nextEvent(a.system, PeerConnected, ({ lane }) => lane === 'control')
    const lost = nextEvent(a.system, PeerDisconnected, ({ lane }) => lane === 'control')
    await b.kill()
    await lost
    expect(await timed(gone)).toBeGreaterThan(giveUpAfterMs - 5)
    expect(quarantined).toEqual([])
    const next = await nodes.start({ port: b.port })
    await speak(a, next)
  })

  test('a connection that breaks and comes back ends no watch', async () => {
    const { a, whenGone } = await start()
    const b = await nodes.start()
    const ear = await speak(a, b)
    let isGone = false
    const gone = whenGone(b.remoting.address).then(() => void (isGone = true))
    await nextEvent(a.system, PeerConnected, ({ lane }) => lane === 'control')
    for (let round = 0; round < 3 && nodes.network !== undefined; round++) {
      const again = nextEvent(a.system, PeerConnected, ({ lane }) => lane === 'control')
      nodes.network.cut(b.port)
      await again
    }
    expect(isGone).toBe(false)
    ear.stop()
    await gone
  })
})
