/** An entity that counts against the limit of its shard, as the strategies know it: a link of whichever list it is in. */
import type { EntityId } from '../shard-id.ts'
import type { RecencyList } from './recency-list.ts'
import { Spots } from './spots.ts'

export class Tracked {
  readonly entityId: EntityId
  /** Undefined outside of every list. */
  list: RecencyList | undefined
  older: Tracked | undefined
  newer: Tracked | undefined
  /** Messages since it was taken in; only where they are counted. */
  uses = 0
  isInWindow = false
  #spots: Spots | undefined

  constructor(entityId: EntityId) {
    this.entityId = entityId
  }

  /** Where a frequency sketch counts it: found once in a life, not once per message. */
  get spots(): Spots {
    return (this.#spots ??= new Spots(this.entityId))
  }
}
