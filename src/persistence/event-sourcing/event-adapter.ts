/**
 * Between the events that handlers know and what lies in the journal: for events whose form has changed since they were
 * stored, that are stored in another form, or that shall be forgotten. And the one place where an event becomes what is
 * stored: applied first, then tagged, adapted and encoded, so that whatever throws does so before anything is written.
 */
import { isRecord } from '../../foundation/is-object.ts'
import { show } from '../../foundation/show.ts'
import { CannotSerialize } from '../../serialization/index.ts'
import type { ValueCodec } from '../../serialization/internals.ts'
import type { NewEvent } from '../journal.ts'
import { InvalidTags } from '../persistence-errors.ts'
import { problemWithTags } from '../tags.ts'
import { EventAdapterFailed, wordsOf } from './event-sourced-errors.ts'

export interface EventAdapter<Event> {
  /** What is stored of the event: a value that can be stored. When it throws, its command fails and nothing is written. */
  toJournal(event: Event): unknown
  /**
   * The events that this one is now, in an array: usually one. All are applied under the number of the stored one; when
   * there are none it is left out, and keeps its number. When it throws, the entity does not recover. `manifest` is what was
   * stored with it, '' when nothing was.
   */
  fromJournal(stored: unknown, manifest: string): readonly Event[]
  /** A short text that is stored with the event and given back with it, such as a version; '' stores none. */
  manifest?(event: Event): string
}

/** How an event with a manifest lies in the journal. */
interface WithManifest {
  readonly $manifest: string
  readonly event: unknown
}

/** What it takes to store an event. */
export interface Encoding<Event, State> {
  readonly codec: ValueCodec
  readonly eventAdapter?: EventAdapter<Event> | undefined
  readonly tagger?: ((state: State, event: Event) => readonly string[]) | undefined
}

/** What is stored of an event that led to this state. */
export function encoded<Event, State>(
  { codec, eventAdapter, tagger }: Encoding<Event, State>,
  persistenceId: string,
  state: State,
  event: Event,
): NewEvent {
  const tags =
    tagger === undefined ? undefined : checkedTags(persistenceId, settled(tagger(state, event)))
  const stored = eventAdapter === undefined ? event : settled(eventAdapter.toJournal(event))
  const manifest = eventAdapter?.manifest?.(event) ?? ''
  // It forgot to return: there would be nothing left of the event, and nobody would notice before the next start.
  if (stored === undefined && event !== undefined) {
    throw new CannotSerialize('event', 'is undefined: toJournal must return what to store')
  }
  const noted: unknown =
    manifest === '' ? stored : ({ $manifest: manifest, event: stored } satisfies WithManifest)
  const bytes = codec.encode(noted, 'event')
  return tags === undefined ? bytes : { bytes, tags }
}

/** A promise is refused by whoever gets it; should it be rejected, nobody would hear that, and it would end the process. */
function settled<Answer>(answer: Answer): Answer {
  if (answer instanceof Promise) answer.catch(() => undefined)
  return answer
}

/** A list of our own, each tag once; undefined when there are none. */
function checkedTags(
  persistenceId: string,
  given: readonly string[],
): readonly string[] | undefined {
  const tags = Array.isArray(given) ? [...new Set(given)] : given
  const problem = problemWithTags(tags)
  if (problem !== undefined) throw new InvalidTags(persistenceId, problem)
  return tags.length === 0 ? undefined : tags
}

/** The events of what lies in the journal under this number. */
export function adapted<Event>(
  adapter: EventAdapter<Event>,
  stored: unknown,
  sequenceNr: number,
): readonly Event[] {
  let events: unknown
  try {
    // Whoever stores no manifests may have events that look as if they had one.
    const noted =
      adapter.manifest !== undefined && hasManifest(stored)
        ? stored
        : { $manifest: '', event: stored }
    events = settled(adapter.fromJournal(noted.event, noted.$manifest))
  } catch (error) {
    throw new EventAdapterFailed(sequenceNr, wordsOf(error), error)
  }
  if (Array.isArray(events)) return events as readonly Event[]
  const problem = `it gave ${show(events)}. Give an array of events, an empty one to leave it out.`
  throw new EventAdapterFailed(sequenceNr, problem)
}

function hasManifest(stored: unknown): stored is WithManifest {
  if (!isRecord(stored) || typeof stored['$manifest'] !== 'string') return false
  return 'event' in stored && Object.keys(stored).length === 2
}
