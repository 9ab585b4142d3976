/**
 * Reading a store as async iterables: the events of one stream, ids, and events over all streams. Each holds one page at a
 * time and reads the next when its consumer asks for more, so a slow consumer costs no memory. With `live` it goes on: at
 * the end it waits, looks again, and never ends by itself. When the signal fires the iteration rejects with its reason.
 */
import type { Timers } from '../../foundation/timers.ts'
import { type IdQuery, listsIds } from '../id-list.ts'
import type { Journal, StoredEvent } from '../journal.ts'
import { numberOfSlices } from '../persistence-id.ts'
import { isSliceReader, type OrderedEvent } from '../slice-reader.ts'
import { StoreCannot } from './reading-errors.ts'
import { SliceCursor } from './slice-cursor.ts'
import { placeOfText, textOfPlace } from './slice-place.ts'
import { waitFor } from './waiting.ts'

export interface ReadOptions {
  /** Goes on with what is stored later; false when not given. */
  readonly live?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  /** How long a live reader that has come to the end waits before it looks again; 500 when not given. */
  readonly pollIntervalMs?: number | undefined
  /** Events, or ids, that are held in memory at most; 256 when not given. */
  readonly pageMax?: number | undefined
}

/** The store, and what a live reader waits by. */
export interface ReadWorld {
  readonly journal: Journal
  readonly timers: Timers
}

export interface StreamReadOptions extends ReadOptions {
  readonly persistenceId: string
  /** The first wanted; 1 when not given. */
  readonly fromSequenceNr?: number | undefined
  /** The last wanted; all when not given. */
  readonly toSequenceNr?: number | undefined
}

export interface SlicesReadOptions extends ReadOptions {
  /** 0 when not given. */
  readonly fromSlice?: number | undefined
  /** Included; 1023 when not given. */
  readonly toSlice?: number | undefined
  readonly tag?: string | undefined
  /** `place` of an event that was read before, from the same slices and tag. */
  readonly after?: string | undefined
  /** Which of them are wanted; all when not given. */
  readonly wants?: ((event: OrderedEvent) => boolean) | undefined
}

export interface EventAtPlace extends OrderedEvent {
  /** Go on with `after: place` for what comes behind this event. */
  readonly place: string
}

const pageMaxByDefault = 256
const pollIntervalMsByDefault = 500

/** The events of one stream, in order. Deleted ones are not there. */
export async function* readStream(
  { journal, timers }: ReadWorld,
  options: StreamReadOptions,
): AsyncGenerator<StoredEvent, void, undefined> {
  const { persistenceId, toSequenceNr = Infinity, signal } = options
  const { pageMax = pageMaxByDefault } = options
  let next = options.fromSequenceNr ?? 1
  while (next <= toSequenceNr) {
    signal?.throwIfAborted()
    const last = Math.min(toSequenceNr, await journal.highestSequenceNr(persistenceId))
    while (next <= last) {
      const to = Math.min(next + pageMax - 1, last)
      const page: StoredEvent[] = []
      const range = { persistenceId, fromSequenceNr: next, toSequenceNr: to }
      await journal.read(range, (event) => void page.push(event))
      for (const event of page) {
        signal?.throwIfAborted()
        yield event
      }
      next = to + 1
    }
    if (!(await goesOn(timers, options))) return
  }
}

/** The ids of streams or durable states that begin with `prefix`, in the order of their bytes. */
export async function* readIds(
  { journal }: Pick<ReadWorld, 'journal'>,
  options: Omit<ReadOptions, 'live'> & Pick<IdQuery, 'kind' | 'prefix'>,
): AsyncGenerator<string, void, undefined> {
  if (!listsIds(journal)) throw new StoreCannot('list the ids that it knows', 'listIds')
  const { kind, prefix, signal, pageMax: idsMax = pageMaxByDefault } = options
  for (let after: string | undefined, isLast = false; !isLast;) {
    signal?.throwIfAborted()
    const page = await journal.listIds({ kind, prefix, after, idsMax })
    for (const id of page.ids) {
      signal?.throwIfAborted()
      yield id
    }
    after = page.ids.at(-1) ?? after
    isLast = page.isLast
  }
}

/**
 * The events of a range of slices, those of one stream in their order and others in any, with places to go on from. Nothing
 * is passed over because it was stored by somebody slower.
 */
export async function* readSlices(
  { journal, timers }: ReadWorld,
  options: SlicesReadOptions,
): AsyncGenerator<EventAtPlace, void, undefined> {
  if (!isSliceReader(journal)) throw new StoreCannot('read over all entities', 'readSlices')
  const { fromSlice = 0, toSlice = numberOfSlices - 1, tag, after, wants, signal } = options
  const cursor = new SliceCursor({
    ...{ journal, fromSlice, toSlice, tag, wants },
    eventsMax: options.pageMax ?? pageMaxByDefault,
    place: after === undefined ? undefined : placeOfText(after),
  })
  for (;;) {
    signal?.throwIfAborted()
    const { events, isLast } = await cursor.next()
    for (const { event, place } of events) {
      signal?.throwIfAborted()
      yield {
        ...event,
        get place() {
          return textOfPlace(place())
        },
      }
    }
    if (isLast && !(await goesOn(timers, options))) return
  }
}

/** At the end: waits for more, if that is wanted. */
async function goesOn(
  timers: Timers,
  { live, signal, pollIntervalMs }: ReadOptions,
): Promise<boolean> {
  if (live !== true) return false
  await waitFor(timers, pollIntervalMs ?? pollIntervalMsByDefault, signal)
  return true
}
