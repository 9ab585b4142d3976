/**
 * Who goes first when there are too many. A policy keeps its entities in the order in which they go; how many it may keep is
 * for whoever asks it. Everything takes the same short time however many there are, unless the policy says otherwise.
 */
import type { Tracked } from './tracked.ts'

export interface ReplacementPolicy extends Iterable<Tracked> {
  readonly size: number
  /** For policies that divide what they may keep. Nobody goes by this alone. */
  setLimit(limit: number): void
  /** One that was not here before this use. There must be room. */
  add(entity: Tracked): void
  /** A further use of one that is here. */
  touch(entity: Tracked): void
  /** It has ended, or was asked to stop for another reason. */
  remove(entity: Tracked): void
  /** Who would go next. */
  peek(): Tracked | undefined
  /** Takes out who goes next. */
  evict(): Tracked | undefined
}
