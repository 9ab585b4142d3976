/**
 * Notices that events were deleted before a range has read them: retention (`snapshots.deleteEvents`) does not wait for
 * projections. The numbers of a stream have no holes, so an event whose predecessor was neither read here nor is there any more
 * stands behind a gap.
 *
 * Of a stream that it meets for the first time it asks the store. Where the range began in the middle it cannot know how much of
 * the gap the one before it has read; retention leaves the newest events, so a range that follows closely finds the
 * predecessor still there. With a tag, numbers have holes: then only a range that began with the first event is told.
 *
 * Invariant: a range that began with the first event passes no gap that retention has made before a living event.
 */
import type { Journal, OrderedEvent } from '../persistence/index.ts'
import { readsStreams } from '../persistence/internals.ts'
import type { EntityEvents } from './entity-events.ts'

/** Events of one entity that are gone. */
export interface Missed {
  readonly persistenceId: string
  /** Numbers, the last one included. */
  readonly from: number
  readonly to: number
  /** False when some of them may have been read: by those who worked on the range before, or too many streams ago. */
  readonly isAll: boolean
}

/** An event whose predecessor was not read here. */
interface Doubtful {
  readonly persistenceId: string
  readonly sequenceNr: number
  /** The number that was read last; undefined for a stream that is met for the first time. */
  readonly read: number | undefined
}

/** Streams of which a range remembers the number it has read last; of others it asks the store again. */
const streamsMax = 1_000

export interface MissedEventsOptions {
  readonly journal: Journal
  readonly events: EntityEvents
  readonly tag: string | undefined
}

export class MissedEvents {
  readonly #options: MissedEventsOptions
  /** Whether there is anything to ask about. */
  readonly canBe: boolean
  /** Then numbers have holes. */
  readonly #hasTag: boolean
  /** By persistence id, those met longest ago first. */
  readonly #lastRead = new Map<string, number>()
  #isFromFirst = false
  /** Streams were forgotten: of one that is met for the first time, some may have been read. */
  #hasForgotten = false

  constructor(options: MissedEventsOptions) {
    this.#options = options
    this.canBe = options.events.canBeDeleted
    this.#hasTag = options.tag !== undefined
  }

  /** The range begins, with the first event or in the middle. */
  begin(isFromFirst: boolean): void {
    this.#isFromFirst = isFromFirst
    this.#hasForgotten = false
    this.#lastRead.clear()
  }

  /** What is missing before these, which come next. Rejects with what the store does; then ask again. */
  async before(events: readonly OrderedEvent[]): Promise<readonly Missed[]> {
    const doubtful = this.#doubtful(events)
    const missed = await Promise.all(doubtful.map((each) => this.#ask(each)))
    for (const { persistenceId, sequenceNr } of events) this.#remember(persistenceId, sequenceNr)
    return missed.filter((each) => each !== undefined)
  }

  #doubtful(events: readonly OrderedEvent[]): Doubtful[] {
    const last = new Map<string, number>()
    const doubtful: Doubtful[] = []
    for (const { persistenceId, sequenceNr } of events) {
      if (!this.#options.events.areDeleted(persistenceId)) continue
      const read = last.get(persistenceId) ?? this.#lastRead.get(persistenceId)
      last.set(persistenceId, sequenceNr)
      const isFirstMet = read === undefined
      if (sequenceNr <= (read ?? 0) + 1) continue
      if (this.#hasTag && !(isFirstMet && this.#isFromFirst)) continue
      doubtful.push({ persistenceId, sequenceNr, read })
    }
    return doubtful
  }

  /** Undefined when its predecessor is there, or the stream was ended in between, which its entity has wanted. */
  async #ask({ persistenceId, sequenceNr, read }: Doubtful): Promise<Missed | undefined> {
    const { deletedTo, startedAfter } = await this.#placeOf(persistenceId, sequenceNr - 1)
    const from = Math.max(read ?? 0, startedAfter) + 1
    const to = Math.min(sequenceNr - 1, deletedTo)
    const isGap = to >= from && (this.#hasTag || to === sequenceNr - 1)
    const isAll = read !== undefined || (this.#isFromFirst && !this.#hasForgotten)
    return isGap ? { persistenceId, from, to, isAll } : undefined
  }

  async #placeOf(
    persistenceId: string,
    sequenceNr: number,
  ): Promise<{ readonly deletedTo: number; readonly startedAfter: number }> {
    const { journal } = this.#options
    if (readsStreams(journal)) {
      const place = await journal.readStream(persistenceId)
      const { deletedSequenceNr = 0, startSequenceNr = 0 } = place ?? {}
      return { deletedTo: deletedSequenceNr, startedAfter: startSequenceNr }
    }
    let deletedTo = sequenceNr
    const range = { persistenceId, fromSequenceNr: sequenceNr, toSequenceNr: sequenceNr }
    await journal.read(range, () => (deletedTo = 0))
    return { deletedTo, startedAfter: 0 }
  }

  #remember(persistenceId: string, sequenceNr: number): void {
    if (!this.#options.events.areDeleted(persistenceId)) return
    const before = this.#lastRead.get(persistenceId) ?? 0
    this.#lastRead.delete(persistenceId)
    this.#lastRead.set(persistenceId, Math.max(before, sequenceNr))
    if (this.#lastRead.size <= streamsMax) return
    for (const oldest of this.#lastRead.keys()) {
      this.#lastRead.delete(oldest)
      this.#hasForgotten = true
      return
    }
  }
}
