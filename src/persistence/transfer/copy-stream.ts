/**
 * Copies one stream into another store: its place, its events with their own epochs and tags, its snapshots. What is there
 * already and equal is passed over, so that a copy that was cut short goes on behind the last event that was stored.
 *
 * Invariant: nothing that stands in the target is overwritten, and no number there falls.
 */
import { show } from '../../foundation/show.ts'
import type { NewEvent, StoredEvent } from '../journal.ts'
import type { StoredSnapshot } from '../snapshots.ts'
import type { StreamPlace } from '../store-transfer.ts'
import { CopyRefused } from './transfer-errors.ts'
import { eventsOf, readPage, snapshotsOf, type WholeStore } from './whole-store.ts'

export interface StreamCopy {
  readonly source: WholeStore
  readonly target: WholeStore
  readonly signal: AbortSignal | undefined
  /** News of what was stored. */
  readonly onStored: (stored: { readonly events: number; readonly bytes: number }) => void
}

export interface CopiedStream {
  /** `whole`: nothing of it was there. `rest`: some was. `nothing`: all was. */
  readonly copied: 'whole' | 'rest' | 'nothing'
  readonly snapshots: number
}

export async function copyStream(copy: StreamCopy, persistenceId: string): Promise<CopiedStream> {
  const { source, target } = copy
  const place = await source.readStream(persistenceId)
  if (place === undefined) return { copied: 'nothing', snapshots: 0 }
  const present = await target.readStream(persistenceId)
  if (present !== undefined) await checkPresent(copy, place, present)
  const wasPlaced = present !== undefined && isSamePlace(present, place)
  const placedEpoch = await copyEvents(copy, place, present)
  if (!wasPlaced && placedEpoch !== place.epoch) await target.placeStream(place)
  const snapshots = await copySnapshots(copy, place, present === undefined)
  const isAllThere = wasPlaced && snapshots === 0
  return { copied: present === undefined ? 'whole' : isAllThere ? 'nothing' : 'rest', snapshots }
}

function isSamePlace(present: StreamPlace, place: StreamPlace): boolean {
  const { epoch, writer, highestSequenceNr } = place
  const isBehind = present.epoch !== epoch || present.highestSequenceNr !== highestSequenceNr
  return !isBehind && present.writer === writer && beginsAlike(present, place)
}

function beginsAlike(present: StreamPlace, place: StreamPlace): boolean {
  const { deletedSequenceNr, startSequenceNr } = place
  return (
    present.deletedSequenceNr === deletedSequenceNr && present.startSequenceNr === startSequenceNr
  )
}

/** Throws when what stands in the target is not the begin of what stands in the source. */
async function checkPresent(
  { source, target, signal }: StreamCopy,
  place: StreamPlace,
  present: StreamPlace,
): Promise<void> {
  const { persistenceId, deletedSequenceNr } = place
  const refuse = (problem: string): never => {
    throw new CopyRefused(`the stream ${show(persistenceId)}`, problem, persistenceId)
  }
  if (present.epoch > place.epoch) {
    refuse(`it has epoch ${present.epoch} in the target and ${place.epoch} in the source`)
  }
  const { highestSequenceNr } = present
  if (highestSequenceNr > place.highestSequenceNr) {
    refuse(`it has event ${highestSequenceNr} in the target, and ends before in the source`)
  }
  if (highestSequenceNr === 0) return
  if (!beginsAlike(present, place)) refuse('its first events were deleted in one of the stores')
  const range = { persistenceId, fromSequenceNr: deletedSequenceNr + 1 }
  const there = eventsOf(target, { ...range, toSequenceNr: highestSequenceNr })
  for await (const event of eventsOf(source, { ...range, toSequenceNr: highestSequenceNr })) {
    signal?.throwIfAborted()
    const other = await there.next()
    if (other.done === true || !isSameEvent(event, other.value)) {
      refuse(`its event ${event.sequenceNr} is another one in the target`)
    }
  }
}

function isSameEvent(one: StoredEvent, other: StoredEvent): boolean {
  return (
    one.sequenceNr === other.sequenceNr &&
    one.epoch === other.epoch &&
    one.tags.length === other.tags.length &&
    one.tags.every((tag, index) => tag === other.tags[index]) &&
    Buffer.compare(one.bytes, other.bytes) === 0
  )
}

/** Answers the epoch that the stream was placed with on the way; undefined when it was not. */
async function copyEvents(
  copy: StreamCopy,
  place: StreamPlace,
  present: StreamPlace | undefined,
): Promise<number | undefined> {
  const { source, signal } = copy
  const { persistenceId, highestSequenceNr: toSequenceNr } = place
  let epoch = present?.epoch
  let placedEpoch: number | undefined
  let last = Math.max(present?.highestSequenceNr ?? 0, place.deletedSequenceNr)
  while (last < toSequenceNr) {
    signal?.throwIfAborted()
    const page = await readPage(source, { persistenceId, fromSequenceNr: last + 1, toSequenceNr })
    if (page[0]?.sequenceNr !== last + 1) throw sourceChanged(persistenceId)
    for (const run of runsOfOneEpoch(page)) {
      await appendRun(copy, place, { run, epoch, last })
      if (epoch !== run[0]!.epoch) placedEpoch = run[0]!.epoch
      epoch = run[0]!.epoch
      last += run.length
    }
  }
  return placedEpoch
}

interface Run {
  readonly run: readonly StoredEvent[]
  /** Of the stream in the target, before this run. */
  readonly epoch: number | undefined
  readonly last: number
}

async function appendRun(
  { target, onStored }: StreamCopy,
  place: StreamPlace,
  { run, epoch: before, last: expectedSequenceNr }: Run,
): Promise<void> {
  const { persistenceId } = place
  const { epoch } = run[0]!
  const subject = `the stream ${show(persistenceId)}`
  if (before !== undefined && before > epoch) {
    const problem = `it has epoch ${before} in the target, where somebody has claimed it, and its next event has ${epoch}`
    throw new CopyRefused(subject, problem, persistenceId)
  }
  if (before !== epoch) await target.placeStream({ ...place, epoch })
  const events = run.map(({ bytes, tags }): NewEvent =>
    tags.length === 0 ? bytes : { bytes, tags },
  )
  const result = await target.append({ persistenceId, epoch, expectedSequenceNr, events })
  if (result.type !== 'Appended') {
    const problem = `somebody writes to it in the target (${result.type})`
    throw new CopyRefused(subject, problem, persistenceId)
  }
  const bytes = run.reduce((sum, event) => sum + event.bytes.byteLength, 0)
  onStored({ events: run.length, bytes })
}

/** Whoever appends has one epoch; in a stream they only grow. */
function runsOfOneEpoch(events: readonly StoredEvent[]): StoredEvent[][] {
  const runs: StoredEvent[][] = []
  for (const event of events) {
    const run = runs.at(-1)
    if (run?.[0]?.epoch === event.epoch) run.push(event)
    else runs.push([event])
  }
  return runs
}

/** Answers how many were copied. Those that are damaged stay where they are: the comparison names them. */
async function copySnapshots(
  { source, target, signal }: StreamCopy,
  { persistenceId, epoch, highestSequenceNr: toSequenceNr }: StreamPlace,
  isNew: boolean,
): Promise<number> {
  let count = 0
  const range = { persistenceId, fromSequenceNr: 1, toSequenceNr }
  for await (const snapshot of snapshotsOf(source, range)) {
    signal?.throwIfAborted()
    if ('problem' in snapshot) continue
    const { sequenceNr } = snapshot
    const only = { persistenceId, fromSequenceNr: sequenceNr, toSequenceNr: sequenceNr }
    const present = isNew ? undefined : await target.loadSnapshot(only)
    if (present !== undefined && isSameSnapshot(present, snapshot)) continue
    const subject = `the snapshot ${sequenceNr} of ${show(persistenceId)}`
    if (present !== undefined) {
      throw new CopyRefused(subject, 'another one stands in the target', persistenceId)
    }
    const result = await target.saveSnapshot({ ...snapshot, epoch })
    if (result.type !== 'SnapshotSaved') {
      throw new CopyRefused(subject, `the target does not take it (${result.type})`, persistenceId)
    }
    count++
  }
  return count
}

function isSameSnapshot(one: StoredSnapshot, other: StoredSnapshot): boolean {
  return one.savedAtMs === other.savedAtMs && Buffer.compare(one.bytes, other.bytes) === 0
}

function sourceChanged(persistenceId: string): CopyRefused {
  const problem = 'an event that was there is gone: somebody writes to the source'
  return new CopyRefused(`the stream ${show(persistenceId)}`, problem, persistenceId)
}
