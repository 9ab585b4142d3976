import { expect, test } from 'vitest'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { cases } from '../how-long.ts'
import type { Letter } from '../machines/network.ts'
import { NoChance } from '../machines/no-chance.ts'
import { type RegionNode, World } from './machine-world.ts'

/** What lives in `leaving` ends with it, as a process does: as soon as its region has finished. */
function deliverAll(world: World, leaving: RegionNode, isWanted?: (letter: Letter) => boolean) {
  while (world.network.deliverAny(isWanted)) {
    if (leaving.isFinished && leaving.isAlive) world.crash(leaving)
  }
}

/** Everything there is to say is said; the others hear last that the node is gone. */
function conclude(world: World, leaving: RegionNode) {
  deliverAll(world, leaving)
  expect(leaving.isFinished).toBe(true)
  for (const observer of [...world.alive, world.coordinator]) world.remove(leaving.id, observer)
  deliverAll(world, leaving)
}

function twoRegions(random: NoChance | SeededRandom) {
  const world = new World({ random, settings: { numberOfShards: 4 } })
  world.startCoordinator()
  const [a, b] = ['a', 'b'].map((name) => world.addNode(name))
  for (const node of world.nodes) world.join(node)
  while (world.network.deliverAny());
  return { world, a: a!, b: b! }
}

const isFrom =
  (sender: string) =>
  ({ from }: Letter): boolean =>
    from === sender

test('a region does not leave while the word that it is a home is on its way', () => {
  const { world, a, b } = twoRegions(new NoChance())
  const { coordinator } = world
  world.send(b, 3, 'hello')
  // Stored, and about to be told to both.
  deliverAll(world, a, ({ from, to }) => from === b.id || to === 'journal' || from === 'strategy')
  expect(world.stored.homeOf(3)?.region).toBe(a.id)
  world.leave(a)
  deliverAll(world, a, (letter) => isFrom(a.id)(letter))
  deliverAll(world, a, ({ from, to }) => from === coordinator.id && to === b.id)
  conclude(world, a)
  expect({ lost: [...world.lost], dropped: [...world.dropped] }).toEqual({ lost: [], dropped: [] })
  expect([...world.delivered]).toEqual([1])
})

test('whatever comes first, nothing is lost when a region leaves that was chosen for a shard', () => {
  for (let seed = 1; seed <= cases({ short: 200, full: 5_000 }); seed++) {
    const random = new SeededRandom(seed, 'chosen while leaving')
    const { world, a, b } = twoRegions(random)
    const leaving = random.pick([a, b])
    const staying = leaving === a ? b : a
    for (let shard = 0; shard < 4; shard++) world.send(staying, shard)
    for (let count = random.below(20); count > 0; count--) world.network.deliverAny()
    world.leave(leaving)
    for (let shard = 0; shard < 4; shard++) world.send(staying, shard)
    conclude(world, leaving)
    const outcome = { lost: [...world.lost], dropped: [...world.dropped] }
    expect(outcome, `seed ${seed}\n${world.network.story()}`).toEqual({ lost: [], dropped: [] })
    expect(world.delivered.size, `seed ${seed}\n${world.network.story()}`).toBe(8)
  }
})
