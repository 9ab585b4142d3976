/** Why event-sourced actors drop a command. */

/** Why a command to an event-sourced actor is dropped on purpose. */
export type EventSourcedDroppedReason =
  /** The actor recovers or waits for its journal, or keeps commands for later, and as many wait as may. */
  | 'stash-full'
  /** It was handled, but its events were not stored, or nobody can tell: whatever it would have caused is undone. */
  | 'not-stored'
