/**
 * An async handler in flight. Until its promise settles the actor takes no mail; what it came to is then handed down
 * through the wrappers like the answer of any handler.
 */
import { unhandled, type Wrapper } from '../behavior/behavior.ts'
import type { Cell } from './cell.ts'
import { stopping, suspended } from './cell-flags.ts'
import type { CellState } from './cell-state.ts'
import { type Inward, messageIn, Settled } from '../behavior/inward.ts'
import { UnhandledMessage } from '../events/lost-messages.ts'

/** Waits for the promise of a handler. `cause` is what it handles: a message, or a signal as `HeldSignal`. */
export function suspend(cell: Cell, promise: Promise<unknown>, cause: unknown): void {
  const state = cell.state()
  const level = state.promiseLevel
  state.promiseLevel = undefined
  wait(cell, promise, (result, isRejected) => new Settled(cause, level, result, isRejected))
}

/** Waits for a promise that concerns only this wrapper: it hears of the end, or that the wait was given up. */
export function suspendFor(
  cell: Cell,
  promise: Promise<unknown>,
  level: Wrapper,
): { giveUp(): void } {
  const outcome = (result: unknown, isRejected: boolean): Settled =>
    new Settled(undefined, level, result, isRejected)
  wait(cell, promise, outcome)
  return { giveUp: () => settled(cell, promise, outcome(undefined, false)) }
}

function wait(
  cell: Cell,
  promise: Promise<unknown>,
  outcome: (result: unknown, isRejected: boolean) => Settled,
): void {
  const state = cell.state()
  if (state.pending === undefined) state.pending = promise
  else (state.pendingToo ??= []).push(promise)
  cell.flags |= suspended
  // A foreign thenable may do anything when asked; a promise of ours around it may not.
  Promise.resolve(promise).then(
    (result) => settled(cell, promise, outcome(result, false)),
    (error: unknown) => settled(cell, promise, outcome(error, true)),
  )
}

function settled(cell: Cell, promise: Promise<unknown>, outcome: Settled): void {
  const state = cell.stateIfAny
  // Given up meanwhile: a late continuation changes nothing.
  if (state === undefined || !endWait(state, promise)) return
  state.receiveTimeout?.touch()
  if (state.pending === undefined) {
    state.scope = undefined
    cell.flags &= ~suspended
  }
  if ((cell.flags & stopping) === 0) return cell.sendInward(outcome)
  reportIfUnhandled(cell, outcome)
  if (outcome.isRejected && state.stopStage === 'post-stop') {
    const fields = { err: outcome.result, actor: cell.toString() }
    cell.runtime.logger.error(fields, 'PostStop failed')
  }
  cell.schedule()
}

/** False when this one is not waited for. */
function endWait(state: CellState, promise: object): boolean {
  const others = state.pendingToo ?? []
  if (state.pending === promise) {
    state.pending = others.shift()
    return true
  }
  const index = others.indexOf(promise)
  if (index >= 0) others.splice(index, 1)
  return index >= 0
}

/** An actor that stops does not go on with what its handler came to, but what that did not handle is still lost. */
export function reportIfUnhandled(cell: Cell, outcome: Inward): void {
  if (!(outcome instanceof Settled) || outcome.result !== unhandled) return
  const message = messageIn(outcome.cause)
  if (message !== undefined) cell.runtime.lost(new UnhandledMessage(message, cell.ref))
}

/** At the end of a turn: what the handler makes after an await belongs to the same level as what it made before. */
export function enterScope(cell: Cell): void {
  let innermost: Wrapper | undefined
  for (let each = cell.behavior; each.kind === 'wrapped'; each = innermost.inner) {
    innermost = each
  }
  cell.state().scope = innermost
}
