/** The front door of Sherd. What exists so far: actors, and the values they are configured with. */
export * from './actor/index.ts'
export type { Clock } from './foundation/clock.ts'
export { CodedError } from './foundation/coded-error.ts'
export { consoleLogger } from './foundation/console-logger.ts'
export type { Duration } from './foundation/duration.ts'
export type { Environment } from './foundation/environment.ts'
export type { Logger, LogFields, LogLevel } from './foundation/logger.ts'
