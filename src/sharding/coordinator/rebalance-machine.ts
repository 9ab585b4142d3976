/**
 * Decides which shards move, and moves them: a few at a time, for balance or because their region leaves.
 *
 *   at rest ──strategy's choice──▶ chosen ──there is room──▶ hand-off ──stopped──▶ Moved
 *      └──its region leaves, and there is room──────────────────▲ └────timed out──▶ Stayed
 *
 * Invariant: a shard is in at most one hand-off, and at most `handOffsMax` are under way. Leaving regions come first, then
 * shards that somebody wants to be stopped.
 */
import { assert, unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type { Placement, ShardStopped } from '../sharding-messages.ts'
import type { ShardingSettings } from '../sharding-settings.ts'
import type { HandOffInput, RebalanceEffect, RebalanceInput } from './coordinator-inputs.ts'
import type { CoordinatorState } from './coordinator-state.ts'
import { HandOffMachine } from './hand-off-machine.ts'

export interface RebalanceOptions {
  readonly state: CoordinatorState
  readonly settings: ShardingSettings
  /** False when its present life is over or its home is dead, and that is about to be stored. */
  readonly isAlive: (shard: ShardId) => boolean
  /** Who may still route, dead ones left out: they never answer. */
  readonly liveRegions: () => Iterable<NodeId>
  /** Makes everything said before about the shard old. */
  readonly renew: (shard: ShardId) => Placement
}

export class RebalanceMachine {
  readonly #state: CoordinatorState
  readonly #settings: ShardingSettings
  readonly #isAlive: (shard: ShardId) => boolean
  readonly #liveRegions: () => Iterable<NodeId>
  readonly #renew: (shard: ShardId) => Placement
  readonly #handOffs = new Map<ShardId, HandOffMachine>()
  /** For balance, and not begun yet. */
  readonly #chosen = new Set<ShardId>()
  readonly #leaving = new Set<NodeId>()
  /** Leaving regions whose shards are being taken; one that fails waits for the region's next request. */
  readonly #draining = new Set<NodeId>()
  /** Shards that are to be stopped and wait for their turn. */
  readonly #stopWanted = new Set<ShardId>()

  constructor({ state, settings, isAlive, liveRegions, renew }: RebalanceOptions) {
    this.#state = state
    this.#settings = settings
    this.#isAlive = isAlive
    this.#liveRegions = liveRegions
    this.#renew = renew
  }

  step(input: RebalanceInput): RebalanceEffect[] {
    switch (input.type) {
      case 'Chosen':
        for (const shard of input.shards) if (this.#canMove(shard)) this.#chosen.add(shard)
        return this.#drain()
      case 'Reconsider':
        this.#chosen.clear()
        return []
      case 'StopWanted':
        for (const shard of input.shards) this.#stopWanted.add(shard)
        return []
      case 'GracefulShutdownReq':
        if (this.#state.hasRegion(input.region)) this.leaves(input.region)
        return []
      case 'RegionRemoved':
        return this.#removed(input.region)
      case 'Repeat':
        return [...this.#handOffs.keys()].flatMap((shard) => this.#stepOne(shard, input))
      case 'TimedOut':
        return this.#stepOne(input.shard, { type: 'TimedOut' })
      case 'Continue':
        return this.#drain()
      case 'BeginHandOffAck':
        return this.#stepOne(input.shard, input)
      case 'ShardStopped':
        return this.#stopped(input)
      default:
        return unreachable(input)
    }
  }

  /** Whether its home may not be told now. */
  isMoving(shard: ShardId): boolean {
    return this.#handOffs.has(shard)
  }

  isLeaving(region: NodeId): boolean {
    return this.#leaving.has(region)
  }

  /** Also those that are about to. */
  get moving(): ReadonlySet<ShardId> {
    return new Set([...this.#handOffs.keys(), ...this.#chosen])
  }

  get isAtRest(): boolean {
    return this.#handOffs.size === 0 && this.#chosen.size === 0
  }

  snapshot() {
    return [...this.#handOffs].map(([shard, handOff]) => ({ shard, ...handOff.snapshot() }))
  }

  /** It gets no shard any more, and those it has are taken. */
  leaves(region: NodeId): void {
    this.#leaving.add(region)
    this.#draining.add(region)
  }

  #removed(region: NodeId): RebalanceEffect[] {
    this.#leaving.delete(region)
    this.#draining.delete(region)
    const input = { type: 'RegionRemoved', region } as const
    return [...this.#handOffs.keys()].flatMap((shard) => this.#stepOne(shard, input))
  }

  /** A fact about the present home, whether a hand-off waits for it, or has given up waiting. */
  #stopped(input: ShardStopped): RebalanceEffect[] {
    const home = this.#state.homeOf(input.shard)
    if (home?.region !== input.region || home.epoch !== input.epoch) return []
    if (!this.#handOffs.has(input.shard)) {
      return [{ type: 'Moved', shard: input.shard, epoch: input.epoch }]
    }
    return this.#stepOne(input.shard, input)
  }

  /** Takes what is left on leaving regions, what is to be stopped, then what was chosen, as far as the limit allows. */
  #drain(): RebalanceEffect[] {
    const effects: RebalanceEffect[] = []
    const { handOffsMax } = this.#settings
    for (const region of this.#draining) {
      for (const shard of this.#state.shardsIn(region)) {
        if (this.#handOffs.size >= handOffsMax) return effects
        if (this.#canMove(shard)) effects.push(...this.#begin(shard))
      }
    }
    effects.push(...this.#beginFrom(this.#stopWanted), ...this.#beginFrom(this.#chosen))
    return effects
  }

  #beginFrom(waiting: Set<ShardId>): RebalanceEffect[] {
    const effects: RebalanceEffect[] = []
    for (const shard of waiting) {
      if (this.#handOffs.size >= this.#settings.handOffsMax) return effects
      waiting.delete(shard)
      if (this.#canMove(shard)) effects.push(...this.#begin(shard))
    }
    return effects
  }

  #canMove(shard: ShardId): boolean {
    return !this.#handOffs.has(shard) && this.#isAlive(shard)
  }

  #begin(shard: ShardId): RebalanceEffect[] {
    assert(!this.#handOffs.has(shard), `shard ${shard} moves once at a time`)
    this.#handOffs.set(shard, new HandOffMachine(this.#renew(shard), this.#liveRegions()))
    const delayMs = this.#settings.handOffTimeoutMs
    return [
      { type: 'StartTimer', timer: `hand-off/${shard}`, delayMs },
      ...this.#stepOne(shard, { type: 'Begun' }),
    ]
  }

  #stepOne(shard: ShardId, input: HandOffInput): RebalanceEffect[] {
    const handOff = this.#handOffs.get(shard)
    if (handOff === undefined) return []
    const effects: RebalanceEffect[] = []
    for (const effect of handOff.step(input)) {
      if (effect.type === 'Send') effects.push(effect)
      else effects.push(...this.#finished(shard, handOff.placement, effect.moved))
    }
    return effects
  }

  #finished(shard: ShardId, placement: Placement, moved: boolean): RebalanceEffect[] {
    this.#handOffs.delete(shard)
    // Tried again at the region's next request, not at once: the reason is likely to last.
    if (!moved) this.#draining.delete(placement.home)
    return [
      { type: 'CancelTimer', timer: `hand-off/${shard}` },
      { type: moved ? 'Moved' : 'Stayed', shard, epoch: placement.epoch },
    ]
  }
}
