/**
 * The world as one value: everything that could differ between two runs. A system gets exactly one; with the same
 * environment behaviour and the same inputs it does the same things.
 */
import type { Clock } from './clock.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { HostProcess } from './host-process.ts'
import type { Logger } from './logger.ts'
import type { Random } from './random.ts'
import { show } from './show.ts'
import type { Timers } from './timers.ts'

export interface Environment {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly dispatcher: Dispatcher
  readonly logger: Logger
  readonly process: HostProcess
}

/** The functions that every port must have. */
const portFunctions: {
  readonly [Port in keyof Environment]: readonly (keyof Environment[Port])[]
} = {
  clock: ['monotonicMs', 'wallMs'],
  timers: ['after'],
  random: ['float', 'below', 'uid'],
  dispatcher: ['execute', 'beforeTurns'],
  logger: ['trace', 'debug', 'info', 'warn', 'error'],
  process: ['onTerminationSignal', 'onEscapedError', 'exit'],
}

/**
 * Of parts that somebody gave in place of the real thing; undefined stands for the real thing. Without this look a logger
 * that is none would be a node that says nothing, and dies of it where nobody sees.
 */
export function problemsWithEnvironment(parts: unknown): string[] {
  if (parts === undefined) return []
  if (!isObject(parts) || Array.isArray(parts)) {
    return [`environment must be an object such as { logger }, not ${show(parts)}`]
  }
  const known = Object.keys(portFunctions)
  const strangers = Object.keys(parts)
    .filter((name) => !known.includes(name))
    .map((name) => `environment.${name} is not known; known are ${known.join(', ')}`)
  const { logger } = parts
  const child = isObject(logger) ? logger['child'] : undefined
  return [
    ...strangers,
    ...Object.entries(portFunctions).flatMap(([name, functions]) =>
      problemsWithPort(`environment.${name}`, parts[name], functions),
    ),
    ...(child === undefined || typeof child === 'function'
      ? []
      : [`environment.logger.child must be a function, not ${show(child)}`]),
  ]
}

/** Of a logger that somebody gave: levels that it lacks. */
export function problemsWithLogger(logger: unknown): string[] {
  return logger === undefined
    ? ['there is none']
    : problemsWithPort('logger', logger, portFunctions.logger)
}

/** Of one port that somebody gave: functions that it lacks. */
export function problemsWithPort(
  name: string,
  port: unknown,
  functions: readonly string[],
): string[] {
  if (port === undefined) return []
  if (!isObject(port)) {
    return [`${name} must be an object with ${inWords(functions)}, not ${show(port)}`]
  }
  const missing = functions.filter((each) => typeof port[each] !== 'function')
  return missing.length === 0 ? [] : [`${name} lacks ${inWords(missing)}`]
}

function inWords(functions: readonly string[]): string {
  return `the function${functions.length === 1 ? '' : 's'} ${functions.join(', ')}`
}

/** Functions too: some loggers are functions with levels. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}
