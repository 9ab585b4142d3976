/**
 * An async handler in flight. Until its promise settles the actor takes no mail; what it came to is then handed down
 * through the wrappers like the answer of any handler.
 */
import { assert } from '../../foundation/assert.ts'
import { unhandled, type Wrapper } from '../behavior/behavior.ts'
import type { Cell } from './cell.ts'
import { stopping, suspended } from './cell-flags.ts'
import { type Inward, messageIn, Settled } from '../behavior/inward.ts'
import { UnhandledMessage } from '../events/lost-messages.ts'

/** Waits for the promise of a handler. `cause` is what it handles: a message, or a signal as `HeldSignal`. */
export function suspend(cell: Cell, promise: Promise<unknown>, cause: unknown): void {
  const state = cell.state()
  assert(state.pending === undefined, 'an actor waits for one thing at a time')
  state.pending = promise
  cell.flags |= suspended
  // A foreign thenable may do anything when asked; a promise of ours around it may not.
  Promise.resolve(promise).then(
    (result) => settled(cell, promise, new Settled(cause, result, false)),
    (error: unknown) => settled(cell, promise, new Settled(cause, error, true)),
  )
}

function settled(cell: Cell, promise: Promise<unknown>, outcome: Settled): void {
  const state = cell.stateIfAny
  // Given up meanwhile: a late continuation changes nothing.
  if (state?.pending !== promise) return
  state.pending = undefined
  state.scope = undefined
  cell.flags &= ~suspended
  state.receiveTimeout?.touch()
  if ((cell.flags & stopping) === 0) return cell.sendInward(outcome)
  reportIfUnhandled(cell, outcome)
  if (outcome.isRejected && state.stopStage === 'post-stop') {
    const fields = { err: outcome.result, actor: cell.toString() }
    cell.runtime.logger.error(fields, 'PostStop failed')
  }
  cell.schedule()
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
