import { afterEach, describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors, DeadLetter, Dropped } from '../../src/actor/index.ts'
import type { ClusterEvent, Member } from '../../src/cluster/index.ts'
import { type ClusterMembership, clusterShutdownPhases } from '../../src/cluster/internals.ts'
import { InvalidSettings } from '../../src/foundation/invalid-settings.ts'
import type { SingletonSettings } from '../../src/singleton/index.ts'
import { Singletons } from '../../src/singleton/internals.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { nextEvent, type TestNode, TestNodes } from '../remote/nodes.ts'

/** A cluster that is as the test says. */
class ScriptedCluster implements ClusterMembership {
  readonly self: string
  isFrozen = false
  members: readonly Member[] = []
  readonly exitHolds: (() => Promise<unknown>)[] = []
  readonly #listeners = new Set<(event: ClusterEvent) => void>()

  constructor(self: string) {
    this.self = self
  }

  get state() {
    const nobody = new Set<string>()
    const { members } = this
    return { members, unreachable: nobody, unreachableDataCenters: nobody, leader: undefined }
  }

  lookForFreeze(): boolean {
    return this.isFrozen
  }

  follow(listener: (event: ClusterEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  holdExit(handedOver: () => Promise<unknown>): void {
    this.exitHolds.push(handedOver)
  }

  become(...members: readonly Member[]): void {
    this.members = members
    this.tell({ type: 'LeaderChanged', leader: undefined })
  }

  freeze(isFrozen: boolean): void {
    this.isFrozen = isFrozen
    this.tell(isFrozen ? { type: 'Frozen', reason: 'minority' } : { type: 'Thawed' })
  }

  tell(event: ClusterEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

const up = (node: string, upNumber: number): Member => ({
  node,
  status: 'Up',
  roles: [],
  attributes: [],
  appVersion: '1.0.0',
  upNumber,
})

describe('singletons on nodes', () => {
  let nodes = new TestNodes('tcp')

  afterEach(async () => {
    await nodes.stop()
    nodes = new TestNodes('tcp')
  })

  const begin = async (settings: Partial<SingletonSettings> = {}) => {
    const node = await nodes.start()
    const cluster = new ScriptedCluster(node.remoting.node)
    const { system, remoting } = node
    system.shutdown.addPhases(clusterShutdownPhases)
    const quick = { retryIntervalMs: 50, restartMinMs: 5, ...settings }
    const singletons = new Singletons({ system, remoting, cluster, settings: quick })
    return { ...node, cluster, singletons }
  }

  /** Tells `heard` of its term, then of everything it is told; fails on demand. */
  const start = (singletons: Singletons, heard: ActorRef<unknown>): ActorRef<unknown> =>
    singletons.start<unknown>({
      name: 'a listener / äö',
      behavior: ({ term }) =>
        Behaviors.setup<unknown>(() => {
          heard.tell({ term })
          return Behaviors.receiveMessage<unknown>((message) => {
            if (message === 'fail') throw new Error('as asked')
            heard.tell(message)
          })
        }),
    })

  const probeOn = (node: TestNode) => createTestProbe<unknown>(node.system)

  test('what waits for the instance comes first and in order; the same name is the same proxy', async () => {
    const node = await begin()
    const heard = probeOn(node)
    const proxy = start(node.singletons, heard.ref)
    expect(node.singletons.proxy('a listener / äö')).toBe(proxy)
    for (let number = 1; number <= 3; number++) proxy.tell(number)
    node.cluster.become(up(node.remoting.node, 7))
    expect(await heard.receive(4)).toEqual([{ term: 7 * 2 ** 20 + 1 }, 1, 2, 3])
    expect(() => node.singletons.proxy('a listener / äö', 'other')).toThrow(/same role/)
  })

  test('what cannot be is refused at the door, every problem at once', async () => {
    const { singletons } = await begin()
    const problemsOf = (door: () => unknown): readonly string[] => {
      try {
        door()
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidSettings)
        return (error as InvalidSettings).problems
      }
      return []
    }
    const startWith = (given: unknown) => problemsOf(() => singletons.start(given as never))
    const behavior = () => Behaviors.ignore
    expect(startWith({ behaviour: behavior, role: 5 })).toEqual([
      'name must be a text, not undefined',
      'role must be a text, not 5',
      'behavior must be a function that makes the behavior of the instance, such as ({ term }) => …, not undefined; where it should not run, use proxy',
      '`behaviour` is not an option; did you mean `behavior`?',
    ])
    expect(startWith({ name: 'clerk', behavior: Behaviors.ignore })).toHaveLength(1)
    expect(startWith(undefined)).toEqual([
      'they must be an object such as { name, behavior }, not undefined',
    ])
    expect(problemsOf(() => singletons.proxy('clerk', 5 as never))).toEqual([
      'role must be a text, not 5',
    ])
    expect(() => singletons.start({ name: '$clerk', behavior })).toThrow('begin with $')
  })

  test('a full buffer drops the oldest, with a reason', async () => {
    const node = await begin({ bufferedMessagesMax: 2 })
    const heard = probeOn(node)
    const proxy = start(node.singletons, heard.ref)
    const dropped = nextEvent(node.system, Dropped)
    for (let number = 1; number <= 3; number++) proxy.tell(number)
    expect(await dropped).toMatchObject({ message: 1, reason: 'singleton-buffer-full' })
    node.cluster.become(up(node.remoting.node, 1))
    expect((await heard.receive(3)).slice(1)).toEqual([2, 3])
  })

  test('an instance that failed is there again with the next term, and is found', async () => {
    const node = await begin()
    const heard = probeOn(node)
    const proxy = start(node.singletons, heard.ref)
    node.cluster.become(up(node.remoting.node, 1))
    await heard.expect({ term: 2 ** 20 + 1 })
    proxy.tell('fail')
    await heard.expect({ term: 2 ** 20 + 2 })
    proxy.tell('hello')
    await heard.expect('hello')
  })

  test('a frozen node handles nothing, not even what is in the mailbox, until it thaws', async () => {
    const node = await begin()
    const heard = probeOn(node)
    const proxy = start(node.singletons, heard.ref)
    node.cluster.become(up(node.remoting.node, 1))
    proxy.tell('before')
    await heard.receive(2)
    proxy.tell('queued')
    node.cluster.freeze(true)
    proxy.tell('while frozen')
    await heard.expectNo({ for: 50 })
    node.cluster.freeze(false)
    expect(await heard.receive(2)).toEqual(['queued', 'while frozen'])
  })

  test('a frozen node starts no instance', async () => {
    const node = await begin()
    const heard = probeOn(node)
    node.cluster.freeze(true)
    start(node.singletons, heard.ref)
    node.cluster.become(up(node.remoting.node, 1))
    await heard.expectNo({ for: 50 })
    node.cluster.freeze(false)
    await heard.expect({ term: 2 ** 20 + 1 })
  })

  test('is reached from another node, and by a third that was given the proxy as a ref', async () => {
    const [host, other, third] = [await begin(), await begin(), await begin()]
    const heard = probeOn(host)
    start(host.singletons, heard.ref)
    const all = [host, other, third].map(({ remoting }, index) => up(remoting.node, index + 1))
    for (const { cluster } of [host, other, third]) cluster.become(...all)
    const proxy = other.singletons.proxy<unknown>('a listener / äö')
    for (let number = 0; number < 100; number++) proxy.tell(number)
    expect((await heard.receive(101)).slice(1)).toEqual(Array.from({ length: 100 }, (_, n) => n))
    const given = createTestProbe<ActorRef<unknown>>(third.system, 'given')
    const address = other.remoting.refAt(third.remoting.node, '/user/given')
    address.tell(proxy)
    const [ref] = await given.receive(1)
    ref?.tell('from afar')
    await heard.expect('from afar')
  })

  test('after its own removal the proxy is over, and what waits is a dead letter', async () => {
    const node = await begin()
    const proxy = node.singletons.proxy<unknown>('nobody', undefined)
    const self = up(node.remoting.node, 1)
    node.cluster.become(self)
    proxy.tell('waits')
    const letter = nextEvent(node.system, DeadLetter)
    const member: Member = { ...self, status: 'Removed' }
    node.cluster.tell({ type: 'MemberRemoved', member, previousStatus: 'Exiting' })
    expect(await letter).toMatchObject({ message: 'waits', reason: 'terminated-while-queued' })
    await node.system.whenStopped(proxy)
  })

  test('settings that cannot work are refused, all at once', async () => {
    const { system, remoting } = await nodes.start()
    system.shutdown.addPhases(clusterShutdownPhases)
    const cluster = new ScriptedCluster(remoting.node)
    const settings = { bufferedMessagesMax: -1, stopTimeoutMs: 7_000, restartMinMs: 20_000 }
    const make = () => new Singletons({ system, remoting, cluster, settings })
    expect(make).toThrow(
      /bufferedMessagesMax[^]*restartMinMs[^]*stopTimeoutMs \(7000\) and actor.handlerStopTimeoutMs \(3000\)/,
    )
  })
})
