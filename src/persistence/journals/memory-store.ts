/**
 * What memory journals of one process share: the streams, all events in one list, and the registers. Lost with the process. Order numbers
 * count the events of each slice: that is all that a store promises.
 */
import { assert } from '../../foundation/assert.ts'
import { systemRandom } from '../../foundation/system-random.ts'
import type { AppendBatch, AppendResult, Claim, StoredEvent } from '../journal.ts'
import { sliceOf } from '../persistence-id.ts'
import {
  judgeRegisterWrite,
  type StoredRegister,
  type RegisterWrite,
  type RegisterWriteResult,
} from '../registers.ts'
import type { OrderedEvent, SlicePage, SliceQuery } from '../slice-reader.ts'
import { bytesOfEvent, tagsOfEvent } from '../tags.ts'
import { judgeAppend, placeOf } from './fence.ts'

interface Stream {
  epoch: number
  writer: string
  highestSequenceNr: number
  /** The events up to this one are gone. */
  deletedSequenceNr: number
  readonly events: OrderedEvent[]
  /** Where in the log each of the events is. */
  readonly places: number[]
}

export class MemoryStore {
  /** What tells it from other stores. */
  readonly storeId: string
  readonly #streams = new Map<string, Stream>()
  /** Undefined where one was deleted, so that places stay good. */
  readonly #log: (OrderedEvent | undefined)[] = []
  readonly #registers = new Map<string, StoredRegister>()
  /** The order number of the newest event of each slice. */
  readonly #orders = new Map<number, number>()

  /** Where two runs must be equal, give it an id. */
  constructor(options: { readonly storeId?: string } = {}) {
    this.storeId = options.storeId ?? systemRandom.uid().toString(36)
  }

  claim(persistenceId: string, writer: string): Claim {
    const stream = this.#stream(persistenceId)
    stream.epoch++
    stream.writer = writer
    const { epoch, highestSequenceNr, deletedSequenceNr } = stream
    const deleted = deletedSequenceNr === 0 ? {} : { deletedSequenceNr }
    return { epoch, highestSequenceNr, ...deleted }
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
    stream.deletedSequenceNr = stream.highestSequenceNr
    stream.events.length = 0
    for (const place of stream.places.splice(0)) this.#log[place] = undefined
    this.#store(stream, batch)
    return result
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

  readSlices({ fromSlice, toSlice, after, eventsMax }: SliceQuery): SlicePage {
    const events: OrderedEvent[] = []
    let place = placeOf(after)
    for (; place < this.#log.length && events.length < eventsMax; place++) {
      const event = this.#log[place]
      if (event === undefined) continue
      if (event.slice >= fromSlice && event.slice <= toSlice) events.push(copied(event))
    }
    return { events, next: `${place}`, isLast: place >= this.#log.length }
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

  #stream(persistenceId: string): Stream {
    let stream = this.#streams.get(persistenceId)
    if (stream === undefined) {
      const numbers = { epoch: 0, highestSequenceNr: 0, deletedSequenceNr: 0 }
      stream = { ...numbers, writer: '', events: [], places: [] }
      this.#streams.set(persistenceId, stream)
    }
    return stream
  }
}

const nothing = { events: [] as readonly OrderedEvent[], deletedSequenceNr: 0 }

function copied(event: OrderedEvent): OrderedEvent {
  return { ...event, bytes: event.bytes.slice() }
}
