/**
 * Faults one after the other, as the seed has it: a plan. When each comes and of which kind it is has been drawn apart from what
 * it does, so that any of them can be left out (`npm run simulate -- --only 3,7-9`).
 */
import type { SeededRandom, Simulation } from '../../src/simulation/index.ts'

export interface FaultTimes {
  readonly leastMs: number
  /** On top of that, at most. */
  readonly moreMs: number
}

/** Until the end is told. `carryOut` gets the kind that was drawn, and chance of its own. */
export function planFaults<Kind>(
  simulation: Simulation,
  { kinds, times }: { readonly kinds: readonly Kind[]; readonly times: FaultTimes },
  carryOut: (kind: Kind, random: SeededRandom) => void,
): { end(): void } {
  const random = simulation.random.fork('plan')
  let isOver = kinds.length === 0
  const goOn = (): void => {
    if (isOver) return
    const kind = random.pick(kinds)
    simulation.after(times.leastMs + random.below(times.moreMs), () => {
      if (isOver) return
      simulation.plan('nothing', (own) => carryOut(kind, own))
      goOn()
    })
  }
  goOn()
  return { end: () => (isOver = true) }
}

/** How the clocks of a node err in every life of it. */
export interface ErringClock {
  readonly wallOffsetMs?: number
  readonly clockRate?: number
}

/** Far more than real clocks err. */
const DRIFT_MAX = 0.02

/**
 * Clocks that are wrong and run at rates of their own, up to `driftMax` too fast or too slow: one fault of the plan for each
 * node that has such a one.
 */
export function planClocks(
  simulation: Simulation,
  names: readonly string[],
  driftMax = DRIFT_MAX,
): (name: string) => ErringClock {
  const clocks = new Map<string, ErringClock>()
  const swarm = simulation.random.fork('clocks')
  for (const name of names) {
    if (swarm.chance(0.25)) continue
    simulation.plan('', (random) => {
      const clockRate = 1 + random.pick([-1, -1, 0.3, 1, 1]) * driftMax
      const wallOffsetMs = random.pick([0, -3_600_000, 86_400_000])
      clocks.set(name, { clockRate, wallOffsetMs })
      const rate = `at ${clockRate.toFixed(4)} times the rate`
      simulation.fault(`the clock of ${name} runs ${rate}, ${wallOffsetMs} ms off`)
    })
  }
  return (name) => clocks.get(name) ?? {}
}

/** A store that is slow, stalls and fails from now on, as the first fault of the plan. */
export function planSlowStore(simulation: Simulation): void {
  simulation.plan('a store that is slow, stalls and fails', (random) =>
    simulation.store.setFaults({
      latencyMeanMs: random.pick([1, 20, 100]),
      stallChance: random.pick([0, 0.05]),
      stallMaxMs: random.pick([1_000, 6_000]),
      failsBefore: random.pick([0, 0.1]),
      failsUnknown: random.pick([0, 0.1]),
    }),
  )
}
