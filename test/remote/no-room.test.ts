import { afterEach, describe, expect, test } from 'vitest'
import { DeadLetter } from '../../src/actor/index.ts'
import { HandshakeFailed, PeerConnected, PeerDisconnected } from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { nextEvent, TestNodes, untilTurn } from './nodes.ts'

describe.each(['tcp', 'memory'] as const)('a caller for whom there is no room, over %s', (kind) => {
  let nodes = new TestNodes(kind)
  afterEach(async () => {
    await nodes.stop()
    nodes = new TestNodes(kind, 7)
  })

  /** `full` speaks with as many as it may; `caller` is one more. */
  const start = async (giveUpAfterMs: number) => {
    const full = await nodes.start({ remote: { peersMax: 1 } })
    const kept = await nodes.start()
    const probe = createTestProbe<string>(kept.system, 'probe')
    full.remoting.refAt(kept.remoting.address, '/user/probe').tell('hello')
    await probe.expect('hello')
    const pauses = { reconnectMinMs: 40, reconnectMaxMs: 5_000 }
    const caller = await nodes.start({ remote: { ...pauses, giveUpAfterMs } })
    const ear = createTestProbe<string>(full.system, 'ear')
    const toEar = caller.remoting.refAt(full.remoting.address, '/user/ear')
    return { full, caller, ear, toEar }
  }

  test('hears why in the handshake, pauses longer and longer, and what waited is lost for that reason', async () => {
    const { full, caller, toEar } = await start(1_500)
    const [refused, connected, lost]: unknown[][] = [[], [], []]
    const { eventStream } = caller.system
    eventStream.subscribe(HandshakeFailed, ({ error }) => refused!.push(error.code))
    eventStream.subscribe(PeerConnected, (event) => connected!.push(event))
    eventStream.subscribe(DeadLetter, ({ reason }) => lost!.push(reason))
    for (let n = 0; n < 10; n++) toEar.tell(`${n}`)
    const asked = toEar.ask((replyTo) => ({ replyTo }))
    await expect(asked).rejects.toMatchObject({ code: 'ASK_NOT_SENT', reason: 'too-many-peers' })
    await untilTurn('all are dead letters', () => lost!.length === 11)
    expect(new Set(lost)).toEqual(new Set(['too-many-peers']))
    expect(connected).toEqual([])
    // At pauses of 40, 80, 160, 320 and 640 ms, give or take a fifth, there is time for six.
    expect(new Set(refused)).toEqual(new Set(['TOO_MANY_PEERS']))
    expect(refused!.length).toBeLessThanOrEqual(7)
    expect(caller.logs.matching(/has no room for this node.*peersMax/, 'warn')).toHaveLength(1)
    expect(full.logs.matching(/peersMax/, 'warn')).toHaveLength(1)
    expect([full.remoting.peerCount, full.remoting.peerAt(caller.remoting.address)]).toEqual([
      1,
      undefined,
    ])
  })

  test('does not push out another that is connected and was never called', async () => {
    const full = await nodes.start({ remote: { peersMax: 2 } })
    const ear = createTestProbe<string>(full.system, 'ear')
    const oneMore = async () => {
      const { remoting, system } = await nodes.start({ remote: { reconnectMinMs: 20 } })
      const toEar = remoting.refAt(full.remoting.address, '/user/ear')
      return { toEar, system }
    }
    const [first, second, third] = [await oneMore(), await oneMore(), await oneMore()]
    for (const { toEar } of [first, second]) {
      toEar.tell('hello')
      await ear.expect('hello')
    }
    const lost: unknown[] = []
    for (const { system } of [first, second]) {
      system.eventStream.subscribe(PeerDisconnected, (event) => lost.push(event))
    }
    for (const code of ['TOO_MANY_PEERS', 'TOO_MANY_PEERS']) {
      const refused = nextEvent(third.system, HandshakeFailed)
      third.toEar.tell('me, too')
      expect((await refused).error.code).toBe(code)
    }
    for (const { toEar } of [first, second]) {
      toEar.tell('still here')
      await ear.expect('still here')
    }
    expect(lost).toEqual([])
  })

  test('is kept when those who hear of the one that goes for it send more', async () => {
    const full = await nodes.start({ remote: { peersMax: 2 } })
    const ear = createTestProbe<string>(full.system, 'ear')
    const name = (host: string): void => full.remoting.refAt(`${host}:7`, '/user/x').tell('hi')
    full.system.eventStream.subscribe(DeadLetter, () => name('10.0.0.9'))
    for (const host of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) name(host)
    const caller = await nodes.start()
    caller.remoting.refAt(full.remoting.address, '/user/ear').tell('hello')
    await ear.expect('hello')
  })

  test('whose watch finds none is told that the actor is gone', async () => {
    const { caller, toEar } = await start(100)
    await caller.system.whenStopped(toEar)
    expect(caller.logs.matching(/gives .* up/)).toEqual([])
  })

  test('is let in when there is, with what still waits', async () => {
    const { full, caller, ear, toEar } = await start(60_000)
    const refused = nextEvent(caller.system, HandshakeFailed)
    toEar.tell('early')
    expect((await refused).error.code).toBe('TOO_MANY_PEERS')
    full.remoting.nodeJoined(caller.remoting.node)
    await ear.expect('early')
  })
})
