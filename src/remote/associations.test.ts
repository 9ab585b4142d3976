import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { nextEvent, type TestNode, TestNodes, untilTurn } from '../../test/remote/nodes.ts'
import { type ActorRef, ActorSystem, DeadLetter } from '../actor/index.ts'
import type { InternalRef } from '../actor/internals.ts'
import { ConnectionFailed, PeerDisconnected, PeerQuarantined } from './index.ts'
import { createTestProbe, ManualTime } from '../testkit/index.ts'
import { defaultRemoteSettings } from './remote-settings.ts'
import { Remoting } from './remoting.ts'
import type { Transport } from './transport.ts'

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
    expect(remoting.peerCount).toBeLessThanOrEqual(10)
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

  test('a ref that outlives its peer in mind knows what is learnt of it later', async () => {
    const a = await nodes.start({ remote: { peersMax: 10 } })
    const [b, c] = [await nodes.start(), await nodes.start()]
    const [toB, toC] = [b, c].map(
      ({ remoting }) => a.remoting.refAt(remoting.node, '/user/nobody') as InternalRef,
    )
    nameMany(a.remoting)
    a.remoting.quarantine(b.remoting.node, 'downed')
    a.remoting.nodeRemoved(c.remoting.node)
    expect([toB!.isTerminated, toC!.isTerminated]).toEqual([true, true])
    const lost = nextEvent(a.system, DeadLetter)
    toB!.tell('hello' as never)
    expect(await lost).toMatchObject({ reason: 'quarantined' })
    const peers = a.remoting.peerCount
    await a.system.whenStopped(toB!)
    await a.system.whenStopped(toC!)
    expect(a.remoting.peerCount).toBe(peers)
  })

  /** Watches and tells somebody at each of so many addresses where nobody is; counts who is told of a death. */
  const claimMany = ({ system, remoting }: TestNode, count: number) => {
    const told = new Set<number>()
    const lost: unknown[] = []
    system.eventStream.subscribe(DeadLetter, ({ reason }) => void lost.push(reason))
    const all = Array.from({ length: count }, async (_, n) => {
      const ref = remoting.refAt(`10.0.0.2:${n + 1}`, '/user/a')
      const gone = system.whenStopped(ref)
      ref.tell(n)
      await gone
      told.add(n)
    })
    return { told, lost, all }
  }

  test('no more are kept than may be, whatever waits for them; what is lost for that is told', async () => {
    const a = await nodes.start({ remote: { peersMax: 10 } })
    const { lost, all } = claimMany(a, 1_000)
    expect(a.remoting.peerCount).toBe(10)
    await Promise.all(all.slice(0, 990))
    expect(lost).toEqual(Array.from({ length: 990 }, () => 'too-many-peers'))
    const [warning, ...more] = a.logs.matching(/raise settings.remote.peersMax/, 'warn')
    expect([warning?.fields['peersMax'], more]).toEqual([10, []])
  })

  test('an ask that finds no room says what to do', async () => {
    const a = await nodes.start({ remote: { peersMax: 1 } })
    a.remoting.nodeJoined('10.0.0.9:1#0000000000000001')
    a.remoting.refAt('10.0.0.9:1', '/user/member').tell('waits')
    const asked = a.remoting.refAt('10.0.0.2:1', '/user/a').ask((replyTo) => ({ replyTo }))
    await expect(asked).rejects.toMatchObject({ code: 'ASK_NOT_SENT', reason: 'too-many-peers' })
    await expect(asked).rejects.toThrow(/remote.peersMax/)
  })

  test('members and peers that were reached stay while others only name addresses', async () => {
    const a = await nodes.start({ remote: { peersMax: 10 } })
    const b = await nodes.start()
    const probe = createTestProbe<string>(b.system, 'probe')
    const toProbe = a.remoting.refAt(b.remoting.address, '/user/probe')
    let isTold = false
    const tell = (): void => void (isTold = true)
    const gone = a.system.whenStopped(toProbe).then(tell)
    toProbe.tell('reached')
    await probe.expect('reached')
    // Nobody listens there, for now.
    const member = '10.0.0.9:1#0000000000000001'
    a.remoting.nodeJoined(member)
    const removed = a.system.whenStopped(a.remoting.refAt(member, '/user/a')).then(tell)
    const { all } = claimMany(a, 1_000)
    await Promise.all(all.slice(0, 990))
    toProbe.tell('again')
    await probe.expect('again')
    expect([isTold, a.remoting.peerCount]).toEqual([false, 10])
    a.remoting.nodeRemoved(member)
    await removed
    probe.stop()
    await gone
  })

  test('a member finds room also where all others were reached, and they do when it is gone', async () => {
    const a = await nodes.start({ remote: { peersMax: 2 } })
    const all = [await nodes.start(), await nodes.start(), await nodes.start()]
    const probes = all.map(({ system }) => createTestProbe<string>(system, 'probe'))
    const refs = all.map(({ remoting }) => a.remoting.refAt(remoting.node, '/user/probe'))
    for (const n of [0, 1]) {
      refs[n]!.tell('hello')
      await probes[n]!.expect('hello')
    }
    const lost = nextEvent(a.system, DeadLetter)
    refs[2]!.tell('no room')
    expect(await lost).toMatchObject({ message: 'no room', reason: 'too-many-peers' })
    a.remoting.nodeJoined(all[2]!.remoting.node)
    refs[2]!.tell('a member now')
    await probes[2]!.expect('a member now')
    expect(a.remoting.peerAt(all[0]!.remoting.address)).toBeUndefined()
    expect(a.remoting.peerCount).toBe(2)
  })

  test('a newcomer finds room when others that were reached have nothing more to say', async () => {
    const a = await nodes.start({ remote: { peersMax: 1, idleAfterMs: 20 } })
    const [b, c] = [await nodes.start(), await nodes.start()]
    const [first, second] = [b, c].map(({ system }) => createTestProbe<string>(system, 'probe'))
    const [toB, toC] = [b, c].map(({ remoting }) =>
      a.remoting.refAt(remoting.address, '/user/probe'),
    )
    const idle = nextEvent(a.system, PeerDisconnected)
    toB!.tell('hello')
    await first!.expect('hello')
    const lost = nextEvent(a.system, DeadLetter)
    toC!.tell('no room')
    expect(await lost).toMatchObject({ reason: 'too-many-peers' })
    await idle
    const arrived = second!.receive(1, { within: '40s' })
    let hasArrived = false
    void arrived.then(() => (hasArrived = true))
    const tell = (): void => toC!.tell('room')
    await untilTurn('there is room', () => hasArrived, tell)
    expect(await arrived).toEqual(['room'])
  })

  test('a member that is dead and removed is not called for what it has not confirmed', async () => {
    const remote = { giveUpAfterMs: 50, idleAfterMs: 20, forgetAfterMs: 50 }
    const [a, b] = [await nodes.start({ remote }), await nodes.start()]
    const probe = createTestProbe<string>(b.system, 'probe')
    a.remoting.nodeJoined(b.remoting.node)
    const ref = a.remoting.refAt(b.remoting.node, '/user/probe') as InternalRef
    const watcher = { watchedTerminated: () => undefined }
    ref.addWatcher(watcher)
    ref.tell('hello' as never)
    await probe.expect('hello')
    const lost = nextEvent(a.system, PeerDisconnected, ({ lane }) => lane === 'control')
    await b.kill()
    await lost
    ref.removeWatcher(watcher)
    await nextEvent(a.system, ConnectionFailed)
    a.remoting.nodeRemoved(b.remoting.node)
    await untilTurn('it is forgotten', () => a.remoting.peerCount === 0)
    expect(a.logs.matching(/gives .* up/)).toEqual([])
  })

  test('whoever calls from addresses at which it cannot be called is given up soon, and learns it', async () => {
    const a = await nodes.start({ remote: { giveUpAfterMs: 50 } })
    const b = await nodes.start({ advertised: { host: '10.0.0.7', port: 7 } })
    const quarantined = nextEvent(a.system, PeerQuarantined)
    const told = b.system.whenStopped(b.remoting.refAt(a.remoting.address, '/user/nobody'))
    expect((await quarantined).node).toBe(b.remoting.node)
    // What it waits for cannot reach it: it hears that it was given up when it calls again.
    b.remoting.refAt(a.remoting.address, '/user/nobody').tell('still there?')
    await told
    const [warning, ...more] = a.logs.matching(/cannot be called at that address/, 'warn')
    expect([warning?.fields['peer'], more]).toEqual([b.remoting.node, []])
  })

  test('those who call from many such addresses do not fill the log', async () => {
    const a = await nodes.start({ remote: { giveUpAfterMs: 50 } })
    let quarantined = 0
    a.system.eventStream.subscribe(PeerQuarantined, () => void quarantined++)
    const count = 120
    for (let port = 1; port <= count; port++) {
      const b = await nodes.start({ advertised: { host: '10.0.0.7', port } })
      void b.system.whenStopped(b.remoting.refAt(a.remoting.address, '/user/nobody'))
    }
    await untilTurn('all are given up', () => quarantined === count)
    // A line for each of a hundred, and one for all others.
    expect(a.logs.matching(/cannot be called at that address/, 'warn')).toHaveLength(101)
  })

  test('one that is pushed out while it watches somebody here learns it, and watches on nobody', async () => {
    const a = await nodes.start({ remote: { peersMax: 1 } })
    const b = await nodes.start({ advertised: { host: '10.0.0.7', port: 7 } })
    const ear = a.system.spawn<string>(() => undefined, 'ear') as InternalRef
    const isWatched = new Promise<void>((resolve) => {
      const addWatcher = ear.addWatcher.bind(ear)
      ear.addWatcher = (each) => {
        addWatcher(each)
        resolve()
      }
    })
    const toEar = b.remoting.refAt(a.remoting.address, '/user/ear')
    const told = b.system.whenStopped(toEar)
    await isWatched
    a.remoting.refAt('10.0.0.2:1', '/user/a').tell('another')
    await untilTurn('it was given up', () => a.remoting.peerAt(b.remoting.address) === undefined)
    toEar.tell('still there?')
    await told
  })
})

describe('addresses that were only named, at the settings that users get', () => {
  /** A node on a network where nobody listens, in time that the test moves. */
  const startAlone = async () => {
    const time = new ManualTime()
    const system = new ActorSystem('alone', {
      environment: time.environment,
      settings: { hookSignals: false },
    })
    let calls = 0
    const nothing = (): void => undefined
    const transport: Transport = {
      listen: async ({ port }) => ({ port, close: async () => undefined }),
      connect: (_to, handler) => {
        calls++
        setImmediate(() => handler.closed({ type: 'refused', detail: '' }))
        const write = (): boolean => true
        return {
          peer: '',
          isIdle: true,
          write,
          askForTurn: nothing,
          end: nothing,
          destroy: nothing,
        }
      },
    }
    const bind = { host: '127.0.0.1', port: 2552 }
    const remoting = await Remoting.start({ system, transport, clusterName: 'test', bind })
    onTestFinished(() => system.terminate())
    return { time, system, remoting, callCount: () => calls }
  }

  test('are called for as long as messages wait, then no more, and are forgotten', async () => {
    const { time, system, remoting, callCount } = await startAlone()
    let told = 0
    for (let port = 1; port <= 100; port++) {
      const ref = remoting.refAt(`10.0.0.1:${port}`, '/user/a')
      void system.whenStopped(ref).then(() => void told++)
    }
    await time.advance(defaultRemoteSettings.giveUpAfterMs - 1)
    expect([told, remoting.peerCount]).toEqual([0, 100])
    await time.advance(1)
    expect(told).toBe(100)
    const calls = callCount()
    await time.advance(2 * defaultRemoteSettings.forgetAfterMs)
    expect([callCount(), remoting.peerCount]).toEqual([calls, 0])
  })

  test('do not take a member along that others lived before, at the same address', async () => {
    const { time, system, remoting } = await startAlone()
    const [former, member] = ['10.0.0.1:2552#0000000000000001', '10.0.0.1:2552#0000000000000002']
    remoting.nodeJoined(member)
    const told: string[] = []
    for (const node of [former, member]) {
      void system.whenStopped(remoting.refAt(node, '/user/a')).then(() => void told.push(node))
    }
    await time.advance(defaultRemoteSettings.giveUpAfterMs)
    expect(told).toEqual([former])
    await time.advance(defaultRemoteSettings.systemGiveUpAfterMs)
    expect(told).toEqual([former, member])
  })

  test('are called for hours where they are those of members, and no longer', async () => {
    const { time, system, remoting } = await startAlone()
    const member = '10.0.0.1:2552#0000000000000001'
    remoting.nodeJoined(member)
    let isTold = false
    const ref = remoting.refAt(member, '/user/a')
    void system.whenStopped(ref).then(() => void (isTold = true))
    await time.advance(defaultRemoteSettings.systemGiveUpAfterMs - 1)
    expect(isTold).toBe(false)
    await time.advance(1)
    expect(isTold).toBe(true)
  })
})
