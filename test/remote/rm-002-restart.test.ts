import { afterEach, describe, expect, test } from 'vitest'
import { type ActorRef, DeadLetter } from '../../src/actor/index.ts'
import { PeerDisconnected, PeerQuarantined, ThisNodeQuarantined } from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { nextEvent, type TestNode, TestNodes, untilTurn } from './nodes.ts'

describe.each(['tcp', 'tls', 'memory'] as const)(
  'RM-002 restart of the receiver over %s',
  (kind) => {
    let nodes = new TestNodes(kind)

    afterEach(async () => {
      await nodes.stop()
      nodes = new TestNodes(kind, 11)
    })

    const refTo = (from: TestNode, to: { address: string }, path: string): ActorRef<string> =>
      from.remoting.refAt(to.address, path)

    test('RM-002 a peer that restarts on the same port is spoken to again, and its former self never', async () => {
      const a = await nodes.start()
      const b = await nodes.start()
      const probe = createTestProbe<string>(b.system, 'probe')
      const byName = refTo(a, b.remoting, '/user/probe')
      byName.tell('one')
      await probe.expect('one')
      expect(a.remoting.peerAt(b.remoting.address)).toBe(b.remoting.node)
      const toFormer = a.remoting.refAt(b.remoting.node, '/user/probe') as ActorRef<string>
      const broken = nextEvent(a.system, PeerDisconnected)
      await b.kill()
      expect(await broken).toMatchObject({ node: b.remoting.node, lane: 'data' })
      const lost = nextEvent(a.system, DeadLetter)
      toFormer.tell('to the former')
      const again = await nodes.start({ port: b.port })
      const next = createTestProbe<string>(again.system, 'probe')
      byName.tell('two')
      await next.expect('two', { within: '10s' })
      expect(await lost).toMatchObject({ message: 'to the former', reason: 'former-incarnation' })
      expect(a.remoting.peerAt(b.remoting.address)).toBe(again.remoting.node)
      const later = nextEvent(a.system, DeadLetter)
      toFormer.tell('much later')
      expect(await later).toMatchObject({ reason: 'former-incarnation' })
      const asked = toFormer.ask(() => 'question')
      await expect(asked).rejects.toThrow('was not sent (former-incarnation)')
    })

    test('RM-002 nothing is taken any more from one that lives on after the next one was met', async () => {
      const a = await nodes.start()
      const ear = createTestProbe<string>(a.system, 'ear')
      // Two that claim one address, as after a restart in which the former process did not end.
      const advertised = { host: '127.0.0.1', port: 9 }
      const [former, next] = [await nodes.start({ advertised }), await nodes.start({ advertised })]
      const tellFrom = (from: TestNode, text: string): void =>
        refTo(from, a.remoting, '/user/ear').tell(text)
      tellFrom(former, 'one')
      await ear.expect('one')
      expect(a.remoting.peerAt('127.0.0.1:9')).toBe(former.remoting.node)
      tellFrom(next, 'two')
      await ear.expect('two', { within: '10s' })
      expect(a.remoting.peerAt('127.0.0.1:9')).toBe(next.remoting.node)
      const lost: unknown[] = []
      former.system.eventStream.subscribe(DeadLetter, ({ message }) => lost.push(message))
      await untilTurn(
        'the former one hears that it is not taken',
        () => lost.length > 0,
        () => tellFrom(former, 'three'),
      )
      tellFrom(next, 'four')
      await ear.expect('four')
      await ear.expectNo({ for: 20 })
    })

    test('RM-002 a quarantined incarnation is refused and told so; the next one is not', async () => {
      const [a, b] = [await nodes.start(), await nodes.start()]
      const probe = createTestProbe<string>(b.system, 'probe')
      const target = refTo(a, b.remoting, '/user/probe')
      target.tell('one')
      await probe.expect('one')
      a.remoting.quarantine(b.remoting.node, 'removed')
      const lost = nextEvent(a.system, DeadLetter)
      target.tell('two')
      expect(await lost).toMatchObject({ reason: 'connection-rejected', message: 'two' })
      const told = nextEvent(b.system, ThisNodeQuarantined)
      refTo(b, a.remoting, '/user/nobody').tell('hello')
      expect((await told).by).toBe(a.remoting.address)
      await b.kill()
      const again = await nodes.start({ port: b.port })
      const next = createTestProbe<string>(again.system, 'probe')
      target.tell('three')
      await next.expect('three', { within: '10s' })
    })

    /** Two nodes that have spoken, of which a has given b up and b has heard of it. */
    async function givenUp() {
      const [a, b] = [await nodes.start(), await nodes.start()]
      const ear = createTestProbe<string>(a.system, 'ear')
      const toA = refTo(b, a.remoting, '/user/ear')
      toA.tell('one')
      await ear.expect('one')
      const gone = b.system.whenStopped(b.remoting.refAt(a.remoting.node, '/user/ear'))
      const told = nextEvent(b.system, ThisNodeQuarantined)
      const inReturn = nextEvent(b.system, PeerQuarantined)
      const closed = nextEvent(b.system, PeerDisconnected, ({ lane }) => lane === 'data')
      a.remoting.quarantine(b.remoting.node, 'removed')
      await closed
      const lost = nextEvent(b.system, DeadLetter, ({ message }) => message === 'two')
      toA.tell('two')
      expect(await lost).toMatchObject({ reason: 'connection-rejected' })
      expect((await told).by).toBe(a.remoting.address)
      expect(await inReturn).toMatchObject({ node: a.remoting.node })
      await gone
      return { a, b, ear, toA }
    }

    test('RM-002 who was given up gives up in return: that incarnation is not spoken to at once, the next is', async () => {
      const { a, b, toA } = await givenUp()
      const dead: unknown[] = []
      b.system.eventStream.subscribe(DeadLetter, ({ message, reason }) =>
        dead.push([message, reason]),
      )
      const toNode = b.remoting.refAt(a.remoting.node, '/user/ear') as ActorRef<string>
      toNode.tell('three')
      expect(dead).toEqual([['three', 'quarantined']])
      await expect(toNode.ask(() => 'question')).rejects.toThrow('was not sent (quarantined)')
      const toldAgain: unknown[] = []
      b.system.eventStream.subscribe(ThisNodeQuarantined, (event) => toldAgain.push(event))
      await untilTurn(
        'b is told once more that it was given up',
        () => toldAgain.length > 0,
        () => toNode.tell('still there?'),
      )
      await a.kill()
      const again = await nodes.start({ port: a.port })
      const next = createTestProbe<string>(again.system, 'ear')
      const ear = createTestProbe<string>(b.system, 'ear')
      toA.tell('four')
      await next.expect('four', { within: '10s' })
      refTo(again, b.remoting, '/user/ear').tell('five')
      await ear.expect('five', { within: '10s' })
      toNode.tell('six')
      expect(dead.at(-1)).toEqual(['six', 'former-incarnation'])
    })

    test('RM-002 who was given up takes nothing from the other, and does not make it believe the same', async () => {
      const { a, b } = await givenUp()
      const ear = createTestProbe<string>(b.system, 'ear')
      const believed: unknown[] = []
      a.system.eventStream.subscribe(ThisNodeQuarantined, (event) => believed.push(event))
      // As if a had forgotten: so many later ones at that address were given up.
      for (let n = 0; n < 100; n++) {
        const uid = n.toString(16).padStart(16, '0')
        a.remoting.quarantine(`${b.remoting.address}#${uid}`, 'one of many')
      }
      const lost = nextEvent(a.system, DeadLetter)
      refTo(a, b.remoting, '/user/ear').tell('hello')
      expect(await lost).toMatchObject({ message: 'hello', reason: 'connection-rejected' })
      await b.logs.expect(/have given each other up/)
      await ear.expectNo({ for: 20 })
      expect(believed).toEqual([])
    })
  },
)
