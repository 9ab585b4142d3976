/**
 * The rule that every journal decides appends by, and the checks of what it is given. One place, so that all stores agree,
 * also those of users.
 */
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import { assert } from '../../foundation/assert.ts'
import type { Grant } from '../../foundation/grant.ts'
import { show } from '../../foundation/show.ts'
import { problemWithId, startOf, utf8Length } from '../../foundation/text.ts'
import { checkGrant } from '../claim-fences.ts'
import type { EventDeletionTo, EventDeletionResult } from '../event-deletion.ts'
import type { AppendBatch, AppendResult, Fenced, ReadRange, TaggedEvent } from '../journal.ts'
import { EventTooLarge, InvalidJournalCall } from '../persistence-errors.ts'
import { checkPersistenceId, numberOfSlices } from '../persistence-id.ts'
import { type JournalSettings, journalSettingsTable } from '../persistence-settings.ts'
import type { SliceQuery } from '../slice-reader.ts'
import type { NewSnapshot, SnapshotDeletion, SnapshotResult } from '../snapshots.ts'
import { byteCountOf, bytesOfEvent, problemWithTags, tagBytesMax } from '../tags.ts'
import { checkWhole } from '../whole-number.ts'

export const writerBytesMax = 256

/** What a store knows about one stream. */
export interface StreamState {
  readonly epoch: number
  readonly writer: string
  readonly highestSequenceNr: number
}

/** Answers the stream if this epoch is its newest; throws for one that was never given out. */
function fenced<Stream extends StreamState>(
  stream: Stream | undefined,
  { persistenceId, epoch }: { readonly persistenceId: string; readonly epoch: number },
): Stream | Fenced {
  if (stream === undefined || epoch > stream.epoch) {
    throw new InvalidJournalCall(
      `Epoch ${epoch} of "${persistenceId}" was never given out by this store. Claim the stream first, in the store that is written to.`,
    )
  }
  if (epoch === stream.epoch) return stream
  return { type: 'Fenced', byEpoch: stream.epoch, byWriter: stream.writer }
}

/** Accepts the append, or says why not. Whoever applies an `Appended` does so before the next question is asked. */
export function judgeAppend(given: StreamState | undefined, batch: AppendBatch): AppendResult {
  const stream = fenced(given, batch)
  if ('type' in stream) return stream
  const { highestSequenceNr } = stream
  if (batch.expectedSequenceNr !== highestSequenceNr) {
    return { type: 'SequenceConflict', highestSequenceNr }
  }
  const highest = highestSequenceNr + batch.events.length
  assert(Number.isSafeInteger(highest), `sequence numbers of "${batch.persistenceId}" are exact`)
  return { type: 'Appended', highestSequenceNr: highest }
}

/** The rule for deleting the first events of a stream. Whoever applies an `EventsDeleted` does so before the next question is asked. */
export function judgeDeletionTo(
  given: (StreamState & { readonly deletedSequenceNr: number }) | undefined,
  deletion: EventDeletionTo,
): EventDeletionResult {
  const stream = fenced(given, deletion)
  if ('type' in stream) return stream
  const { highestSequenceNr, deletedSequenceNr } = stream
  if (deletion.toSequenceNr > highestSequenceNr) {
    return { type: 'SequenceConflict', highestSequenceNr }
  }
  const deleted = Math.max(deletedSequenceNr, deletion.toSequenceNr)
  return { type: 'EventsDeleted', deletedSequenceNr: deleted }
}

/** The rule for snapshots: of the events of the present life, by their present writer. */
export function judgeSnapshot(
  given: (StreamState & { readonly startSequenceNr: number }) | undefined,
  snapshot: NewSnapshot,
): SnapshotResult {
  const stream = fenced(given, snapshot)
  if ('type' in stream) return stream
  const { highestSequenceNr, startSequenceNr } = stream
  const { sequenceNr } = snapshot
  return sequenceNr <= highestSequenceNr && sequenceNr > startSequenceNr
    ? { type: 'SnapshotSaved' }
    : { type: 'SnapshotConflict', highestSequenceNr }
}

/** Undefined when this writer may delete snapshots. */
export function judgeSnapshotDeletion(
  given: StreamState | undefined,
  deletion: SnapshotDeletion,
): Fenced | undefined {
  const stream = fenced(given, deletion)
  return 'type' in stream ? stream : undefined
}

/** Answers the bytes of events in it: none. */
export function checkClaim(persistenceId: string, writer: string, grant?: Grant): number {
  checkPersistenceId(persistenceId)
  if (typeof writer !== 'string' || utf8Length(writer) > writerBytesMax) {
    throw new InvalidJournalCall(`A writer is a string of at most ${writerBytesMax} bytes.`)
  }
  checkGrant(grant)
  return 0
}

/** Answers the bytes of all events together, with their tags. */
export function checkAppend(batch: AppendBatch, settings: JournalSettings): number {
  checkPersistenceId(batch.persistenceId)
  checkWhole('epoch', batch.epoch, 1)
  checkWhole('expectedSequenceNr', batch.expectedSequenceNr, 0)
  const { length } = batch.events
  if (length === 0 || length > settings.appendEventsMax) {
    throw new InvalidJournalCall(
      `An append has 1 to ${settings.appendEventsMax} events (appendEventsMax), and this one has ${length}.`,
    )
  }
  return checkEvents(batch, settings)
}

/** As an append, with events or without. */
export function checkDeletion(batch: AppendBatch, settings: JournalSettings): number {
  if (batch.events.length > 0) return checkAppend(batch, settings)
  checkPersistenceId(batch.persistenceId)
  checkWhole('epoch', batch.epoch, 1)
  checkWhole('expectedSequenceNr', batch.expectedSequenceNr, 0)
  return 0
}

export function checkDeletionTo({ persistenceId, epoch, toSequenceNr }: EventDeletionTo): void {
  checkPersistenceId(persistenceId)
  checkWhole('epoch', epoch, 1)
  checkWhole('toSequenceNr', toSequenceNr, 0)
}

function checkEvents(batch: AppendBatch, settings: JournalSettings): number {
  let bytes = 0
  for (const event of batch.events) {
    if (!(event instanceof Uint8Array)) bytes += checkTagged(batch.persistenceId, event)
    const { byteLength } = bytesOfEvent(event)
    if (byteLength > settings.eventBytesMax) {
      throw new EventTooLarge(batch.persistenceId, byteLength, settings.eventBytesMax)
    }
    bytes += byteLength
  }
  return bytes
}

/** Answers the bytes of its tags. */
function checkTagged(persistenceId: string, event: TaggedEvent): number {
  if (!(event.bytes instanceof Uint8Array)) {
    throw new InvalidJournalCall(
      `An event of "${persistenceId}" is neither bytes nor tagged bytes.`,
    )
  }
  const problem = problemWithTags(event.tags)
  if (problem === undefined) return byteCountOf(event.tags)
  throw new InvalidJournalCall(
    `The tags of an event of "${persistenceId}" are refused: ${problem}.`,
  )
}

export function checkRange({ persistenceId, fromSequenceNr, toSequenceNr }: ReadRange): void {
  checkPersistenceId(persistenceId)
  checkWhole('fromSequenceNr', fromSequenceNr, 0)
  checkWhole('toSequenceNr', toSequenceNr, 0)
}

export function checkSliceQuery(query: SliceQuery): void {
  const { fromSlice, toSlice, after, tag, eventsMax } = query
  checkWhole('fromSlice', fromSlice, 0)
  checkWhole('toSlice', toSlice, fromSlice)
  checkWhole('eventsMax', eventsMax, 1)
  if (toSlice >= numberOfSlices) {
    throw new InvalidJournalCall(`toSlice is at most ${numberOfSlices - 1}, not ${toSlice}.`)
  }
  if (after !== undefined && typeof after !== 'string') {
    throw new InvalidJournalCall('`after` is the `next` of an earlier page.')
  }
  const problem = tag === undefined ? undefined : problemWithId(tag, tagBytesMax)
  if (problem !== undefined)
    throw new InvalidJournalCall(`${show(tag)} cannot be a tag: ${problem}.`)
}

/** For stores whose places are numbers: how far the pages before have come. */
export function placeOf(after: string | undefined): number {
  const place = after === undefined ? 0 : Number(after)
  if (after === undefined || (/^\d+$/.test(after) && Number.isSafeInteger(place))) return place
  throw new InvalidJournalCall(`${show(after)} is not a place that this store has handed out.`)
}

export function checkJournalSettings(settings: JournalSettings): void {
  const problems = journalSettingsTable.problemsWith(settings)
  if (problems.length > 0) throw new InvalidSettings('The settings of the journal', problems)
}

/** Cut to what a journal takes: it is for people. */
export function writerNamed(path: string): string {
  const isShort = utf8Length(path) <= writerBytesMax
  return isShort ? path : startOf(path, Math.floor(writerBytesMax / 3))
}
