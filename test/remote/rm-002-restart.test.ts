import { afterEach, describe, expect, test } from 'vitest'
import { type ActorRef, DeadLetter } from '../../src/actor/index.ts'
import { PeerDisconnected, ThisNodeQuarantined } from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { nextEvent, type TestNode, TestNodes } from './nodes.ts'

describe.each(['tcp', 'memory'] as const)('RM-002 restart of the receiver over %s', (kind) => {
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
    await expect(toFormer.ask(() => 'question')).rejects.toThrow('already been terminated')
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
})
