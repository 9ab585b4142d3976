import { afterEach, describe, expect, test } from 'vitest'
import { nextEvent, TestNodes } from '../../test/remote/nodes.ts'
import { type ActorRef, DeadLetter } from '../actor/index.ts'
import { createTestProbe } from '../testkit/index.ts'

describe('Associations', () => {
  let nodes = new TestNodes('memory')
  afterEach(async () => {
    await nodes.stop()
    nodes = new TestNodes('memory')
  })

  const nameMany = (remoting: { refAt(address: string, path: string): unknown }): void => {
    for (let port = 1; port <= 1_000; port++) remoting.refAt(`10.0.0.1:${port}`, '/user/a')
  }

  test('peers that are only named do not pile up', async () => {
    const { remoting } = await nodes.start({ remote: { peersMax: 10 } })
    nameMany(remoting)
    expect(remoting.peerCount).toBeLessThanOrEqual(20)
  })

  test('a peer that is spoken with, or whose actor is watched, is kept', async () => {
    const a = await nodes.start({ remote: { peersMax: 10 } })
    const [b, c] = [await nodes.start(), await nodes.start()]
    const arrived = nextEvent(b.system, DeadLetter)
    a.remoting.refAt(b.remoting.address, '/user/nobody').tell('hello')
    await arrived
    const probe = createTestProbe<string>(c.system, 'probe')
    const gone = a.system.whenStopped(a.remoting.refAt(c.remoting.address, '/user/probe'))
    nameMany(a.remoting)
    expect(a.remoting.peerAt(b.remoting.address)).toBe(b.remoting.node)
    probe.stop()
    await gone
  })

  test('a ref to a peer that was forgotten still tells, asks and watches, in order', async () => {
    const a = await nodes.start({ remote: { peersMax: 10 } })
    const b = await nodes.start()
    const probe = createTestProbe<number | { replyTo: ActorRef<string> }>(b.system, 'probe')
    const held = a.remoting.refAt(b.remoting.address, '/user/probe')
    nameMany(a.remoting)
    const fresh = a.remoting.refAt(b.remoting.address, '/user/probe')
    for (let n = 0; n < 10; n++) (n % 2 === 0 ? held : fresh).tell(n)
    expect(await probe.receive(10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    const asked = held.ask<string>((replyTo) => ({ replyTo }))
    const [question] = await probe.receive(1)
    ;(question as { replyTo: ActorRef<string> }).replyTo.tell('yes')
    expect(await asked).toBe('yes')
    const gone = a.system.whenStopped(held)
    probe.stop()
    await gone
  })

  test('who was quarantined stays so, though the peer was forgotten', async () => {
    const a = await nodes.start({ remote: { peersMax: 10 } })
    const b = await nodes.start()
    a.remoting.quarantine(b.remoting.node, 'removed')
    nameMany(a.remoting)
    const lost = nextEvent(a.system, DeadLetter)
    a.remoting.refAt(b.remoting.node, '/user/nobody').tell('hello')
    expect(await lost).toMatchObject({ reason: 'quarantined' })
  })
})
