/**
 * What the coordinator knows, as the sum of its stored events. Replaying them in order gives the same state on every node.
 *
 * Invariant: a shard has at most one home; its home is a registered region that hosts; epochs only grow.
 */
import { assert, unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'

export interface RegionRegistered {
  readonly type: 'RegionRegistered'
  readonly region: NodeId
  readonly isProxy: boolean
  /** Not known of regions that registered before it was asked for. */
  readonly numberOfShards?: number | undefined
}

/** The region is gone with all its entities; its shards have no home. */
export interface RegionTerminated {
  readonly type: 'RegionTerminated'
  readonly region: NodeId
}

export interface ShardAllocated {
  readonly type: 'ShardAllocated'
  readonly shard: ShardId
  readonly home: NodeId
  readonly epoch: number
  /** Why it is there, as the strategy said. */
  readonly why?: string
}

/** This life of the shard has ended. */
export interface ShardDeallocated {
  readonly type: 'ShardDeallocated'
  readonly shard: ShardId
  readonly epoch: number
}

export type CoordinatorEvent =
  | RegionRegistered
  | RegionTerminated
  | ShardAllocated
  | ShardDeallocated

/** Everything that the events before it come to, so that nobody has to read those again. */
export interface StateSummed {
  readonly type: 'StateSummed'
  readonly lastEpoch: number
  /** Not known of sums that are older than the question. */
  readonly numberOfShards?: number | undefined
  readonly homeless: readonly ShardId[]
  readonly regions: readonly (Omit<RegionRegistered, 'type'> & {
    /** In the order of allocation. */
    readonly shards: readonly {
      readonly shard: ShardId
      readonly epoch: number
      /** The place of the reason in `whys`. */
      readonly why?: number
    }[]
  })[]
  /** Reasons, each once. */
  readonly whys?: readonly string[]
}

/** Reasons of which a sum keeps the words: many shards share one. */
const summedWhysMax = 1_000

export interface Home {
  readonly region: NodeId
  readonly epoch: number
}

interface RegisteredRegion {
  readonly isProxy: boolean
  readonly numberOfShards: number | undefined
  /** In the order of allocation. */
  readonly shards: Set<ShardId>
}

export class CoordinatorState {
  readonly #regions = new Map<NodeId, RegisteredRegion>()
  readonly #homes = new Map<ShardId, Home>()
  readonly #homeless = new Set<ShardId>()
  readonly #whys = new Map<ShardId, string>()
  #lastEpoch = 0
  #numberOfShards: number | undefined
  #changes = 0

  /** From `base` on; from the empty state without one. */
  static replay(
    events: Iterable<CoordinatorEvent | StateSummed>,
    base?: StateSummed,
  ): CoordinatorState {
    let state = base === undefined ? new CoordinatorState() : CoordinatorState.of(base)
    for (const event of events) {
      if (event.type === 'StateSummed') state = CoordinatorState.of(event)
      else state.apply(event)
    }
    return state
  }

  static of({ lastEpoch, numberOfShards, homeless, regions, whys }: StateSummed): CoordinatorState {
    const state = new CoordinatorState()
    state.#numberOfShards = numberOfShards
    for (const { shards, ...registered } of regions) {
      state.#register({ type: 'RegionRegistered', ...registered })
      for (const { shard, epoch, why } of shards) {
        const words = why === undefined ? undefined : whys?.[why]
        if (words !== undefined) state.#whys.set(shard, words)
        state.#regions.get(registered.region)?.shards.add(shard)
        state.#homes.set(shard, { region: registered.region, epoch })
      }
    }
    for (const shard of homeless) state.#homeless.add(shard)
    state.#lastEpoch = lastEpoch
    return state
  }

  /** `CoordinatorState.of` makes the same state of it. */
  sum(): StateSummed {
    const whys = new Map<string, number>()
    const regions = [...this.#regions].map(([region, { isProxy, numberOfShards, shards }]) => ({
      ...{ region, isProxy, ...(numberOfShards === undefined ? {} : { numberOfShards }) },
      shards: [...shards].map((shard) => ({
        ...{ shard, epoch: this.#homes.get(shard)?.epoch ?? 0 },
        ...placeIn(whys, this.#whys.get(shard)),
      })),
    }))
    const { lastEpoch, numberOfShards } = this
    const known = numberOfShards === undefined ? {} : { numberOfShards }
    return {
      ...{ type: 'StateSummed', lastEpoch, ...known, homeless: [...this.#homeless], regions },
      ...(whys.size > 0 && { whys: [...whys.keys()] }),
    }
  }

  apply(event: CoordinatorEvent): void {
    this.#changes++
    switch (event.type) {
      case 'RegionRegistered':
        assert(!this.#regions.has(event.region), `${event.region} registers once`)
        return this.#register(event)
      case 'RegionTerminated':
        return this.#terminate(event.region)
      case 'ShardAllocated':
        return this.#allocate(event)
      case 'ShardDeallocated':
        return this.#deallocate(event)
      default:
        return unreachable(event)
    }
  }

  /** How many events were applied since it was made: by it a store knows which of them are in it. */
  get changes(): number {
    return this.#changes
  }

  /** The epoch of the last allocation; the next one has a higher number. */
  get lastEpoch(): number {
    return this.#lastEpoch
  }

  /**
   * That of the last region that was let in, also when it is gone: what is stored counts shards by it. Undefined when nobody
   * has said.
   */
  get numberOfShards(): number | undefined {
    return this.#numberOfShards
  }

  /** The greatest that had a home, or has one; -1 when there is none. */
  get highestShard(): ShardId {
    let highest = -1
    for (const shard of this.#homes.keys()) highest = Math.max(highest, shard)
    for (const shard of this.#homeless) highest = Math.max(highest, shard)
    return highest
  }

  /** Shards that have or had a home. */
  get shardCount(): number {
    return this.#homes.size + this.#homeless.size
  }

  get regions(): Iterable<NodeId> {
    return this.#regions.keys()
  }

  /** Regions that may host, proxies left out. */
  get hosts(): NodeId[] {
    return [...this.#regions].filter(([, { isProxy }]) => !isProxy).map(([region]) => region)
  }

  get homes(): Iterable<[ShardId, Home]> {
    return this.#homes
  }

  /** Shards that had a home and have none. */
  get homeless(): ReadonlySet<ShardId> {
    return this.#homeless
  }

  hasRegion(region: NodeId): boolean {
    return this.#regions.has(region)
  }

  isProxy(region: NodeId): boolean {
    return this.#regions.get(region)?.isProxy === true
  }

  homeOf(shard: ShardId): Home | undefined {
    return this.#homes.get(shard)
  }

  /** Why the shard is where it is, if the strategy has said so. */
  whyOf(shard: ShardId): string | undefined {
    return this.#whys.get(shard)
  }

  shardsOf(region: NodeId): readonly ShardId[] {
    return [...(this.#regions.get(region)?.shards ?? [])]
  }

  /** As `shardsOf`, without the copy, which is long when they are very many; good until the next event. */
  shardsIn(region: NodeId): Iterable<ShardId> {
    return this.#regions.get(region)?.shards ?? []
  }

  #register({ region, isProxy, numberOfShards }: RegionRegistered): void {
    this.#regions.set(region, { isProxy, numberOfShards, shards: new Set() })
    this.#numberOfShards = numberOfShards ?? this.#numberOfShards
  }

  #terminate(region: NodeId): void {
    const terminated = this.#regions.get(region)
    assert(terminated !== undefined, `${region} is registered when it terminates`)
    for (const shard of terminated.shards) {
      this.#homes.delete(shard)
      this.#whys.delete(shard)
      this.#homeless.add(shard)
    }
    this.#regions.delete(region)
  }

  #allocate({ shard, home, epoch, why }: ShardAllocated): void {
    const region = this.#regions.get(home)
    assert(region !== undefined && !region.isProxy, `${home} hosts when shard ${shard} comes to it`)
    assert(!this.#homes.has(shard), `shard ${shard} has no home when it is allocated`)
    assert(epoch > this.#lastEpoch, `epoch ${epoch} is higher than ${this.#lastEpoch}`)
    region.shards.add(shard)
    this.#homes.set(shard, { region: home, epoch })
    if (why !== undefined) this.#whys.set(shard, why)
    this.#homeless.delete(shard)
    this.#lastEpoch = epoch
  }

  #deallocate({ shard, epoch }: ShardDeallocated): void {
    const home = this.#homes.get(shard)
    assert(home?.epoch === epoch, `shard ${shard} lives in epoch ${epoch} when that ends`)
    this.#regions.get(home.region)?.shards.delete(shard)
    this.#homes.delete(shard)
    this.#whys.delete(shard)
    this.#homeless.add(shard)
  }
}

/** Nothing for a reason that is not there, or when there are too many. */
function placeIn(whys: Map<string, number>, why: string | undefined): { readonly why?: number } {
  if (why === undefined) return {}
  const known = whys.get(why)
  if (known !== undefined) return { why: known }
  if (whys.size >= summedWhysMax) return {}
  whys.set(why, whys.size)
  return { why: whys.size - 1 }
}
