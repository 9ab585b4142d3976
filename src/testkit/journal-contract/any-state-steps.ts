/** Any step on a durable state, beside the same step on the model. */
import assert from 'node:assert/strict'
import type { SteadyRandom } from '../steady-random.ts'
import { bytesOf, textOf } from './journal-texts.ts'
import type { ModelStore } from './model-store.ts'
import type { OpenedJournal } from './opened-journal.ts'
import { statesOf } from './ports.ts'

export class AnyStateSteps {
  readonly #on: OpenedJournal
  readonly #random: SteadyRandom
  readonly #model: ModelStore

  constructor(on: OpenedJournal, random: SteadyRandom, model: ModelStore) {
    this.#on = on
    this.#random = random
    this.#model = model
  }

  async step(id: string, text: string): Promise<void> {
    if (this.#random.below(4) === 0) await this.#claim(id)
    else await this.#write(id, text)
  }

  async #claim(id: string): Promise<void> {
    const known = this.#model.state(id)
    const { epoch, revision, bytes } = await statesOf(this.#on.journal).claimState(id, 'w')
    assert.deepEqual([revision, bytes && textOf(bytes)], [known.revision, known.text])
    assert.ok(epoch > (known.epochs.at(-1) ?? 0))
    known.epochs.push(epoch)
  }

  /** Some of them stale, mistaken about the last revision, or deletions. */
  async #write(id: string, text: string): Promise<void> {
    const random = this.#random
    const known = this.#model.state(id)
    const lag = random.below(6) === 0 ? random.below(3) : 0
    const epoch = known.epochs.at(-1 - lag)
    const off = random.below(6) === 0 ? random.below(5) - 2 : 0
    const expectedRevision = known.revision + off
    if (epoch === undefined || expectedRevision < 0) return
    const deletes = random.below(4) === 0
    const revision = expectedRevision + (deletes ? random.below(2) : 1 + random.below(2))
    const bytes = deletes ? undefined : bytesOf(text)
    const write = { persistenceId: id, epoch, expectedRevision, revision, bytes }
    const { type } = await statesOf(this.#on.journal).writeState(write)
    assert.equal(type, lag > 0 ? 'Fenced' : off === 0 ? 'StateWritten' : 'RevisionConflict')
    if (type !== 'StateWritten') return
    known.revision = revision
    known.text = deletes ? undefined : text
  }
}
