/**
 * The world as one value: everything that could differ between two runs. A system gets exactly one; with the same
 * environment behaviour and the same inputs it does the same things.
 */
import type { Clock } from './clock.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { HostProcess } from './host-process.ts'
import { maybe, mustBeFunction, mustHave } from './invalid-settings.ts'
import { isRecord } from './is-object.ts'
import type { Logger } from './logger.ts'
import type { Random } from './random.ts'
import { show } from './show.ts'
import type { Timers } from './timers.ts'
import { unknownSettings } from './unknown-names.ts'

export interface Environment {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly dispatcher: Dispatcher
  readonly logger: Logger
  readonly process: HostProcess
}

/** The functions that every port must have. */
export const portFunctions: {
  readonly [Port in keyof Environment]: readonly (keyof Environment[Port])[]
} = {
  clock: ['monotonicMs', 'wallMs'],
  timers: ['after'],
  random: ['float', 'below', 'uid'],
  dispatcher: ['execute', 'beforeTurns'],
  logger: ['trace', 'debug', 'info', 'warn', 'error'],
  process: ['onTerminationSignal', 'onEscapedError', 'exit', 'isGone', 'isRunning'],
}

/**
 * Of parts that somebody gave in place of the real thing; undefined stands for the real thing. Without this look a logger
 * that is none would be a node that says nothing, and dies of it where nobody sees.
 */
export function problemsWithEnvironment(parts: unknown): string[] {
  if (parts === undefined) return []
  if (!isRecord(parts)) {
    return [`environment must be an object such as { logger }, not ${show(parts)}`]
  }
  const logger = parts['logger'] as { readonly child?: unknown } | null | undefined
  return [
    ...unknownSettings(parts, portFunctions, 'known', 'environment.'),
    ...Object.entries(portFunctions).flatMap(([name, functions]) =>
      mustHave(functions)(`environment.${name}`, parts[name]),
    ),
    ...maybe(mustBeFunction)('environment.logger.child', logger?.child),
  ]
}

/** Of a logger that somebody gave: levels that it lacks. */
export function problemsWithLogger(logger: unknown): string[] {
  return logger === undefined ? ['there is none'] : mustHave(portFunctions.logger)('logger', logger)
}
