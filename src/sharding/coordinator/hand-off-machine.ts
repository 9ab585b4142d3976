/**
 * Moves one shard off its home.
 *
 *   asking ──every region acked──▶ stopping ──ShardStopped──▶ done (moved)
 *      ├──────────ShardStopped────────────────────────────────▶ done (moved)
 *      └───────────timed out──────────┴────────timed out────▶ done (stays)
 *
 * Invariant: the home is told to stop its entities only once no region still routes to them.
 */
import { assert, unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { BeginHandOffAck, Placement, ShardStopped } from '../sharding-messages.ts'
import type { HandOffEffect, HandOffInput } from './coordinator-inputs.ts'

export class HandOffMachine {
  readonly placement: Placement
  readonly #unacked: Set<NodeId>
  #phase: 'asking' | 'stopping' | 'done' = 'asking'
  /** Told since the last repetition: who has not answered yet has hardly had the time. */
  #isJustTold = false

  constructor(placement: Placement, regions: Iterable<NodeId>) {
    this.placement = placement
    this.#unacked = new Set(regions)
    const { home, shard } = placement
    assert(this.#unacked.has(home), `home ${home} of shard ${shard} is a region`)
  }

  step(input: HandOffInput): HandOffEffect[] {
    if (this.#phase === 'done') return []
    switch (input.type) {
      case 'Begun':
        return this.#tell()
      case 'Repeat':
        return this.#repeat()
      case 'BeginHandOffAck':
        return this.#isOurs(input) ? this.#settled(input.region) : []
      case 'RegionRemoved':
        return this.#removed(input.region)
      case 'ShardStopped':
        return this.#stopped(input)
      case 'TimedOut':
        return this.#finish(false)
      default:
        return unreachable(input)
    }
  }

  snapshot(): { readonly phase: string; readonly unacked: readonly NodeId[] } {
    return { phase: this.#phase, unacked: [...this.#unacked] }
  }

  #repeat(): HandOffEffect[] {
    if (!this.#isJustTold) return this.#tell()
    this.#isJustTold = false
    return []
  }

  #tell(): HandOffEffect[] {
    this.#isJustTold = true
    if (this.#phase === 'stopping') return [this.#send(this.placement.home, 'HandOff')]
    return [...this.#unacked].map((region) => this.#send(region, 'BeginHandOff'))
  }

  /** Not the answer to an earlier attempt, after which that region may have routed here again. */
  #isOurs({ epoch, term, turn }: BeginHandOffAck): boolean {
    const { placement } = this
    return epoch === placement.epoch && term === placement.term && turn === placement.turn
  }

  #settled(region: NodeId): HandOffEffect[] {
    if (!this.#unacked.delete(region) || this.#unacked.size > 0) return []
    this.#phase = 'stopping'
    return this.#tell()
  }

  /** Also while still asking: an earlier attempt has stopped this very life, and it will not start again. */
  #stopped({ epoch, region }: ShardStopped): HandOffEffect[] {
    const { placement } = this
    return epoch === placement.epoch && region === placement.home ? this.#finish(true) : []
  }

  #removed(region: NodeId): HandOffEffect[] {
    // Removed means dead, not merely unreachable: its entities are gone, so the shard is free.
    return region === this.placement.home ? this.#finish(true) : this.#settled(region)
  }

  #finish(moved: boolean): HandOffEffect[] {
    this.#phase = 'done'
    return [{ type: 'Finish', moved }]
  }

  #send(to: NodeId, type: 'BeginHandOff' | 'HandOff'): HandOffEffect {
    return { type: 'Send', to, message: { type, ...this.placement } }
  }
}
