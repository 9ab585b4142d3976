/**
 * Which of many like events deserve a line in the log: the first of a kind, and after a while the next, which says how
 * many were left out. Whoever causes them may have a say in how many kinds there are: beyond a limit, all others are
 * one kind, and no kind is forgotten before its while is over.
 */
import { minutes } from '../foundation/duration.ts'

const repeatAfterMs = minutes(10)
const kindsMax = 100
const others = ''

interface Told {
  readonly atMs: number
  leftOut: number
}

export class RepeatedNews {
  readonly #told = new Map<string, Told>()

  /** How many of this kind were left out since the last line; undefined when this one is left out as well. */
  leftOut(kind: string, nowMs: number): number | undefined {
    const key = this.#keyOf(kind, nowMs)
    const told = this.#told.get(key)
    if (told !== undefined && !isOver(told, nowMs)) {
      told.leftOut++
      return undefined
    }
    this.#told.set(key, { atMs: nowMs, leftOut: 0 })
    return told?.leftOut ?? 0
  }

  #keyOf(kind: string, nowMs: number): string {
    if (this.#told.has(kind) || this.#told.size < kindsMax) return kind
    for (const [key, told] of this.#told) if (isOver(told, nowMs)) this.#told.delete(key)
    return this.#told.size < kindsMax ? kind : others
  }
}

function isOver({ atMs }: Told, nowMs: number): boolean {
  return nowMs - atMs >= repeatAfterMs
}
