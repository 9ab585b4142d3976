/**
 * The cluster of the spine scenario and whoever keeps it running: a process that has ended is started again on its address,
 * and when no node is in a cluster any more, all are started anew with the first list of seeds.
 */
import type { AnyEntity } from '../../../src/entity/internals.ts'
import type { NodeSettings, SherdNode } from '../../../src/node/index.ts'
import {
  type ClusterChecks,
  type SeededRandom,
  type SimulatedNode,
  type Simulation,
  startSimulatedNode,
} from '../../../src/simulation/index.ts'
import type { ShardAllocationStrategy } from '../../../src/sharding/index.ts'
import { machinesBy } from '../machines.ts'
import type { ErringClock } from '../planned-faults.ts'
import { hostClerk } from './spine-clerk.ts'
import {
  type DiaryMaker,
  diaryKey,
  type Hosting,
  type InboxMaker,
  inboxKey,
  type ListEntity,
  lastNote,
} from './spine-entities.ts'

export interface Running {
  readonly node: SherdNode
  readonly life: SimulatedNode
}

const LOOK_MS = 250
/** So long may all be outside any cluster before the operator starts anew. */
const LOST_MAX_MS = 12_000

export interface SpineClusterOptions {
  readonly simulation: Simulation
  readonly checks: ClusterChecks
  readonly list: ListEntity
  /** Hosted beside the lists. */
  readonly others?: readonly AnyEntity[]
  readonly inbox: InboxMaker
  /** Where the shards of inboxes go; as the product would have it when not given. */
  readonly inboxStrategy?: ShardAllocationStrategy
  readonly diary: DiaryMaker
  /** Of inboxes and diaries; nothing besides when not given. */
  readonly inboxHosting?: Hosting
  readonly diaryHosting?: Hosting
  /** Starts more on a node, before it joins. */
  readonly beforeJoin?: (running: Running) => void
  /** Whether diaries are stopped by a message that they handle, or as entities are that have none. */
  readonly diariesAreTold: boolean
  /** So long the singleton takes to stop, at most. */
  readonly clerkStopMaxMs: number
  readonly settings: NodeSettings
  /** How its clocks err; not at all when not given. */
  readonly clockOf?: (name: string) => ErringClock
  /** A node is in the cluster and can be used. */
  readonly onUp: (running: Running) => void
  /** A node is about to be told to stop. */
  readonly onLeave?: (running: Running) => void
}

export class SpineCluster {
  readonly #options: SpineClusterOptions
  readonly #random: SeededRandom
  readonly #machineOf: (name: string) => string
  readonly #founders: readonly string[]
  readonly #wanted: Set<string>
  readonly #starting = new Set<string>()
  readonly #up = new Map<string, Running>()
  /** Labels of lives. */
  readonly #leaving = new Set<string>()
  #lostSinceMs: number | undefined

  constructor(options: SpineClusterOptions, founders: readonly string[]) {
    this.#options = options
    this.#random = options.simulation.random.fork('cluster')
    this.#machineOf = machinesBy(options.simulation.random.fork('machines'))
    this.#founders = founders
    this.#wanted = new Set(founders)
    for (const name of founders) this.#start(name, this.#addresses(founders))
    this.#look()
  }

  /** Nodes that live and have been let in. */
  get up(): Running[] {
    return [...this.#up.values()].filter(({ life }) => life.isAlive)
  }

  /** Those of them that have not been told to leave. */
  get staying(): Running[] {
    return this.up.filter((each) => this.#isStaying(each))
  }

  get names(): readonly string[] {
    return [...this.#wanted]
  }

  /** All that should be there are, each sees the others Up and reachable, and not all of them are about to leave. */
  get isWhole(): boolean {
    const { up } = this
    return (
      up.length === this.#wanted.size &&
      up.some((each) => this.#isStaying(each)) &&
      up.every(({ node, life }) => {
        const { members, unreachable } = node.cluster.state
        const isSettled = members.every(({ status }) => status === 'Up')
        return isSettled && members.length === up.length && unreachable.size === 0 && !life.isPaused
      })
    )
  }

  /** One more node. */
  add(name: string): void {
    this.#wanted.add(name)
  }

  /** All processes die at once, and are started again. */
  crashAll(): void {
    const { simulation, checks } = this.#options
    for (const name of this.#wanted) {
      if (!simulation.isAlive(name)) continue
      checks.crashed(name)
      simulation.crash(name)
    }
  }

  /** Leaves in good order; its process is started again later. */
  leave(name: string): void {
    const running = this.#up.get(name)
    if (running?.life.isAlive !== true) return
    const { checks, onLeave } = this.#options
    this.#leaving.add(running.life.label)
    // In a step of its own process, as a signal would come.
    running.life.environment.timers.after(0, () => {
      onLeave?.(running)
      checks.losses.leaves(running.life.label)
      if (this.staying.length === 0) checks.losses.nobodyStays()
      void running.node.stop()
    })
  }

  #isStaying({ life }: Running): boolean {
    return !this.#leaving.has(life.label)
  }

  #look(): void {
    const { simulation } = this.#options
    for (const name of this.#wanted) {
      if (simulation.isAlive(name) || this.#starting.has(name)) continue
      this.#starting.add(name)
      simulation.after(200 + this.#random.below(2_500), () => {
        this.#starting.delete(name)
        if (!simulation.isAlive(name)) this.#start(name, this.#seedsFor(name))
      })
    }
    this.#lookForLoss()
    simulation.after(LOOK_MS, () => this.#look())
  }

  /** Nobody in a cluster for a long time: what the operator of a real one would see, and end. */
  #lookForLoss(): void {
    const { simulation, checks } = this.#options
    if (this.up.length > 0) {
      this.#lostSinceMs = undefined
      return
    }
    this.#lostSinceMs ??= simulation.now
    if (simulation.now - this.#lostSinceMs < LOST_MAX_MS) return
    this.#lostSinceMs = simulation.now
    simulation.excuse('L2: no side survived, and the cluster was started anew')
    for (const name of this.#wanted) {
      checks.crashed(name)
      if (simulation.isAlive(name)) simulation.crash(name)
      this.#start(name, this.#addresses(this.#founders))
    }
  }

  #start(name: string, seeds: readonly string[]): void {
    const { simulation, checks, list, inbox, diary, clerkStopMaxMs } = this.#options
    const { diariesAreTold, inboxStrategy, settings, onUp, others = [] } = this.#options
    const { inboxHosting, diaryHosting, beforeJoin } = this.#options
    let life: SimulatedNode | undefined
    startSimulatedNode(simulation, name, {
      machine: this.#machineOf(name),
      ...this.#options.clockOf?.(name),
      entities: [list, ...others],
      name: 'spine',
      seeds,
      settings,
      beforeJoin: (node, its) => {
        life = its
        checks.attach(node, its)
        node.sharding.init({
          ...{ key: inboxKey, behavior: inbox, stopMessage: lastNote },
          ...(inboxStrategy && { allocationStrategy: inboxStrategy }),
          ...inboxHosting,
        })
        node.sharding.init({
          key: diaryKey,
          behavior: (context) => diary(context, its.journal),
          ...(diariesAreTold && { stopMessage: lastNote }),
          ...diaryHosting,
        })
        hostClerk(this.#options, node, its, clerkStopMaxMs)
        beforeJoin?.({ node, life: its })
      },
    }).then(
      (node) => {
        const running = { node, life: life as SimulatedNode }
        this.#up.set(name, running)
        onUp(running)
      },
      // It found nobody to join in time; its process has ended, and will be started again.
      (error: unknown) => simulation.record(`${name} did not start: ${String(error)}`),
    )
  }

  /** Those who are in the cluster: a first seed that comes back must not form a second one. */
  #seedsFor(name: string): readonly string[] {
    const others = this.up.map(({ life }) => life.name).filter((other) => other !== name)
    return this.#addresses(others.length > 0 ? others : this.#founders)
  }

  #addresses(names: readonly string[]): string[] {
    return names.map((name) => `${name}:2552`)
  }
}
