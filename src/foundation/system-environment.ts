/** The real world: an environment on this machine's clock, event loop and process. */
import { consoleLogger } from './console-logger.ts'
import type { Environment } from './environment.ts'
import { EventLoopDispatcher } from './event-loop-dispatcher.ts'
import { systemClock } from './system-clock.ts'
import { systemProcess } from './system-process.ts'
import { systemRandom } from './system-random.ts'
import { systemTimers } from './system-timers.ts'

/** A fresh environment, with what is given in place of the real thing. */
export function systemEnvironment(parts: Partial<Environment> = {}): Environment {
  return {
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    dispatcher: new EventLoopDispatcher(),
    logger: consoleLogger(),
    process: systemProcess,
    ...parts,
  }
}
