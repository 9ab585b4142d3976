/** What can be wrong with the start of a node, beside what the rooms below say themselves. */
import { CodedError } from '../foundation/coded-error.ts'
import { show } from '../foundation/show.ts'

export { NotThereYet } from '../foundation/not-there-yet.ts'

/** An entity type was called that this node was not told of. */
export class EntityNotOnNode extends CodedError {
  readonly code = 'ENTITY_NOT_ON_NODE'
  readonly entityType: string

  constructor(entityType: unknown, known: readonly string[]) {
    const list = known.length === 0 ? 'none' : known.join(', ')
    if (typeof entityType !== 'string' || known.includes(entityType)) {
      super(
        `${show(entityType)} is not an entity type. Give the definition itself, as it was made by defineEntity or entityType; this node knows ${list}.`,
      )
      this.entityType = show(entityType)
      return
    }
    super(
      `This node does not know the entity type ${show(entityType)}; it knows ${list}. Add it to \`entities\`, or to \`proxies\` when it lives on other nodes, in startNode.`,
    )
    this.entityType = entityType
  }
}
