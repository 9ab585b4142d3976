/**
 * Reading over all streams, by slices: a second port that a journal may have besides. No entity needs it. It asks for no more
 * than a store of many parts can keep: the order of events is that of their slice, and there is none across slices.
 *
 * Invariant: of two events of one slice the one that was stored later has the greater order number; no event ever appears
 * before a place that was handed out.
 */
import { hasMethods } from './has-methods.ts'
import type { Journal, StoredEvent } from './journal.ts'

export interface SliceReader {
  /**
   * The next events of these slices: at most `eventsMax`, and at most what is read in one go. A page may be empty and not the
   * last one. Events stored after the call began may be missing.
   */
  readSlices(query: SliceQuery): Promise<SlicePage>
}

export interface SliceQuery {
  /** 0..1023. */
  readonly fromSlice: number
  /** Included. */
  readonly toSlice: number
  /** Only events with this tag. */
  readonly tag?: string | undefined
  /** `next` of an earlier page of the same slices and tag. Left out: from the first event on. */
  readonly after?: string | undefined
  readonly eventsMax: number
}

export interface SlicePage {
  /** Those of one slice in their order, and those of different slices in any. */
  readonly events: readonly OrderedEvent[]
  /** The place behind this page, in words of the store's own. Stays good when the store is opened anew. */
  readonly next: string
  /** There was nothing more when this page was read. */
  readonly isLast: boolean
}

export interface OrderedEvent extends StoredEvent {
  /** 0..1023, from the persistence id alone: what readers divide their work by. */
  readonly slice: number
  /** Grows strictly from each event of the slice to the next, with gaps or without; says nothing across slices. */
  readonly order: number
}

export function isSliceReader(journal: Journal): journal is Journal & SliceReader {
  return hasMethods(journal, ['readSlices'])
}
