/**
 * The journal as a coordinator's store: one stream per entity type. Whoever claims it is the coordinator with the
 * highest term, and every one before it can store nothing more. From time to time it stores what the events come to, so that
 * the next one reads from there: as a snapshot, and then the events before the last snapshot but one are deleted; or, in a
 * journal that keeps none, as an event.
 *
 * Invariant: nothing is deleted that is not in two snapshots, or in one and the events behind it. A sum that cannot be read
 * is passed over; a change that cannot be read never is.
 */
import type { Claim, Journal, StoredEvent } from '../../persistence/index.ts'
import { typeInDataCenter } from '../type-in-data-center.ts'
import { deletesEvents, hasSnapshots, persistenceIdOf } from '../../persistence/index.ts'
import { snapshotsOf } from '../../persistence/internals.ts'
import { type MessageProtocol, NotAMessage, ValueCodec } from '../../serialization/internals.ts'
import { defaultShardingSettings } from '../sharding-settings.ts'
import { storedProtocol } from '../sharding-wire.ts'
import { type CoordinatorEvent, CoordinatorState, type StateSummed } from './coordinator-state.ts'
import {
  CoordinatorFenced,
  type CoordinatorStore,
  CoordinatorStoreFailed,
  type CoordinatorStoreOptions,
  type StoredDecisions,
} from './coordinator-store.ts'

/** Events read at a time, newest first. */
const eventsPerLook = 1_000

/** As an event: a sum of more bytes, or of more than the journal takes, is not stored, and reading on is only slow. */
const sumBytesMax = 500_000

/** Snapshots looked at, at most: behind them the events are read. */
const snapshotTriesMax = 3

/** Events stored at once, which every journal must take. What is stored of a longer batch when it breaks is true as well. */
export const coordinatorAppendEventsMax = 256

/** The type of the streams of coordinators; their ids are the names of entity types. */
export const coordinatorStreamType = '$coordinator'

/** As it stands before the bytes of a sum, in whatever version. */
const sumName = /^sharding\.StateSummed@/

type Stored = CoordinatorEvent | StateSummed

export interface CoordinatorJournalOptions extends CoordinatorStoreOptions {
  readonly journal: Journal
  /** What there is to say of another writer that has taken the stream, in whole sentences. */
  readonly adviceOnWriter?: ((writer: string) => string | undefined) | undefined
  /** Events after which their sum is stored; more where there are more shards than that. */
  readonly snapshotAfterEvents?: number | undefined
  /** The time of day, for people who look into the store. */
  readonly wallMs?: (() => number) | undefined
  /** Something stored was of no use, in whole sentences; it goes on without. */
  readonly passedOver?: ((problem: string) => void) | undefined
}

/** A sum and the number of the last event in it. */
interface Base {
  readonly sequenceNr: number
  readonly sum: StateSummed
}

export class CoordinatorJournal implements CoordinatorStore {
  readonly #options: CoordinatorJournalOptions
  readonly #persistenceId: string
  readonly #codec = new ValueCodec({ use: 'stored' })
  readonly #protocol: MessageProtocol<Stored>
  readonly #snapshotAfterEvents: number
  #epoch = 0
  #sequenceNr = 0
  /** Of the coordinator, which changes it when it hears that something is stored. */
  #state: CoordinatorState | undefined
  /** How many changes the state has when all that is stored is in it. */
  #changes = 0
  #eventsSinceSum = 0
  /** Of the last snapshot; 0 when there is none. */
  #snapshotNr = 0
  #isSaving = false

  constructor(options: CoordinatorJournalOptions) {
    this.#options = options
    const place = typeInDataCenter(options.entityType, options.dataCenter)
    this.#persistenceId = persistenceIdOf(coordinatorStreamType, place)
    this.#protocol = storedProtocol()
    this.#snapshotAfterEvents =
      options.snapshotAfterEvents ?? defaultShardingSettings.snapshotAfterEvents
  }

  /** The claim makes this the only coordinator that can store anything, so its number is the term. */
  async load(): Promise<StoredDecisions> {
    const { journal, writer } = this.#options
    const persistenceId = this.#persistenceId
    const claim = await journal.claim(persistenceId, writer)
    this.#epoch = claim.epoch
    this.#sequenceNr = claim.highestSequenceNr
    const base = await this.#newestSnapshot(claim)
    const events = await this.#readBack(claim, base)
    const state = CoordinatorState.replay(events, base?.sum)
    this.#state = state
    this.#changes = state.changes
    this.#snapshotNr = base?.sequenceNr ?? 0
    this.#eventsSinceSum = events.length
    // Lives are few: each that had much to read spares the next one from it, however long the sum is.
    if (events.length > this.#snapshotAfterEvents) {
      if (hasSnapshots(journal)) await this.#trySum(state)
      else await this.#storeSum(state)
    }
    return { term: claim.epoch, state }
  }

  async store(events: readonly CoordinatorEvent[]): Promise<void> {
    this.#sumWhenDue()
    const bytes = events.map((event) => this.#bytesOf(event))
    for (let first = 0; first < bytes.length; first += coordinatorAppendEventsMax) {
      await this.#appendBytes(bytes.slice(first, first + coordinatorAppendEventsMax))
    }
    this.#changes += events.length
    this.#eventsSinceSum += events.length
  }

  // ---- reading

  /** One that is damaged, or that this version cannot read, is passed over for the one before it. */
  async #newestSnapshot(claim: Claim): Promise<Base | undefined> {
    const { journal } = this.#options
    const { deletedSequenceNr = 0, startSequenceNr = 0, highestSequenceNr } = claim
    if (!hasSnapshots(journal) || highestSequenceNr === 0) return undefined
    const from = Math.max(deletedSequenceNr, startSequenceNr + 1, 1)
    const range = { fromSequenceNr: from, toSequenceNr: highestSequenceNr }
    let tries = 0
    for await (const found of snapshotsOf(journal, {
      persistenceId: this.#persistenceId,
      ...range,
    })) {
      const { sequenceNr } = found
      const sum = 'problem' in found ? found.problem.message : this.#valueIn(found.bytes)
      if (typeof sum !== 'string' && sum.type === 'StateSummed') return { sequenceNr, sum }
      const problem = typeof sum === 'string' ? sum : `it is a ${sum.type}`
      this.#passOver(`The snapshot of number ${sequenceNr} cannot be used: ${problem}`)
      if (++tries === snapshotTriesMax) return undefined
    }
    return undefined
  }

  /** Everything since the snapshot, or since the last sum among the events, that included; all there is when there is none. */
  async #readBack(claim: Claim, base: Base | undefined): Promise<Stored[]> {
    const { deletedSequenceNr = 0, startSequenceNr = 0, highestSequenceNr } = claim
    const first = (base?.sequenceNr ?? deletedSequenceNr) + 1
    const looks: Stored[][] = []
    for (let to = highestSequenceNr; to >= first; to -= eventsPerLook) {
      const look: Stored[] = []
      const range = { fromSequenceNr: Math.max(first, to - eventsPerLook + 1), toSequenceNr: to }
      await this.#options.journal.read(
        { persistenceId: this.#persistenceId, ...range },
        (event) => void look.push(...this.#eventIn(event)),
      )
      const sum = look.findLastIndex(({ type }) => type === 'StateSummed')
      looks.unshift(sum < 0 ? look : look.slice(sum))
      if (sum >= 0) break
    }
    const events = looks.flat()
    const isWhole = base !== undefined || events[0]?.type === 'StateSummed'
    if (deletedSequenceNr > startSequenceNr && !isWhole) throw this.#missing(deletedSequenceNr)
    return events
  }

  #missing(deletedSequenceNr: number): CoordinatorStoreFailed {
    const { entityType } = this.#options
    return new CoordinatorStoreFailed(
      `The events of the coordinator of ${entityType} up to number ${deletedSequenceNr} were deleted because a snapshot has what they say, and no such snapshot can be read. Restore the store from a copy; or stop all nodes and run \`sherd remove-sharding-data ${entityType}\`: its shards get homes anew, and no entity is lost.`,
    )
  }

  #eventIn({ bytes, sequenceNr }: StoredEvent): Stored[] {
    const event = this.#valueIn(bytes)
    if (typeof event !== 'string') return [event]
    if (this.#isSum(bytes)) {
      // What it sums up is still there: events are deleted only where snapshots have taken their place.
      this.#passOver(`The sum of number ${sequenceNr} cannot be used: ${event}`)
      return []
    }
    throw new CoordinatorStoreFailed(
      `A stored event of the coordinator of ${this.#options.entityType} cannot be read: ${event}. Does another version of Sherd write here?`,
    )
  }

  /** What the bytes say; a text is the problem with them. */
  #valueIn(bytes: Uint8Array): Stored | string {
    try {
      const event = this.#protocol.unpack(this.#codec.decode(bytes))
      return event instanceof NotAMessage ? event.problem : event
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  #isSum(bytes: Uint8Array): boolean {
    try {
      const packed = this.#codec.decode(bytes)
      return Array.isArray(packed) && typeof packed[0] === 'string' && sumName.test(packed[0])
    } catch {
      return false
    }
  }

  #passOver(problem: string): void {
    const words = problem.endsWith('.') ? problem : `${problem}.`
    this.#options.passedOver?.(`${words} What it sums up is read instead.`)
  }

  // ---- sums

  /** A sum is as long as there are shards: it is worth as many events. */
  #sumAfter(state: CoordinatorState): number {
    return Math.max(this.#snapshotAfterEvents, state.shardCount)
  }

  /** Nobody waits for it: what it says is stored already. */
  #sumWhenDue(): void {
    const state = this.#state
    if (state === undefined || this.#isSaving || this.#eventsSinceSum <= this.#sumAfter(state))
      return
    // Not unless all that is stored is in it.
    if (state.changes !== this.#changes || !hasSnapshots(this.#options.journal)) return
    void this.#trySum(state)
  }

  /** Without it the next coordinator reads more, and that is all. */
  #trySum(state: CoordinatorState): Promise<void> {
    return this.#storeSum(state).catch((error: unknown) => {
      const problem = error instanceof Error ? error.message : String(error)
      this.#options.passedOver?.(`A snapshot was not stored: ${problem}`)
    })
  }

  async #storeSum(state: CoordinatorState): Promise<void> {
    const { journal } = this.#options
    const bytes = this.#bytesOf(state.sum())
    if (hasSnapshots(journal)) {
      this.#isSaving = true
      try {
        await this.#saveSnapshot(bytes)
      } finally {
        this.#isSaving = false
      }
      return
    }
    const { eventBytesMax = sumBytesMax } = journal
    if (bytes.byteLength <= Math.min(sumBytesMax, eventBytesMax)) await this.#appendBytes([bytes])
    this.#eventsSinceSum = 0
  }

  async #saveSnapshot(bytes: Uint8Array): Promise<void> {
    const { journal, wallMs = () => 0 } = this.#options
    if (!hasSnapshots(journal)) return
    const [persistenceId, epoch] = [this.#persistenceId, this.#epoch]
    const [sequenceNr, former] = [this.#sequenceNr, this.#snapshotNr]
    this.#eventsSinceSum = 0
    const snapshot = { persistenceId, epoch, sequenceNr, savedAtMs: Math.round(wallMs()), bytes }
    // One that has lost its stream hears of it with its next event.
    if ((await journal.saveSnapshot(snapshot)).type !== 'SnapshotSaved') return
    this.#snapshotNr = sequenceNr
    // The last but one stays, with the events behind it, for the case that the last is damaged.
    const isOne = journal.keepsNewestSnapshotOnly === true
    if (isOne || former === 0 || !deletesEvents(journal)) return
    await journal.deleteEventsTo({ persistenceId, epoch, toSequenceNr: former })
    const older = { fromSequenceNr: 1, toSequenceNr: former - 1 }
    if (former > 1) await journal.deleteSnapshots({ persistenceId, epoch, ...older })
  }

  // ---- writing

  #bytesOf(event: Stored): Uint8Array {
    return this.#codec.encode(this.#protocol.pack(event))
  }

  async #appendBytes(events: readonly Uint8Array[]): Promise<void> {
    const { journal, entityType, adviceOnWriter } = this.#options
    const result = await journal.append({
      persistenceId: this.#persistenceId,
      epoch: this.#epoch,
      expectedSequenceNr: this.#sequenceNr,
      events,
    })
    if (result.type === 'Appended') {
      this.#sequenceNr = result.highestSequenceNr
      return
    }
    if (result.type === 'Fenced') {
      const { byWriter } = result
      throw new CoordinatorFenced(entityType, byWriter, adviceOnWriter?.(byWriter))
    }
    throw new CoordinatorStoreFailed(
      `The coordinator of ${entityType} cannot store: its stream has moved on.`,
    )
  }
}
