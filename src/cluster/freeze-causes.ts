/** Why this node is frozen: it goes on when no cause is left. */
import type { FreezeReason } from './cluster-events.ts'
import type { FreezeCause } from './cluster-inputs.ts'

export class FreezeCauses {
  readonly #causes = new Set<FreezeCause>()

  get isFrozen(): boolean {
    return this.#causes.size > 0
  }

  /** What the rest of the node is told; undefined while it is not frozen. */
  get reason(): FreezeReason | undefined {
    const [cause] = this.#causes
    return cause === 'silence' || cause === 'doubted' ? 'minority' : cause
  }

  get all(): readonly FreezeCause[] {
    return [...this.#causes]
  }

  has(cause: FreezeCause): boolean {
    return this.#causes.has(cause)
  }

  /** Frozen by others than this one, and than what a look into the store can end. */
  isHeldBut(cause?: FreezeCause): boolean {
    return this.all.some((each) => each !== cause && each !== 'founding' && each !== 'store')
  }

  /** Answers whether that froze it. */
  add(cause: FreezeCause): boolean {
    const wasFrozen = this.isFrozen
    this.#causes.add(cause)
    return !wasFrozen
  }

  /** Answers whether it goes on by that. */
  delete(cause: FreezeCause): boolean {
    return this.#causes.delete(cause) && !this.isFrozen
  }
}
