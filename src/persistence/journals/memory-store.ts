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
  readonly events: OrderedEvent[]
}

export class MemoryStore {
  /** What tells it from other stores. */
  readonly storeId: string
  readonly #streams = new Map<string, Stream>()
  readonly #log: OrderedEvent[] = []
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
    const { epoch, highestSequenceNr } = stream
    return { epoch, highestSequenceNr }
  }

  append(batch: AppendBatch): AppendResult {
    const { persistenceId, epoch } = batch
    const stream = this.#streams.get(persistenceId)
    const result = judgeAppend(stream, batch)
    if (result.type !== 'Appended') return result
    assert(stream !== undefined, 'an append is accepted only after a claim')

    const slice = sliceOf(persistenceId)
    for (const event of batch.events) {
      const sequenceNr = ++stream.highestSequenceNr
      const order = (this.#orders.get(slice) ?? 0) + 1
      this.#orders.set(slice, order)
      const tags = tagsOfEvent(event)
      const bytes = bytesOfEvent(event).slice()
      const stored = { persistenceId, sequenceNr, epoch, slice, order, tags, bytes }
      stream.events.push(stored)
      this.#log.push(stored)
    }
    return result
  }

  highestSequenceNr(persistenceId: string): number {
    return this.#streams.get(persistenceId)?.highestSequenceNr ?? 0
  }

  /** The events numbered `from..to`; every reader gets bytes of its own. */
  events(persistenceId: string, from: number, to: number): StoredEvent[] {
    const events = this.#streams.get(persistenceId)?.events ?? []
    return events.slice(Math.max(from, 1) - 1, to).map(copied)
  }

  readSlices({ fromSlice, toSlice, after, eventsMax }: SliceQuery): SlicePage {
    const events: OrderedEvent[] = []
    let place = placeOf(after)
    for (; place < this.#log.length && events.length < eventsMax; place++) {
      const event = this.#log[place]!
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
      stream = { epoch: 0, writer: '', highestSequenceNr: 0, events: [] }
      this.#streams.set(persistenceId, stream)
    }
    return stream
  }
}

function copied(event: OrderedEvent): OrderedEvent {
  return { ...event, bytes: event.bytes.slice() }
}
