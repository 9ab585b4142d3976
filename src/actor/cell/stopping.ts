/**
 * The end of an actor, step by step: stop the children and wait for them, let an async handler settle (for a bounded
 * time: it has been told by its AbortSignal), PostStop, the stop callback, then tell the watchers and the parent and
 * send what was never handled to the dead letters.
 */
import type { Cell } from './cell.ts'
import { stopping, suspended, terminated, unstarted } from './cell-flags.ts'
import { AbortedByStop } from '../actor-errors.ts'
import { isEnvelope } from './envelope.ts'
import { heedRejection, interpretSignal, isPromise } from '../behavior/interpret.ts'
import { DeadLetter } from '../events/lost-messages.ts'
import { returnEnvelope } from './open-envelope.ts'
import { postStop } from '../behavior/signals.ts'
import { heldMessages } from '../supervision/supervisor.ts'
import { reportIfUnhandled, suspend } from './suspension.ts'

/** Goes on as far as possible. Answers false: an actor that stops takes no more mail. */
export function continueStopping(cell: Cell): false {
  const state = cell.state()
  if (state.stopStage === undefined) {
    state.stopStage = 'children'
    silence(cell)
    for (const outcome of state.inward?.splice(0) ?? []) reportIfUnhandled(cell, outcome)
    for (const child of state.children?.values() ?? []) child.cell?.stop()
    // From now on, not from the end of the children: a line of stuck actors stops in the time of one.
    isHandlerInFlight(cell)
  }
  if (state.children !== undefined && state.children.size > 0) return false
  if (state.stopStage === 'children') state.stopStage = 'handler'
  if (isHandlerInFlight(cell)) return false
  if (state.stopStage === 'handler') {
    state.stopStage = 'post-stop'
    runPostStop(cell)
    if (isHandlerInFlight(cell)) return false
  }
  finish(cell)
  return false
}

/**
 * The actor will be stopped soon: whatever its handlers wait for is told to give up, now and in those still to come. Mail is
 * taken as before.
 */
export function abortHandlers(cell: Cell): void {
  if ((cell.flags & (stopping | terminated)) !== 0) return
  const abort = (cell.state().abort ??= new AbortController())
  abort.abort(new AbortedByStop(cell.toString()))
}

/** Nothing reaches the actor any more, and what its handlers wait for is told to give up. */
function silence(cell: Cell): void {
  const state = cell.state()
  state.timers?.cancelEvery()
  state.receiveTimeout?.cancel()
  state.abort?.abort(new AbortedByStop(cell.toString()))
}

/** Waits for an async handler, but not for ever: one that never settles is left behind, and can do nothing any more. */
function isHandlerInFlight(cell: Cell): boolean {
  const state = cell.state()
  const isInFlight = (cell.flags & suspended) !== 0
  if (!isInFlight) {
    state.patience?.cancel()
    state.patience = undefined
    return false
  }
  const { runtime } = cell
  const timeoutMs = runtime.settings.handlerStopTimeoutMs
  state.patience ??= runtime.environment.timers.after(timeoutMs, () => {
    runtime.logger.warn(
      { actor: cell.toString(), timeoutMs },
      'actor stops although its async handler has not settled; await with context.signal to end it in time',
    )
    state.pending = undefined
    state.patience = undefined
    cell.flags &= ~suspended
    cell.schedule()
  })
  return true
}

function runPostStop(cell: Cell): void {
  if ((cell.flags & unstarted) !== 0) return
  try {
    const result = interpretSignal(cell.behavior, cell, postStop)
    if (isPromise(result)) suspend(cell, result, undefined)
  } catch (error) {
    cell.runtime.logger.error({ err: error, actor: cell.toString() }, 'PostStop failed')
  }
}

/** What it throws is logged; so is what it rejects with, although nobody waits for it. */
function callBack({ ref, runtime }: Cell, stopCallback: (() => unknown) | undefined): void {
  const log = (error: unknown): void =>
    runtime.logger.error({ err: error, actor: ref.toString() }, 'the callback of stopped failed')
  try {
    const outcome = stopCallback?.()
    if (isPromise(outcome)) heedRejection(outcome, log)
  } catch (error) {
    log(error)
  }
}

function finish(cell: Cell): void {
  const { ref, runtime } = cell
  const { behavior } = cell
  const { failure, stashes, stopCallback, watchers, watching } = cell.state()
  const held = heldMessages(behavior, cell)
  callBack(cell, stopCallback)
  for (const watched of watching?.keys() ?? []) watched.removeWatcher(cell)
  cell.release()
  for (const watcher of watchers ?? []) watcher.watchedTerminated(ref, failure)
  ref.parent?.cell?.childTerminated(ref)
  cell.gate?.terminated(cell)
  for (const stash of [...(stashes ?? [])]) {
    for (const message of stash.discard()) {
      runtime.lost(new DeadLetter(message, ref, 'terminated-while-stashed'))
    }
  }
  for (const message of held) {
    runtime.lost(new DeadLetter(message, ref, 'terminated-while-stashed'))
  }
  loseMail(cell)
}

/** What waits for an actor that takes no more mail is lost. */
export function loseMail(cell: Cell): void {
  const { mailbox, ref, runtime } = cell
  cell.mailbox = undefined
  for (let each = mailbox?.shift(); each !== undefined; each = mailbox?.shift()) {
    if (isEnvelope(each)) returnEnvelope(cell, each, 'terminated-while-queued')
    else runtime.lost(new DeadLetter(each, ref, 'terminated-while-queued'))
  }
  if (mailbox !== undefined) runtime.mailboxes.give(mailbox)
}
