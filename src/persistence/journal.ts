/**
 * The port to where events are kept, with all that entities need. Bytes in, bytes out. An entity that persists *claims* its stream and gets a writer
 * epoch; every append carries that epoch and the number of the last stored event, and is refused when either is stale.
 * So two live writers of one id can never both write, whatever clocks and networks do.
 *
 * Invariant: per persistence id, accepted appends have non-decreasing epochs and consecutive sequence numbers from 1;
 * after a claim gave out epoch e, no append with a smaller epoch is accepted.
 */
import type { Grant } from '../foundation/grant.ts'

export interface Journal {
  /**
   * The same for all journals on the same store, and for no others: by it nodes find out that they do not share one.
   * Undefined when nobody can tell.
   */
  readonly storeId?: string | undefined

  /** Bytes of one event; a larger one is refused with `EventTooLarge`. Undefined when only an append can tell. */
  readonly eventBytesMax?: number | undefined

  /**
   * Makes the caller the only writer of this stream. The epoch is greater than every earlier one of the id and is
   * durable when the promise resolves; from then on older epochs are refused. `writer` is for people: who has it now. Under a
   * `grant` of a lease it rejects with `ClaimFenced` where a later one was seen; a journal without `ClaimFences` does not look at it.
   */
  claim(persistenceId: string, writer: string, grant?: Grant): Promise<Claim>

  /**
   * Stores all events of the batch, or none. `Appended` means that they survive a power cut. Appends of one id take
   * effect in the order of the calls; several may be under way at once. The bytes belong to the journal until the
   * promise settles. Rejects with `JournalUnavailable` when nothing was stored and with `JournalOutcomeUnknown` when
   * nobody can tell: then the writer stops, and the next one learns the truth by claiming and reading.
   */
  append(batch: AppendBatch): Promise<AppendResult>

  /**
   * Hands over the stored events with numbers in `from..to`, both included, in order. Works in bounded chunks with the
   * event loop served in between. Events stored after the call began may be missing, and deleted ones are. Rejects with what
   * `onEvent` throws.
   */
  read(range: ReadRange, onEvent: (event: StoredEvent) => void): Promise<void>

  /**
   * The number of the last event that was stored, deleted since or not; 0 when there was none. Waits for appends of this
   * journal under way; never falls.
   */
  highestSequenceNr(persistenceId: string): Promise<number>

  /** Takes no new calls, finishes those under way, lets go of the store. May be called twice. */
  close(): Promise<void>
}

export interface Claim {
  readonly epoch: number
  /** The number of the last stored event: what the first append expects. */
  readonly highestSequenceNr: number
  /** The events up to this number were deleted, and reading begins behind it. 0, or left out, when none were. */
  readonly deletedSequenceNr?: number | undefined
  /**
   * The stream was ended behind this number (`deleteEvents`): its state there is the empty one. Never greater than
   * `deletedSequenceNr`: where it is smaller, what lies between is in a snapshot. 0, or left out, when it never was.
   */
  readonly startSequenceNr?: number | undefined
}

export interface AppendBatch {
  readonly persistenceId: string
  /** From `claim`. */
  readonly epoch: number
  /** The number of the last stored event as the writer knows it; the first event of the batch gets the next one. */
  readonly expectedSequenceNr: number
  readonly events: readonly NewEvent[]
}

/** What an append stores as one event. Plain bytes have no tags. */
export type NewEvent = Uint8Array | TaggedEvent

/** At most 16 tags, each once, of 1 to 255 bytes in UTF-8. They belong to the journal as long as the bytes do. */
export interface TaggedEvent {
  readonly bytes: Uint8Array
  readonly tags: readonly string[]
}

export type AppendResult = Appended | Fenced | SequenceConflict

export interface Appended {
  readonly type: 'Appended'
  readonly highestSequenceNr: number
}

/** Another writer has claimed the stream since. The loser stops itself. */
export interface Fenced {
  readonly type: 'Fenced'
  readonly byEpoch: number
  readonly byWriter: string
}

/** The epoch is current, but the writer is wrong about the last stored event. */
export interface SequenceConflict {
  readonly type: 'SequenceConflict'
  readonly highestSequenceNr: number
}

export interface ReadRange {
  readonly persistenceId: string
  readonly fromSequenceNr: number
  readonly toSequenceNr: number
}

/** An event as it lies in the store. */
export interface StoredEvent {
  readonly persistenceId: string
  readonly sequenceNr: number
  readonly epoch: number
  /** As they were given; the same frozen empty list for every event without any. */
  readonly tags: readonly string[]
  readonly bytes: Uint8Array
}
