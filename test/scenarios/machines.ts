/** Which node runs on which machine, by seed: each on its own, all on one, or on two. */
import type { SeededRandom } from '../../src/simulation/index.ts'

export function machinesBy(random: SeededRandom): (name: string) => string {
  const count = random.pick([1, 2, Infinity, Infinity])
  return (name) => (count === Infinity ? `of-${name}` : `machine-${name.charCodeAt(0) % count}`)
}
