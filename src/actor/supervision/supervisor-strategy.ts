/** What to do when a behavior fails. Plain values, checked when they are made. */
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import { type Duration, toMs } from '../../foundation/duration.ts'
import { show } from '../../foundation/show.ts'

/** What to do when a behavior fails. */
export type SupervisorStrategy = ResumeStrategy | StopStrategy | RestartStrategy | BackoffStrategy

/** Keep the behavior and its state; only the failing message is gone. */
export interface ResumeStrategy {
  readonly type: 'resume'
}

/** Stop the actor, as without supervision. */
export interface StopStrategy {
  readonly type: 'stop'
}

/** Build the supervised behavior anew. */
export interface RestartStrategy {
  readonly type: 'restart'
  /** Restarts allowed within `withinMs`; one more failure is passed on. Infinity: no limit. */
  readonly restartsMax: number
  readonly withinMs: number
  readonly stopChildren: boolean
  /** Messages kept while children stop; undefined: the system's `restartStashMessagesMax`. */
  readonly stashedMessagesMax: number | undefined
}

/** Build the supervised behavior anew after a delay that doubles with each failure. */
export interface BackoffStrategy {
  readonly type: 'backoff'
  readonly minMs: number
  readonly maxMs: number
  readonly randomFactor: number
  readonly restartsMax: number
  readonly resetAfterMs: number
  readonly criticalAfter: number
  readonly stopChildren: boolean
  readonly stashedMessagesMax: number | undefined
}

/** How often, and what becomes of children and messages meanwhile. */
export interface RestartOptions {
  /** Restarts allowed within `within`; the failure after that is passed on. No limit when not given. */
  readonly restartsMax?: number
  /** The window that `restartsMax` counts in, opened by the first failure; for ever when not given. */
  readonly within?: Duration
  /** Whether children are stopped before the restart. Default true. */
  readonly stopChildren?: boolean
  /** Messages kept until the restart is done; the next is dropped. Default: `restartStashMessagesMax`, 1,000. */
  readonly stashedMessagesMax?: number
}

/** How long the pauses are, how many there may be, and what becomes of children and messages meanwhile. */
export interface BackoffOptions {
  /** The first delay. */
  readonly min: Duration
  /** The longest delay, before chance is added. */
  readonly max: Duration
  /** Each delay is lengthened by up to this part of it, drawn by chance, so that actors do not restart in step. Default 0.2. */
  readonly randomFactor?: number
  /** Failures in a row that are answered with a restart; the one after that is passed on. No limit when not given. */
  readonly restartsMax?: number
  /** Quiet time after which counting begins anew. Default: the mean of `min` and `max`. */
  readonly resetAfter?: Duration
  /** From this many failures in a row on they are logged as errors, before as warnings. Default: never. */
  readonly criticalAfter?: number
  readonly stopChildren?: boolean
  readonly stashedMessagesMax?: number
}

/** Makes the strategies that `Behaviors.supervise(…).onFailure` takes. */
export const SupervisorStrategy = {
  /** Goes on with the state as it is; only the failing message is gone. */
  resume(): ResumeStrategy {
    return { type: 'resume' }
  },

  /** Stops the actor, as without supervision. */
  stop(): StopStrategy {
    return { type: 'stop' }
  },

  /** Builds the behavior anew at once; past the limit the failure is passed on. */
  restart(options: RestartOptions = {}): RestartStrategy {
    const { restartsMax = Infinity, within, stopChildren = true, stashedMessagesMax } = options
    const withinMs = within === undefined ? Infinity : toMs(within, 'within')
    check('SupervisorStrategy.restart', [
      ...problemsWithCount('restartsMax', restartsMax),
      ...problemsWithCount('stashedMessagesMax', stashedMessagesMax),
      ...(withinMs > 0 ? [] : ['within must be longer than 0']),
    ])
    return { type: 'restart', restartsMax, withinMs, stopChildren, stashedMessagesMax }
  },

  /** Builds the behavior anew after a pause that doubles with each failure in a row. */
  restartWithBackoff(options: BackoffOptions): BackoffStrategy {
    const { randomFactor = 0.2, restartsMax = Infinity, criticalAfter = Infinity } = options
    const { stopChildren = true, stashedMessagesMax } = options
    const minMs = toMs(options.min, 'min')
    const maxMs = toMs(options.max, 'max')
    const resetAfterMs =
      options.resetAfter === undefined
        ? (minMs + maxMs) / 2
        : toMs(options.resetAfter, 'resetAfter')
    const problems = [
      ...problemsWithCount('restartsMax', restartsMax),
      ...problemsWithCount('criticalAfter', criticalAfter),
      ...problemsWithCount('stashedMessagesMax', stashedMessagesMax),
    ]
    if (minMs <= 0) problems.push('min must be longer than 0')
    if (maxMs < minMs) problems.push('max cannot be shorter than min')
    if (!(randomFactor >= 0 && randomFactor <= 1)) problems.push('randomFactor must be from 0 to 1')
    check('SupervisorStrategy.restartWithBackoff', problems)
    return {
      type: 'backoff',
      minMs,
      maxMs,
      randomFactor,
      restartsMax,
      resetAfterMs,
      criticalAfter,
      stopChildren,
      stashedMessagesMax,
    }
  },
} as const

function problemsWithCount(name: string, value: number | undefined): string[] {
  const isCount =
    value === undefined || value === Infinity || (Number.isSafeInteger(value) && value >= 0)
  return isCount ? [] : [`${name} must be a whole number of at least 0, not ${value}`]
}

function check(what: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new InvalidSettings(what, problems)
}

/** Throws unless errors can be told by it: a wrong import may well give undefined. */
export function checkErrorClass(errorClass: unknown): void {
  if (typeof errorClass === 'function' && typeof errorClass.prototype === 'object') return
  check('onFailure', [`${show(errorClass)} is not a class of errors`])
}

/** Throws unless it is one of the four: plain JavaScript may hand us anything. */
export function checkStrategy(strategy: unknown): void {
  const types: readonly unknown[] = ['resume', 'stop', 'restart', 'backoff']
  const type =
    typeof strategy === 'object' && strategy !== null && 'type' in strategy && strategy.type
  if (types.includes(type)) return
  check('onFailure', [`${show(strategy)} is not a strategy; make one with SupervisorStrategy`])
}
