import { describe, expect, test } from 'vitest'
import { unreachableMembers } from '../../src/cluster/gossip/convergence.ts'
import { unreachableDataCenters } from '../../src/cluster/gossip/data-center.ts'
import { memberOf } from '../../src/cluster/gossip/gossip.ts'
import type { MemberStatus } from '../../src/cluster/index.ts'
import { Network, type NetworkOptions, type Node } from './network.ts'
import { SharedRegister } from './shared-register.ts'

const seeds = ['n1:1', 'n2:1', 'n3:1']
const pauseMs = 4_000

interface DataCenterNetwork {
  readonly network: Network
  start(name: string): Node
  readonly one: () => Node[]
  readonly two: () => Node[]
}

/** `n1`, `n2` and what begins with `a` are in `one`, the others in `two`. */
function networkOf(
  seed: number,
  hasStore: boolean,
  options: NetworkOptions = {},
): DataCenterNetwork {
  const network = new Network({
    seed,
    ...options,
    settings: { crossDataCenterPauseMs: pauseMs, ...options.settings },
    ...(hasStore && { register: new SharedRegister() }),
  })
  const isOne = (name: string): boolean => /^(n1|n2|a)/.test(name)
  return {
    network,
    start: (name) => {
      // Who comes while the two are cut off asks those of its own.
      const asked = isOne(name) ? seeds : ['n1:1', 'n3:1', 'n4:1', 'n5:1']
      return network.start(`${name}:1`, asked, { dataCenter: isOne(name) ? 'one' : 'two' })
    },
    one: () => network.alive.filter(({ address }) => isOne(address)),
    two: () => network.alive.filter(({ address }) => !isOne(address)),
  }
}

const statusOf = (viewer: Node, of: Node): MemberStatus | undefined =>
  memberOf(viewer.machine.gossip, of.id)?.status

const isUpFor = (viewers: readonly Node[], node: Node): boolean =>
  viewers.every((viewer) => statusOf(viewer, node) === 'Up')

const cutOffFrom = ({ machine, id }: Node): string[] => [
  ...unreachableDataCenters(machine.gossip, id, 5),
]

/** What a node was told about another, or about data centers, in order. */
function told({ events }: Node, node?: Node): string[] {
  return events.flatMap(({ event }) => {
    if ('dataCenter' in event)
      return node === undefined ? [`${event.type} ${event.dataCenter}`] : []
    return 'member' in event && event.member.node === node?.id ? [event.type] : []
  })
}

/** Whoever was frozen, or told of a member out of reach, since then. */
function disturbed(nodes: readonly Node[], since: number): string[] {
  return nodes.flatMap(({ address, events }) =>
    events
      .filter(({ at, event }) => at >= since && /^(Frozen|UnreachableMember)$/.test(event.type))
      .map(({ event }) => `${address} ${event.type}`),
  )
}

describe.each([false, true])('CL-019 data centers, with a shared store: %s', (hasStore) => {
  test('the first member of a new one is let in by itself, and all see it', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { network, start } = networkOf(seed, hasStore)
      start('n1')
      start('n2')
      network.runUntil('one is up', () => network.alive.length === 2 && network.isWhole, 20_000)
      const first = start('n4')
      network.runUntil('n4 is up', () => isUpFor(network.alive, first), 20_000)
      start('n3')
      network.runUntil('all are', () => network.isWhole, 20_000)
      // Each data center has a leader of its own.
      const leaders = network.alive.map(({ events }) =>
        events
          .flatMap(({ event }) => (event.type === 'LeaderChanged' ? [event.leader] : []))
          .at(-1),
      )
      expect(new Set(leaders.map((leader) => leader?.split(':')[0]))).toEqual(new Set(['n1', 'n3']))
    }
  })

  test('one that died while it joined as the first does not keep the next one out', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { network, start } = networkOf(seed, hasStore)
      const n1 = start('n1')
      start('n2')
      network.runUntil('one is up', () => network.alive.length === 2 && network.isWhole, 20_000)
      for (const name of ['n3', 'n4']) {
        const dead = start(name)
        network.runUntil('it is joining', () => statusOf(n1, dead) === 'Joining', 20_000, 1)
        network.crash(dead)
      }
      const next = start('n5')
      network.runUntil('n5 is up', () => isUpFor(network.alive, next) && network.isWhole, 60_000)
    }
  })

  test('the first of a new one ends when all who let it in are gone, to join anew', () => {
    const settings = { joinDeadlineMs: 60_000 }
    const { network, start, one } = networkOf(1, hasStore, { settings })
    for (const name of ['n1', 'n2']) start(name)
    network.runUntil('one is up', () => network.alive.length === 2 && network.isWhole, 20_000)
    const first = start('n4')
    network.runUntil('it is let in', () => statusOf(first, first) === 'Joining', 20_000, 1)
    for (const node of one()) network.crash(node, { silent: true })
    network.runUntil('it ends', () => !first.isAlive, 120_000)
    expect(first.ended).toBe('join-failed')
  })

  test('cut off from each other both go on: join, leave and restart; then they agree again', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { network, start, one, two } = networkOf(seed, hasStore)
      const [n1, n2, n3] = ['n1', 'n2', 'n3', 'n5'].map(start)
      network.runUntil('all are up', () => network.isWhole, 30_000)
      const former = network.latest('n5:1')

      const begun = network.now
      network.cut(one(), two())
      network.runUntil(
        'both know it',
        () => network.alive.every((node) => cutOffFrom(node).length === 1),
        20_000,
      )
      expect(told(n1!)).toEqual(['UnreachableDataCenter two'])
      expect(told(n3!)).toEqual(['UnreachableDataCenter one'])
      for (const { machine, id } of network.alive) {
        expect(unreachableMembers(machine.gossip, id).size).toBe(0)
      }

      // One joins and leaves again, and one comes back on its port.
      const n4 = start('n4')
      network.cut(one(), [n4])
      network.runUntil('n4 is up', () => isUpFor(two(), n4), 20_000)
      expect(statusOf(n1!, n4)).toBeUndefined()
      network.give(n4, { type: 'Leave', node: n4.id })
      network.runUntil('n4 is gone', () => !n4.isAlive && statusOf(n3!, n4) === undefined, 20_000)
      network.crash(former)
      const later = start('n5')
      network.cut(one(), [later])
      network.runUntil('n5 is up again', () => isUpFor(two(), later), 30_000)
      expect(statusOf(n3!, former)).toBeUndefined()
      // Meanwhile one moves as well.
      const a1 = start('a1')
      network.cut([a1], two())
      network.runUntil('a1 is up', () => isUpFor(one(), a1), 20_000)

      network.run(20_000)
      expect(disturbed(one(), begun)).toEqual([])
      // Whoever was killed has been missed by its own, and by nobody else.
      expect(new Set(disturbed([n3!], begun))).toEqual(new Set(['n3:1 UnreachableMember']))
      expect(told(n1!, former)).not.toContain('MemberRemoved')

      network.heal()
      network.runUntil('all agree', () => network.isWhole, 30_000)
      expect(told(n1!)).toEqual(['UnreachableDataCenter two', 'ReachableDataCenter two'])
      expect(network.alive.flatMap(cutOffFrom)).toEqual([])
      expect(told(n2!, former).at(-1)).toBe('MemberRemoved')
      expect(told(n2!, later).at(-1)).toBe('MemberUp')
      const removedAt = n2!.events.findIndex(
        ({ event }) => event.type === 'MemberRemoved' && event.member.node === former.id,
      )
      const upAt = n2!.events.findIndex(
        ({ event }) => event.type === 'MemberUp' && event.member.node === later.id,
      )
      expect(removedAt).toBeGreaterThan(-1)
      expect(upAt).toBeGreaterThan(removedAt)
    }
  })

  test('a whole data center replaced while it was cut off is found again', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { network, start, one, two } = networkOf(seed, hasStore)
      for (const name of ['n1', 'n2', 'n3', 'n4']) start(name)
      network.runUntil('all are up', () => network.isWhole, 30_000)
      network.cut(one(), two())
      for (const name of ['n3', 'n4']) {
        network.crash(network.latest(`${name}:1`))
        const later = start(name)
        network.cut(one(), [later])
        network.runUntil(`${name} is up again`, () => isUpFor(two(), later), 60_000)
      }
      network.heal()
      network.runUntil('all agree', () => network.isWhole, 60_000)
    }
  })

  test('two that have replaced all who spoke for them while they were cut off meet again', () => {
    for (const crossDataCenterConnections of [1, 2]) {
      const settings = { crossDataCenterConnections }
      const { network, start, one, two } = networkOf(3, hasStore, { settings })
      for (const name of ['n1', 'n2', 'a1', 'a2', 'n3', 'n4', 'n5', 'n6']) {
        const node = start(name)
        network.runUntil(`${name} is up`, () => isUpFor(network.alive, node), 20_000)
      }
      network.cut(one(), two())
      network.run(20_000)
      const spoke = crossDataCenterConnections === 1 ? ['n1', 'n3'] : ['n1', 'n2', 'n3', 'n4']
      for (const name of spoke) {
        const node = network.latest(`${name}:1`)
        const near = one().includes(node) ? one : two
        network.give(node, { type: 'Leave', node: node.id })
        const hasLeft = (): boolean =>
          !node.isAlive && near().every((other) => statusOf(other, node) === undefined)
        network.runUntil(`${name} has left`, hasLeft, 30_000)
      }
      network.heal()
      network.runUntil('all agree', () => network.isWhole, 60_000)
      expect(network.alive.flatMap(cutOffFrom)).toEqual([])
    }
  })

  test('when the oldest of those who watch leaves, the next oldest does', () => {
    const { network, start, one } = networkOf(1, hasStore)
    const [n1, n2, a1] = ['n1', 'n2', 'a1', 'n3', 'n4'].map((name) => {
      const node = start(name)
      network.runUntil(`${name} is up`, () => isUpFor(network.alive, node), 20_000)
      return node
    })
    const watchers = (): string[] =>
      one()
        .filter(({ machine }) => machine.snapshot().farHeartbeat.watched.length > 0)
        .map(({ address }) => address)
    network.give(n1!, { type: 'Leave', node: n1!.id })
    network.runUntil('it is gone', () => !n1!.isAlive && network.isWhole, 20_000)
    expect(watchers()).toEqual(['n2:1', 'a1:1'])
    expect([n2, a1].map((node) => node!.machine.snapshot().farHeartbeat.suspected)).toEqual([
      [],
      [],
    ])
  })

  test('the last member of a data center leaves: the others take it out', () => {
    const { network, start } = networkOf(1, hasStore)
    for (const name of ['n1', 'n2', 'n3']) start(name)
    network.runUntil('all are up', () => network.isWhole, 30_000)
    const last = network.latest('n3:1')
    network.give(last, { type: 'Leave', node: last.id })
    network.runUntil('it is gone', () => !last.isAlive && network.isWhole, 20_000)
    expect(last.ended).toBe('leaving')
  })

  test('cut off while it leaves, the last member of a data center is not taken out while it hands over', () => {
    const { network, start, one } = networkOf(1, hasStore, { exitingTasksMs: 150_000 })
    for (const name of ['n1', 'n2', 'n3']) start(name)
    network.runUntil('all are up', () => network.isWhole, 30_000)
    const last = network.latest('n3:1')
    network.give(last, { type: 'Leave', node: last.id })
    const isExiting = (): boolean => one().every((node) => statusOf(node, last) === 'Exiting')
    network.runUntil('it is exiting', isExiting, 20_000, 1)
    network.cut(one(), [last])
    network.run(120_000)
    expect([last.isHandingOver, last.machine.isFrozen]).toEqual([true, false])
    expect(one().map((node) => statusOf(node, last))).toEqual(['Exiting', 'Exiting'])
    network.heal()
    network.runUntil('it is gone', () => !last.isAlive && network.isWhole, 60_000)
    expect(last.ended).toBe('leaving')
  })

  test('a member that dies is given up by its own data center, although the other is cut off', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { network, start, one, two } = networkOf(seed, hasStore)
      for (const name of ['n1', 'n2', 'n3', 'n4', 'n5']) start(name)
      network.runUntil('all are up', () => network.isWhole, 30_000)
      network.cut(one(), two())
      network.run(10_000)
      const dead = network.latest('n5:1')
      network.crash(dead, { silent: true })
      network.runUntil(
        'it is removed',
        () => two().every((node) => statusOf(node, dead) === undefined),
        30_000,
      )
      expect(one().every((node) => statusOf(node, dead) === 'Up')).toBe(true)
      network.heal()
      network.runUntil('all agree', () => network.isWhole, 30_000)
    }
  })

  test('a split among members whom the other never heard of is decided behind the cut', () => {
    const { network, start, one, two } = networkOf(5, hasStore)
    for (const name of ['n1', 'n2', 'n3']) start(name)
    network.runUntil('all are up', () => network.isWhole, 30_000)
    const former = network.latest('n3:1')
    network.cut(one(), [former])
    const [dead, left] = ['n4', 'n5'].map((name) => {
      const node = start(name)
      network.cut(one(), [node])
      network.runUntil(`${name} is up`, () => isUpFor(two(), node), 60_000)
      return node
    }) as [Node, Node]
    network.give(former, { type: 'Leave', node: former.id })
    const hasLeft = (): boolean => two().every((node) => statusOf(node, former) === undefined)
    network.runUntil('n3 has left', () => !former.isAlive && hasLeft(), 60_000)
    network.run(30_000)
    network.crash(dead, { silent: true })
    // Only a store decides for one of two.
    const isDecided = (): boolean =>
      hasStore ? statusOf(left, dead) === undefined : !left.isAlive || left.machine.isFrozen
    network.runUntil('it is decided', isDecided, 60_000)
    expect(left.isAlive || !hasStore).toBe(true)
  })

  test('a data center that is gone for good is taken out when a person has downed it', () => {
    const { network, start, two } = networkOf(1, hasStore)
    for (const name of ['n1', 'n2', 'n3', 'n4']) start(name)
    network.runUntil('all are up', () => network.isWhole, 30_000)
    const n1 = network.latest('n1:1')
    const lost = two()
    for (const node of lost) network.crash(node, { silent: true })
    network.runUntil('it is missed', () => cutOffFrom(n1).length === 1, 30_000)
    network.run(60_000)
    // Nobody gives it up by itself.
    expect(lost.map((node) => statusOf(n1, node))).toEqual(['Up', 'Up'])
    network.give(n1, { type: 'Down', nodes: lost.map(({ id }) => id) })
    network.runUntil('it is gone', () => network.isWhole, 20_000)
    expect(told(n1)).toEqual(['UnreachableDataCenter two'])
  })
})
