/**
 * Projections: views of what entities did, made of their events as they are stored. A list, a search index, a feed.
 *
 * Reading order: `define-projection.ts` (what users say), `entity-events.ts` (what they get), `range-worker.ts` (the work on
 * one part of the events), `stored-offset.ts` (how far it came), `range-actor.ts`, `start-projection.ts` (one process),
 * `cluster-projections.ts` (the parts divided among the nodes of a cluster).
 *
 * Promises: every event is handled at least once, those of one entity in their order; each range is worked on by one node
 * at a time, and the offset of one that was replaced is not stored; what is stored as handled was, or was skipped as the
 * definition says.
 */
export type { NodeProjection } from './cluster-projections.ts'
export {
  defineProjection,
  type EventFrom,
  type InBatches,
  type OneByOne,
  type OnDeleted,
  type OnFailure,
  type Projection,
  type ProjectionClient,
  type ProjectionContext,
  type ProjectionOptions,
  type ProjectionSource,
} from './define-projection.ts'
export type { AnyEntityEvent, EntityEvent, ReadableEntity } from './entity-events.ts'
export * from './projection-errors.ts'
export type { PooledClient, PostgresPool, PostgresResult } from './postgres/postgres-pool.ts'
export type { ProjectionDatabase } from './postgres/postgres-offsets.ts'
export { defaultProjectionSettings, type ProjectionSettings } from './projection-settings.ts'
export type { ProjectionStatus, RangeStatus } from './range-status.ts'
export {
  type ProjectionHost,
  type ProjectionPlace,
  type RunningProjection,
  startProjection,
} from './start-projection.ts'
export type {
  EventOfId,
  EventsOfIdOptions,
  EventsOfOptions,
  ReadEventsOptions,
} from './stored-reading.ts'
