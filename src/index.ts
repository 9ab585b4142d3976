/**
 * The front door of Sherd: `defineEntity` and `startNode`, what a start and a call can fail with, and below them actors with
 * the values they are configured with. What stands behind is in doors of its own: `sherd/cluster`, `sherd/sharding`,
 * `sherd/persistence`, `sherd/singleton`, `sherd/remote`, `sherd/serialization`.
 */
export * from './actor/index.ts'
export * from './entity/index.ts'
export {
  type Cluster,
  type ClusterEvent,
  type ClusterState,
  IncompatibleSettings,
  InvalidAddress,
  JoinFailed,
  type Member,
  type MemberStatus,
  NeverUp,
} from './cluster/index.ts'
export { AssertionFailed } from './foundation/assert.ts'
export type { Clock } from './foundation/clock.ts'
export { CodedError } from './foundation/coded-error.ts'
export { consoleLogger, type ConsoleLoggerOptions } from './foundation/console-logger.ts'
export type { Dispatcher, Task } from './foundation/dispatcher.ts'
export { type Duration, InvalidDuration } from './foundation/duration.ts'
export type { Environment } from './foundation/environment.ts'
export type { HostProcess } from './foundation/host-process.ts'
export type { Logger, LogFields, LogLevel } from './foundation/logger.ts'
export type { Random } from './foundation/random.ts'
export type { Timer, Timers } from './foundation/timers.ts'
export * from './node/index.ts'
export {
  JournalClosed,
  JournalCorrupted,
  JournalFolderLost,
  JournalFolderUnusable,
  JournalFormatMismatch,
  JournalUnavailable,
} from './persistence/index.ts'
export { defineProjection, startProjection } from './projection/index.ts'
export {
  type Address,
  addressOfNode,
  AskNotSent,
  HandshakeBroken,
  HandshakeError,
  HandshakeTimeout,
  HostNotOurs,
  IncarnationRefused,
  InsecureBind,
  type NodeId,
  PortTaken,
  SecretMissing,
  TooManyPeers,
  WrongAddress,
  WrongClusterName,
  WrongProtocol,
  WrongSecret,
} from './remote/index.ts'
export { CannotSerialize } from './serialization/index.ts'
export { type EntityExplanation, InvalidEntityId } from './sharding/index.ts'
export type { Chosen } from './foundation/chosen.ts'
