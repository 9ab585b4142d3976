/** The parameters of an append of many streams, and how each of its writes came out. */
import type { AppendBatch } from '../../journal.ts'
import { bytesOfEvent } from '../../tags.ts'
import { byteaArray, int4Array, int8Array } from './postgres-arrays.ts'
import type { LatelyUsed } from '../lately-used.ts'
import { lanesPerServer, type PostgresSlices } from './postgres-schema.ts'
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

/** Numbers of streams, by id. They never change while the tables live; what is not known is asked for. */
export type StreamNumbers = LatelyUsed<number, string>

/** Of the statement that stores all or nothing; undefined when the number of a stream is not known. */
export function appendAllParameters(
  streams: readonly StreamAppend[],
  slices: PostgresSlices,
  numbers: StreamNumbers,
): AppendParameters | undefined {
  const byLane = Array.from({ length: lanesPerServer }, (): StreamAppend[] => [])
  for (const stream of streams) byLane[slices.laneOf(stream.writes[0]!.slice)]!.push(stream)
  const columns = new AppendAllColumns()
  for (const [lane, own] of byLane.entries()) {
    if (own.length === 0) continue
    columns.beginLane(lane)
    for (const stream of own) {
      const number = numbers.get(stream.id)
      if (number === undefined) return undefined
      columns.add(stream, number)
    }
  }
  return columns.parameters()
}

class AppendAllColumns {
  readonly #lanes: number[] = []
  readonly #totals: number[] = []
  readonly #starts: number[] = []
  readonly #numbers: number[] = []
  readonly #ids: Buffer[] = []
  readonly #epochs: number[] = []
  readonly #expected: number[] = []
  readonly #counts: number[] = []
  readonly #streamOfEvent: number[] = []
  readonly #sequenceNrs: number[] = []
  readonly #epochOfEvent: number[] = []
  readonly #laneOfEvent: number[] = []
  readonly #bytes: Uint8Array[] = []
  readonly #tags = new TagColumns()

  beginLane(lane: number): void {
    this.#lanes.push(lane)
    this.#totals.push(0)
    this.#starts.push(this.#bytes.length + 1)
  }

  add({ id, batches }: StreamAppend, number: number): void {
    const { epoch, expectedSequenceNr } = batches[0]!
    const before = this.#bytes.length
    const lane = this.#lanes.at(-1)!
    for (const { events } of batches) {
      for (const event of events) {
        const at = this.#bytes.push(bytesOfEvent(event))
        this.#streamOfEvent.push(number)
        this.#sequenceNrs.push(expectedSequenceNr + at - before)
        this.#epochOfEvent.push(epoch)
        this.#laneOfEvent.push(lane)
        if (!(event instanceof Uint8Array)) this.#tags.add(at, event.tags)
      }
    }
    const count = this.#bytes.length - before
    this.#numbers.push(number)
    this.#ids.push(Buffer.from(id))
    this.#epochs.push(epoch)
    this.#expected.push(expectedSequenceNr)
    this.#counts.push(count)
    this.#totals[this.#totals.length - 1]! += count
  }

  parameters(): AppendParameters {
    return {
      hasTags: this.#tags.hasAny,
      values: [
        ...[int4Array(this.#lanes), int4Array(this.#totals), int4Array(this.#starts)],
        ...[int8Array(this.#numbers), byteaArray(this.#ids), int8Array(this.#epochs)],
        ...[int8Array(this.#expected), int4Array(this.#counts)],
        ...[int8Array(this.#streamOfEvent), int8Array(this.#sequenceNrs)],
        ...[int8Array(this.#epochOfEvent), int4Array(this.#laneOfEvent), byteaArray(this.#bytes)],
        ...this.#tags.parameters(),
      ],
    }
  }
}

class TagColumns {
  readonly #events: number[] = []
  readonly #nths: number[] = []
  readonly #tags: Buffer[] = []

  get hasAny(): boolean {
    return this.#tags.length > 0
  }

  /** `event`: its place. */
  add(event: number, tags: readonly string[]): void {
    for (const [nth, tag] of tags.entries()) {
      this.#events.push(event)
      this.#nths.push(nth)
      this.#tags.push(Buffer.from(tag))
    }
  }

  /** None when there are no tags. */
  parameters(): Buffer[] {
    if (!this.hasAny) return []
    return [int4Array(this.#events), int4Array(this.#nths), byteaArray(this.#tags)]
  }
}

/** Of the statement that stores as far as streams are as expected. */
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
  readonly #tags = new TagColumns()

  add({ id, batches }: StreamAppend, lane: number): void {
    const { epoch, expectedSequenceNr } = batches[0]!
    const before = this.#bytes.length
    const stream = this.#ids.push(Buffer.from(id))
    for (const { events } of batches) {
      for (const event of events) {
        this.#streamOfEvent.push(stream)
        const at = this.#bytes.push(bytesOfEvent(event))
        this.#nthInStream.push(at - before)
        if (!(event instanceof Uint8Array)) this.#tags.add(at, event.tags)
      }
    }
    const count = this.#bytes.length - before
    this.#epochs.push(epoch)
    this.#expected.push(expectedSequenceNr)
    this.#counts.push(count)
    this.#lanes.push(lane)
    this.#perLane.set(lane, (this.#perLane.get(lane) ?? 0) + count)
  }

  parameters(): AppendParameters {
    return {
      hasTags: this.#tags.hasAny,
      values: [
        ...[byteaArray(this.#ids), int8Array(this.#epochs), int8Array(this.#expected)],
        ...[int4Array(this.#counts), int4Array(this.#lanes)],
        ...[int4Array([...this.#perLane.keys()]), int4Array([...this.#perLane.values()])],
        ...[int4Array(this.#streamOfEvent), int4Array(this.#nthInStream), byteaArray(this.#bytes)],
        ...this.#tags.parameters(),
      ],
    }
  }
}
