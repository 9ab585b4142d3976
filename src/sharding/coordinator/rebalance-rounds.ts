/**
 * Rounds of balancing in a row: with a strategy whose rounds come to an end the next one follows as soon as the last has ended,
 * rather than after the interval.
 *
 * Invariant: in one row a shard moves once, so that every row ends, whatever the strategy says.
 */
import type { StrategyAnswer } from '../allocation/strategy-questions.ts'
import type { ShardId } from '../shard-id.ts'

export class RebalanceRounds {
  readonly #moved = new Set<ShardId>()
  #mayFollow = false

  /** Whether another one may follow when this one has ended. */
  get mayFollow(): boolean {
    return this.#mayFollow
  }

  /** The first of a row: its time has come. */
  began(): void {
    this.#moved.clear()
    this.#mayFollow = false
  }

  /** The next one is asked for. */
  follows(): void {
    this.#mayFollow = false
  }

  /** What of the answer moves. */
  chosen({
    shards,
    maySettle = false,
  }: Extract<StrategyAnswer, { type: 'Rebalance' }>): readonly ShardId[] {
    const moving = shards.filter((shard) => !this.#moved.has(shard))
    for (const shard of moving) this.#moved.add(shard)
    this.#mayFollow = maySettle && moving.length > 0
    return moving
  }

  /** A shard stays where it is, and the reason is likely to last. */
  failed(): void {
    this.#mayFollow = false
  }
}
