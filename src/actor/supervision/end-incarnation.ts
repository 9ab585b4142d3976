/** What ends with a behavior that is about to be restarted: its timers, its stashes, its children, its AbortSignal. */
import { AbortedByStop } from '../actor-errors.ts'
import type { Wrapper } from '../behavior/behavior.ts'
import type { Cell } from '../cell/cell.ts'
import { Dropped } from '../events/lost-messages.ts'
import { timed } from '../cell/cell-flags.ts'
import { LocalRef } from '../ref/local-ref.ts'

export function endIncarnation(cell: Cell, supervisor: Wrapper): void {
  const state = cell.state()
  // First, because who listens to it may still act in the name of what ends. One that has fired before, since the
  // actor will be stopped soon, tells the fresh behavior as well.
  if (state.abort?.signal.aborted === false) {
    state.abort.abort(new AbortedByStop(cell.toString()))
    state.abort = undefined
  }
  state.timers?.cancelEvery()
  state.receiveTimeout?.cancel()
  state.receiveTimeout = undefined
  cell.flags &= ~timed
  for (const [ref, { message }] of state.watching ?? []) {
    state.watching?.set(ref, { message, isInherited: true })
  }
  discardStashes(cell, supervisor)
}

/** Stashes made inside the supervised part go with it; those made outside are kept. */
function discardStashes(cell: Cell, supervisor: Wrapper): void {
  for (const stash of [...(cell.state().stashes ?? [])]) {
    if (!isInside(stash.scope, supervisor)) continue
    for (const message of stash.discard()) {
      cell.runtime.lost(new Dropped(message, cell.ref, 'stash-discarded-by-restart'))
    }
  }
}

function isInside(scope: Wrapper | undefined, supervisor: Wrapper): boolean {
  for (let wrapper = scope; wrapper !== undefined; wrapper = wrapper.outer) {
    if (wrapper === supervisor) return true
  }
  return false
}

/** Stops every child; answers those that are to be waited for. `gone` is called for each of them. */
export function stopChildren(cell: Cell, gone: (child: object) => void): Set<object> {
  const state = cell.state()
  const children = [...(state.children?.values() ?? [])]
  for (const child of children) child.cell?.stop()
  // The behavior that watched them is gone: the new one must not hear of children it never had, not even old news.
  for (const watched of state.watching?.keys() ?? []) {
    if (!(watched instanceof LocalRef) || watched.parent !== cell.ref) continue
    state.watching?.delete(watched)
    watched.removeWatcher(cell)
  }
  state.childListener = gone
  return new Set(children)
}
