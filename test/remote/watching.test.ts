import { afterEach, describe, expect, test } from 'vitest'
import type { InternalRef } from '../../src/actor/internals.ts'
import { type ActorRef, type ActorSystem, Behaviors, PoisonPill } from '../../src/actor/index.ts'
import { PeerConnected, PeerDisconnected, PeerQuarantined } from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { nextEvent, type TestNode, TestNodes } from './nodes.ts'

/** Starts an actor that watches and tells `report` of each death. */
function watcher(
  system: ActorSystem,
  report: ActorRef<string>,
): ActorRef<{ watch?: ActorRef<never>; unwatch?: ActorRef<never> }> {
  return system.spawn(
    Behaviors.receive<{ watch?: ActorRef<never>; unwatch?: ActorRef<never> }>(
      (context, { watch, unwatch }) => {
        if (watch) context.watch(watch)
        if (unwatch) context.unwatch(unwatch)
        report.tell('ok')
      },
    ).receiveSignal({ Terminated: (_context, { ref }) => report.tell(`${ref.path.name} is gone`) }),
  )
}

describe.each(['tcp', 'tls', 'memory'] as const)('watching over %s', (kind) => {
  let nodes = new TestNodes(kind)

  afterEach(async () => {
    await nodes.stop()
    nodes = new TestNodes(kind, 3)
  })

  const refTo = (from: TestNode, to: TestNode, path: string): ActorRef<never> =>
    from.remoting.refAt(to.remoting.address, path)

  test('tells of a death on another node, once per watcher', async () => {
    const [a, b] = [await nodes.start(), await nodes.start()]
    const target = createTestProbe<string>(b.system, 'target')
    const ref = refTo(a, b, '/user/target')
    const reports = [1, 2].map(() => createTestProbe<string>(a.system))
    for (const report of reports) {
      watcher(a.system, report.ref).tell({ watch: ref })
      await report.expect('ok')
    }
    target.stop()
    for (const report of reports) await report.expect('target is gone')
    await reports[0]!.expectNo({ for: 20 })
  })

  test('tells of a death also where the node stops with it, and has not called before', async () => {
    const [a, b] = [await nodes.start(), await nodes.start()]
    const target = b.system.spawn<string>(() => undefined, 'target') as InternalRef
    const isWatched = new Promise<void>((resolve) => {
      const addWatcher = target.addWatcher.bind(target)
      target.addWatcher = (each) => {
        addWatcher(each)
        resolve()
      }
    })
    const report = createTestProbe<string>(a.system)
    watcher(a.system, report.ref).tell({ watch: refTo(a, b, '/user/target') })
    await report.expect('ok')
    await isWatched
    await b.system.terminate()
    await report.expect('target is gone')
  })

  test('tells at once of an actor that is not there, and not after unwatch', async () => {
    const [a, b] = [await nodes.start(), await nodes.start()]
    const target = createTestProbe<string>(b.system, 'target')
    const report = createTestProbe<string>(a.system)
    const watching = watcher(a.system, report.ref)
    watching.tell({ watch: refTo(a, b, '/user/target') })
    watching.tell({ unwatch: refTo(a, b, '/user/target') })
    await report.receive(2)
    target.stop()
    watching.tell({ watch: refTo(a, b, '/user/nobody') })
    await report.expect('ok')
    await report.expect('nobody is gone')
  })

  test('a death does not overtake what the dead actor had sent', async () => {
    const [a, b] = [await nodes.start(), await nodes.start()]
    const report = createTestProbe<string>(a.system, 'report')
    const speaker = b.system.spawn(
      Behaviors.setup<string>(() => {
        const listener = refTo(b, a, '/user/report') as ActorRef<string>
        return Behaviors.receiveMessage<string>((last) => {
          for (let n = 0; n < 2_000; n++) listener.tell(`${n}`)
          listener.tell(last)
          return Behaviors.stopped()
        })
      }),
      'speaker',
    )
    watcher(a.system, report.ref).tell({ watch: refTo(a, b, '/user/speaker') })
    await report.expect('ok')
    speaker.tell('last words')
    const heard = await report.receive(2_002, { within: '40s' })
    expect(heard.slice(-2)).toEqual(['last words', 'speaker is gone'])
  })

  test('tells when the cluster has removed the node, and at once afterwards', async () => {
    const [a, b] = [await nodes.start(), await nodes.start()]
    createTestProbe<string>(b.system, 'target')
    const report = createTestProbe<string>(a.system)
    const watching = watcher(a.system, report.ref)
    const ref = a.remoting.refAt(b.remoting.node, '/user/target') as ActorRef<never>
    watching.tell({ watch: ref })
    await report.expect('ok')
    a.remoting.nodeRemoved(b.remoting.node)
    await report.expect('target is gone')
    watching.tell({ watch: ref })
    expect((await report.receive(2)).sort()).toEqual(['ok', 'target is gone'])
  })

  test('tells when another incarnation appears at the address', async () => {
    const [a, b] = [await nodes.start(), await nodes.start()]
    createTestProbe<string>(b.system, 'target')
    const report = createTestProbe<string>(a.system)
    const connected = nextEvent(a.system, PeerConnected)
    watcher(a.system, report.ref).tell({ watch: refTo(a, b, '/user/target') })
    await report.expect('ok')
    await connected
    const broken = nextEvent(a.system, PeerDisconnected)
    await b.kill()
    await broken
    const again = await nodes.start({ port: b.port })
    createTestProbe<string>(again.system, 'target')
    refTo(again, a, '/user/nobody').tell('hello' as never)
    await report.expect('target is gone')
  })

  test('watch, unwatch and deaths survive broken connections', async () => {
    const [a, b] = [await nodes.start(), await nodes.start()]
    const report = createTestProbe<string>(a.system, 'report')
    const watching = watcher(a.system, report.ref)
    for (let n = 0; n < 20; n++) {
      const target = createTestProbe<string>(b.system, `target-${n}`)
      watching.tell({ watch: refTo(a, b, `/user/target-${n}`) })
      await report.expect('ok')
      if (n % 3 === 0) nodes.network?.cut(b.port)
      if (n % 2 === 0) nodes.network?.cut(a.port)
      target.stop()
      await report.expect(`target-${n} is gone`, { within: '40s' })
    }
  })

  test('too many unconfirmed system messages quarantine the peer', async () => {
    const a = await nodes.start({ remote: { systemMessagesMax: 5 } })
    const b = await nodes.start()
    const probe = createTestProbe<string>(b.system, 'probe')
    refTo(a, b, '/user/probe').tell('hello' as never)
    await probe.expect('hello')
    const port = b.port
    await b.kill()
    const report = createTestProbe<string>(a.system)
    const watching = watcher(a.system, report.ref)
    const quarantined = nextEvent(a.system, PeerQuarantined)
    for (let n = 0; n < 6; n++) watching.tell({ watch: refTo(a, b, `/user/target-${n}`) })
    expect((await quarantined).node).toBe(b.remoting.node)
    expect((await report.receive(12)).filter((text) => text.endsWith('is gone'))).toHaveLength(6)
    // The next incarnation is a stranger, and welcome.
    const again = await nodes.start({ port })
    const next = createTestProbe<string>(again.system, 'probe')
    refTo(a, again, '/user/probe').tell('hello again' as never)
    await next.expect('hello again', { within: '40s' })
  })
})

test('stopping an actor by a pill from another node reaches watchers on a third', async () => {
  const nodes = new TestNodes('tcp')
  const [a, b, c] = [await nodes.start(), await nodes.start(), await nodes.start()]
  createTestProbe<string>(b.system, 'target')
  const report = createTestProbe<string>(c.system)
  const at = (node: TestNode): ActorRef<never> =>
    node.remoting.refAt(b.remoting.address, '/user/target')
  watcher(c.system, report.ref).tell({ watch: at(c) })
  await report.expect('ok')
  at(a).tell(PoisonPill)
  await report.expect('target is gone')
  await nodes.stop()
})
