/**
 * The register of the founding in a store that all nodes of a network share, with calls that take their time. For some nodes or
 * for all it may be away: then calls fail, or are not answered before it is back.
 */
import type {
  FoundingAnswer,
  ReadFounding,
  WriteFounding,
} from '../../src/cluster/founding/founding-inputs.ts'
import {
  bytesOfRecord,
  type FoundingRecord,
  recordOfBytes,
} from '../../src/cluster/founding/founding-record.ts'
import type { Address } from '../../src/foundation/node-id.ts'

export interface RegisterWorld {
  readonly latencyMs: () => number
  readonly after: (ms: number, then: () => void) => void
}

export class SharedRegister {
  #revision = 0
  #bytes: Uint8Array | undefined
  /** Who gets no answer, and what becomes of what it asks. */
  readonly away = new Map<Address, 'fails' | 'stalls'>()
  writes = 0

  get record(): FoundingRecord | undefined {
    return this.#bytes && recordOfBytes(this.#bytes)
  }

  ask(
    question: ReadFounding | WriteFounding,
    asker: Address,
    { latencyMs, after }: RegisterWorld,
    answer: (answer: FoundingAnswer) => void,
  ): void {
    after(latencyMs(), () => {
      const trouble = this.away.get(asker)
      // What stalls is carried out when it comes through.
      if (trouble === 'stalls') {
        return after(100, () => this.ask(question, asker, { latencyMs, after }, answer))
      }
      const said = trouble === 'fails' ? this.#refuse(question) : this.#perform(question)
      after(latencyMs(), () => answer(said))
    })
  }

  #refuse({ type, number }: ReadFounding | WriteFounding): FoundingAnswer {
    const problem = 'the store is away'
    return type === 'ReadFounding'
      ? { type: 'FoundingNotRead', number, problem, isUnreadable: false }
      : { type: 'FoundingNotWritten', number, problem }
  }

  #perform(question: ReadFounding | WriteFounding): FoundingAnswer {
    const { number } = question
    if (question.type === 'ReadFounding') {
      const { record } = this
      return { type: 'FoundingRead', number, revision: this.#revision, record, areAllGone: false }
    }
    if (question.expectedRevision !== this.#revision) return { type: 'FoundingChanged', number }
    this.#revision++
    this.#bytes = bytesOfRecord(question.record)
    this.writes++
    return { type: 'FoundingWritten', number, revision: this.#revision }
  }
}
