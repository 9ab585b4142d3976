/**
 * How far a reader of slices has come, also within a page: the place where the store goes on, and of the slices of which
 * more was taken already, the order number of the last event. Of each slice the order is strict, so nothing is read twice
 * and nothing is passed over. As a text it is opaque, and good for as long as the store lives.
 */
import { InvalidPlace } from './reading-errors.ts'

export interface SlicePlace {
  /** In words of the store; undefined before the first event. */
  readonly after: string | undefined
  /** By slice: events up to this order number are done, whatever the store shows again. */
  readonly done: ReadonlyMap<number, number>
}

export const firstPlace: SlicePlace = { after: undefined, done: new Map() }

/** Only what differs from the shortest form stands there. */
export function textOfPlace({ after = null, done }: NullablePlace): string {
  return JSON.stringify(done.size === 0 ? [after] : [after, [...done].flat()])
}

interface NullablePlace {
  readonly after?: string | null | undefined
  readonly done: ReadonlyMap<number, number>
}

/** Throws `InvalidPlace`. */
export function placeOfText(text: string): SlicePlace {
  const [after, numbers = []] = parsed(text)
  const isAfter = after === null || typeof after === 'string'
  const areNumbers = Array.isArray(numbers) && numbers.every(Number.isSafeInteger)
  if (!isAfter || !areNumbers || numbers.length % 2 !== 0) throw new InvalidPlace(text)
  const done = new Map<number, number>()
  for (let index = 0; index < numbers.length; index += 2) {
    done.set(numbers[index] as number, numbers[index + 1] as number)
  }
  return { after: after ?? undefined, done }
}

function parsed(text: unknown): readonly unknown[] {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined
    if (Array.isArray(value) && value.length > 0 && value.length <= 2) return value
  } catch {
    // Said below.
  }
  throw new InvalidPlace(text)
}
