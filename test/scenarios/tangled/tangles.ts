/** Ways between nodes that are cut one by one, in one direction or both, and change again and again: what no side can see through. */
import type { SeededRandom, Simulation } from '../../../src/simulation/index.ts'
import { planFaults } from '../planned-faults.ts'

type Way = readonly [from: string, to: string]
/** Which ways are cut. */
type Tangle = (names: readonly string[], random: SeededRandom) => readonly Way[]

/** From the beginning to the end; then all ways are open. */
export function planTangles(
  simulation: Simulation,
  names: readonly string[],
  random: SeededRandom,
): { end(): void } {
  const some = tangles.filter(() => random.chance(0.5))
  const kinds = [random.pick(tangles), ...some, ...(random.chance(0.5) ? [calm] : [])]
  const times = random.pick([
    { leastMs: 500, moreMs: 4_000 },
    { leastMs: 2_000, moreMs: 8_000 },
    { leastMs: 6_000, moreMs: 15_000 },
  ])
  const { network } = simulation
  const plan = planFaults(simulation, { kinds, times }, (tangle, own) => {
    network.heal()
    const ways = tangle(names, own)
    for (const [from, to] of ways) network.cut(from, to)
  })
  return {
    end: () => {
      plan.end()
      network.heal()
    },
  }
}

function waysIn(names: readonly string[], isCut: (from: string, to: string) => boolean): Way[] {
  return names.flatMap((from) =>
    names.flatMap((to): Way[] => (from !== to && isCut(from, to) ? [[from, to]] : [])),
  )
}

function halfOf(names: readonly string[], random: SeededRandom): ReadonlySet<string> {
  return new Set(names.filter(() => random.chance(0.5)))
}

const tangles: readonly Tangle[] = [
  // Any ways, each by itself.
  (names, random) => {
    const share = random.pick([0.1, 0.3, 0.6])
    return waysIn(names, () => random.chance(share))
  },
  // Any pairs, both ways.
  (names, random) => {
    const share = random.pick([0.2, 0.5])
    const cut = waysIn(names, (from, to) => from < to && random.chance(share))
    return [...cut, ...cut.map(([from, to]): Way => [to, from])]
  },
  // One side does not hear the other, which hears it.
  (names, random) => {
    const side = halfOf(names, random)
    return waysIn(names, (from, to) => side.has(from) && !side.has(to))
  },
  // Two sides, and one that reaches both.
  (names, random) => {
    const [side, bridge] = [halfOf(names, random), random.pick(names)]
    const isBridge = (name: string): boolean => name === bridge
    return waysIn(
      names,
      (from, to) => side.has(from) !== side.has(to) && !isBridge(from) && !isBridge(to),
    )
  },
  // Each reaches its neighbours alone.
  (names) => {
    const size = names.length
    const distance = (from: string, to: string): number =>
      (names.indexOf(from) - names.indexOf(to) + size) % size
    return waysIn(names, (from, to) => ![1, size - 1].includes(distance(from, to)))
  },
  // A clean cut, among all that.
  (names, random) => {
    const side = halfOf(names, random)
    return waysIn(names, (from, to) => side.has(from) !== side.has(to))
  },
]

/** All is well for a while. */
const calm: Tangle = () => []
