/** What becomes of a call to a simulated store, and what whoever made it is told. */
import { JournalOutcomeUnknown, JournalUnavailable } from '../../persistence/index.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { StoreFaults } from './store-faults.ts'

/** One that is full takes no writes, and one that is down does nothing. */
export type StoreCondition = 'well' | 'full' | 'down'

export type CallFate =
  | 'good'
  | 'fails before'
  | 'finds no room'
  | 'finds the store down'
  | 'unknown, not stored'
  | 'unknown, stored'
  | 'lost in a crash of the store'

export function drawFate(
  { failsBefore, failsUnknown }: StoreFaults,
  random: SeededRandom,
): CallFate {
  if (failsBefore + failsUnknown === 0) return 'good'
  const chance = random.float()
  if (chance < failsBefore) return 'fails before'
  if (chance >= failsBefore + 2 * failsUnknown) return 'good'
  return chance < failsBefore + failsUnknown ? 'unknown, stored' : 'unknown, not stored'
}

/** Of a write that comes to a store in this condition. */
export function fateIn(condition: StoreCondition, fate: CallFate): CallFate {
  if (condition === 'well') return fate
  return condition === 'full' ? 'finds no room' : 'finds the store down'
}

/** Nothing was done, and whoever asked is told so. */
export function isRefusal(fate: CallFate): boolean {
  return fate === 'fails before' || fate === 'finds no room' || fate === 'finds the store down'
}

export function errorOf(fate: CallFate, description: string): Error {
  const text = `A fault was injected: ${description}.`
  return isRefusal(fate) ? new JournalUnavailable(text) : new JournalOutcomeUnknown(text)
}
