import { expect, test } from 'vitest'
import type { ChosenDowningSettings } from '../../src/cluster/index.ts'
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

/** Of three nodes the link of the last two is broken; as long before the first gives them up as is said, it joins, and the first is cut off. */
function brokenThenAlone(seed: number, downing: ChosenDowningSettings, beforeMs: number): Network {
  const start = (): Network => {
    const network = new Network({ seed, settings: clusterSettingsTable.complete({ downing }) })
    network.checks.isClean = false
    for (const address of addresses) network.start(address, addresses)
    network.runUntil('all three', () => network.isWhole && network.alive.length === 3, 30_000)
    network.run(5_000)
    const [, second, third] = network.nodes as [Node, Node, Node]
    network.cut([second], [third])
    return network
  }
  const asBefore = start()
  const [leader] = asBefore.nodes as [Node, Node, Node]
  const downsAfterMs = asBefore.runUntil('the end of both', () => hasDowned(leader), 60_000)
  const network = start()
  const [first, ...others] = network.nodes
  network.run(downsAfterMs - beforeMs)
  network.heal()
  network.cut([first!], others)
  return network
}

function hasDowned(node: Node): boolean {
  return node.events.some(
    ({ event }) => event.type === 'MemberDowned' && event.member.node !== node.id,
  )
}

const afterSilenceMs = [1_750, 2_500, 4_000]

test.each([
  { downing: { strategy: 'keep-majority' }, times: afterSilenceMs },
  // What is left is no quorum, whether it has noticed the silence or not.
  {
    downing: { strategy: 'static-quorum', quorumSize: 2 },
    times: [100, 700, ...afterSilenceMs],
  },
  { downing: { strategy: 'keep-oldest' }, times: afterSilenceMs },
] as const)(
  'SB-008 $downing.strategy: where the two ends have found each other, the third does not go on without them',
  ({ downing, times }) => {
    for (let seed = 1; seed <= 3; seed++) {
      for (const beforeMs of times) {
        const network = brokenThenAlone(seed, downing, beforeMs)
        const [first, second, third] = network.nodes as [Node, Node, Node]
        network.runUntil('the end of the first', () => !network.isAlive(first), 60_000)
        network.runUntil('the others', () => network.isWhole, 30_000)
        const alive = network.alive.map(({ id }) => id)
        expect({ seed, beforeMs, alive }).toEqual({ seed, beforeMs, alive: [second.id, third.id] })
      }
    }
  },
)
