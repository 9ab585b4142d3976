/** What goes into the write pipeline and what comes out of it. `Held` is what a command causes. */
import type { NewEvent } from '../journal.ts'

export type WriteInput<Held> =
  /** A command was handled on the newest state; it may have no events. */
  | {
      readonly type: 'CommandHandled'
      readonly events: readonly NewEvent[]
      /** Everything before its events is deleted. */
      readonly deletes?: boolean
      readonly held: Held
    }
  /** No more commands for now: what was gathered goes to the journal. */
  | { readonly type: 'TurnEnded' }
  | { readonly type: 'Appended'; readonly batch: number }
  | Fencing
  | Failing
  | Doubt
  /** The entity ends without waiting for its journal. */
  | { readonly type: 'GivenUp'; readonly cause: unknown }

/** Another writer has the stream: nothing of this batch was stored. */
export interface Fencing {
  readonly type: 'Fenced'
  readonly batch: number
  readonly byWriter: string
  readonly byEpoch: number
}

/** Nothing of this batch was stored. */
export interface Failing {
  readonly type: 'Failed'
  readonly batch: number
  readonly cause: unknown
}

/** Nobody can tell whether this batch was stored. */
export interface Doubt {
  readonly type: 'Unknown'
  readonly batch: number
  readonly cause: unknown
}

export type WriteEnd = Fencing | Failing | Doubt

export type WriteEffect<Held> =
  | {
      readonly type: 'Append'
      readonly batch: number
      readonly expectedSequenceNr: number
      readonly events: readonly NewEvent[]
      /** Everything before the events is deleted in the same step. */
      readonly deletes: boolean
    }
  | { readonly type: 'Release'; readonly held: readonly Held[] }
  | { readonly type: 'Discard'; readonly held: readonly Held[]; readonly because: WriteEnd }
  | { readonly type: 'Stop'; readonly because: WriteEnd }
