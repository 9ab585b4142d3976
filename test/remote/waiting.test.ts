import { afterEach, describe, expect, test } from 'vitest'
import { type ActorRef, DeadLetter } from '../../src/actor/index.ts'
import { PeerDisconnected, type RemoteSettings, WaitingGivenUp } from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { LaneTap } from './lane-tap.ts'
import { nextEvent, TestNodes, untilTurn } from './nodes.ts'

describe.each(['tcp', 'memory'] as const)(
  'what waits when a connection breaks, over %s',
  (kind) => {
    let nodes = new TestNodes(kind)

    afterEach(async () => {
      await nodes.stop()
      nodes = new TestNodes(kind, 13)
    })

    /** Two nodes, and three messages to the very incarnation of b that wait behind one the network does not let go. */
    async function stage(remote: Partial<RemoteSettings> = {}) {
      const tap = new LaneTap(nodes.transport)
      const a = await nodes.start({ transport: tap, remote })
      const b = await nodes.start()
      const probe = createTestProbe<string>(b.system, 'probe')
      const byName = a.remoting.refAt(b.remoting.address, '/user/probe') as ActorRef<string>
      const byNode = a.remoting.refAt(b.remoting.node, '/user/probe') as ActorRef<string>
      byName.tell('hello')
      await probe.expect('hello')
      tap.stop('data')
      byNode.tell('x'.repeat(100_000))
      const queued = (): number => a.remoting.queuedFor(b.remoting.address)
      await untilTurn('the long one is handed to the network', () => queued() === 0)
      for (const text of ['one', 'two', 'three']) byNode.tell(text)
      byName.tell('four')
      expect(queued()).toBe(4)
      return { tap, a, b, probe, byNode }
    }

    test('is told with the break, and goes by the next connection', async () => {
      const { tap, a, probe } = await stage()
      const broken = nextEvent(a.system, PeerDisconnected)
      tap.cut('data')
      expect(await broken).toMatchObject({ lane: 'data', waiting: 3 })
      tap.flow('data')
      expect(await probe.receive(4, { within: '10s' })).toEqual(['one', 'two', 'three', 'four'])
    })

    test('does not grow with every death that is told to a peer that does not read', async () => {
      const { tap, a, b, probe } = await stage({ deathNoticeWaitMs: 1 })
      const before = tap.written.data
      const deaths = Array.from({ length: 1_000 }, (_, n) =>
        b.system.whenStopped(b.remoting.refAt(a.remoting.address, `/user/nobody-${n}`)),
      )
      await Promise.all(deaths)
      tap.flow('data')
      await probe.receive(5, { within: '10s' })
      expect(tap.written.data - before).toBeLessThan(1_000)
    })

    test('is given up when there is none in time, and that is told', async () => {
      const { tap, a, b } = await stage({ giveUpAfterMs: 100 })
      const dead: unknown[] = []
      a.system.eventStream.subscribe(DeadLetter, ({ message, reason }) =>
        dead.push([message, reason]),
      )
      const givenUp = nextEvent(a.system, WaitingGivenUp)
      tap.cut('data')
      const told = await givenUp
      expect(told).toMatchObject({ node: b.remoting.node, lane: 'data', reason: 'unreachable' })
      expect(dead).toEqual(['one', 'two', 'three', 'four'].map((text) => [text, 'unreachable']))
    })

    test('goes out before this node stops, by a connection that is on its way', async () => {
      const a = await nodes.start({ remote: { stopWaitMs: 60_000 } })
      const b = await nodes.start()
      const probe = createTestProbe<string>(b.system, 'probe')
      const byName = a.remoting.refAt(b.remoting.address, '/user/probe') as ActorRef<string>
      byName.tell('the last words')
      byName.tell('of a node')
      await a.remoting.stop()
      expect(await probe.receive(2)).toEqual(['the last words', 'of a node'])
    })

    test('does not keep this node from stopping when nobody takes the connection', async () => {
      const a = await nodes.start({ remote: { stopWaitMs: 60_000 } })
      const lost = nextEvent(a.system, DeadLetter)
      const gone = await nodes.start()
      await gone.remoting.stop()
      const byName = a.remoting.refAt(gone.remoting.address, '/user/probe') as ActorRef<string>
      byName.tell('too late')
      await a.remoting.stop()
      expect(await lost).toMatchObject({ message: 'too late', reason: 'remoting-stopped' })
    })

    test('is given up at once when this node is stopping', async () => {
      const { tap, a } = await stage({ stopWaitMs: 60_000 })
      const dead: unknown[] = []
      a.system.eventStream.subscribe(DeadLetter, ({ message, reason }) =>
        dead.push([message, reason]),
      )
      const stopped = a.remoting.stop()
      expect(dead).toEqual([])
      tap.cut('data')
      await stopped
      expect(dead).toEqual(
        ['one', 'two', 'three', 'four'].map((text) => [text, 'remoting-stopped']),
      )
    })

    test('is given up at once with the incarnation it is for', async () => {
      const { a, b } = await stage()
      const events: unknown[] = []
      a.system.eventStream.subscribe(PeerDisconnected, ({ waiting }) => events.push(waiting))
      a.system.eventStream.subscribe(WaitingGivenUp, ({ reason }) => events.push(reason))
      a.remoting.quarantine(b.remoting.node, 'for this test')
      expect(events).toEqual([3, 'quarantined'])
      expect(a.remoting.queuedFor(b.remoting.address)).toBe(1)
    })
  },
)
