/** What a long test has done, in one line of the output of a full run: rounds, what was acknowledged, what was lost. */
import { isFull } from './how-long.ts'

export function printFigures(what: string, figures: Readonly<Record<string, number>>): void {
  if (!isFull) return
  const list = Object.entries(figures).map(([name, value]) => `${name} ${value}`)
  console.log(`${what}: ${list.join(', ')}`)
}
