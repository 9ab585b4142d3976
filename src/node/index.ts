/**
 * A node: the only room that knows all others, and chooses the adapters.
 *
 * Reading order: `node-options.ts` (what can be said), `node-settings.ts` and `settings-of-parts.ts` (what is wrong with it),
 * `start-node.ts`, `sherd-node.ts`, `guarded-journal.ts`, `foreign-writers.ts`, `lost-members.ts`.
 *
 * Promises: a node that resolved can be called; a start that failed has left nothing running, and says what to do; the
 * store is closed after the last actor; a frozen node writes nothing.
 */
export type { DeadLetterReason, DroppedReason } from './lost-message-reasons.ts'
export type { SherdNode } from './sherd-node.ts'
export * from './node-errors.ts'
export type { HostedEntity, NodeOptions, NodeSettings, OpenStore } from './node-options.ts'
export { startNode } from './start-node.ts'
export type { StopReason } from './stop-reason.ts'
