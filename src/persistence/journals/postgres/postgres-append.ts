/** The parameters of an append of many streams, and how each of its writes came out. */
import type { AppendBatch } from '../../journal.ts'
import { bytesOfEvent } from '../../tags.ts'
import { byteaArray, int4Array, int8Array } from './postgres-arrays.ts'
import type { PostgresSlices } from './postgres-schema.ts'
import type { PostgresWrite } from './postgres-write.ts'

/** Appends of one stream that follow each other. */
export interface StreamAppend {
  readonly id: string
  readonly writes: PostgresWrite[]
  readonly batches: AppendBatch[]
}

export function byStream(writes: readonly PostgresWrite[]): StreamAppend[] {
  const streams = new Map<string, StreamAppend>()
  for (const write of writes) {
    const { request } = write
    if (request.type !== 'Append' && request.type !== 'End') continue
    const id = request.batch.persistenceId
    let stream = streams.get(id)
    if (stream === undefined) {
      stream = { id, writes: [], batches: [] }
      streams.set(id, stream)
    }
    stream.writes.push(write)
    stream.batches.push(request.batch)
  }
  return [...streams.values()]
}

export interface AppendParameters {
  readonly hasTags: boolean
  readonly values: readonly Buffer[]
}

export function appendParameters(
  streams: readonly StreamAppend[],
  slices: PostgresSlices,
): AppendParameters {
  const columns = new AppendColumns()
  for (const stream of streams) columns.add(stream, slices.laneOf(stream.writes[0]!.slice))
  return columns.parameters()
}

class AppendColumns {
  readonly #ids: Buffer[] = []
  readonly #epochs: number[] = []
  readonly #expected: number[] = []
  readonly #counts: number[] = []
  readonly #lanes: number[] = []
  readonly #perLane = new Map<number, number>()
  readonly #streamOfEvent: number[] = []
  readonly #nthInStream: number[] = []
  readonly #bytes: Uint8Array[] = []
  readonly #eventOfTag: number[] = []
  readonly #nthInEvent: number[] = []
  readonly #tags: Buffer[] = []

  add({ id, batches }: StreamAppend, lane: number): void {
    const { epoch, expectedSequenceNr } = batches[0]!
    const before = this.#bytes.length
    const stream = this.#ids.push(Buffer.from(id))
    for (const { events } of batches) {
      for (const event of events) {
        this.#streamOfEvent.push(stream)
        const at = this.#bytes.push(bytesOfEvent(event))
        this.#nthInStream.push(at - before)
        if (!(event instanceof Uint8Array)) this.#addTags(at, event.tags)
      }
    }
    const count = this.#bytes.length - before
    this.#epochs.push(epoch)
    this.#expected.push(expectedSequenceNr)
    this.#counts.push(count)
    this.#lanes.push(lane)
    this.#perLane.set(lane, (this.#perLane.get(lane) ?? 0) + count)
  }

  #addTags(event: number, tags: readonly string[]): void {
    for (const [nth, tag] of tags.entries()) {
      this.#eventOfTag.push(event)
      this.#nthInEvent.push(nth)
      this.#tags.push(Buffer.from(tag))
    }
  }

  parameters(): AppendParameters {
    const hasTags = this.#tags.length > 0
    const tagColumns = hasTags
      ? [int4Array(this.#eventOfTag), int4Array(this.#nthInEvent), byteaArray(this.#tags)]
      : []
    return {
      hasTags,
      values: [
        ...[byteaArray(this.#ids), int8Array(this.#epochs), int8Array(this.#expected)],
        ...[int4Array(this.#counts), int4Array(this.#lanes)],
        ...[int4Array([...this.#perLane.keys()]), int4Array([...this.#perLane.values()])],
        ...[int4Array(this.#streamOfEvent), int4Array(this.#nthInStream), byteaArray(this.#bytes)],
        ...tagColumns,
      ],
    }
  }
}
