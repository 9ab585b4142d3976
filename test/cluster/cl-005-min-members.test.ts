import { describe, expect, test } from 'vitest'
import type { Logger } from '../../src/foundation/logger.ts'
import { ClusterLog } from '../../src/cluster/cluster-log.ts'
import { missingMembers } from '../../src/cluster/joining/forming.ts'
import type { ClusterSettings } from '../../src/cluster/index.ts'
import { Network, type Node } from './network.ts'

const seeds = ['n1:1', 'n2:1', 'n3:1']

const statuses = ({ machine }: Node): string[] => machine.gossip.members.map(({ status }) => status)

/** How often a node was told that it is Up itself. */
const ups = ({ id, events }: Node): number =>
  events.filter(({ event }) => event.type === 'MemberUp' && event.member.node === id).length

/** Two nodes that have found each other, 5 s ago. */
function two(settings: Partial<ClusterSettings>, ...roles: readonly string[]): Network {
  const network = new Network({ settings })
  for (const [index, address] of seeds.slice(0, 2).entries()) {
    const role = roles[index]
    network.start(address, seeds, { roles: role === undefined ? [] : [role] })
  }
  const knowEachOther = (): boolean =>
    network.nodes.every(({ machine }) => machine.gossip.members.length === 2)
  network.runUntil('both know each other', knowEachOther, 20_000)
  network.run(5_000)
  return network
}

function comesToLife(network: Network, roles: readonly string[] = []): void {
  network.start('n3:1', seeds, { roles })
  network.runUntil('all three are Up', () => network.isWhole, 20_000)
  expect(network.alive.map(ups)).toEqual([1, 1, 1])
}

describe('CL-005 enough members must have come before the first is Up', () => {
  test('so many of any kind: both stay Joining until the third comes, and each is Up once', () => {
    const network = two({ minMembers: 3 })
    for (const node of network.nodes) expect(statuses(node)).toEqual(['Joining', 'Joining'])
    comesToLife(network)
  })

  test('so many with a role: others do not count for it', () => {
    const network = two({ minMembersByRole: { backend: 2 } }, 'backend', 'web')
    for (const node of network.nodes) expect(statuses(node)).toEqual(['Joining', 'Joining'])
    comesToLife(network, ['backend'])
  })

  test('both at once', () => {
    const network = two({ minMembers: 3, minMembersByRole: { backend: 2 } }, 'backend', 'backend')
    for (const node of network.nodes) expect(statuses(node)).toEqual(['Joining', 'Joining'])
    comesToLife(network, ['web'])
  })

  test('only at first: when members have gone, a single one lets the next in', () => {
    const network = two({ minMembers: 3 })
    comesToLife(network)
    for (const address of ['n2:1', 'n3:1']) {
      const leaver = network.latest(address)
      network.give(leaver, { type: 'Leave', node: leaver.id })
      network.runUntil(`${address} has left`, () => !leaver.isAlive && network.isWhole, 20_000)
    }
    expect(network.alive).toHaveLength(1)
    network.start('n2:1', seeds)
    network.runUntil('both are Up', () => network.isWhole && network.alive.length === 2, 20_000)
  })

  test('while it waits, the log says every five seconds for whom', () => {
    const network = two({ minMembers: 3 })
    const lines: string[] = []
    const quiet = (): void => undefined
    const warn: Logger['warn'] = (_, text) => void lines.push(text)
    const logger: Logger = { trace: quiet, debug: quiet, info: quiet, warn, error: quiet }
    const log = new ClusterLog('n1:1#0000000000000001', logger)
    const { gossip } = network.latest('n1:1').machine
    const missing = missingMembers(gossip, network.settings)
    for (let now = 0; now < 11_000; now += 250) log.forming(missing, now)
    log.forming([], 20_000)
    log.forming([], 30_000)
    expect(lines).toEqual(
      Array(2).fill(
        'Nobody is let into the cluster before enough have come: 2 of 3 members are there (minMembers). Start the others',
      ),
    )
  })
})
