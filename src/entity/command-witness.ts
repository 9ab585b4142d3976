/**
 * Somebody who follows the commands of entities one by one, to tell people about them: a kit for tests, or a simulation. In
 * production there is nobody, and it costs one look per command.
 */
import type { EntityCall, EntityReply } from './entity-messages.ts'

export interface CommandWitness {
  /** A command begins; what it does is told to the one that is given back, if any. */
  begins(entityType: string, id: string, call: EntityCall): WitnessedCommand | undefined
}

export interface WitnessedCommand {
  /** It lets this happen: it is stored when the command has ended well. */
  persists(event: string, args: readonly unknown[]): void
  /** It has failed: nothing of what it let happen will be stored. Not told of entities without events. */
  fails(): void
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
