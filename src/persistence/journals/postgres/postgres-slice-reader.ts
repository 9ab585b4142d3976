/**
 * Reads over all streams, lane by lane. The log of a lane says in which order its events were committed; how far a lane is, is
 * read in the same snapshot, so that nothing can appear later before a place that was handed out. A page takes an equal share
 * of every lane, and goes on with those that have more.
 */
import { show } from '../../../foundation/show.ts'
import { InvalidJournalCall } from '../../persistence-errors.ts'
import type { OrderedEvent, SlicePage, SliceQuery } from '../../slice-reader.ts'
import { noTags } from '../../tags.ts'
import { int4Array, int8Array } from './postgres-arrays.ts'
import type { PostgresRow } from './postgres-driver.ts'
import type { PostgresPartition } from './postgres-partition.ts'
import { lanesPerServer, type PostgresSlices } from './postgres-schema.ts'
import type { PostgresSettings } from './postgres-settings.ts'

interface SliceReaderParts {
  readonly partitions: readonly PostgresPartition[]
  readonly slices: PostgresSlices
  readonly settings: PostgresSettings
}

/** What one lane offers. */
interface Offer {
  /** Counted over all servers. */
  readonly lane: number
  /** In their order. */
  readonly entries: readonly Entry[]
  /** Where the reader is when it has taken all of them. */
  readonly end: number
  readonly hasMore: boolean
}

interface Entry {
  readonly order: number
  readonly stream: number
  readonly sequenceNr: number
}

/** How far each lane was read, and with which lane the next page begins, so that none waits for ever behind a busy one. */
interface Place {
  readonly first: number
  readonly positions: number[]
}

export class PostgresSliceReader {
  readonly #parts: SliceReaderParts

  constructor(parts: SliceReaderParts) {
    this.#parts = parts
  }

  async page(query: SliceQuery): Promise<SlicePage> {
    const { slices, settings } = this.#parts
    const place = placeOf(query.after, slices.lanes)
    const all = rotated(slices.lanesOver(query.fromSlice, query.toSlice), place.first)
    let open = all
    let last = -1
    const positions = [...place.positions]
    const events: OrderedEvent[] = []
    let room = Math.min(query.eventsMax, settings.readEventsMax)
    let isFull = false
    while (open.length > 0 && room > 0 && !isFull) {
      const lanes = open.slice(0, room)
      const share = Math.floor(room / lanes.length)
      const offers = await this.#offers(lanes, positions, { share, tag: query.tag })
      const taken = await this.#take(query, offers)
      events.push(...taken.events)
      for (const [lane, position] of taken.positions) {
        positions[lane] = position
        last = all.indexOf(lane)
      }
      isFull = taken.isFull
      // By what was looked at, not by what was found: so a page is bounded also where much was deleted.
      room -= taken.looked
      const done = new Set(offers.filter(({ hasMore }) => !hasMore).map(({ lane }) => lane))
      if (!isFull) open = open.filter((lane) => !done.has(lane))
    }
    const first = all[(last + 1) % all.length]!
    return { events, next: [first, ...positions].join('.'), isLast: open.length === 0 }
  }

  async #offers(
    lanes: readonly number[],
    positions: readonly number[],
    limits: { readonly share: number; readonly tag: string | undefined },
  ): Promise<Offer[]> {
    const byServer = new Map<number, number[]>()
    for (const lane of lanes) {
      const server = Math.floor(lane / lanesPerServer)
      byServer.set(server, [...(byServer.get(server) ?? []), lane])
    }
    const offers = await Promise.all(
      [...byServer].map(([server, own]) => this.#offersOf(server, own, positions, limits)),
    )
    const all = new Map(offers.flat().map((offer) => [offer.lane, offer]))
    return lanes.flatMap((lane) => all.get(lane) ?? [])
  }

  async #offersOf(
    server: number,
    lanes: readonly number[],
    positions: readonly number[],
    { share, tag }: { readonly share: number; readonly tag: string | undefined },
  ): Promise<Offer[]> {
    const partition = this.#parts.partitions[server]!
    const { statements } = partition
    const values = [
      int4Array(lanes.map((lane) => lane % lanesPerServer)),
      int8Array(lanes.map((lane) => positions[lane]!)),
      share,
    ]
    const rows =
      tag === undefined
        ? await partition.read(statements.log, values)
        : await partition.read(statements.tagged, [...values, Buffer.from(tag)])
    return lanes.map((lane) => {
      const own = rows.filter(([each]) => each === lane % lanesPerServer)
      const given = { lane, after: positions[lane]!, share }
      return tag === undefined ? offerOfLog(own, given) : offerOfTags(own, given)
    })
  }

  /** Fetches what the lanes offer, as far as it is still there and there is room for its bytes. */
  async #take(
    { fromSlice, toSlice }: SliceQuery,
    offers: readonly Offer[],
  ): Promise<{
    readonly events: OrderedEvent[]
    readonly positions: Map<number, number>
    readonly looked: number
    readonly isFull: boolean
  }> {
    const { readBytesMax } = this.#parts.settings
    const events: OrderedEvent[] = []
    const positions = new Map<number, number>()
    let looked = 0
    let bytesLeft = readBytesMax
    for (const offer of offers) {
      if (bytesLeft <= 0) return { events, positions, looked, isFull: true }
      looked += offer.entries.length
      const found = await this.#events(offer, { fromSlice, toSlice, bytesMax: bytesLeft })
      events.push(...found)
      for (const { bytes } of found) bytesLeft -= bytes.byteLength
      const isCut = bytesLeft <= 0
      positions.set(offer.lane, isCut ? found.at(-1)!.order : offer.end)
      if (isCut) return { events, positions, looked, isFull: true }
    }
    return { events, positions, looked, isFull: false }
  }

  async #events(
    { lane, entries }: Offer,
    limits: { readonly fromSlice: number; readonly toSlice: number; readonly bytesMax: number },
  ): Promise<OrderedEvent[]> {
    if (entries.length === 0) return []
    const partition = this.#parts.partitions[Math.floor(lane / lanesPerServer)]!
    const rows = await partition.read(partition.statements.events, [
      int8Array(entries.map(({ stream }) => stream)),
      int8Array(entries.map(({ sequenceNr }) => sequenceNr)),
      ...[limits.bytesMax, limits.fromSlice, limits.toSlice],
    ])
    return rows.map(eventOf)
  }
}

interface OfferGiven {
  readonly lane: number
  readonly after: number
  readonly share: number
}

/** Rows: lane, last of the lane, last of the commit, first of the commit, streams, numbers; one without a commit if there is none. */
function offerOfLog(rows: readonly PostgresRow[], { lane, after, share }: OfferGiven): Offer {
  const entries: Entry[] = []
  let end = (rows[0]?.[1] as number | undefined) ?? after
  let count = 0
  for (const [, , ord, first, streams, sequenceNrs] of rows) {
    if (ord === null || ord === undefined) continue
    for (const [nth, stream] of (streams as number[]).entries()) {
      const order = (first as number) + nth
      const sequenceNr = (sequenceNrs as number[])[nth]!
      if (order > after) entries.push({ order, stream, sequenceNr })
      count++
    }
  }
  // With fewer there were no more commits.
  const hasMore = count >= share
  if (entries.length > share) {
    entries.length = share
    end = entries.at(-1)!.order
  } else if (hasMore) {
    end = rows.at(-1)![2] as number
  }
  return { lane, entries, end, hasMore }
}

/** Rows: lane, last of the lane, order, stream, number. */
function offerOfTags(rows: readonly PostgresRow[], { lane, after, share }: OfferGiven): Offer {
  const entries = rows.flatMap(([, , order, stream, sequenceNr]): Entry[] =>
    order === null
      ? []
      : [
          {
            order: order as number,
            stream: stream as number,
            sequenceNr: sequenceNr as number,
          },
        ],
  )
  const hasMore = entries.length >= share
  const end = hasMore ? entries.at(-1)!.order : ((rows[0]?.[1] as number | undefined) ?? after)
  return { lane, entries, end, hasMore }
}

function eventOf(row: PostgresRow): OrderedEvent {
  const [, id, slice, sequenceNr, epoch, order, tags, bytes] = row as [
    number,
    Buffer,
    number,
    number,
    number,
    number,
    Buffer[] | null,
    Buffer,
  ]
  const persistenceId = id.toString()
  return { persistenceId, sequenceNr, epoch, tags: tagsOfRow(tags), bytes, slice, order }
}

export function tagsOfRow(tags: readonly Buffer[] | null): readonly string[] {
  return tags === null ? noTags : Object.freeze(tags.map((tag) => tag.toString()))
}

function rotated(lanes: readonly number[], first: number): readonly number[] {
  const at = Math.max(lanes.indexOf(first), 0)
  return [...lanes.slice(at), ...lanes.slice(0, at)]
}

function placeOf(after: string | undefined, lanes: number): Place {
  if (after === undefined) return { first: 0, positions: Array.from({ length: lanes }, () => 0) }
  const numbers = /^\d+(\.\d+)+$/.test(after) ? after.split('.').map(Number) : []
  if (numbers.length === lanes + 1 && numbers.every(Number.isSafeInteger)) {
    const [first, ...positions] = numbers
    return { first: first!, positions }
  }
  throw new InvalidJournalCall(`${show(after)} is not a place that this store has handed out.`)
}
