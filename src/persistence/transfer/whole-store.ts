/** A store with every port that a copy needs, and reading it in pieces of bounded size: ids, events, snapshots, registers. */
import { CodedError } from '../../foundation/coded-error.ts'
import { type DurableStates, keepsStates } from '../durable-states.ts'
import { type IdList, listsIds } from '../id-list.ts'
import type { Journal, ReadRange, StoredEvent } from '../journal.ts'
import { JournalCorrupted } from '../persistence-errors.ts'
import { hasRegisters, type Registers } from '../registers.ts'
import { hasSnapshots, type Snapshots, type StoredSnapshot } from '../snapshots.ts'
import { canTransfer, type StoreTransfer } from '../store-transfer.ts'

export type WholeStore = Journal & IdList & StoreTransfer & Snapshots & DurableStates & Registers

/** A journal of a user's own may lack some of the ports. */
class StorePortMissing extends CodedError {
  readonly code = 'STORE_PORT_MISSING'

  constructor(ports: readonly string[]) {
    super(
      `This store cannot be copied or looked through: its journal has no ${ports.join(', no ')}. Give it the ports that are missing.`,
    )
  }
}

/** The same journal. Throws `StorePortMissing`. */
export function wholeStore(journal: Journal): WholeStore {
  const ports = {
    IdList: listsIds(journal),
    StoreTransfer: canTransfer(journal),
    Snapshots: hasSnapshots(journal),
    DurableStates: keepsStates(journal),
    Registers: hasRegisters(journal),
  }
  const missing = Object.entries(ports).filter(([, isThere]) => !isThere)
  if (missing.length > 0) throw new StorePortMissing(missing.map(([name]) => name))
  return journal as WholeStore
}

export interface PageLimits {
  readonly eventsMax: number
  /** One event may be larger, and comes alone then. */
  readonly bytesMax: number
}

/** What one reader holds at a time. */
const pageLimits: PageLimits = { eventsMax: 256, bytesMax: 1_048_576 }

const namesPerPage = 256

/** The first events of the range, as many as the limits allow. None: there are none in it. */
export async function readPage(
  journal: Journal,
  range: ReadRange,
  limits: PageLimits = pageLimits,
): Promise<readonly StoredEvent[]> {
  const nearest = range.fromSequenceNr + limits.eventsMax - 1
  if (nearest >= range.toSequenceNr) return readFirst(journal, range, limits)
  const page = await readFirst(journal, { ...range, toSequenceNr: nearest }, limits)
  // Those were deleted, and others come behind them.
  return page.length > 0 ? page : readFirst(journal, range, limits)
}

async function readFirst(
  journal: Journal,
  range: ReadRange,
  { eventsMax, bytesMax }: PageLimits,
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  let bytes = 0
  // A journal hands over all of a range; only a throw ends that sooner.
  const full = new Error('the page is full')
  try {
    await journal.read(range, (event) => {
      bytes += event.bytes.byteLength
      if (events.length >= eventsMax || (events.length > 0 && bytes > bytesMax)) throw full
      events.push(event)
    })
  } catch (error) {
    if (error !== full) throw error
  }
  return events
}

/** All of the range, page by page. */
export async function* eventsOf(journal: Journal, range: ReadRange): AsyncGenerator<StoredEvent> {
  const { persistenceId, toSequenceNr } = range
  for (let fromSequenceNr = range.fromSequenceNr; fromSequenceNr <= toSequenceNr;) {
    const page = await readPage(journal, { persistenceId, fromSequenceNr, toSequenceNr })
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    fromSequenceNr = last.sequenceNr + 1
  }
}

/** In the order of their bytes. */
export async function* idsOf(
  store: IdList,
  kind: 'events' | 'states',
  prefix?: string,
): AsyncGenerator<string> {
  let after: string | undefined
  for (;;) {
    const { ids, isLast } = await store.listIds({ kind, prefix, after, idsMax: namesPerPage })
    yield* ids
    after = ids.at(-1) ?? after
    if (isLast) return
  }
}

/** In the order of their bytes. */
export async function* registersOf(store: StoreTransfer): AsyncGenerator<string> {
  let after: string | undefined
  for (;;) {
    const names = await store.listRegisters({ after, namesMax: namesPerPage })
    yield* names
    if (names.length === 0) return
    after = names.at(-1)
  }
}

/** What stands in the store in the place of a snapshot that cannot be read. */
export interface DamagedSnapshot {
  readonly sequenceNr: number
  readonly problem: JournalCorrupted
}

/** Newest first. One that is damaged hides no other: it is found by halves. */
export async function* snapshotsOf(
  store: Snapshots,
  { persistenceId, fromSequenceNr, toSequenceNr }: ReadRange,
): AsyncGenerator<StoredSnapshot | DamagedSnapshot> {
  for (let to = toSequenceNr; to >= fromSequenceNr;) {
    const range = { persistenceId, fromSequenceNr, toSequenceNr: to }
    const found = await snapshotIn(store, range)
    if (found === undefined) return
    if (found instanceof JournalCorrupted) {
      yield* aroundDamage(store, range, found)
      return
    }
    yield found
    to = found.sequenceNr - 1
  }
}

async function* aroundDamage(
  store: Snapshots,
  range: ReadRange,
  problem: JournalCorrupted,
): AsyncGenerator<StoredSnapshot | DamagedSnapshot> {
  const { fromSequenceNr, toSequenceNr } = range
  if (fromSequenceNr === toSequenceNr) {
    yield { sequenceNr: toSequenceNr, problem }
    return
  }
  const middle = Math.floor((fromSequenceNr + toSequenceNr) / 2)
  yield* snapshotsOf(store, { ...range, fromSequenceNr: middle + 1 })
  yield* snapshotsOf(store, { ...range, toSequenceNr: middle })
}

async function snapshotIn(
  store: Snapshots,
  range: ReadRange,
): Promise<StoredSnapshot | JournalCorrupted | undefined> {
  try {
    return await store.loadSnapshot(range)
  } catch (error) {
    if (error instanceof JournalCorrupted) return error
    throw error
  }
}

/** `work` on each, several at once. When one fails, no other is begun, and those under way have ended when it rejects. */
export async function inParallel<Item>(
  items: AsyncIterable<Item>,
  atOnceMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]()
  let hasFailed = false
  const worker = async (): Promise<void> => {
    try {
      for (;;) {
        const next = await iterator.next()
        if (next.done === true || hasFailed) return
        await work(next.value)
      }
    } catch (error) {
      hasFailed = true
      throw error
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnceMax }, worker))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
