/**
 * Who wants to hear that entities were started, until they are; and what they are told then: one answer for each of them and
 * step, however many entities it started. Bounded: whoever is not answered asks again.
 */
import type { EntityId } from '../shard-id.ts'
import type { ShardEffect, StartAsker } from './shard-inputs.ts'

const askersOfOneMax = 100

export class StartAskers {
  readonly #askers = new Map<EntityId, StartAsker[]>()
  readonly #answers = new Map<StartAsker, EntityId[]>()

  add(entityId: EntityId, asker: StartAsker): void {
    const askers = this.#askers.get(entityId)
    if (askers === undefined) this.#askers.set(entityId, [asker])
    else if (askers.length < askersOfOneMax) askers.push(asker)
  }

  /** It runs: all who asked for it hear of that, once. */
  started(entityId: EntityId): void {
    for (const asker of this.#askers.get(entityId) ?? []) this.tell(asker, entityId)
    this.forget(entityId)
  }

  /** It runs, and this one has asked for it. */
  tell(asker: StartAsker, entityId: EntityId): void {
    const told = this.#answers.get(asker)
    if (told === undefined) this.#answers.set(asker, [entityId])
    else told.push(entityId)
  }

  /** It does not run for now. */
  forget(entityId: EntityId): void {
    this.#askers.delete(entityId)
  }

  /** What is to be told since the last time. */
  takeAnswers(): ShardEffect<never>[] {
    const answers = [...this.#answers].map(
      ([asker, entityIds]) => ({ type: 'EntitiesAreStarted', entityIds, asker }) as const,
    )
    this.#answers.clear()
    return answers
  }
}
