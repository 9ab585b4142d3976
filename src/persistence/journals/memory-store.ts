/** What memory journals of one process share: the streams and the one log of all events. Lost with the process. */
import { assert } from '../../foundation/assert.ts'
import type { AppendBatch, AppendResult, Claim, StoredEvent } from '../journal.ts'
import { sliceOf } from '../persistence-id.ts'
import { bytesOfEvent, tagsOfEvent } from '../tags.ts'
import { judge } from './fence.ts'

interface Stream {
  epoch: number
  writer: string
  highestSequenceNr: number
  readonly events: StoredEvent[]
}

export class MemoryStore {
  /** What tells it from other stores; undefined until somebody gives it a name. */
  storeId: string | undefined
  readonly #streams = new Map<string, Stream>()
  readonly #log: StoredEvent[] = []

  constructor(options: { readonly storeId?: string } = {}) {
    this.storeId = options.storeId
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
    const result = judge(stream, batch)
    if (result.type !== 'Appended') return result
    assert(stream !== undefined, 'an append is accepted only after a claim')

    const slice = sliceOf(persistenceId)
    for (const event of batch.events) {
      const sequenceNr = ++stream.highestSequenceNr
      const order = this.#log.length + 1
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

  log(fromOrder: number, limit: number): StoredEvent[] {
    const start = Math.max(fromOrder, 1) - 1
    return this.#log.slice(start, start + limit).map(copied)
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

function copied(event: StoredEvent): StoredEvent {
  return { ...event, bytes: event.bytes.slice() }
}
