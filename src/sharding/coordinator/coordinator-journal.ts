/**
 * Where a coordinator's decisions are kept: one stream per entity type. Whoever claims it is the coordinator with the
 * highest term, and every one before it can store nothing more.
 */
import { CodedError } from '../../foundation/coded-error.ts'
import { type Journal, persistenceIdOf } from '../../persistence/index.ts'
import { NotAMessage, ValueCodec } from '../../serialization/index.ts'
import type { ShardingProtocol } from '../sharding-protocol.ts'
import { type CoordinatorEvent, CoordinatorState } from './coordinator-state.ts'

/** What was read cannot be, or what was written was refused. The coordinator stops, and the next one looks again. */
export class CoordinatorStoreFailed extends CodedError {
  readonly code = 'COORDINATOR_STORE_FAILED'
}

export interface CoordinatorJournalOptions {
  readonly journal: Journal
  readonly typeName: string
  readonly protocol: ShardingProtocol
  /** For people: who writes. */
  readonly writer: string
}

export class CoordinatorJournal {
  readonly #options: CoordinatorJournalOptions
  readonly #persistenceId: string
  readonly #codec = new ValueCodec({ use: 'stored' })
  #epoch = 0
  #sequenceNr = 0

  constructor(options: CoordinatorJournalOptions) {
    this.#options = options
    this.#persistenceId = persistenceIdOf('$coordinator', options.typeName)
  }

  /** Makes the caller the only coordinator that can store anything; the term is higher than every one before. */
  async claim(): Promise<{ readonly term: number; readonly state: CoordinatorState }> {
    const { journal, writer } = this.#options
    const persistenceId = this.#persistenceId
    const claim = await journal.claim(persistenceId, writer)
    this.#epoch = claim.epoch
    this.#sequenceNr = claim.highestSequenceNr
    const state = new CoordinatorState()
    const range = { persistenceId, fromSequenceNr: 1, toSequenceNr: claim.highestSequenceNr }
    await journal.read(range, ({ bytes }) => state.apply(this.#eventIn(bytes)))
    return { term: claim.epoch, state }
  }

  /** Rejects when they were not stored, or when nobody can tell. */
  async append(events: readonly CoordinatorEvent[]): Promise<void> {
    const { journal, protocol, typeName } = this.#options
    const result = await journal.append({
      persistenceId: this.#persistenceId,
      epoch: this.#epoch,
      expectedSequenceNr: this.#sequenceNr,
      events: events.map((event) => this.#codec.encode(protocol.stored.pack(event))),
    })
    if (result.type === 'Appended') {
      this.#sequenceNr = result.highestSequenceNr
      return
    }
    const reason =
      result.type === 'Fenced' ? `${result.byWriter} coordinates now` : 'its stream has moved on'
    throw new CoordinatorStoreFailed(`The coordinator of ${typeName} cannot store: ${reason}.`)
  }

  #eventIn(bytes: Uint8Array): CoordinatorEvent {
    const event = this.#options.protocol.stored.unpack(this.#codec.decode(bytes))
    if (!(event instanceof NotAMessage)) return event
    throw new CoordinatorStoreFailed(
      `A stored event of the coordinator of ${this.#options.typeName} cannot be read: ${event.problem}. Was numberOfShards lowered, or does another version of Sherd write here?`,
    )
  }
}
