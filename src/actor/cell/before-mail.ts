/**
 * What an actor takes before its mail: what its supervisors and async handlers came to, and messages that are replayed.
 * It goes down through the wrappers, to the level it belongs to.
 */
import { type AnyBehavior, same, type Wrapper } from '../behavior/behavior.ts'
import { interpretMessage } from '../behavior/interpret.ts'
import { type Inward, Replayed, Settled } from '../behavior/inward.ts'
import type { Cell } from './cell.ts'
import { inwardWaits, replaying } from './cell-flags.ts'

/** The oldest that waits. */
export function goInward(cell: Cell): void {
  const waiting = cell.state().inward ?? []
  const next = waiting.shift()
  if (waiting.length === 0) cell.flags &= ~inwardWaits
  if (next !== undefined) receiveInward(cell, next)
}

/** The next message of the replay that began last. */
export function replayNext(cell: Cell): void {
  const replays = cell.state().replays ?? []
  const next = replays.at(-1)?.take()
  if (next !== undefined) return receiveInward(cell, next)
  replays.pop()
  if (replays.length === 0) cell.flags &= ~replaying
}

/** A failing message ends the replay it came from: the rest of a stash stays in the stash. */
export function endReplays(cell: Cell): void {
  const state = cell.stateIfAny
  if (state?.replays === undefined) return
  state.replays = state.replays.filter((replay) => !replay.endsOnFailure)
  if (state.replays.length === 0) cell.flags &= ~replaying
}

/** The wrapper, or the next one around it when it has given way to one inside meanwhile. */
export function wrapperInForce(cell: Cell, wrapper: Wrapper | undefined): Wrapper | undefined {
  for (let each = wrapper; each !== undefined; each = each.outer) {
    if (isPartOf(cell.behavior, each)) return each
  }
  return undefined
}

export function isPartOf(behavior: AnyBehavior, part: AnyBehavior): boolean {
  let each = behavior
  while (each.kind === 'wrapped' && each !== part) each = each.inner
  return each === part
}

function receiveInward(cell: Cell, inward: Inward): void {
  // Taken from a stash outside all wrappers: whatever wraps the behavior now has not seen it yet.
  if (inward instanceof Replayed && inward.scope === undefined) return cell.receive(inward.message)
  const result = interpretMessage(cell.behavior, cell, inward)
  if (result === undefined || result === same) return
  cell.become(result, inward instanceof Settled ? inward.cause : inward)
}
