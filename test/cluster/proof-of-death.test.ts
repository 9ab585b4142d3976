/** Machines on hosts: what becomes of a member whose process is seen to have ended, and of one that nobody can see. */
import { expect, test } from 'vitest'
import type { Node } from './network.ts'
import { Network } from './network.ts'

const addresses = ['a:1', 'b:1', 'c:1', 'd:1']

function clusterOn(...hosts: readonly (string | undefined)[]): Network {
  const hostOf = (address: string): string | undefined => hosts[addresses.indexOf(address)]
  const network = new Network({ hostOf })
  for (const address of addresses.slice(0, hosts.length)) network.start(address, addresses)
  network.runUntil('all are up', () => network.isWhole, 30_000)
  return network
}

const wasFrozen = ({ events }: Node): boolean => events.some(({ event }) => event.type === 'Frozen')

test('a member whose process has ended is downed and removed at once, and nobody freezes', () => {
  for (const victim of ['a:1', 'c:1']) {
    const network = clusterOn('h', 'h', 'h')
    network.crash(network.latest(victim))
    expect(network.runUntil('it is removed', () => network.isWhole, 10_000)).toBeLessThan(100)
    expect(network.alive.some(wasFrozen)).toBe(false)
  }
})

test('of two the other goes on, and the last of three, whatever their addresses', () => {
  for (const [size, victims] of [
    [2, ['a:1']],
    [2, ['b:1']],
    [3, ['a:1', 'b:1']],
    [3, ['b:1', 'c:1']],
  ] as const) {
    const network = clusterOn(...Array<string>(size).fill('h'))
    for (const victim of victims) network.crash(network.latest(victim))
    expect(network.runUntil('they are removed', () => network.isWhole, 10_000)).toBeLessThan(100)
    expect(network.alive).toHaveLength(1)
  }
})

test('one that sees it is enough: the leader is elsewhere and removes it by that word', () => {
  const network = clusterOn('other', 'h', 'h', undefined)
  network.crash(network.latest('c:1'))
  expect(network.runUntil('it is removed', () => network.isWhole, 10_000)).toBeLessThan(200)
})

test('without a neighbour that sees it, it is given up when the picture was still for long enough', () => {
  for (const hosts of [
    ['h', 'h', 'other'],
    ['h', 'h', undefined],
    [undefined, undefined, undefined],
  ]) {
    const network = clusterOn(...hosts)
    network.crash(network.latest('c:1'))
    expect(network.runUntil('it is removed', () => network.isWhole, 10_000)).toBeGreaterThan(2_400)
  }
})

test('nor when its whole host is gone: silence is no proof', () => {
  const network = clusterOn('h', 'h', 'h')
  network.crash(network.latest('c:1'), { silent: true })
  expect(network.runUntil('it is removed', () => network.isWhole, 20_000)).toBeGreaterThan(5_000)
})

test('behind a cut it is seen all the same, and the side that saw it does not count itself the larger', () => {
  const network = clusterOn('h', 'h', 'h', 'other')
  const [a, b, c, d] = addresses.map((address) => network.latest(address)) as [
    Node,
    Node,
    Node,
    Node,
  ]
  network.cut([a, b], [c, d])
  network.crash(c)
  network.run(20_000)
  // Two of four are left on one side, and on the other one of them that nobody has told: at most one side goes on.
  const survivors = network.alive.filter(({ machine }) => !machine.isFrozen)
  const sides = new Set(survivors.map((node) => (node === d ? 'd' : 'ab')))
  expect(sides.size).toBeLessThanOrEqual(1)
})

test('nobody on the side that lost goes on by the death of the winner, which may have let others in', () => {
  const network = new Network({ hostOf: () => 'h' })
  const [a, b] = ['a:1', 'b:1'].map((address) => network.start(address, addresses)) as [Node, Node]
  network.runUntil('all are up', () => network.isWhole, 30_000)
  network.cut([a], [b])
  // So the winner notices first, and has decided before the loser ends by itself.
  network.give(a, { type: 'NotConnected', address: 'b:1', isRefused: true, text: 'refused' })
  const isAlone = (): boolean => a.machine.gossip.members.length === 1
  network.runUntil('the winner removes the loser', isAlone, 5_000)
  const c = network.start('c:1', ['a:1'])
  const isUp = (): boolean => a.machine.gossip.members.every(({ status }) => status === 'Up')
  network.runUntil('it lets another in', () => !isAlone() && isUp(), 5_000)
  network.start('d:1', ['b:1'])
  const isJoining = (): boolean => b.machine.gossip.members.some((m) => m.status === 'Joining')
  network.runUntil('the loser lets another in', isJoining, 2_000)
  expect(b.machine.isFrozen).toBe(true)
  network.crash(a)
  network.runUntil('the loser ends', () => !network.isAlive(b), 5_000)
  network.heal()
  network.run(20_000)
  // Who was joining on the side that lost never comes in by it.
  const isIn = ({ id, machine }: Node): boolean =>
    machine.gossip.members.some(({ node, status }) => node === id && status === 'Up')
  expect(network.alive.filter(isIn)).toEqual([c])
  expect(c.machine.isFrozen).toBe(false)
  expect(b.events.map(({ event }) => event.type)).not.toContain('Thawed')
})

test('a paused process has not ended: it is neither downed at once nor forgotten', () => {
  const network = clusterOn('h', 'h', 'h')
  const c = network.latest('c:1')
  network.sleep(c, 3_000)
  network.run(2_900)
  expect(network.latest('a:1').machine.gossip.members).toHaveLength(3)
  network.runUntil('all are whole again', () => network.isWhole, 10_000)
})

test('one that leaves in good order is never called dead', () => {
  const network = clusterOn('h', 'h', 'h')
  network.give(network.latest('c:1'), { type: 'Leave', node: network.latest('c:1').id })
  network.runUntil('it has left', () => network.isWhole && network.alive.length === 2, 10_000)
  const told = network.alive.flatMap(({ events }) => events.map(({ event }) => event.type))
  expect(told).not.toContain('MemberDowned')
})

test('one that is killed while it hands over is removed when its time is up', () => {
  const network = clusterOn('h', 'h', 'h')
  const c = network.latest('c:1')
  network.give(c, { type: 'Leave', node: c.id })
  network.runUntil('it hands over', () => c.isHandingOver, 10_000)
  network.crash(c)
  const { exitedLingerMs } = network.settings
  expect(network.runUntil('it is removed', () => network.isWhole, 10_000)).toBeLessThan(
    exitedLingerMs + 600,
  )
})
