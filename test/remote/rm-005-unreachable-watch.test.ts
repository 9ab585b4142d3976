import { afterEach, describe, expect, test } from 'vitest'
import type { InternalRef } from '../../src/actor/internals.ts'
import {
  type Connection,
  type Listener,
  PeerConnected,
  PeerDisconnected,
  PeerQuarantined,
  type Transport,
} from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { freePort } from '../processes/harness/free-port.ts'
import { nextEvent, type TestNode, TestNodes } from './nodes.ts'

const giveUpAfterMs = 100

/** A network by which one node can call, or for a while nobody. */
class Gate implements Transport {
  readonly #transport: Transport
  readonly #calls = new Set<Connection>()
  #isShut = false

  constructor(transport: Transport) {
    this.#transport = transport
  }

  shut(): void {
    this.#isShut = true
    for (const call of this.#calls) call.destroy()
  }

  open(): void {
    this.#isShut = false
  }

  listen(...options: Parameters<Transport['listen']>): Promise<Listener> {
    return this.#transport.listen(...options)
  }

  connect(...options: Parameters<Transport['connect']>): Connection {
    const call = this.#transport.connect(...options)
    this.#calls.add(call)
    if (this.#isShut) call.destroy()
    return call
  }
}

/** An actor, and when it is watched and is not any more. */
function watchable({ system }: TestNode, name: string) {
  const ref = system.spawn<string>(() => undefined, name) as InternalRef
  const heard = (method: 'addWatcher' | 'removeWatcher'): Promise<void> =>
    new Promise((resolve) => {
      const original = ref[method].bind(ref)
      ref[method] = (watcher) => {
        original(watcher)
        resolve()
      }
    })
  return { watched: heard('addWatcher'), unwatched: heard('removeWatcher') }
}

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

  test.each([
    ['when it is called again', (a: TestNode, b: TestNode) => [a, b] as const],
    ['when it calls', (a: TestNode, b: TestNode) => [b, a] as const],
  ])('one that was out of reach for too long is told %s that nobody watches', async (_, who) => {
    const gate = new Gate(nodes.transport)
    const a = await nodes.start({ remote: { giveUpAfterMs }, transport: gate })
    const b = await nodes.start()
    const target = watchable(b, 'target')
    const gone = a.system.whenStopped(a.remoting.refAt(b.remoting.address, '/user/target'))
    await target.watched
    gate.shut()
    await gone
    gate.open()
    await speak(...who(a, b))
    await target.unwatched
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
