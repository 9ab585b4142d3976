/**
 * Somebody who follows the commands of entities one by one, to tell people about them: a kit for tests, or a simulation. In
 * production there is nobody, and it costs one look per command.
 */
import type { CallSite } from './entity-errors.ts'
import type { EntityCall, EntityReply } from './entity-messages.ts'

export interface CommandWitness {
  /** A command begins; what it does is told to the one that is given back, if any. */
  begins(entityType: string, id: string, call: EntityCall): WitnessedCommand | undefined
  /** A call that was made from here got no answer of its entity. */
  unanswered?(site: CallSite, reason: string): void
}

export interface WitnessedCommand {
  /** It lets this happen. */
  persists(event: string, args: readonly unknown[]): void
  /** It is about to end well, and deletes all that was stored before it; `ends` says what follows. */
  deletes?(): void
  /** It has ended: of the events it let happen, so many of the last will be stored, none when it has failed. */
  ends(eventCount: number): void
  /** Its answer leaves the entity, after what it depends on was stored or was not. */
  answers(reply: EntityReply): void
}

/** The reply as it is; for a witness, what gives it and tells that it leaves. */
export function leaving(
  reply: EntityReply,
  witnessed: WitnessedCommand | undefined,
): EntityReply | (() => EntityReply) {
  if (witnessed === undefined) return reply
  return () => {
    witnessed.answers(reply)
    return reply
  }
}
