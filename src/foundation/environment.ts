/**
 * The world as one value: everything that could differ between two runs. A system gets exactly one; with the same
 * environment behaviour and the same inputs it does the same things.
 */
import type { Clock } from './clock.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { HostProcess } from './host-process.ts'
import type { Logger } from './logger.ts'
import type { Random } from './random.ts'
import type { Timers } from './timers.ts'

export interface Environment {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly dispatcher: Dispatcher
  readonly logger: Logger
  readonly process: HostProcess
}
