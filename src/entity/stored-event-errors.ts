/** What can be wrong with events that lie in the store when they meet another version of their entity. Each names event and place. */
import { CodedError } from '../foundation/coded-error.ts'
import { show } from '../foundation/show.ts'

/** Where an event was found. */
interface EventPlace {
  readonly id: string
  readonly sequenceNr: number
  readonly appVersion: string | undefined
}

/** An event lies in the store that this version of the entity does not know, by its name or at all. */
export class UnknownStoredEvent extends CodedError {
  readonly code = 'UNKNOWN_STORED_EVENT'
  readonly entityType: string
  readonly id: string
  /** Its name; what lies there, shortened, when it has none. */
  readonly event: string
  readonly sequenceNr: number

  constructor(
    entityType: string,
    { id, sequenceNr, appVersion }: EventPlace,
    found:
      | { readonly name: string; readonly known: readonly string[] }
      | { readonly shape: unknown },
  ) {
    const where = `Event ${sequenceNr} of ${entityType} ${show(id)}`
    const version = appVersion === undefined ? 'this version' : `this version (${appVersion})`
    const event = 'name' in found ? found.name : show(found.shape)
    super(
      'name' in found
        ? `${where} is ${show(event)}, which ${version} does not know: its events are ${found.known.join(', ')}. A newer version has stored it, or the definition has lost it. Run a version that knows it; if it was renamed or retired, say in \`upcast\` what it is now. To answer reads until then, set unknownEvents: 'read-only'.`
        : `${where} is ${event}, which ${version} cannot read: an event is a list of its name and of what it says. It was stored through an \`eventAdapter\` that this definition does not have, or by something else. Run a version that has the adapter.`,
    )
    this.entityType = entityType
    this.id = id
    this.event = event
    this.sequenceNr = sequenceNr
  }
}

/** An upcaster threw, or gave what is no event of this version. */
export class UpcastFailed extends CodedError {
  readonly code = 'UPCAST_FAILED'
  readonly entityType: string
  readonly id: string
  readonly event: string
  readonly sequenceNr: number

  constructor(
    entityType: string,
    { id, sequenceNr }: EventPlace,
    {
      event,
      problem,
      cause,
    }: { readonly event: string; readonly problem: string; readonly cause?: unknown },
  ) {
    super(
      `The upcaster of ${show(event)} ${problem}. That was event ${sequenceNr} of ${entityType} ${show(id)}. Give an event of this version such as ['Name', …], a list of events, or an empty list to leave it out.`,
      { cause },
    )
    this.entityType = entityType
    this.id = id
    this.event = event
    this.sequenceNr = sequenceNr
  }
}

/** The entity has an event that this version does not know, and answers reads only (`unknownEvents: 'read-only'`). */
export class EntityReadOnly extends CodedError {
  readonly code = 'ENTITY_READ_ONLY'

  constructor(
    command: string,
    called: 'persist' | 'delete',
    { entityType, id, event, sequenceNr }: UnknownStoredEvent,
  ) {
    super(
      `${entityType}.${command} called self.${called}, and ${entityType} ${show(id)} is read only here: its event ${sequenceNr}, ${show(event)}, is not known to this version, and its state is the one before that. Call it on a version that knows the event.`,
    )
  }
}
