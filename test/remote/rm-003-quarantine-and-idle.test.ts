import { afterEach, describe, expect, test } from 'vitest'
import { DeadLetter } from '../../src/actor/index.ts'
import {
  HandshakeFailed,
  PeerDisconnected,
  PeerQuarantined,
  ThisNodeQuarantined,
} from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { nextEvent, type TestNode, TestNodes, untilTurn } from './nodes.ts'

const idleSoon = { idleAfterMs: 20, forgetAfterMs: 40 }

describe.each(['tcp', 'memory'] as const)('RM-003 over %s', (kind) => {
  let nodes = new TestNodes(kind)
  afterEach(async () => {
    await nodes.stop()
    nodes = new TestNodes(kind, 5)
  })

  /** Two that have spoken with each other. */
  const twoThatSpoke = async () => {
    const [a, b] = [await nodes.start(), await nodes.start()]
    const [atA, atB] = [a, b].map(({ system }) => createTestProbe<string>(system, 'ear'))
    toEar(a, b).tell('hello')
    toEar(b, a).tell('hello')
    await Promise.all([atA!.expect('hello'), atB!.expect('hello')])
    return { a, b, atA: atA!, atB: atB! }
  }
  const toEar = (from: TestNode, to: TestNode) =>
    from.remoting.refAt(to.remoting.address, '/user/ear')

  test('nothing passes to or from an incarnation that is quarantined; the next one is welcome', async () => {
    const { a, b, atA, atB } = await twoThatSpoke()
    a.remoting.quarantine(b.remoting.node, 'a test wants it')
    const lost = nextEvent(a.system, DeadLetter)
    a.remoting.refAt(b.remoting.node, '/user/ear').tell('to that one')
    expect(await lost).toMatchObject({ reason: 'quarantined' })
    const refused = nextEvent(a.system, DeadLetter)
    toEar(a, b).tell('to whoever is there')
    expect(await refused).toMatchObject({ reason: 'connection-rejected' })
    const told = nextEvent(b.system, ThisNodeQuarantined)
    toEar(b, a).tell('from that one')
    await told
    await Promise.all([atA.expectNo({ for: 20 }), atB.expectNo({ for: 20 })])

    await b.kill()
    const next = await nodes.start({ port: b.port })
    const atNext = createTestProbe<string>(next.system, 'ear')
    toEar(a, next).tell('welcome')
    await atNext.expect('welcome', { within: '30s' })
    toEar(next, a).tell('thank you')
    await atA.expect('thank you', { within: '30s' })
    expect(a.remoting.peerAt(b.remoting.address)).toBe(next.remoting.node)
  })

  test('to quarantine one that was replaced does not touch the one that took its place', async () => {
    const { a, b, atA } = await twoThatSpoke()
    await b.kill()
    const next = await nodes.start({ port: b.port })
    toEar(next, a).tell('next')
    await atA.expect('next', { within: '30s' })
    a.remoting.quarantine(b.remoting.node, 'it is long gone')
    toEar(next, a).tell('still there')
    await atA.expect('still there')
    const atNext = createTestProbe<string>(next.system, 'ear')
    toEar(a, next).tell('and you?')
    await atNext.expect('and you?', { within: '30s' })
  })

  test('an idle connection is closed, the peer is forgotten, and both come back on demand', async () => {
    const a = await nodes.start({ remote: idleSoon })
    const b = await nodes.start({ remote: idleSoon })
    const ear = createTestProbe<string>(b.system, 'ear')
    const ref = toEar(a, b)
    for (const word of ['one', 'two', 'three']) {
      const idle = nextEvent(a.system, PeerDisconnected)
      ref.tell(word)
      await ear.expect(word, { within: '30s' })
      expect((await idle).reason).toBe('idle')
      const areForgotten = (): boolean => a.remoting.peerCount + b.remoting.peerCount === 0
      await untilTurn('both have forgotten each other', areForgotten)
    }
  })

  test('a peer whose actor is watched, or who watches one here, is not forgotten', async () => {
    const a = await nodes.start({ remote: idleSoon })
    const b = await nodes.start({ remote: idleSoon })
    const c = await nodes.start({ remote: idleSoon })
    const target = createTestProbe<string>(b.system, 'ear')
    a.remoting.nodeJoined(b.remoting.node)
    const gone = a.system.whenStopped(toEar(a, b))
    await nextEvent(a.system, PeerDisconnected)
    // Of one with whom nothing is under way it shows that there was time to forget both.
    a.remoting.refAt(c.remoting.address, '/user/nobody')
    const isForgotten = (): boolean => a.remoting.peerCount === 1
    await untilTurn('the third is forgotten', isForgotten)
    expect(a.remoting.peerAt(b.remoting.address)).toBe(b.remoting.node)
    expect(b.remoting.peerAt(a.remoting.address)).toBe(a.remoting.node)
    target.stop()
    await gone
  })

  test('one that has been asked to watch is not forgotten by one end alone: the next watch is heard, too', async () => {
    const a = await nodes.start({ remote: idleSoon })
    const b = await nodes.start({ remote: { ...idleSoon, forgetAfterMs: 3_600_000 } })
    const c = await nodes.start()
    for (const name of ['first', 'second']) {
      const watched = createTestProbe<string>(b.system, name)
      const ref = a.remoting.refAt(b.remoting.node, `/user/${name}`)
      ref.tell('hello')
      await watched.expect('hello')
      const gone = a.system.whenStopped(ref)
      watched.stop()
      await gone
      // Of one with whom nothing has passed it shows that there was time to forget both, and more.
      for (let times = 0; times < 8; times++) {
        a.remoting.refAt(c.remoting.address, '/user/nobody')
        await untilTurn('one is forgotten', () => a.remoting.peerCount <= 1)
      }
    }
  })

  test('one that was quarantined is forgotten when nobody speaks to it, and stays quarantined', async () => {
    const a = await nodes.start({ remote: idleSoon })
    const b = await nodes.start()
    const ear = createTestProbe<string>(b.system, 'ear')
    toEar(a, b).tell('hello')
    await ear.expect('hello')
    a.remoting.quarantine(b.remoting.node, 'a test wants it')
    await untilTurn('it is forgotten', () => a.remoting.peerCount === 0)
    const lost = nextEvent(a.system, DeadLetter)
    a.remoting.refAt(b.remoting.node, '/user/ear').tell('still quarantined')
    expect(await lost).toMatchObject({ reason: 'quarantined' })
    const refused = nextEvent(b.system, HandshakeFailed)
    toEar(b, a).tell('let me in')
    expect((await refused).error.code).toBe('INCARNATION_REFUSED')
  })

  test('one that left in good order is not told that it was given up', async () => {
    const { a, b, atA } = await twoThatSpoke()
    const told: unknown[] = []
    for (const { system } of [a, b]) {
      system.eventStream.subscribe(ThisNodeQuarantined, (event) => told.push(event))
      system.eventStream.subscribe(PeerQuarantined, (event) => told.push(event))
    }
    a.remoting.nodeRemoved(b.remoting.node)
    nodes.network?.cut(a.port)
    nodes.network?.cut(b.port)
    toEar(b, a).tell('last words')
    await atA.expect('last words', { within: '30s' })
    expect(told).toEqual([])
  })
})
