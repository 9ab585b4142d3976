/** What a cell does with the envelopes it finds in its mailbox, and what becomes of them when it is gone. */
import { unreachable } from '../../foundation/assert.ts'
import type { Cell } from './cell.ts'
import { type Envelope, type EnvelopeContent, isEnvelope } from './envelope.ts'
import { PromiseAsMessage } from '../actor-errors.ts'
import { disown, isPromise } from '../behavior/interpret.ts'
import { LocalRef } from '../ref/local-ref.ts'
import {
  type ActorDeadLetterReason,
  DeadLetter,
  Dropped,
  UnhandledMessage,
} from '../events/lost-messages.ts'
import { ChildFailed, MessageAdaptionFailure, Terminated } from '../behavior/signals.ts'

export function openEnvelope(cell: Cell, content: EnvelopeContent): void {
  switch (content.type) {
    case 'PoisonPill':
      return cell.stop()
    case 'TimerTick':
      return cell.state().timers?.deliver(content.timer)
    case 'ReceiveTimeout':
      return content.timeout.deliver()
    case 'Terminated':
      return deliverTermination(cell, content)
    case 'Adapted':
      return deliverAdapted(cell, content.message)
    case 'Piped':
      return deliverTranslated(cell, content.value, content.map)
    default:
      return unreachable(content)
  }
}

function deliverTermination(
  cell: Cell,
  { ref, failure }: Extract<EnvelopeContent, { type: 'Terminated' }>,
): void {
  const watching = cell.state().watching
  const watch = watching?.get(ref)
  // Not watched any more: unwatch also takes back what is already in the mailbox.
  if (watch === undefined) return
  watching?.delete(ref)
  if (watch.message !== undefined) return deliverNewsOfDeath(cell, watch.message)
  const isChild = ref instanceof LocalRef && ref.parent === cell.ref
  if (failure !== undefined && isChild) return cell.signal(new ChildFailed(ref, failure.cause))
  cell.signal(new Terminated(ref))
}

function deliverNewsOfDeath(cell: Cell, message: unknown): void {
  const state = cell.state()
  state.isNewsOfDeath = true
  try {
    cell.receive(message)
  } finally {
    state.isNewsOfDeath = false
  }
}

function deliverAdapted(cell: Cell, message: unknown): void {
  deliverTranslated(cell, message, () => {
    const translate = cell.state().adapters?.translationFor(message)
    return translate === undefined ? noTranslation : translate(message)
  })
}

const noTranslation = Symbol('no translation')

/** Translation runs inside the actor; its failure is the actor's, unless it handles the signal. */
function deliverTranslated(cell: Cell, original: unknown, translate: () => unknown): void {
  let translated: unknown
  try {
    translated = translate()
    if (isPromise(translated)) {
      disown(translated)
      throw new PromiseAsMessage(cell.toString())
    }
  } catch (error) {
    return cell.signal(new MessageAdaptionFailure(error))
  }
  if (translated === noTranslation) {
    return cell.runtime.lost(new UnhandledMessage(original, cell.ref))
  }
  if (translated !== undefined && translated !== null) return cell.receive(translated)
  cell.runtime.lost(new Dropped(original, cell.ref, 'adapted-to-nothing'))
}

/** The receiver is gone: what was a message to it becomes a dead letter, the rest has lost its meaning. */
export function returnEnvelope(
  cell: Cell,
  envelope: Envelope,
  reason: ActorDeadLetterReason,
): void {
  const { content } = envelope
  if (content.type === 'Adapted')
    cell.runtime.lost(new DeadLetter(content.message, cell.ref, reason))
  else if (content.type === 'Piped')
    cell.runtime.lost(new DeadLetter(content.value, cell.ref, reason))
}

/** Whether this stands in a mailbox as a message that somebody sent, and counts against its `messagesMax`. */
export function isMail(queued: unknown): boolean {
  return !isEnvelope(queued) || queued.content.type === 'Adapted'
}

/** The message as it was sent. */
export function originalOf(queued: unknown): unknown {
  return isEnvelope(queued) && queued.content.type === 'Adapted' ? queued.content.message : queued
}
