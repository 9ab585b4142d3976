/**
 * S4: a shard is taken from its home only when it runs there no more, and a life of it that has ended never starts again.
 * What the coordinators decided is read from what the store accepted; where shards run, the nodes tell.
 */
import { persistenceIdOf } from '../../persistence/index.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { ValueCodec } from '../../serialization/internals.ts'
import type { LocalShardStarted, LocalShardStopped } from '../../sharding/index.ts'
import type { Findings, WatchedLife } from './findings.ts'

interface Run {
  readonly life: WatchedLife
  readonly epoch: number
}

interface ShardFacts {
  readonly name: string
  /** The home and its epoch, as stored last. */
  home: NodeId | undefined
  epoch: number
  /** By home, the last epoch that was over there. */
  readonly ended: Map<NodeId, number>
  readonly runs: Map<NodeId, Run>
  /** Every life it ever ran on. */
  readonly hosts: Set<string>
  /** Every node it was ever given to, whether it ran there or not. */
  readonly chosen: Set<NodeId>
}

interface Stored {
  readonly type: string
  readonly shard: number
  readonly epoch: number
  readonly home: NodeId
}

/** Streams of coordinators begin so. */
const prefix = persistenceIdOf('$coordinator', 'x').slice(0, -1)

/** A shard is taken from its home only when it runs there no more. */
export class ShardMap {
  readonly #findings: Findings
  readonly #shards = new Map<string, ShardFacts>()
  readonly #codec = new ValueCodec({ use: 'stored' })

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /** The store has accepted these events. */
  stored(persistenceId: string, events: readonly Uint8Array[]): void {
    if (!persistenceId.startsWith(prefix)) return
    const entityType = persistenceId.slice(prefix.length)
    for (const bytes of events) {
      const [, event] = this.#codec.decode(bytes) as [string, Stored]
      if (event.type === 'ShardAllocated') this.#allocated(entityType, event)
      else if (event.type === 'ShardDeallocated') this.#deallocated(entityType, event)
    }
  }

  started(life: WatchedLife, { entityType, shard: number, epoch, node }: LocalShardStarted): void {
    const shard = this.#shard(entityType, number)
    const ended = shard.ended.get(node) ?? 0
    this.#findings.check(
      'a life of a shard that has ended never starts again',
      epoch > ended,
      `${shard.name} starts on ${life.label} in epoch ${epoch}, and epoch ${ended} is over there`,
    )
    shard.runs.set(node, { life, epoch })
    shard.hosts.add(life.label)
  }

  stopped({ entityType, shard, node }: LocalShardStopped): void {
    this.#shard(entityType, shard).runs.delete(node)
  }

  /** Labels of all lives on which it ever ran. */
  hostsOf(entityType: string, shard: number): ReadonlySet<string> {
    return this.#shard(entityType, shard).hosts
  }

  /** All nodes it was ever given to: one may have died, or let go of it, before it ran there. */
  chosenFor(entityType: string, shard: number): ReadonlySet<NodeId> {
    return this.#shard(entityType, shard).chosen
  }

  /** Whether it runs on a node that lives and is awake; of one that sleeps, another may already be the heir. */
  isRunning(entityType: string, shard: number): boolean {
    const { runs } = this.#shard(entityType, shard)
    return [...runs.values()].some(({ life }) => life.isAlive && !life.isPaused)
  }

  #allocated(entityType: string, { shard: number, home, epoch }: Stored): void {
    const shard = this.#shard(entityType, number)
    this.#findings.check(
      'epochs of a shard grow',
      epoch > shard.epoch,
      `${shard.name} gets ${home} in epoch ${epoch}, and had ${shard.home} in epoch ${shard.epoch}`,
    )
    shard.home = home
    shard.epoch = epoch
    shard.chosen.add(home)
  }

  #deallocated(entityType: string, { shard: number, epoch }: Stored): void {
    const shard = this.#shard(entityType, number)
    const { home } = shard
    if (home === undefined || epoch !== shard.epoch) return
    const run = shard.runs.get(home)
    this.#findings.check(
      'a shard is taken from its home only when it has stopped there',
      run?.life.isAlive !== true,
      `${shard.name}, epoch ${epoch}, is taken from ${home}, and runs there since epoch ${run?.epoch}`,
    )
    shard.ended.set(home, epoch)
    shard.home = undefined
  }

  #shard(entityType: string, number: number): ShardFacts {
    const name = `shard ${number} of ${entityType}`
    let shard = this.#shards.get(name)
    if (shard === undefined) {
      shard = {
        ...{ name, home: undefined, epoch: 0 },
        ...{ ended: new Map(), runs: new Map(), hosts: new Set(), chosen: new Set() },
      }
      this.#shards.set(name, shard)
    }
    return shard
  }
}
