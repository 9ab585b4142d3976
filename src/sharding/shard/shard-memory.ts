/** Runs the store of what one life of a shard remembers: calls become inputs of its machine, in order, and nothing after its end. */
import type { LogFields, Logger } from '../../foundation/logger.ts'
import type {
  RememberedChange,
  RememberedIds,
  RememberStore,
} from '../remembering/remember-store.ts'
import type { ShardInput } from './shard-inputs.ts'

export interface ShardMemoryOptions {
  readonly store: RememberStore
  readonly logger: Logger
  /** For the log. */
  readonly fields: LogFields
  readonly step: (input: ShardInput<never>) => void
}

export class ShardMemory {
  readonly #options: ShardMemoryOptions
  #isOver = false

  constructor(options: ShardMemoryOptions) {
    this.#options = options
  }

  load(): void {
    const { store } = this.#options
    const loaded = store.load((change) => this.#say({ type: 'Loading', change }))
    this.#await(loaded, { type: 'Loaded' })
  }

  update(change: RememberedChange, remembered: RememberedIds): void {
    this.#await(this.#options.store.update(change, remembered), { type: 'Stored' })
  }

  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#options.store.close()
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
