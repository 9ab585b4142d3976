/** How many messages may wait for one actor, and what happens to one too many. */
import type { RingBuffer } from '../../foundation/ring-buffer.ts'
import { show } from '../../foundation/show.ts'
import { MailboxFull } from '../actor-errors.ts'
import type { Cell } from './cell.ts'
import { isEnvelope } from './envelope.ts'
import { DeadLetter, Dropped } from '../events/lost-messages.ts'
import { isMail, originalOf } from './open-envelope.ts'

/** How many messages may wait for an actor, and what happens to one too many. */
export interface MailboxOptions {
  /** Messages that may wait, 1,000 when not given. Signals and timer ticks are not counted and never dropped. */
  readonly messagesMax?: number | undefined
  readonly overflow?: OverflowPolicy
}

/**
 * `drop-new` (default) drops the message being sent, `drop-head` the one that has waited longest; both publish
 * `Dropped`. `fail` makes `tell` throw `MailboxFull` at the sender.
 */
export type OverflowPolicy = 'drop-new' | 'drop-head' | 'fail'

const defaultMessagesMax = 1_000

/** Every problem with these options, in words for the person who set them; empty when all is well. */
export function problemsWithMailbox(options: MailboxOptions): string[] {
  const problems: string[] = []
  const given: unknown = options
  if (typeof given !== 'object' || given === null)
    return ['mailbox must be an object with messagesMax']
  const { messagesMax = defaultMessagesMax } = options
  if (!Number.isSafeInteger(messagesMax) || messagesMax < 1) {
    problems.push(
      `mailbox.messagesMax must be a whole number of at least 1, not ${show(messagesMax)}`,
    )
  }
  const policies: readonly unknown[] = ['drop-new', 'drop-head', 'fail', undefined]
  if (!policies.includes(options.overflow)) {
    problems.push(
      `mailbox.overflow must be 'drop-new', 'drop-head' or 'fail', not ${show(options.overflow)}`,
    )
  }
  return problems
}

/**
 * Decides about a message to an actor that is gone, that takes no mail for now, or whose mailbox is bounded; what may not
 * queue is dealt with.
 */
export function mayQueue(cell: Cell, message: unknown): boolean {
  if (isEnvelope(message) && (cell.isTerminated || !isMail(message))) {
    cell.sendEnvelope(message)
    return false
  }
  if (cell.isTerminated) {
    cell.runtime.lost(new DeadLetter(message, cell.ref, 'terminated'))
    return false
  }
  return hasRoom(cell, message)
}

function hasRoom(cell: Cell, message: unknown): boolean {
  const { mailbox: bound, withheld, envelopesQueued } = cell.state()
  if (withheld !== undefined && (cell.mailbox?.size ?? 0) >= withheld.messagesMax) {
    cell.runtime.lost(new Dropped(originalOf(message), cell.ref, withheld.reason))
    return false
  }
  const size = cell.mailbox === undefined ? 0 : cell.mailbox.size - envelopesQueued
  if (bound === undefined || cell.mailbox === undefined) return true
  const { messagesMax = defaultMessagesMax } = bound
  if (size < messagesMax) return true
  if (bound.overflow === 'fail') throw new MailboxFull(cell.toString(), messagesMax)
  const victim = bound.overflow === 'drop-head' ? takeOldest(cell.mailbox) : message
  cell.runtime.lost(new Dropped(originalOf(victim), cell.ref, 'mailbox-full'))
  return victim !== message
}

/** Takes the oldest message out of the mailbox; envelopes before it keep their place. */
function takeOldest(mailbox: RingBuffer<unknown>): unknown {
  let index = 0
  while (!isMail(mailbox.at(index))) index++
  return mailbox.take(index)
}
