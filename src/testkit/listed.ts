/** Lists for failure messages, as long as a person likes to read. */
import { show } from '../foundation/show.ts'

const entriesMax = 8
const entryLengthMax = 200

/** `a, b and 3 more` */
export function listed(texts: readonly string[]): string {
  const rest = texts.length - entriesMax
  const shown = texts.slice(0, entriesMax).join(', ')
  return rest > 0 ? `${shown} and ${rest} more` : shown
}

export function listedValues(values: readonly unknown[]): string {
  return listed(values.map(shownValue))
}

export function shownValue(value: unknown): string {
  return show(value, entryLengthMax)
}
