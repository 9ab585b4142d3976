/**
 * For behaviors that can handle no mail for a while: it waits in the mailbox, in its order, and whatever stops the actor in
 * good order waits behind it. Replays and system business go on, and a stop that does not ask is not held up.
 */
import type { Dropped } from '../events/lost-messages.ts'
import type { Cell } from './cell.ts'
import { withheld } from './cell-flags.ts'
import { PoisonPill } from './envelope.ts'

/** How much may wait meanwhile, and why the next one is dropped. */
export interface WithheldMail {
  readonly messagesMax: number
  readonly reason: Dropped['reason']
}

export function withholdMail(cell: Cell, limit: WithheldMail): void {
  cell.state().withheld = limit
  cell.flags |= withheld
}

export function letMailIn(cell: Cell): void {
  if (!isMailWithheld(cell)) return
  cell.flags &= ~withheld
  cell.state().withheld = undefined
  if (cell.mailbox !== undefined) cell.schedule()
}

export function isMailWithheld(cell: Cell): boolean {
  return (cell.flags & withheld) !== 0
}

/** In the turn of a cell without mail: stops it when nothing came before the order to, so that nothing is waited for. */
export function stopsAtOnce(cell: Cell): boolean {
  const isStashing = (cell.stateIfAny?.stashes?.size ?? 0) > 0
  if (isStashing || cell.mailbox?.peek() !== PoisonPill) return false
  cell.stop()
  return true
}
