/** Any step on a stream and its snapshots, beside the same step on the model. */
import assert from 'node:assert/strict'
import type { SteadyRandom } from '../steady-random.ts'
import { appendText, bytesOf, textOf } from './journal-texts.ts'
import type { ModelQuery, ModelStore, ModelStream } from './model-store.ts'
import type { OpenedJournal } from './opened-journal.ts'
import { deleterOf, snapshotsOf } from './ports.ts'

interface Attempt {
  readonly epoch: number
  /** The epoch is an old one. */
  readonly isStale: boolean
}

export class AnyStreamSteps {
  readonly #on: OpenedJournal
  readonly #random: SteadyRandom
  readonly #model: ModelStore

  constructor(on: OpenedJournal, random: SteadyRandom, model: ModelStore) {
    this.#on = on
    this.#random = random
    this.#model = model
  }

  async claim(id: string): Promise<void> {
    const known = this.#model.stream(id)
    const claim = await this.#on.journal.claim(id, 'w')
    const { epoch, highestSequenceNr, deletedSequenceNr = 0, startSequenceNr = 0 } = claim
    const { highest, deleted, start } = known
    assert.deepEqual(
      [highestSequenceNr, deletedSequenceNr, startSequenceNr],
      [highest, deleted, start],
    )
    assert.ok(epoch > (known.epochs.at(-1) ?? 0))
    known.epochs.push(epoch)
  }

  /** Some of them stale or mistaken about the last event. */
  async append(id: string, name: string): Promise<void> {
    const known = this.#model.stream(id)
    const attempt = this.#attempt(known)
    const after = known.highest + this.#sometimesOff()
    if (attempt === undefined || after < 0) return
    const texts = this.#texts(name, 1)
    const writer = { id, epoch: attempt.epoch, after }
    const { type } = await appendText(this.#on.journal, writer, ...texts)
    const isRight = after === known.highest
    assert.equal(type, attempt.isStale ? 'Fenced' : isRight ? 'Appended' : 'SequenceConflict')
    if (type === 'Appended') known.append(texts)
  }

  async delete(id: string, name: string): Promise<void> {
    const known = this.#model.stream(id)
    const attempt = this.#attempt(known)
    if (attempt === undefined) return
    if (this.#random.below(3) === 0) await this.#end(id, name, attempt)
    else await this.#deleteTo(id, attempt)
  }

  async #end(id: string, name: string, { epoch, isStale }: Attempt): Promise<void> {
    const known = this.#model.stream(id)
    const expectedSequenceNr = Math.max(0, known.highest + this.#sometimesOff())
    const texts = this.#texts(name, 0)
    const batch = { persistenceId: id, epoch, expectedSequenceNr, events: texts.map(bytesOf) }
    const { type } = await deleterOf(this.#on.journal).deleteEvents(batch)
    const isRight = expectedSequenceNr === known.highest
    assert.equal(type, isStale ? 'Fenced' : isRight ? 'Appended' : 'SequenceConflict')
    if (type !== 'Appended') return
    known.end()
    known.append(texts)
  }

  async #deleteTo(id: string, { epoch, isStale }: Attempt): Promise<void> {
    const known = this.#model.stream(id)
    const toSequenceNr = this.#random.below(known.highest + 2)
    const deletion = { persistenceId: id, epoch, toSequenceNr }
    const result = await deleterOf(this.#on.journal).deleteEventsTo(deletion)
    const isThere = toSequenceNr <= known.highest
    assert.equal(result.type, isStale ? 'Fenced' : isThere ? 'EventsDeleted' : 'SequenceConflict')
    if (result.type !== 'EventsDeleted') return
    known.deleteTo(toSequenceNr)
    assert.equal(result.deletedSequenceNr, known.deleted)
  }

  async snapshot(id: string, text: string): Promise<void> {
    const known = this.#model.stream(id)
    const attempt = this.#attempt(known)
    const kind = this.#random.below(4)
    if (kind === 0 || attempt === undefined) await this.#load(id)
    else if (kind === 1) await this.#drop(id, attempt)
    else await this.#save(id, text, attempt)
  }

  async #save(id: string, text: string, { epoch, isStale }: Attempt): Promise<void> {
    const known = this.#model.stream(id)
    const sequenceNr = 1 + this.#random.below(known.highest + 1)
    const savedAtMs = this.#random.below(10)
    const snapshot = { persistenceId: id, epoch, sequenceNr, savedAtMs, bytes: bytesOf(text) }
    const { type } = await snapshotsOf(this.#on.journal).saveSnapshot(snapshot)
    const isOfThisLife = sequenceNr > known.start && sequenceNr <= known.highest
    assert.equal(type, isStale ? 'Fenced' : isOfThisLife ? 'SnapshotSaved' : 'SnapshotConflict')
    if (type === 'SnapshotSaved') known.snapshots.set(sequenceNr, { text, savedAtMs })
  }

  async #load(id: string): Promise<void> {
    const known = this.#model.stream(id)
    const query = this.#query(known)
    const found = await snapshotsOf(this.#on.journal).loadSnapshot({ persistenceId: id, ...query })
    const [newest] = known.snapshotsIn(query)
    assert.equal(found?.sequenceNr, newest)
    assert.equal(found && textOf(found.bytes), known.snapshots.get(newest ?? 0)?.text)
  }

  async #drop(id: string, { epoch, isStale }: Attempt): Promise<void> {
    const known = this.#model.stream(id)
    const query = this.#query(known)
    const deletion = { persistenceId: id, epoch, ...query }
    const { type } = await snapshotsOf(this.#on.journal).deleteSnapshots(deletion)
    assert.equal(type, isStale ? 'Fenced' : 'SnapshotsDeleted')
    if (isStale) return
    for (const number of known.snapshotsIn(query)) known.snapshots.delete(number)
  }

  #query({ highest }: ModelStream): ModelQuery {
    const random = this.#random
    const fromSequenceNr = random.below(2) === 0 ? 0 : random.below(highest + 1)
    const toSequenceNr = random.below(2) === 0 ? highest : random.below(highest + 1)
    const savedUntilMs = random.below(2) === 0 ? undefined : random.below(10)
    return { fromSequenceNr, toSequenceNr, savedUntilMs }
  }

  /** Undefined when nobody has claimed it. */
  #attempt({ epochs }: ModelStream): Attempt | undefined {
    const lag = this.#random.below(6) === 0 ? this.#random.below(3) : 0
    const epoch = epochs.at(-1 - lag)
    return epoch === undefined ? undefined : { epoch, isStale: lag > 0 }
  }

  #sometimesOff(): number {
    return this.#random.below(6) === 0 ? this.#random.below(5) - 2 : 0
  }

  #texts(name: string, min: number): string[] {
    const random = this.#random
    const count = random.below(2) === 0 ? min + random.below(3) : 30 + random.below(5)
    return Array.from({ length: count }, (_, index) => `${name}.${index}`)
  }
}
