/**
 * The journal as a coordinator's store: one stream per entity type. Whoever claims it is the coordinator with the
 * highest term, and every one before it can store nothing more. Who had to read many events stores what they come to, so
 * that the next one reads from there: the stream grows for ever, the time to start does not.
 */
import { type Journal, persistenceIdOf } from '../../persistence/index.ts'
import { type MessageProtocol, NotAMessage, ValueCodec } from '../../serialization/internals.ts'
import { storedProtocol } from '../sharding-wire.ts'
import { type CoordinatorEvent, CoordinatorState, type StateSummed } from './coordinator-state.ts'
import {
  CoordinatorFenced,
  type CoordinatorStore,
  CoordinatorStoreFailed,
  type CoordinatorStoreOptions,
  type StoredDecisions,
} from './coordinator-store.ts'

/** Events read at a time, newest first; more than that after the last sum are summed up. */
const eventsPerLook = 1_000

/** A sum of more bytes, or of more than the journal takes, is not stored: reading on is only slow. */
const sumBytesMax = 500_000

/** Events stored at once, which every journal must take. What is stored of a longer batch when it breaks is true as well. */
export const coordinatorAppendEventsMax = 256

type Stored = CoordinatorEvent | StateSummed

export interface CoordinatorJournalOptions extends CoordinatorStoreOptions {
  readonly journal: Journal
  /** What there is to say of another writer that has taken the stream, in whole sentences. */
  readonly adviceOnWriter?: ((writer: string) => string | undefined) | undefined
}

export class CoordinatorJournal implements CoordinatorStore {
  readonly #options: CoordinatorJournalOptions
  readonly #persistenceId: string
  readonly #codec = new ValueCodec({ use: 'stored' })
  readonly #protocol: MessageProtocol<Stored>
  #epoch = 0
  #sequenceNr = 0

  constructor(options: CoordinatorJournalOptions) {
    this.#options = options
    this.#persistenceId = persistenceIdOf('$coordinator', options.entityType)
    this.#protocol = storedProtocol()
  }

  /** The claim makes this the only coordinator that can store anything, so its number is the term. */
  async load(): Promise<StoredDecisions> {
    const { journal, writer } = this.#options
    const persistenceId = this.#persistenceId
    const claim = await journal.claim(persistenceId, writer)
    this.#epoch = claim.epoch
    this.#sequenceNr = claim.highestSequenceNr
    const events = await this.#readBack(claim.highestSequenceNr)
    const state = CoordinatorState.replay(events)
    if (events.length > eventsPerLook) await this.#appendSum(state)
    return { term: claim.epoch, state }
  }

  /** Everything since the last sum, that included; all there is when there is none. */
  async #readBack(highestSequenceNr: number): Promise<Stored[]> {
    const looks: Stored[][] = []
    for (let to = highestSequenceNr; to > 0; to -= eventsPerLook) {
      const look: Stored[] = []
      const from = Math.max(1, to - eventsPerLook + 1)
      const range = { fromSequenceNr: from, toSequenceNr: to }
      await this.#options.journal.read(
        { persistenceId: this.#persistenceId, ...range },
        ({ bytes }) => void look.push(this.#eventIn(bytes)),
      )
      const sum = look.findLastIndex(({ type }) => type === 'StateSummed')
      looks.unshift(sum < 0 ? look : look.slice(sum))
      if (sum >= 0) break
    }
    return looks.flat()
  }

  async store(events: readonly CoordinatorEvent[]): Promise<void> {
    const bytes = events.map((event) => this.#bytesOf(event))
    for (let first = 0; first < bytes.length; first += coordinatorAppendEventsMax) {
      await this.#appendBytes(bytes.slice(first, first + coordinatorAppendEventsMax))
    }
  }

  async #appendSum(state: CoordinatorState): Promise<void> {
    const bytes = this.#bytesOf(state.sum())
    const { eventBytesMax = sumBytesMax } = this.#options.journal
    if (bytes.byteLength <= Math.min(sumBytesMax, eventBytesMax)) await this.#appendBytes([bytes])
  }

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

  #eventIn(bytes: Uint8Array): Stored {
    const event = this.#protocol.unpack(this.#codec.decode(bytes))
    if (!(event instanceof NotAMessage)) return event
    throw new CoordinatorStoreFailed(
      `A stored event of the coordinator of ${this.#options.entityType} cannot be read: ${event.problem}. Does another version of Sherd write here?`,
    )
  }
}
