/** The real world: an environment on this machine's clock, event loop and process. */
import type { Chosen } from './chosen.ts'
import { consoleLogger } from './console-logger.ts'
import type { Environment } from './environment.ts'
import { EventLoopDispatcher } from './event-loop-dispatcher.ts'
import { safeLogger } from './safe-logger.ts'
import { systemClock } from './system-clock.ts'
import { systemProcess } from './system-process.ts'
import { systemRandom } from './system-random.ts'
import { systemTimers } from './system-timers.ts'

/** A fresh environment, with what is given in place of the real thing. What is undefined is not given. */
export function systemEnvironment(parts: Chosen<Environment> = {}): Environment {
  return {
    clock: parts.clock ?? systemClock,
    timers: parts.timers ?? systemTimers,
    random: parts.random ?? systemRandom,
    dispatcher: parts.dispatcher ?? new EventLoopDispatcher(),
    logger: safeLogger(parts.logger ?? consoleLogger()),
    process: parts.process ?? systemProcess,
  }
}
