/**
 * Testing entities, actors and journals, with any test runner: whatever does not come is a thrown error that says what came instead.
 *
 * Reading order: `entity/entity-kit.ts` (one entity, without a cluster), `test-probe.ts` (an actor to be spoken to), `manual-time.ts` (hours in no time), `captured-logs.ts`,
 * `kit/behavior-kit.ts` (one behavior, step by step and without waiting), `kit/inbox.ts`,
 * `persistence/event-sourcing-kit.ts` (one event-sourced behavior), `persistence/faulty-store.ts` (a store that fails when told to);
 * `journal-contract/journal-contract.ts` (what a journal of your own must keep); `test-leases.ts` (leases that fail when you
 * want), `lease-contract/lease-contract.ts` (what leases of your own must keep), `remember-store-contract/remember-store-contract.ts`
 * (the same for stores of remembered entities).
 *
 * Promises: nothing waits without a limit, real time is waited for only where nothing else can tell, and every failure
 * points at the line of the test that asked.
 */
export {
  type CommandOutcome,
  type CommandStep,
  type ExpectedOutcome,
} from './entity/command-step.ts'
export {
  type EntityKit,
  entityKit,
  type EntityKitOptions,
  type EntityPast,
  type KitCommands,
} from './entity/entity-kit.ts'
export {
  EntityKitFailure,
  EntityKitMisuse,
  EventHandlerNotPure,
} from './entity/entity-kit-failure.ts'
export type { RecordedCall, StubCommands } from './entity/stubs.ts'
export {
  type EventSourcingKit,
  eventSourcingKit,
  type EventSourcingKitOptions,
  type EventSourcingOutcome,
} from './persistence/event-sourcing-kit.ts'
export { EventSourcingKitFailure } from './persistence/event-sourcing-kit-failure.ts'
export { FaultyStore, type StoreFault } from './persistence/faulty-store.ts'
export { BehaviorKit, type BehaviorKitOptions } from './kit/behavior-kit.ts'
export { BehaviorKitMisuse } from './kit/behavior-kit-misuse.ts'
export { CapturedLogs, type CapturedLine, type LogExpectOptions } from './captured-logs.ts'
export type { BehaviorEffect, BehaviorEffectOf } from './kit/behavior-effect.ts'
export {
  type JournalUnderTest,
  journalContract,
  type StoreUnderTest,
  type TestFunctions,
} from './journal-contract/journal-contract.ts'
export { createInbox, type Inbox } from './kit/inbox.ts'
export {
  leaseContract,
  type LeasesUnderTest,
  type LeaseStoreUnderTest,
} from './lease-contract/lease-contract.ts'
export { ManualTime, NotSettled } from './manual-time.ts'
export {
  rememberStoreContract,
  type RememberedPlaceUnderTest,
  type RememberStoreUnderTest,
} from './remember-store-contract/remember-store-contract.ts'
export { ProbeFailure } from './probe-failure.ts'
export { type LeaseFault, TestLeases } from './test-leases.ts'
export {
  type ExpectNoOptions,
  type ExpectOptions,
  type Fishing,
  type TestProbe,
  createTestProbe,
} from './test-probe.ts'
