/**
 * Runs behaviors: starts what is deferred, hands messages and signals to handlers, and says what comes next. Used by
 * the cell for the outermost behavior and by wrappers for the one inside them.
 */
import { unreachable } from '../../foundation/assert.ts'
import { DeathPact, InvalidBehavior } from '../actor-errors.ts'
import {
  type AnyBehavior,
  type BehaviorKind,
  type Failed,
  type MessageHandler,
  Receive,
  type Result,
  type Stopped,
  type Wrapper,
  same,
  unhandled,
} from './behavior.ts'
import type { Cell } from '../cell/cell.ts'
import { HeldSignal, Replayed, RestartDue, Settled, signalIn } from './inward.ts'
import type { Signal } from './signals.ts'

/** Setups that may stand in each other. One that answers itself would otherwise hold the process for ever. */
const setupsMax = 100_000

/** Everything deferred is built; what comes back handles messages or is `stopped`. */
export function startBehavior(behavior: unknown, cell: Cell): AnyBehavior {
  let current = asBehavior(behavior, 'The initial behavior')
  for (let depth = 0; ; depth++) {
    switch (current.kind) {
      case 'setup':
        if (depth > setupsMax) throw new InvalidBehavior('yet another setup', 'Behaviors.setup')
        current = asBehavior(current.factory(cell.context), 'Behaviors.setup')
        break
      case 'wrap':
        return current.start(cell)
      case 'same':
      case 'unhandled':
        throw new InvalidBehavior(`Behaviors.${current.kind}`, 'The initial behavior')
      case 'stopped':
      case 'failed':
      case 'empty':
      case 'ignore':
      case 'receive':
      case 'receiveMessage':
      case 'wrapped':
        return current
      default:
        return unreachable(current)
    }
  }
}

/** Hands a message to a started behavior. Throws what the handler throws. */
export function interpretMessage(
  behavior: AnyBehavior,
  cell: Cell,
  message: unknown,
): Result<unknown> {
  if (behavior.kind === 'wrapped') return behavior.receive(cell, message)
  if (message instanceof Settled) return interpretSettled(cell, message)
  if (message instanceof RestartDue) return same
  if (message instanceof Replayed) return interpretMessage(behavior, cell, message.message)
  if (message instanceof HeldSignal) return interpretSignal(behavior, cell, message.signal)
  return interpretLeaf(behavior, cell, message)
}

export function interpretSettled(
  cell: Cell,
  { cause, isRejected, result }: Pick<Settled, 'cause' | 'isRejected' | 'result'>,
): Result<unknown> {
  if (isRejected) throw result
  const signal = isUnhandled(result) ? signalIn(cause) : undefined
  return signal === undefined ? (result as Result<unknown>) : refuseUnhandled(cell, signal)
}

function interpretLeaf(behavior: AnyBehavior, cell: Cell, message: unknown): Result<unknown> {
  switch (behavior.kind) {
    case 'receiveMessage':
      return behavior.onMessage(message)
    case 'receive':
      return behavior.onMessage(cell.context, message)
    case 'empty':
      return unhandled
    default:
      return same
  }
}

/** Hands a signal to a started behavior. Not handling the end of a watched actor is a failure. */
export function interpretSignal(
  behavior: AnyBehavior,
  cell: Cell,
  signal: Signal,
): Result<unknown> {
  const result = signalResult(behavior, cell, signal)
  return isUnhandled(result) ? refuseUnhandled(cell, signal) : result
}

/** Also that of another copy of the package. */
function isUnhandled(result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false
  return result === unhandled || ('kind' in result && result.kind === 'unhandled')
}

function refuseUnhandled(cell: Cell, signal: Signal): Result<unknown> {
  switch (signal.type) {
    case 'Terminated':
    case 'ChildFailed':
      throw new DeathPact(signal.ref.toString(), cell.ref.toString())
    case 'MessageAdaptionFailure':
      throw signal.cause
    default:
      return unhandled
  }
}

function signalResult(behavior: AnyBehavior, cell: Cell, signal: Signal): Result<unknown> {
  switch (behavior.kind) {
    case 'wrapped':
      return behavior.signal(cell, signal)
    case 'receive':
    case 'receiveMessage': {
      const handlers = behavior.onSignal
      const isTermination = signal.type === 'ChildFailed'
      const found = handlers?.[signal.type] ?? (isTermination ? handlers?.Terminated : undefined)
      const handler = found as ((context: unknown, signal: Signal) => Result<unknown>) | undefined
      return handler === undefined ? unhandled : handler(cell.context, signal)
    }
    case 'ignore':
      return same
    default:
      return unhandled
  }
}

/**
 * What a wrapper answers when the behavior inside it answered `result`: a change stays inside, the rest is the
 * business of whoever is around it. `keep` takes the new inner behavior, or answers what shall stand in place of the
 * wrapper.
 */
export function transition(
  cell: Cell,
  result: Result<unknown>,
  keep: (inner: AnyBehavior) => AnyBehavior | undefined,
): Result<unknown> {
  if (result === undefined || result === same || result === unhandled || isPromise(result)) {
    return result
  }
  const next = asBehavior(result, 'A handler')
  if (isFinal(next)) return next
  // Not the very ones above: from another copy of the package.
  if (next.kind === 'same') return same
  if (next.kind === 'unhandled') return unhandled
  const inner = startBehavior(next, cell)
  if (isFinal(inner)) return inner
  return keep(inner) ?? same
}

/**
 * What a wrapper answers `transition` when it has taken a new inner behavior: itself, should a wrapper have come with that
 * one. A supervisor outside may have to give way to it, or two behaviors that lead to each other would pile them up.
 */
export function toldOutside(wrapper: Wrapper): Wrapper | undefined {
  return wrapper.inner.kind === 'wrapped' && wrapper.outer !== undefined ? wrapper : undefined
}

export function isFinal(behavior: AnyBehavior): behavior is Stopped | Failed {
  return behavior.kind === 'stopped' || behavior.kind === 'failed'
}

export function isPromise(value: unknown): value is Promise<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  )
}

/** Of a promise that nobody is going to wait for: its rejection must not end the process. */
export function heedRejection(promise: Promise<unknown>, heed: (error: unknown) => void): void {
  Promise.resolve(promise).then(undefined, heed)
}

const ignored = (): void => undefined

/** A promise in a place where none may be: what it comes to is of no interest. */
export function disown(promise: Promise<unknown>): void {
  heedRejection(promise, ignored)
}

const kinds: ReadonlySet<unknown> = new Set<BehaviorKind>([
  'same',
  'unhandled',
  'stopped',
  'failed',
  'empty',
  'ignore',
  'setup',
  'receive',
  'receiveMessage',
  'wrap',
  'wrapped',
])

/** Takes a behavior, or a function for a message handler. Throws `InvalidBehavior` for anything else. */
export function asBehavior(value: unknown, where: string): AnyBehavior {
  if (typeof value === 'function') {
    return new Receive('receiveMessage', value as MessageHandler<unknown>) as AnyBehavior
  }
  const isBehavior =
    typeof value === 'object' && value !== null && 'kind' in value && kinds.has(value.kind)
  if (isPromise(value)) disown(value)
  if (!isBehavior) throw new InvalidBehavior(value, where)
  return value as AnyBehavior
}
