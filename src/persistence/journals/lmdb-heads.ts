/**
 * Heads of streams that were in use lately, so that an append need not read what this process has written itself. They
 * hold as long as nobody else has written: every commit counts up a number in the store, and whoever finds another number
 * than the last one of its own starts afresh. Two generations bound the memory: what was not used in one is dropped.
 */
import type { LmdbStreamHead } from './lmdb-stream-head.ts'

/** Of one generation; a head takes about half a kilobyte. */
const headsMax = 4096

export interface KnownStream {
  readonly id: Buffer
  /** Undefined when nobody has claimed the stream yet. */
  head: LmdbStreamHead | undefined
  /** In the transaction under way. */
  isChanged: boolean
}

export class LmdbHeads {
  #young = new Map<string, KnownStream>()
  #old = new Map<string, KnownStream>()
  #validAtCommit = 0

  /** Begins a transaction that sees this number of commits. */
  begin(commitCount: number): void {
    if (commitCount !== this.#validAtCommit) this.forget()
    this.#validAtCommit = commitCount
  }

  /** The transaction has written these heads, and will be the commit of this number. */
  end(commitCount: number): void {
    this.#validAtCommit = commitCount
  }

  /** Whatever happened to the last transaction, nothing is known any more. */
  forget(): void {
    this.#young.clear()
    this.#old.clear()
    this.#validAtCommit = -1
  }

  get(persistenceId: string): KnownStream | undefined {
    const young = this.#young.get(persistenceId)
    if (young !== undefined) return young
    const old = this.#old.get(persistenceId)
    if (old !== undefined) this.set(persistenceId, old)
    return old
  }

  set(persistenceId: string, stream: KnownStream): void {
    if (this.#young.size >= headsMax) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(persistenceId, stream)
  }
}
