import { expect, test } from 'vitest'
import type { ClusterSettings } from '../../src/cluster/index.ts'
import { clusterSettingsTable } from '../../src/cluster/internals.ts'
import type { Address } from '../../src/foundation/node-id.ts'
import { Network, type Node } from './network.ts'
import { SharedRecord } from './shared-record.ts'

const addresses: readonly Address[] = ['a:1', 'b:1', 'c:1', 'd:1', 'e:1']

const settings: ClusterSettings = clusterSettingsTable.complete({
  heartbeatIntervalMs: 400,
  tickIntervalMs: 100,
  acceptableHeartbeatPauseMs: 2_000,
  phiDeviationMinMs: 40,
  phiDeviationMaxMs: 60,
  downing: {
    strategy: 'lease-majority',
    stableAfterMs: 1_500,
    acquireLeaseDelayForMinorityMs: 1_000,
    releaseAfterMs: 3_000,
  },
})

const names = (nodes: readonly Node[]) => nodes.map(({ address }) => address[0]).join('')

test('SB-009 the side lives on that gets the lease, also when it is the smaller one, and twice', () => {
  expect(clusterSettingsTable.problemsWith(settings)).toEqual([])
  for (let seed = 1; seed <= 20; seed++) {
    let granted = 'abc'
    let givenBackMs = 0
    const story: string[] = []
    const record = new SharedRecord()
    const network: Network = new Network({
      ...{ seed, settings, record },
      arbiter: (_, asker) => {
        const isGranted = granted.includes(asker.address[0]!)
        story.push(`${asker.address[0]} ${isGranted ? 'has it' : 'has it not'}`)
        return isGranted ? 'DownUnreachable' : 'DownReachable'
      },
      arbiterIsOver: (node) => {
        givenBackMs = network.now
        story.push(`${node.address[0]} gives it back`)
      },
    })
    for (const address of addresses) network.start(address, addresses)
    network.runUntil('all five', () => network.isWhole && network.alive.length === 5, 30_000)
    network.run(5_000)
    const [a, b, c, ...others] = network.nodes as [Node, Node, Node, ...Node[]]

    network.cut([a, b, c], others)
    network.runUntil('the first end', () => network.isWhole && names(network.alive) === 'abc', 2e4)
    const removedMs = a.events.findLast(({ event }) => event.type === 'MemberRemoved')!.at
    network.runUntil('the lease is given back', () => story.at(-1)!.endsWith('back'), 10_000)
    expect(givenBackMs - removedMs).toBeGreaterThanOrEqual(3_000)
    expect(givenBackMs - removedMs).toBeLessThan(3_500)
    expect(story).toEqual(['a has it', 'd has it not', 'a gives it back'])
    expect(record.givenUp.map((node) => node[0])).toEqual(['d', 'e'])

    // The small side alone can reach the lease.
    granted = 'a'
    story.length = 0
    network.cut([a], [b, c])
    network.runUntil('the second end', () => network.isWhole && names(network.alive) === 'a', 2e4)
    network.run(10_000)
    expect(story).toEqual(['b has it not', 'a has it', 'a gives it back'])
    expect([b.ended, c.ended]).toEqual(['downing', 'downing'])
    expect(new Set(record.givenUp)).toEqual(new Set([b, c, ...others].map(({ id }) => id)))
  }
})
