import { expect, test } from 'vitest'
import { clusterSettingsTable } from '../../src/cluster/internals.ts'
import type { Address } from '../../src/foundation/node-id.ts'
import { Network, type Node } from './network.ts'

const addresses: readonly Address[] = ['a:1', 'b:1', 'c:1']

test('SB-008 of three nodes with one broken link its two ends go, and the third stays', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { downing } = clusterSettingsTable.complete({
      downing: { strategy: 'keep-majority', stableAfterMs: 6_000 },
    })
    // As long as the catalogue assumes; ours is 5 s, and all of it takes 4 s longer then.
    const acceptableHeartbeatPauseMs = 3_000
    const network = new Network({
      seed,
      settings: { acceptableHeartbeatPauseMs, downing },
    })
    network.checks.isClean = false
    for (const address of addresses) network.start(address, addresses)
    network.runUntil('all three', () => network.isWhole && network.alive.length === 3, 30_000)
    network.run(5_000)
    const [first, second, third] = network.nodes as [Node, Node, Node]
    network.cut([second], [third])
    const goneMs = network.runUntil('the end of both', () => network.alive.length === 1, 60_000)
    // Noticed, then as long as it takes to notice a cut, since the verdict rests on what others see.
    expect(goneMs).toBeLessThan(15_000)
    expect([second.ended, third.ended]).toEqual(['downing', 'downing'])
    network.runUntil('one member', () => network.isWhole, 5_000)
    expect(first.machine.gossip.members).toMatchObject([{ node: first.id, status: 'Up' }])
  }
})
