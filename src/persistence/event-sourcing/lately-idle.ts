/**
 * The entities of a family that had something to do lately. What an entity needs only while it works is costly to make for
 * every command, and too big to be kept by millions that rest: so those that rested last keep it, and the others let go.
 */

/** Of one family. What each of them keeps takes about two kilobytes. */
const keptMax = 1024

export interface Resting {
  /** For `LatelyIdle` alone: whether it is among those that keep what they have. */
  isKept: boolean
  /** Lets go of all that a fresh start of work would bring back, unless it is at work again. */
  letGo(): void
}

export class LatelyIdle {
  /** The oldest first. */
  readonly #kept = new Set<Resting>()

  rests(entity: Resting): void {
    if (entity.isKept) return
    const kept = this.#kept
    entity.isKept = true
    kept.add(entity)
    if (kept.size <= keptMax) return
    for (const oldest of kept) {
      this.ended(oldest)
      return oldest.letGo()
    }
  }

  ended(entity: Resting): void {
    entity.isKept = false
    this.#kept.delete(entity)
  }
}
