/** The journal of the simulation on any environment: slow, stalled or failing as a test wants it, in front of a memory. */
import type { Environment } from '../../src/foundation/environment.ts'
import type { MemoryJournal } from '../../src/persistence/index.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { SimulatedJournal } from '../../src/simulation/storage/simulated-journal.ts'

/** Answers without time passing. */
export const noFaults = { latencyMeanMs: 0 }

interface FaultyJournalOptions {
  readonly random?: SeededRandom
  readonly fault?: (description: string) => void
}

/** Without faults until they are set. */
export function faultyJournal(
  journal: MemoryJournal,
  { clock, timers }: Pick<Environment, 'clock' | 'timers'>,
  { random = new SeededRandom(1, 'journal'), fault = () => {} }: FaultyJournalOptions = {},
): SimulatedJournal {
  const later = (delayMs: number, run: () => void): void => {
    if (delayMs === 0) void Promise.resolve().then(run)
    else timers.after(delayMs, run)
  }
  const ground = {
    ...{ label: 'the test', clock, fault, inStore: later, inNode: later },
    mayAct: () => true,
    isAlive: () => true,
  }
  const faulty = new SimulatedJournal({ journal, random, ground })
  faulty.setFaults(noFaults)
  return faulty
}
