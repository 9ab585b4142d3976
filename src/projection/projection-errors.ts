/** What users of projections can do wrong, or meet. Each names projection, range, entity and event as far as they are known. */
import { CodedError } from '../foundation/coded-error.ts'
import { show } from '../foundation/show.ts'

/** Which event of which entity, and the place behind it. */
export interface EventSpot {
  readonly entityType: string
  readonly id: string
  readonly sequenceNr: number
  /** Undefined where one entity is read: then its number says where to go on. */
  readonly place: string | undefined
}

/** An event lies in the store that this version cannot read. */
export class UnreadableEvent extends CodedError implements EventSpot {
  readonly code = 'UNREADABLE_EVENT'
  readonly entityType: string
  readonly id: string
  readonly sequenceNr: number
  /** Behind the event: read on from here to leave it out. */
  readonly place: string | undefined

  constructor({ entityType, id, sequenceNr, place }: EventSpot, cause: unknown) {
    const next =
      place === undefined
        ? `from ${sequenceNr + 1} on`
        : 'with `after` set to the `place` of this error'
    super(
      `Event ${sequenceNr} of ${entityType} ${show(id)} cannot be read: ${wordsOf(cause)} To leave it out, read ${next}.`,
      { cause },
    )
    this.entityType = entityType
    this.id = id
    this.sequenceNr = sequenceNr
    this.place = place
  }
}

/** The handler of a projection failed. */
export class ProjectionHandlerFailed extends CodedError implements EventSpot {
  readonly code = 'PROJECTION_HANDLER_FAILED'
  readonly projection: string
  readonly range: number
  readonly entityType: string
  readonly id: string
  readonly sequenceNr: number
  readonly place: string | undefined
  /** How many events it was given; the fields speak of the first. */
  readonly events: number

  constructor(
    projection: string,
    range: number,
    { spot, events, cause }: { spot: EventSpot; events: number; cause: unknown },
  ) {
    const { entityType, id, sequenceNr, place } = spot
    const more = events > 1 ? ` and ${events - 1} more` : ''
    super(
      `The projection ${show(projection)} could not handle event ${sequenceNr} of ${entityType} ${show(id)}${more}, in range ${range}: ${wordsOf(cause)}`,
      { cause },
    )
    this.projection = projection
    this.range = range
    this.entityType = entityType
    this.id = id
    this.sequenceNr = sequenceNr
    this.place = place
    this.events = events
  }
}

/** Events were deleted before the projection has read them: what it makes of the entity is not whole. */
export class ProjectionMissedEvents extends CodedError {
  readonly code = 'PROJECTION_MISSED_EVENTS'
  readonly projection: string
  readonly range: number
  readonly entityType: string
  readonly id: string
  /** The numbers of the events that are gone, the last one included. */
  readonly from: number
  readonly to: number
  /** False when some of them may have been handled before the range came here. */
  readonly isAll: boolean

  constructor(
    projection: string,
    range: number,
    gap: Pick<ProjectionMissedEvents, 'entityType' | 'id' | 'from' | 'to' | 'isAll'>,
  ) {
    const { entityType, id, from, to, isAll } = gap
    super(
      `${isAll ? 'Events' : 'Some or all of events'} ${from} to ${to} of ${entityType} ${show(id)} were deleted before the projection ${show(projection)} has read them, in range ${range}: ${entityType} has snapshots.deleteEvents, which does not wait for projections. What they said is missing in what the projection has made. Keep more events (snapshots.every, snapshots.keep), or leave deleteEvents out for entities that projections read. onDeleted says whether the range stops at such a gap.`,
    )
    this.projection = projection
    this.range = range
    this.entityType = entityType
    this.id = id
    this.from = from
    this.to = to
    this.isAll = isAll
  }
}

/** What was stored of a projection belongs to another definition of it. */
export class ProjectionChanged extends CodedError {
  readonly code = 'PROJECTION_CHANGED'
  readonly projection: string
  readonly range: number

  constructor(projection: string, range: number, differences: readonly string[]) {
    super(
      `The projection ${show(projection)} was defined otherwise when range ${range} was stored: ${differences.join('; ')}. What it has handled cannot be told any more. Give it another name to build it anew beside the old one, or take the change back; reset() begins again from the first event.`,
    )
    this.projection = projection
    this.range = range
  }
}

/** Somebody else works on this range now, and has stored how far it came. */
export class RangeTaken extends CodedError {
  readonly code = 'PROJECTION_RANGE_TAKEN'
  readonly projection: string
  readonly range: number

  constructor(projection: string, range: number, by: string) {
    super(
      `Range ${range} of the projection ${show(projection)} is worked on by ${by} now, so it ends here. In a cluster that is a move; outside of one, two processes run a projection of this name: give one of them another name.`,
    )
    this.projection = projection
    this.range = range
  }
}

/** A projection was asked for that this node does not run. */
export class ProjectionNotOnNode extends CodedError {
  readonly code = 'PROJECTION_NOT_ON_NODE'
  readonly projection: string

  constructor(projection: unknown, known: readonly string[]) {
    const list = known.length === 0 ? 'none' : known.join(', ')
    super(
      `This node does not run the projection ${show(projection)}; it runs ${list}. Add it to \`projections\` in startNode, or ask a node that has it.`,
    )
    this.projection = String(projection)
  }
}

/** A reset that not every range has confirmed. */
export class ResetIncomplete extends CodedError {
  readonly code = 'PROJECTION_RESET_INCOMPLETE'
  readonly projection: string
  /** The ranges that may go on from where they were. */
  readonly ranges: readonly number[]

  constructor(projection: string, problems: ReadonlyMap<number, string>) {
    const list = [...problems].map(([range, problem]) => `range ${range}: ${problem}`)
    super(
      `The projection ${show(projection)} was not reset as a whole; call reset() again. ${list.join('; ')}`,
    )
    this.projection = projection
    this.ranges = [...problems.keys()]
  }
}

/** As a sentence. */
export function wordsOf(error: unknown): string {
  const words = error instanceof Error ? error.message : show(error)
  return /[.!?]$/.test(words) ? words : `${words}.`
}
