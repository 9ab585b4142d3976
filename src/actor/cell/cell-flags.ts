/** The state of a cell that the hot path looks at, as bits of one number. */

/** Has asked for a turn, or has it. */
export const scheduled = 1
export const unstarted = 2
/** An async handler is in flight. */
export const suspended = 4
export const stopping = 8
export const terminated = 16
/** The actor's own code may be running. */
export const inTurn = 32
export const internalPriority = 64
/** Sending needs more than a push: the mailbox is bounded. */
export const guarded = 128
/** Something waits in `state.inward`. */
export const inwardWaits = 256
export const replaying = 512
/** `context.stop()` was called: stop when the current message is done. */
export const stopAsked = 1024
/** Messages push back a receive timeout. */
export const timed = 2048
/** Mail stays in the mailbox for now; replays and system business go on. */
export const withheld = 4096
