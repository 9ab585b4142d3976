/**
 * The front door for users: an entity as plain functions, and calls to it as plain methods.
 *
 * Reading order: `entity-types.ts` (what is inferred), `travelling-types.ts`, `define-entity.ts`, `entity-messages.ts` (what travels), `entity-wire.ts`,
 * `transaction.ts` and `entity-self.ts` (what a command sees), `stored-events.ts`, `frozen-state.ts`, `durable-entity.ts`, `plain-entity.ts`, `entity-work.ts` (what
 * callers wait for), `entity-calls.ts` (the caller's side), `lost-calls.ts`, `overdue-calls.ts`, `travelling.ts`,
 * `command-witness.ts` (for tests and simulations), `entity-errors.ts`.
 *
 * Promises: no answer leaves an entity before the events it depends on are stored; what one command persists is stored
 * together or not at all; a command that throws changes nothing (for an entity without events: nothing that it has not
 * changed itself); callers and entities share no objects, wherever the entity lives; every call ends with a value or with
 * an error that says whether it may have happened.
 */
export {
  type CommandsOf,
  defineEntity,
  type DurableEntitySpec,
  type EntitySchemas,
  type EntitySnapshots,
  type EntityDefinition,
  type EntityOptions,
  type EntityType,
  entityType,
  type HandleOf,
  type PlainEntitySpec,
} from './define-entity.ts'
export * from './entity-errors.ts'
export * from './stored-event-errors.ts'
export type {
  AnyEventHandlers,
  CallOptions,
  CheckedCommands,
  CheckedEvents,
  CommandHandlers,
  DeepReadonly,
  DurableSelf,
  DurableStateSelf,
  EntityHandle,
  EventHandlers,
  EventOf,
  EventTags,
  NoEvents,
  PlainSelf,
  SelfOf,
  Upcasters,
} from './entity-types.ts'
export type { CannotTravel, TravellingValue, TravellingResult } from './travelling-types.ts'
