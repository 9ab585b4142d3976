/**
 * Keeps a log readable when the same thing happens again and again: the first of a kind is told at once, those that follow
 * within an interval are counted and told together. Without timers: what is due is found when the next thing happens, and
 * at the end. Beyond a number of kinds all others are one kind, so that whoever causes them cannot fill the memory.
 */

export interface Repeats<Detail> {
  /** How many were not told. */
  readonly count: number
  readonly sinceMs: number
  /** The newest of them. */
  readonly last: Detail
}

interface Kind<Detail> {
  atMs: number
  count: number
  last: Detail
}

const others = ''

export class CountedRepeats<Detail> {
  readonly #intervalMs: number
  readonly #kindsMax: number
  readonly #kinds = new Map<string, Kind<Detail>>()

  /** With an interval of 0 every one is told. */
  constructor(intervalMs: number, kindsMax: number) {
    this.#intervalMs = intervalMs
    this.#kindsMax = kindsMax
  }

  /** Something has happened. Answers whether it is to be told now, and what is due of what was not. */
  add(
    kind: string,
    detail: Detail,
    nowMs: number,
  ): { readonly isFirst: boolean; readonly due: readonly Repeats<Detail>[] } {
    const due = this.#takeDue(nowMs)
    const key = this.#kinds.has(kind) || this.#kinds.size < this.#kindsMax ? kind : others
    const known = this.#kinds.get(key)
    if (known === undefined) {
      if (this.#intervalMs > 0) this.#kinds.set(key, { atMs: nowMs, count: 0, last: detail })
      return { isFirst: true, due }
    }
    known.count++
    known.last = detail
    return { isFirst: false, due }
  }

  /** Nothing more will happen: all that was not told yet. */
  end(nowMs: number): readonly Repeats<Detail>[] {
    const left = [...this.#kinds.values()].filter(({ count }) => count > 0)
    this.#kinds.clear()
    return left.map(({ atMs, count, last }) => ({ count, sinceMs: nowMs - atMs, last }))
  }

  #takeDue(nowMs: number): readonly Repeats<Detail>[] {
    const due: Repeats<Detail>[] = []
    for (const [key, kind] of this.#kinds) {
      const sinceMs = nowMs - kind.atMs
      if (sinceMs < this.#intervalMs) continue
      if (kind.count === 0) {
        this.#kinds.delete(key)
        continue
      }
      due.push({ count: kind.count, sinceMs, last: kind.last })
      kind.atMs = nowMs
      kind.count = 0
    }
    return due
  }
}
