/**
 * The shared store as one life of one node sees it. A write takes effect in a step of the store, not of the node: a node
 * that is paused or has died cannot take it back. Its answer is a step of the node.
 *
 * Invariant: writes of one stream take effect in the order of the calls; when one never does, none after it does.
 */
import {
  type AppendBatch,
  type AppendResult,
  type Claim,
  type Journal,
  JournalClosed,
  JournalOutcomeUnknown,
  JournalUnavailable,
  MemoryJournal,
  type ReadRange,
  type StoredEvent,
} from '../../persistence/index.ts'
import type { Incarnation } from '../incarnation.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { SimulatedStore } from './simulated-store.ts'

type Fate = 'good' | 'fails before' | 'unknown, not stored' | 'unknown, stored'

/** What was sent of one stream and has not taken effect. */
interface Pending {
  readonly effects: (() => void)[]
  lastEffectUs: number
  /** The node died, and what comes now never reached the store. */
  isCutOff: boolean
}

/** The part of writes under way that reach the store although their node has died. */
const LATE_EFFECT_CHANCE = 0.5

export class SimulatedJournal implements Journal {
  readonly #store: SimulatedStore
  readonly #life: Incarnation
  readonly #random: SeededRandom
  /** Checks the arguments and does the work, at once. */
  readonly #journal: MemoryJournal
  readonly #pending = new Map<string, Pending>()
  #underWay = 0
  #whenAllDone: (() => void)[] = []
  #isClosed = false

  constructor(store: SimulatedStore, life: Incarnation, random: SeededRandom) {
    this.#store = store
    this.#life = life
    this.#random = random
    this.#journal = new MemoryJournal({ store: store.memory })
  }

  get storeId(): string | undefined {
    return this.#journal.storeId
  }

  get eventBytesMax(): number | undefined {
    return this.#journal.eventBytesMax
  }

  claim(persistenceId: string, writer: string): Promise<Claim> {
    return this.#write(persistenceId, 'claim', async () => {
      const claim = await this.#journal.claim(persistenceId, writer)
      this.#store.checks.claimed(persistenceId, claim, this.#life.label)
      return claim
    })
  }

  append(batch: AppendBatch): Promise<AppendResult> {
    return this.#write(batch.persistenceId, 'append', async () => {
      const result = await this.#journal.append(batch)
      const { nowMs } = this.#store.world.clock
      this.#store.checks.appended(batch, result, this.#life.label, nowMs)
      if (result.type === 'Appended') this.#store.onAppended(batch)
      else this.#refused(batch, result)
      return result
    })
  }

  #refused({ persistenceId, epoch }: AppendBatch, { type }: AppendResult): void {
    const { world } = this.#store
    world.reach(`the store refuses a write: ${type}`)
    world.note(this.#life, 'refused', `${type}: ${persistenceId}, epoch ${epoch}`)
  }

  async read(range: ReadRange, onEvent: (event: StoredEvent) => void): Promise<void> {
    await this.#beforeReading('read')
    await this.#journal.read(range, onEvent)
  }

  async highestSequenceNr(persistenceId: string): Promise<number> {
    await this.#beforeReading('highestSequenceNr')
    while (this.#pending.has(persistenceId)) await this.#pauseMs(1)
    return this.#journal.highestSequenceNr(persistenceId)
  }

  async readGlobal(fromOrder: number, limit: number): Promise<readonly StoredEvent[]> {
    await this.#beforeReading('readGlobal')
    return this.#journal.readGlobal(fromOrder, limit)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#underWay > 0) await new Promise<void>((done) => this.#whenAllDone.push(done))
    await this.#journal.close()
  }

  async #write<Result>(
    persistenceId: string,
    what: string,
    perform: () => Promise<Result>,
  ): Promise<Result> {
    if (this.#isClosed) throw new JournalClosed()
    if (!this.#life.mayAct(what)) return new Promise(() => {})
    const fate = this.#drawFate()
    this.#underWay++
    let result: PromiseSettledResult<Result> | undefined
    await this.#takesEffect(persistenceId, async () => {
      if (fate === 'good' || fate === 'unknown, stored') {
        ;[result] = await Promise.allSettled([perform()])
      }
    })
    this.#finished()
    if (fate !== 'good') throw this.#failure(`${what} of ${persistenceId} ${fate}`, fate)
    if (result?.status === 'fulfilled') return result.value
    throw result?.reason
  }

  /** Resolves in a step of the node after the effect; never when the node has died. */
  #takesEffect(persistenceId: string, effect: () => Promise<void>): Promise<void> {
    const { world } = this.#store
    const pending = this.#pendingOf(persistenceId)
    const effectUs = Math.max(pending.lastEffectUs, world.clock.deadlineUs(this.#drawDelayMs()))
    pending.lastEffectUs = effectUs
    return new Promise((resolve) => {
      pending.effects.push(() => {
        if (!this.#isReached(pending)) return
        void effect().then(() => {
          this.#life.appoint(this.#drawDelayMs(), 'stored', resolve)
        })
      })
      // Whichever step comes first takes the oldest effect, so that equal times keep the order of the calls.
      world.stage.appoint((effectUs - world.clock.nowUs) / 1_000, 'store', () => {
        const next = pending.effects.shift()
        if (pending.effects.length === 0) this.#pending.delete(persistenceId)
        next?.()
      })
    })
  }

  #isReached(pending: Pending): boolean {
    if (this.#life.isAlive) return true
    pending.isCutOff ||= !this.#random.chance(LATE_EFFECT_CHANCE)
    if (!pending.isCutOff)
      this.#store.fault(`a write of ${this.#life.label} surfaces after its end`)
    return !pending.isCutOff
  }

  #pendingOf(persistenceId: string): Pending {
    let pending = this.#pending.get(persistenceId)
    if (pending === undefined) {
      pending = { effects: [], lastEffectUs: 0, isCutOff: false }
      this.#pending.set(persistenceId, pending)
    }
    return pending
  }

  #finished(): void {
    if (--this.#underWay > 0) return
    for (const done of this.#whenAllDone.splice(0)) done()
  }

  async #beforeReading(what: string): Promise<void> {
    if (this.#isClosed) throw new JournalClosed()
    if (!this.#life.mayAct(what)) return new Promise(() => {})
    const fate = this.#drawFate()
    await this.#pauseMs(this.#drawDelayMs())
    if (fate === 'fails before') throw this.#failure(`${what} ${fate}`, fate)
  }

  #pauseMs(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.#life.appoint(delayMs, 'stored', resolve))
  }

  #drawFate(): Fate {
    const { failsBefore, failsUnknown } = this.#store.faults
    if (failsBefore + failsUnknown === 0) return 'good'
    const chance = this.#random.float()
    if (chance < failsBefore) return 'fails before'
    if (chance >= failsBefore + 2 * failsUnknown) return 'good'
    return chance < failsBefore + failsUnknown ? 'unknown, stored' : 'unknown, not stored'
  }

  #failure(description: string, fate: Fate): Error {
    this.#store.fault(description)
    const text = `A fault was injected: ${description}.`
    return fate === 'fails before' ? new JournalUnavailable(text) : new JournalOutcomeUnknown(text)
  }

  #drawDelayMs(): number {
    const { latencyMeanMs, stallChance, stallMaxMs } = this.#store.faults
    const delayMs = -latencyMeanMs * Math.log(1 - this.#random.float())
    if (stallChance === 0 || !this.#random.chance(stallChance)) return delayMs
    return delayMs + this.#random.float() * stallMaxMs
  }
}
