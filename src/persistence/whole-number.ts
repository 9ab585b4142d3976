/** The check of every number that is given to a journal. */
import { InvalidJournalCall } from './persistence-errors.ts'

/** Throws `InvalidJournalCall`. */
export function checkWhole(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return
  throw new InvalidJournalCall(`${name} is a whole number of at least ${least}, not ${value}.`)
}
