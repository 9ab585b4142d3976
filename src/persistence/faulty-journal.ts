/**
 * A journal that misbehaves as real ones do, by a seed: it is slow, it stalls, it fails before anything is stored and after
 * everything is. What it must keep it keeps: appends of one stream take effect in the order of the calls. For simulation.
 */
import type { Random } from '../foundation/random.ts'
import type { Timers } from '../foundation/timers.ts'
import type {
  AppendBatch,
  AppendResult,
  Claim,
  Journal,
  ReadRange,
  StoredEvent,
} from './journal.ts'
import { JournalClosed, JournalOutcomeUnknown, JournalUnavailable } from './persistence-errors.ts'

export interface JournalFaults {
  /** How long a call takes at most until it takes effect, and again until it answers. */
  readonly latencyMaxMs: number
  /** The part of calls that fail and do nothing. */
  readonly failsBefore: number
  /** The part of writes that nobody knows about: one half of them took effect. */
  readonly failsUnknown: number
}

export interface FaultyJournalOptions {
  readonly journal: Journal
  readonly random: Random
  readonly timers: Timers
  readonly faults: JournalFaults
  /** Told of every failure, so that it can be counted and explained. */
  readonly onFault?: (description: string) => void
}

type Fate = 'good' | 'fails before' | 'unknown, not stored' | 'unknown, stored'

export class FaultyJournal implements Journal {
  readonly #journal: Journal
  readonly #random: Random
  readonly #timers: Timers
  readonly #onFault: (description: string) => void
  /** The last write of each stream that is under way: the next takes effect after it. */
  readonly #tails = new Map<string, Promise<void>>()
  #faults: JournalFaults
  #isClosed = false
  #stall: Promise<void> | undefined = undefined
  #flow: () => void = () => undefined

  constructor({ journal, random, timers, faults, onFault }: FaultyJournalOptions) {
    this.#journal = journal
    this.#random = random
    this.#timers = timers
    this.#faults = faults
    this.#onFault = onFault ?? (() => undefined)
  }

  get storeId(): string | undefined {
    return this.#journal.storeId
  }

  get eventBytesMax(): number | undefined {
    return this.#journal.eventBytesMax
  }

  /** From now on. */
  setFaults(faults: JournalFaults): void {
    this.#faults = faults
  }

  /** Nothing takes effect until `flow`. */
  stall(): void {
    this.#stall ??= new Promise((resolve) => (this.#flow = resolve))
  }

  flow(): void {
    this.#stall = undefined
    this.#flow()
  }

  claim(persistenceId: string, writer: string): Promise<Claim> {
    return this.#write(persistenceId, 'claim', () => this.#journal.claim(persistenceId, writer))
  }

  append(batch: AppendBatch): Promise<AppendResult> {
    return this.#write(batch.persistenceId, 'append', () => this.#journal.append(batch))
  }

  async read(range: ReadRange, onEvent: (event: StoredEvent) => void): Promise<void> {
    await this.#beforeReading('read')
    await this.#journal.read(range, onEvent)
  }

  async highestSequenceNr(persistenceId: string): Promise<number> {
    await this.#tails.get(persistenceId)
    await this.#beforeReading('highestSequenceNr')
    return this.#journal.highestSequenceNr(persistenceId)
  }

  async readGlobal(fromOrder: number, limit: number): Promise<readonly StoredEvent[]> {
    await this.#beforeReading('readGlobal')
    return this.#journal.readGlobal(fromOrder, limit)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#tails.values())
    await this.#journal.close()
  }

  async #write<Result>(
    persistenceId: string,
    what: string,
    perform: () => Promise<Result>,
  ): Promise<Result> {
    if (this.#isClosed) throw new JournalClosed()
    const fate = this.#drawFate()
    const before = this.#tails.get(persistenceId)
    let tookEffect = (): void => undefined
    const tail = new Promise<void>((resolve) => (tookEffect = resolve))
    this.#tails.set(persistenceId, tail)
    let result: Result | undefined
    try {
      await Promise.all([before, this.#delay()])
      await this.#stall
      if (fate === 'good' || fate === 'unknown, stored') result = await perform()
    } finally {
      tookEffect()
      if (this.#tails.get(persistenceId) === tail) this.#tails.delete(persistenceId)
    }
    await this.#delay()
    if (fate === 'good') return result as Result
    throw this.#failure(`${what} of ${persistenceId} ${fate}`, fate)
  }

  async #beforeReading(what: string): Promise<void> {
    const fate = this.#drawFate()
    await this.#delay()
    await this.#stall
    if (fate === 'fails before') throw this.#failure(`${what} ${fate}`, fate)
  }

  #drawFate(): Fate {
    const { failsBefore, failsUnknown } = this.#faults
    const chance = this.#random.float()
    if (chance < failsBefore) return 'fails before'
    if (chance >= failsBefore + failsUnknown) return 'good'
    return this.#random.below(2) === 0 ? 'unknown, not stored' : 'unknown, stored'
  }

  #failure(description: string, fate: Fate): Error {
    this.#onFault(description)
    return fate === 'fails before'
      ? new JournalUnavailable(`A fault was injected: ${description}.`)
      : new JournalOutcomeUnknown(`A fault was injected: ${description}.`)
  }

  #delay(): Promise<void> | undefined {
    const delayMs = this.#random.float() * this.#faults.latencyMaxMs
    if (delayMs === 0) return undefined
    return new Promise((resolve) => void this.#timers.after(delayMs, resolve))
  }
}
