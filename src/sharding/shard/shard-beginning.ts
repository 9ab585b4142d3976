/**
 * What a shard waits for before it serves: its lease, and then what it remembers. One with neither has nothing to wait for.
 *
 *   new ──Begin──▶ (acquiring ──LeaseAcquired──▶) (loading ──Loaded──▶) done
 *                    ▲──refused: after a while──┘
 *
 * Invariant: nothing is asked of the store before the lease is held.
 */
import { assert, unreachable } from '../../foundation/assert.ts'
import type { ShardingSettings } from '../sharding-settings.ts'
import type { RememberedEntities } from './remembered-entities.ts'
import type { ShardEffect, ShardInput } from './shard-inputs.ts'

export type BeginningInput =
  | Extract<
      ShardInput<never>,
      { readonly type: 'Begin' | 'LeaseAcquired' | 'LeaseRefused' | 'Loading' | 'Loaded' }
    >
  | { readonly type: 'TimerFired'; readonly timer: 'lease' }

export interface ShardBeginningOptions {
  readonly settings: ShardingSettings
  readonly hasLease: boolean
  /** Gets what is loaded; undefined where nothing is remembered. */
  readonly remembered: RememberedEntities | undefined
}

export class ShardBeginning {
  readonly #options: ShardBeginningOptions
  #phase: 'new' | 'acquiring' | 'loading' | 'done'

  constructor(options: ShardBeginningOptions) {
    this.#options = options
    const waits = options.hasLease || options.remembered !== undefined
    this.#phase = waits ? 'new' : 'done'
  }

  get isLoading(): boolean {
    return this.#phase === 'loading'
  }

  /** Then it may serve. */
  get isDone(): boolean {
    return this.#phase === 'done'
  }

  /** What answers no question of its phase has come late, and is ignored. */
  step(input: BeginningInput): ShardEffect<never>[] {
    const { settings, hasLease, remembered } = this.#options
    switch (input.type) {
      case 'Begin':
        assert(this.#phase === 'new', 'a shard begins once')
        if (!hasLease) return this.#load()
        this.#phase = 'acquiring'
        return [{ type: 'AcquireLease' }]
      case 'LeaseAcquired':
        return this.#phase === 'acquiring' ? this.#load() : []
      case 'LeaseRefused': {
        const again = { type: 'StartTimer', timer: 'lease' } as const
        const isAwaited = this.#phase === 'acquiring'
        return isAwaited ? [{ ...again, delayMs: settings.leaseRetryIntervalMs }] : []
      }
      case 'TimerFired':
        return this.#phase === 'acquiring' ? [{ type: 'AcquireLease' }] : []
      case 'Loading':
        if (!this.isLoading) return []
        remembered?.loaded(input.change)
        return [this.#awaitStore()]
      case 'Loaded':
        if (this.isLoading) this.#phase = 'done'
        return []
      default:
        return unreachable(input)
    }
  }

  #load(): ShardEffect<never>[] {
    this.#phase = this.#options.remembered === undefined ? 'done' : 'loading'
    return this.isLoading ? [{ type: 'LoadRemembered' }, this.#awaitStore()] : []
  }

  /** Anew with every part: much takes long, and is no reason to give up. */
  #awaitStore(): ShardEffect<never> {
    const { rememberLoadTimeoutMs: delayMs } = this.#options.settings
    return { type: 'StartTimer', timer: 'store', delayMs }
  }
}
