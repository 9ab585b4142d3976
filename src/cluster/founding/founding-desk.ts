/**
 * Asks the store what the founding machine wants to know, and brings the answers back as inputs. Whoever must know which
 * founding lives before it acts waits here for a look, which all who wait share.
 */
import type { ClusterInput } from '../cluster-inputs.ts'
import { Latch } from '../latch.ts'
import type { ReadFounding, WriteFounding } from './founding-inputs.ts'
import { type FoundingStore, readFounding, writeFounding } from './founding-store.ts'

/** A look that others wait for. */
interface AwaitedLook {
  readonly taken: Latch
  /** Of the question to the store, once it was asked. */
  number: number | undefined
}

export class FoundingDesk {
  readonly #store: FoundingStore
  readonly #give: (input: ClusterInput) => void
  /** The one under way, and the next one, for those who came too late for it. */
  #look: AwaitedLook | undefined
  #nextLook: AwaitedLook | undefined

  /** `give` brings an input to the machine, in its turn. */
  constructor(store: FoundingStore, give: (input: ClusterInput) => void) {
    this.#store = store
    this.#give = give
  }

  /**
   * Resolves when a look that began after this call has been taken to heart: whoever was succeeded is frozen then. Also when
   * the store did not answer it.
   */
  look(): Promise<void> {
    this.#nextLook ??= { taken: new Latch(), number: undefined }
    const { promise } = this.#nextLook.taken
    if (this.#look === undefined) this.#begin()
    return promise
  }

  read(question: ReadFounding): void {
    // Also one that takes the place of an earlier question: the answer to that will not count.
    if (this.#look !== undefined) this.#look.number = question.number
    void readFounding(this.#store, question).then(this.#give)
  }

  write(question: WriteFounding): void {
    void writeFounding(this.#store, question).then(this.#give)
  }

  /** The machine has taken this input, and what followed from it was carried out. */
  stepped(input: ClusterInput): void {
    if (this.#look === undefined) return
    const { number } = this.#look
    const isAnswer = input.type === 'FoundingRead' || input.type === 'FoundingNotRead'
    // Without a number there is no machine any more that would look.
    const isVain = input.type === 'LookAtFounding' && number === undefined
    if (!isVain && !(isAnswer && number !== undefined && input.number >= number)) return
    this.#look.taken.set()
    this.#begin()
  }

  /** Nobody looks any more: whoever waits finds the node frozen, or stopping. */
  end(): void {
    this.#look?.taken.set()
    this.#nextLook?.taken.set()
  }

  #begin(): void {
    this.#look = this.#nextLook
    this.#nextLook = undefined
    if (this.#look !== undefined) this.#give({ type: 'LookAtFounding' })
  }
}
