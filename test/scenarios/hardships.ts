/** What makes life hard for one node of a scenario, and ends no connection of it. Nothing for one that is not alive. */
import type { SeededRandom, Simulation } from '../../src/simulation/index.ts'

/** It gets little of its CPU for a while: every step takes long, and all that it should do is late. */
export function slowDown(
  simulation: Simulation,
  random: SeededRandom,
  name: string,
  { leastMs, spreadMs }: { readonly leastMs: number; readonly spreadMs: number },
): void {
  if (!simulation.isAlive(name)) return
  const stepMeanMs = random.pick([0.5, 2, 10, 50])
  simulation.slow(name, { stepMeanMs, for: leastMs + random.below(spreadMs) })
}

/** Its wall clock is set, forward or back. */
export function setClock(simulation: Simulation, random: SeededRandom, name: string): void {
  if (!simulation.isAlive(name)) return
  simulation.stepWallClock(name, random.pick([-3_600_000, -900, 900, 3_600_000]))
}
