/** The name of a kind of entity, with the type of the messages that its entities take. */
import { problemWithId } from '../foundation/text.ts'
import { InvalidEntityTypeName } from './sharding-errors.ts'

/** Small enough to stand in paths and in keys of every store, beside the id of an entity. */
const nameBytesMax = 200

export class EntityTypeKey<in out Message> {
  readonly name: string
  /** Never there: it only makes keys of different messages different types. */
  readonly accepts?: (message: Message) => Message

  constructor(name: string) {
    const problem = problemWithEntityType(name)
    if (problem !== undefined) throw new InvalidEntityTypeName(name, problem)
    this.name = name
  }

  toString(): string {
    return `EntityTypeKey(${this.name})`
  }
}

/** In words; undefined when there is none. */
export function problemWithEntityType(name: unknown): string | undefined {
  return problemWithId(name, nameBytesMax) ?? problemWithForm(name as string)
}

function problemWithForm(name: string): string | undefined {
  // It stands between type and id in the names of stored streams.
  if (name.includes('|')) return 'it contains the character |'
  return name.startsWith('$') ? 'names that begin with $ belong to the runtime' : undefined
}
