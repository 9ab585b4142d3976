/**
 * The last moves of shards, for people who ask why one lives where it does. Kept by one life of a coordinator, in memory:
 * a few of each shard, and of many shards those that moved last.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type { ShardMove, ShardMoveReason } from '../inspection/reports.ts'
import type { CoordinatorEvent, CoordinatorState } from './coordinator-state.ts'

const movesPerShardMax = 5
const shardsMax = 10_000
/** More than these never leave at once; of one more it would be said that it was gone. */
const leavingMax = 1_000

interface Departure {
  readonly from: NodeId
  readonly why: ShardMoveReason
}

type KeptMove = Omit<ShardMove, 'agoMs'> & { readonly atMs: number }

export class MoveHistory {
  /** By the time of the last move. */
  readonly #moves = new Map<ShardId, KeptMove[]>()
  /** Shards that have left a home and have no other yet. */
  readonly #departures = new Map<ShardId, Departure>()
  readonly #leaving = new Set<NodeId>()

  /** This region has asked to leave, or has left: its shards go because of that. */
  leaves(region: NodeId): void {
    if (this.#leaving.size < leavingMax) this.#leaving.add(region)
  }

  /** An event that was stored, and the state before it. */
  note(event: CoordinatorEvent, before: CoordinatorState, now: number): void {
    switch (event.type) {
      case 'ShardDeallocated': {
        const from = before.homeOf(event.shard)?.region
        if (from === undefined) return
        return this.#depart(event.shard, from, this.#leaving.has(from) ? 'leaving' : 'rebalance')
      }
      case 'RegionTerminated': {
        const why = this.#leaving.delete(event.region) ? 'leaving' : 'home-gone'
        for (const shard of before.shardsOf(event.region)) this.#depart(shard, event.region, why)
        return
      }
      case 'ShardAllocated': {
        const { shard, home: to, epoch } = event
        const { from, why = 'first-use' } = this.#departures.get(shard) ?? {}
        this.#departures.delete(shard)
        this.#add(shard, { ...(from === undefined ? {} : { from }), to, epoch, why, atMs: now })
        return
      }
      default:
    }
  }

  /** Oldest first. */
  of(shard: ShardId, now: number): ShardMove[] {
    const moves = this.#moves.get(shard) ?? []
    return moves.map(({ atMs, ...move }) => ({ ...move, agoMs: Math.max(0, now - atMs) }))
  }

  #depart(shard: ShardId, from: NodeId, why: ShardMoveReason): void {
    this.#departures.set(shard, { from, why })
  }

  #add(shard: ShardId, move: KeptMove): void {
    const moves = [...(this.#moves.get(shard) ?? []), move].slice(-movesPerShardMax)
    this.#moves.delete(shard)
    this.#moves.set(shard, moves)
    if (this.#moves.size <= shardsMax) return
    for (const oldest of this.#moves.keys()) {
      this.#moves.delete(oldest)
      break
    }
  }
}
