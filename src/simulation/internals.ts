/**
 * For our own commands and tests: single checkers, reports put together, and traces. The package does not export it.
 */
export { causalSlice } from './causal-slice.ts'
export { CallsEnd } from './checkers/calls-end.ts'
export { NoSilentLoss } from './checkers/no-silent-loss.ts'
export { NothingAcknowledgedIsLost } from './checkers/nothing-acknowledged-is-lost.ts'
export { OneActiveInstance } from './checkers/one-active-instance.ts'
export { OneCoordinator } from './checkers/one-coordinator.ts'
export { OneFounding } from './checkers/one-founding.ts'
export { SenderOrder } from './checkers/sender-order.ts'
export { ShardMap } from './checkers/shard-map.ts'
export { StopComesLast } from './checkers/stop-comes-last.ts'
export { SeededRandom } from './seeded-random.ts'
export { addToReport, emptyReport } from './simulate.ts'
export { describeViolation } from './simulation-errors.ts'
export { StateChecks } from './storage/state-checks.ts'
export { StoreChecks } from './storage/store-checks.ts'
export { formatEvent } from './trace.ts'
