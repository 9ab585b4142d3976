/** What whoever reads a store can meet, beside what the store itself says. */
import { CodedError } from '../../foundation/coded-error.ts'
import { show } from '../../foundation/show.ts'

/** The store has no such port: what is asked of it, it cannot do. */
export class StoreCannot extends CodedError {
  readonly code = 'STORE_CANNOT'
  /** The functions that it lacks. */
  readonly lacks: string

  constructor(what: string, lacks: string) {
    super(
      `This store cannot ${what}: it has no ${lacks}. Use a store that has, as memory or a folder do; a journal of your own gets it by the port of that name.`,
    )
    this.lacks = lacks
  }
}

/** A place that no reader has given. */
export class InvalidPlace extends CodedError {
  readonly code = 'INVALID_PLACE'
  readonly place: unknown

  constructor(place: unknown) {
    super(
      `${show(place)} is not a place to go on from. Give the \`place\` of an event as it was read, from the same tag; leave it out to begin with the first event.`,
    )
    this.place = place
  }
}
