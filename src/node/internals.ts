/** For simulation and tests. The package does not export it. */
export type { DeadLetterReason, DroppedReason } from './lost-message-reasons.ts'
export type { StopReason } from './stop-reason.ts'
