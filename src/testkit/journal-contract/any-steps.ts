/** Any sequence of claims, appends and reopenings does to a journal what it does to a map of lists. */
import assert from 'node:assert/strict'
import { SteadyRandom } from '../steady-random.ts'
import type { AddTest } from './journal-contract.ts'
import { appendText, readTexts } from './journal-texts.ts'
import type { OpenedJournal } from './opened-journal.ts'

const runs = 10
const stepsPerRun = 25

interface Expected {
  /** As they were given out. */
  readonly epochs: number[]
  readonly texts: string[]
}

export function anySteps(check: AddTest): void {
  for (const part of [1, 2, 3, 4]) {
    check(`does what a map of lists would do, whatever is asked of it (${part})`, async (on) => {
      const random = new SteadyRandom(`part ${part}`)
      for (let run = 0; run < runs; run++) await new AnySteps(on, random, `${run}`).take()
    })
  }
}

class AnySteps {
  readonly #on: OpenedJournal
  readonly #random: SteadyRandom
  readonly #run: string
  readonly #model = new Map<string, Expected>()

  constructor(on: OpenedJournal, random: SteadyRandom, run: string) {
    this.#on = on
    this.#random = random
    this.#run = run
  }

  async take(): Promise<void> {
    for (let step = 0; step < stepsPerRun; step++) await this.#step(`${step}`)
    for (const [id, { texts }] of this.#model) {
      assert.deepEqual(await readTexts(this.#on.journal, id), texts)
      assert.equal(await this.#on.journal.highestSequenceNr(id), texts.length)
    }
  }

  /** Mostly an append, some of them stale or mistaken about the last event. */
  async #step(text: string): Promise<void> {
    const random = this.#random
    const id = `${this.#run}-${random.below(4)}`
    const kind = random.below(14)
    if (kind === 0) return this.#on.reopen()
    const known = this.#model.get(id) ?? { epochs: [], texts: [] }
    this.#model.set(id, known)
    if (kind <= 3) return this.#claim(id, known)
    const lag = random.below(6) === 0 ? random.below(3) : 0
    const off = random.below(6) === 0 ? random.below(5) - 2 : 0
    const epoch = known.epochs.at(-1 - lag)
    const after = known.texts.length + off
    if (epoch === undefined || after < 0) return
    const count = random.below(2) === 0 ? 1 + random.below(3) : 30 + random.below(5)
    const texts = Array.from({ length: count }, (_, i) => `${text}.${i}`)
    const { type } = await appendText(this.#on.journal, { id, epoch, after }, ...texts)
    assert.equal(type, lag > 0 ? 'Fenced' : off === 0 ? 'Appended' : 'SequenceConflict')
    if (type === 'Appended') known.texts.push(...texts)
  }

  async #claim(id: string, { epochs, texts }: Expected): Promise<void> {
    const { epoch, highestSequenceNr } = await this.#on.journal.claim(id, 'w')
    assert.equal(highestSequenceNr, texts.length)
    assert.ok(epoch > (epochs.at(-1) ?? 0))
    epochs.push(epoch)
  }
}
