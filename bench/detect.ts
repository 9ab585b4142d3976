/**
 * `detect`: how long it takes until the others know that a member is gone, by how it went and by the number of members.
 * The machines of the cluster room alone, on simulated links; time is virtual, the median of several crashes.
 */
import { Crowd, type CrowdMember } from '../test/cluster/crowd.ts'
import type { Benchmark, MeasuredCase } from './benchmark.ts'

const sizes = [3, 10, 100]
const crashes = 5
const limitMs = 300_000

export const detect: Benchmark = {
  name: 'detect',
  summary: 'a member dies or is cut off: until it is suspected, frozen, removed',
  smallerIsBetter: true,
  run: () => Promise.resolve(sizes.flatMap(measure)),
}

function measure(size: number): MeasuredCase[] {
  console.error(`measuring ${size} members`)
  const rounds = Array.from({ length: crashes }, (_, index) => index + 1)
  const cases: readonly (readonly [string, (seed: number) => number])[] = [
    ['host gone, to suspicion', (seed) => untilSuspected(size, seed, true)],
    ['process gone, to suspicion', (seed) => untilSuspected(size, seed, false)],
    ['host gone, to removal everywhere', (seed) => untilRemoved(size, seed)],
    ['cut off alone, to frozen', (seed) => untilFrozen(size, seed)],
  ]
  return cases.map(([name, run]) => ({
    name: `${size} members, ${name}`,
    unit: 'virtual ms',
    contestants: [{ name: 'ours', samples: rounds.map(run) }],
  }))
}

function whole(size: number, seed: number): { crowd: Crowd; victim: CrowdMember } {
  const crowd = new Crowd({ size, seed })
  crowd.start()
  crowd.runUntil('convergence', () => crowd.isWhole, limitMs)
  // Detectors have learned the rhythm.
  crowd.run(10_000 + crowd.machines.random.below(1_000))
  return { crowd, victim: crowd.members[1 + (seed % (size - 1))]! }
}

function untilSuspected(size: number, seed: number, silent: boolean): number {
  const { crowd, victim } = whole(size, seed)
  crowd.crash(victim, { silent })
  const isSuspected = (): boolean =>
    crowd.alive.some(({ machine }) => machine.snapshot().heartbeat.suspected.includes(victim.id))
  return crowd.runUntil('suspicion', isSuspected, limitMs, 5)
}

function untilRemoved(size: number, seed: number): number {
  const { crowd, victim } = whole(size, seed)
  crowd.crash(victim, { silent: true })
  return crowd.runUntil('removal', () => crowd.areUp, limitMs)
}

function untilFrozen(size: number, seed: number): number {
  const { crowd, victim } = whole(size, seed)
  const others = crowd.members.filter((member) => member !== victim)
  crowd.cut([victim], others)
  return crowd.runUntil('freezing', () => victim.machine.isFrozen, limitMs, 5)
}
