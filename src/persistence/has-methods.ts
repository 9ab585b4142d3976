/** How it is found out which ports a journal has besides: by the methods that are there. */
import type { Journal } from './journal.ts'

export function hasMethods(journal: Journal, names: readonly string[]): boolean {
  const members = journal as unknown as Readonly<Record<string, unknown>>
  return names.every((name) => typeof members[name] === 'function')
}
