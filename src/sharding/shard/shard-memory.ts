/** Runs the store of what one life of a shard remembers: calls become inputs of its machine, in order, and nothing after its end. */
import { assert } from '../../foundation/assert.ts'
import type { LogFields, Logger } from '../../foundation/logger.ts'
import type {
  RememberedChange,
  RememberedIds,
  RememberStore,
} from '../remembering/remember-store.ts'
import type { ShardInput } from './shard-inputs.ts'

export interface ShardMemoryOptions {
  /** When it is loaded, not before: the shard may have to wait for its lease. */
  readonly open: () => RememberStore
  readonly logger: Logger
  /** For the log. */
  readonly fields: LogFields
  readonly step: (input: ShardInput<never>) => void
}

export class ShardMemory {
  readonly #options: ShardMemoryOptions
  #store: RememberStore | undefined
  #isOver = false

  constructor(options: ShardMemoryOptions) {
    this.#options = options
  }

  load(): void {
    this.#await(this.#load(), { type: 'Loaded' })
  }

  async #load(): Promise<void> {
    this.#store = this.#options.open()
    await this.#store.load((change) => this.#say({ type: 'Loading', change }))
  }

  update(change: RememberedChange, remembered: RememberedIds): void {
    assert(this.#store !== undefined, 'what is remembered is loaded before it is changed')
    this.#await(this.#store.update(change, remembered), { type: 'Stored' })
  }

  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#store?.close()
  }

  #await(call: Promise<void>, answer: ShardInput<never>): void {
    call.then(
      () => this.#say(answer),
      (error: unknown) => this.#failed(error),
    )
  }

  #failed(error: unknown): void {
    if (this.#isOver) return
    const { logger, fields } = this.#options
    logger.error(
      { err: error, ...fields },
      'The store of remembered entities failed; the shard begins anew after shardFailureBackoffMs.',
    )
    this.#say({ type: 'StoreFailed' })
  }

  #say(input: ShardInput<never>): void {
    if (!this.#isOver) this.#options.step(input)
  }
}
