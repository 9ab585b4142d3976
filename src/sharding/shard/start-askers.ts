/** Who wants to hear that entities were started, until they are. Bounded: whoever is not answered asks again. */
import type { EntityId } from '../shard-id.ts'
import type { StartAsker } from './shard-inputs.ts'

const askersOfOneMax = 100

export class StartAskers {
  readonly #askers = new Map<EntityId, StartAsker[]>()

  add(entityId: EntityId, asker: StartAsker | undefined): void {
    if (asker === undefined) return
    const askers = this.#askers.get(entityId)
    if (askers === undefined) this.#askers.set(entityId, [asker])
    else if (askers.length < askersOfOneMax) askers.push(asker)
  }

  /** Those of one entity, once. */
  take(entityId: EntityId): readonly StartAsker[] {
    const askers = this.#askers.get(entityId) ?? []
    this.#askers.delete(entityId)
    return askers
  }
}
