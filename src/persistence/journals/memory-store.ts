/**
 * What memory journals of one process share: the streams, all events in one list, snapshots, states and registers. Lost with the process. Order numbers
 * count the events of each slice: that is all that a store promises.
 */
import { assert } from '../../foundation/assert.ts'
import type { Grant } from '../../foundation/grant.ts'
import { systemRandom } from '../../foundation/system-random.ts'
import { bytesOfToken, grantNameOf, judgeGrant, registerOfGrant, tokenIn } from '../claim-fences.ts'
import {
  judgeStateWrite,
  type StateClaim,
  type StateWrite,
  type StateWriteResult,
  type StoredState,
} from '../durable-states.ts'
import type { EventDeletionResult, EventDeletionTo } from '../event-deletion.ts'
import type { IdPage, IdQuery } from '../id-list.ts'
import type { AppendBatch, AppendResult, Claim, Fenced, StoredEvent } from '../journal.ts'
import { InvalidJournalCall } from '../persistence-errors.ts'
import { sliceOf } from '../persistence-id.ts'
import {
  judgeRegisterWrite,
  type StoredRegister,
  type RegisterWrite,
  type RegisterWriteResult,
} from '../registers.ts'
import type { OrderedEvent, SlicePage, SliceQuery } from '../slice-reader.ts'
import type {
  NewSnapshot,
  SnapshotDeletion,
  SnapshotQuery,
  SnapshotResult,
  SnapshotsDeleted,
  StoredSnapshot,
} from '../snapshots.ts'
import {
  problemWithPlace,
  problemWithRegisterPlace,
  problemWithStatePlace,
  type StreamPlace,
} from '../store-transfer.ts'
import { bytesOfEvent, tagsOfEvent } from '../tags.ts'
import {
  judgeAppend,
  judgeDeletionTo,
  judgeSnapshot,
  judgeSnapshotDeletion,
  placeOf,
} from './fence.ts'

interface Stream {
  epoch: number
  writer: string
  highestSequenceNr: number
  /** The events up to this one are gone. */
  deletedSequenceNr: number
  /** It was ended behind this one. */
  startSequenceNr: number
  readonly events: OrderedEvent[]
  /** Where in the log each of the events is. */
  readonly places: number[]
  /** By their numbers, in no order. */
  readonly snapshots: Map<number, StoredSnapshot>
}

export class MemoryStore {
  /** What tells it from other stores. */
  readonly storeId: string
  readonly #streams = new Map<string, Stream>()
  /** Undefined where one was deleted, so that places stay good. */
  readonly #log: (OrderedEvent | undefined)[] = []
  readonly #states = new Map<string, StoredState>()
  readonly #registers = new Map<string, StoredRegister>()
  /** The order number of the newest event of each slice. */
  readonly #orders = new Map<number, number>()

  /** Where two runs must be equal, give it an id. */
  constructor(options: { readonly storeId?: string } = {}) {
    this.storeId = options.storeId ?? systemRandom.uid().toString(36)
  }

  claim(persistenceId: string, writer: string, grant?: Grant): Claim {
    this.#keepGrant(persistenceId, grant)
    const stream = this.#stream(persistenceId)
    stream.epoch++
    stream.writer = writer
    const { epoch, highestSequenceNr, deletedSequenceNr, startSequenceNr } = stream
    const deleted = deletedSequenceNr === 0 ? {} : { deletedSequenceNr }
    const started = startSequenceNr === 0 ? {} : { startSequenceNr }
    return { epoch, highestSequenceNr, ...deleted, ...started }
  }

  append(batch: AppendBatch): AppendResult {
    const stream = this.#streams.get(batch.persistenceId)
    const result = judgeAppend(stream, batch)
    if (result.type !== 'Appended') return result
    assert(stream !== undefined, 'an append is accepted only after a claim')
    this.#store(stream, batch)
    return result
  }

  deleteEvents(batch: AppendBatch): AppendResult {
    const stream = this.#streams.get(batch.persistenceId)
    const result = judgeAppend(stream, batch)
    if (result.type !== 'Appended') return result
    assert(stream !== undefined, 'a deletion is accepted only after a claim')
    this.#deleteTo(stream, stream.highestSequenceNr)
    stream.startSequenceNr = stream.highestSequenceNr
    stream.snapshots.clear()
    this.#store(stream, batch)
    return result
  }

  deleteEventsTo(deletion: EventDeletionTo): EventDeletionResult {
    const stream = this.#streams.get(deletion.persistenceId)
    const result = judgeDeletionTo(stream, deletion)
    if (result.type !== 'EventsDeleted') return result
    assert(stream !== undefined, 'a deletion is accepted only after a claim')
    this.#deleteTo(stream, result.deletedSequenceNr)
    return result
  }

  #deleteTo(stream: Stream, toSequenceNr: number): void {
    const count = toSequenceNr - stream.deletedSequenceNr
    stream.events.splice(0, count)
    for (const place of stream.places.splice(0, count)) this.#log[place] = undefined
    stream.deletedSequenceNr = toSequenceNr
  }

  #store(stream: Stream, { persistenceId, epoch, events }: AppendBatch): void {
    const slice = sliceOf(persistenceId)
    for (const event of events) {
      const sequenceNr = ++stream.highestSequenceNr
      const order = (this.#orders.get(slice) ?? 0) + 1
      this.#orders.set(slice, order)
      const tags = tagsOfEvent(event)
      const bytes = bytesOfEvent(event).slice()
      const stored = { persistenceId, sequenceNr, epoch, slice, order, tags, bytes }
      stream.events.push(stored)
      stream.places.push(this.#log.push(stored) - 1)
    }
  }

  highestSequenceNr(persistenceId: string): number {
    return this.#streams.get(persistenceId)?.highestSequenceNr ?? 0
  }

  /** The events numbered `from..to`; every reader gets bytes of its own. */
  events(persistenceId: string, from: number, to: number): StoredEvent[] {
    const { events, deletedSequenceNr } = this.#streams.get(persistenceId) ?? nothing
    const first = Math.max(from - 1 - deletedSequenceNr, 0)
    return events.slice(first, Math.max(to - deletedSequenceNr, 0)).map(copied)
  }

  readSlices({ fromSlice, toSlice, tag, after, eventsMax }: SliceQuery): SlicePage {
    const events: OrderedEvent[] = []
    let place = placeOf(after)
    for (; place < this.#log.length && events.length < eventsMax; place++) {
      const event = this.#log[place]
      if (event === undefined || (tag !== undefined && !event.tags.includes(tag))) continue
      if (event.slice >= fromSlice && event.slice <= toSlice) events.push(copied(event))
    }
    return { events, next: `${place}`, isLast: place >= this.#log.length }
  }

  saveSnapshot(snapshot: NewSnapshot): SnapshotResult {
    const { persistenceId, sequenceNr, savedAtMs, bytes } = snapshot
    const stream = this.#streams.get(persistenceId)
    const result = judgeSnapshot(stream, snapshot)
    if (result.type === 'SnapshotSaved') {
      const stored = { persistenceId, sequenceNr, savedAtMs, bytes: bytes.slice() }
      stream?.snapshots.set(sequenceNr, stored)
    }
    return result
  }

  loadSnapshot(query: SnapshotQuery): StoredSnapshot | undefined {
    const [newest] = this.#fitting(query).sort((a, b) => b.sequenceNr - a.sequenceNr)
    return newest && { ...newest, bytes: newest.bytes.slice() }
  }

  deleteSnapshots(deletion: SnapshotDeletion): SnapshotsDeleted | Fenced {
    const stream = this.#streams.get(deletion.persistenceId)
    const refusal = judgeSnapshotDeletion(stream, deletion)
    if (refusal !== undefined) return refusal
    for (const { sequenceNr } of this.#fitting(deletion)) stream?.snapshots.delete(sequenceNr)
    return { type: 'SnapshotsDeleted' }
  }

  #fitting(query: SnapshotQuery): StoredSnapshot[] {
    const { persistenceId, fromSequenceNr, toSequenceNr, savedUntilMs = Infinity } = query
    return [...(this.#streams.get(persistenceId)?.snapshots.values() ?? [])].filter(
      ({ sequenceNr, savedAtMs }) =>
        sequenceNr >= fromSequenceNr && sequenceNr <= toSequenceNr && savedAtMs <= savedUntilMs,
    )
  }

  claimState(persistenceId: string, writer: string, grant?: Grant): StateClaim {
    this.#keepGrant(persistenceId, grant)
    const before = this.#states.get(persistenceId)
    const { epoch = 0, revision = 0, bytes } = before ?? {}
    this.#states.set(persistenceId, { persistenceId, epoch: epoch + 1, writer, revision, bytes })
    return { epoch: epoch + 1, revision, bytes: bytes?.slice() }
  }

  writeState(write: StateWrite): StateWriteResult {
    const { persistenceId, revision, bytes } = write
    const state = this.#states.get(persistenceId)
    const result = judgeStateWrite(state, write)
    if (result.type === 'StateWritten') {
      assert(state !== undefined, 'a write is accepted only after a claim')
      this.#states.set(persistenceId, { ...state, revision, bytes: bytes?.slice() })
    }
    return result
  }

  readState(persistenceId: string): StoredState | undefined {
    const state = this.#states.get(persistenceId)
    return state && { ...state, bytes: state.bytes?.slice() }
  }

  listIds({ kind, prefix = '', after, idsMax }: IdQuery): IdPage {
    const known: ReadonlyMap<string, unknown> = kind === 'events' ? this.#streams : this.#states
    const ids = inOrder(
      [...known.keys()].filter((id) => id.startsWith(prefix)),
      after,
    )
    return { ids: ids.slice(0, idsMax), isLast: ids.length <= idsMax }
  }

  readStream(persistenceId: string): StreamPlace | undefined {
    const stream = this.#streams.get(persistenceId)
    if (stream === undefined) return undefined
    const { epoch, writer, highestSequenceNr, deletedSequenceNr, startSequenceNr } = stream
    const numbers = { highestSequenceNr, deletedSequenceNr, startSequenceNr }
    return { persistenceId, epoch, writer, ...numbers }
  }

  placeStream(place: StreamPlace): void {
    const { persistenceId, epoch, writer, deletedSequenceNr, startSequenceNr } = place
    const problem = problemWithPlace(this.#streams.get(persistenceId), place)
    if (problem !== undefined) throw new InvalidJournalCall(problem)
    const stream = this.#stream(persistenceId)
    Object.assign(stream, { epoch, writer, deletedSequenceNr, startSequenceNr })
    stream.highestSequenceNr = Math.max(stream.highestSequenceNr, deletedSequenceNr)
  }

  placeState(state: StoredState): void {
    const { persistenceId, bytes } = state
    const problem = problemWithStatePlace(this.#states.get(persistenceId), state)
    if (problem !== undefined) throw new InvalidJournalCall(problem)
    this.#states.set(persistenceId, { ...state, bytes: bytes?.slice() })
  }

  listRegisters(after: string | undefined, namesMax: number): readonly string[] {
    return inOrder([...this.#registers.keys()], after).slice(0, namesMax)
  }

  placeRegister(name: string, { revision, bytes }: StoredRegister): void {
    const before = this.#registers.get(name)
    const problem = problemWithRegisterPlace(name, before, { revision, bytes })
    if (problem !== undefined) throw new InvalidJournalCall(problem)
    this.#registers.set(name, { revision, bytes: bytes.slice() })
  }

  readRegister(name: string): StoredRegister | undefined {
    const register = this.#registers.get(name)
    return register && { ...register, bytes: register.bytes.slice() }
  }

  writeRegister(write: RegisterWrite): RegisterWriteResult {
    const { name, bytes } = write
    const result = judgeRegisterWrite(this.#registers.get(name)?.revision ?? 0, write)
    if (result.type === 'RegisterWritten') {
      this.#registers.set(name, { revision: result.revision, bytes: bytes.slice() })
    }
    return result
  }

  /** Throws `ClaimFenced`. */
  #keepGrant(persistenceId: string, grant: Grant | undefined): void {
    if (grant === undefined) return
    const { name } = grant
    const seen = tokenIn(name, this.#registers.get(registerOfGrant(name))?.bytes)
    if (judgeGrant(seen, persistenceId, grant)) this.#putToken(grant)
  }

  #putToken({ name, token }: Grant): void {
    const register = registerOfGrant(name)
    const revision = (this.#registers.get(register)?.revision ?? 0) + 1
    this.#registers.set(register, { revision, bytes: bytesOfToken(token) })
  }

  listGrants(): readonly Grant[] {
    return [...this.#registers].flatMap(([register, { bytes }]) => {
      const name = grantNameOf(register)
      const token = name === undefined ? 0 : tokenIn(name, bytes)
      return name === undefined || token === 0 ? [] : [{ name, token }]
    })
  }

  forgetGrant(name: string): void {
    if (this.#registers.has(registerOfGrant(name))) this.#putToken({ name, token: 0 })
  }

  #stream(persistenceId: string): Stream {
    let stream = this.#streams.get(persistenceId)
    if (stream === undefined) {
      const numbers = { epoch: 0, highestSequenceNr: 0, deletedSequenceNr: 0, startSequenceNr: 0 }
      stream = { ...numbers, writer: '', events: [], places: [], snapshots: new Map() }
      this.#streams.set(persistenceId, stream)
    }
    return stream
  }
}

const nothing = { events: [] as readonly OrderedEvent[], deletedSequenceNr: 0 }

/** Those behind `after`, in the order of their bytes. */
function inOrder(texts: readonly string[], after: string | undefined): string[] {
  const last = after === undefined ? undefined : Buffer.from(after)
  return texts
    .map((text) => ({ text, bytes: Buffer.from(text) }))
    .filter(({ bytes }) => last === undefined || Buffer.compare(bytes, last) > 0)
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ text }) => text)
}

function copied(event: OrderedEvent): OrderedEvent {
  return { ...event, bytes: event.bytes.slice() }
}
