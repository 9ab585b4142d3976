/** Why event-sourced actors drop a command. */

/** Why a command to an event-sourced actor is dropped on purpose. */
export type EventSourcedDroppedReason =
  /** The actor waits for its journal, or keeps commands for later, and it keeps as many as it may. */
  | 'stash-full'
  /** It was handled, but its events were not stored, or nobody can tell: whatever it would have caused is undone. */
  | 'not-stored'
