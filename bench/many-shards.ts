/** Simulated nodes with very many shards: what it costs to place them, to take in a node, and to let one leave. */
import { Behaviors } from '../src/actor/index.ts'
import type { SherdNode } from '../src/index.ts'
import { EntityTypeKey, HashCodeMessageExtractor } from '../src/sharding/index.ts'
import { Simulation, startSimulatedNode } from '../src/simulation/index.ts'

const key = new EntityTypeKey<'hello'>('Cell')

/** Ids are numbers, and go round the shards. */
class ByNumber extends HashCodeMessageExtractor<'hello'> {
  readonly #numberOfShards: number

  constructor(numberOfShards: number) {
    super(numberOfShards)
    this.#numberOfShards = numberOfShards
  }

  override shardId(entityId: string): number {
    return Number(entityId) % this.#numberOfShards
  }
}

export interface ManyShardsOptions {
  readonly numberOfShards: number
  /** As many as there are shards when not given. */
  readonly entities?: number
}

export interface Cost {
  readonly virtualMs: number
  readonly cpuMs: number
}

export class ManyShards {
  readonly #simulation = new Simulation({ seed: 1, stepsMax: 50_000_000 })
  readonly #numberOfShards: number
  readonly nodes: SherdNode[] = []

  readonly #entities: number

  constructor({ numberOfShards, entities = numberOfShards }: ManyShardsOptions) {
    this.#numberOfShards = numberOfShards
    this.#entities = entities
  }

  async start(count: number): Promise<void> {
    for (let index = 0; index < count; index++) await this.#startOne()
  }

  /** One message for each entity, from the first node; ends when every shard has a home. */
  place(): Promise<Cost> {
    return this.#measure(async () => {
      const [first] = this.nodes
      if (first === undefined) throw new Error('nobody is there to place shards for')
      for (let id = 0; id < this.#entities; id++) {
        first.sharding.entityRefFor(key, `${id}`).tell('hello')
      }
      await this.#until(async () => (await this.#counts()).total === this.#numberOfShards)
    })
  }

  /** A node comes; ends when no two have numbers of shards that differ by more than one. */
  join(): Promise<Cost> {
    return this.#measure(async () => {
      await this.#startOne()
      await this.#until(async () => {
        const { regions, least, most, total } = await this.#counts()
        const isWhole = regions === this.nodes.length && total === this.#numberOfShards
        return isWhole && most - least <= 1
      })
    })
  }

  /** The last node leaves; ends when its shards have homes elsewhere. */
  leave(): Promise<Cost> {
    return this.#measure(async () => {
      const leaver = this.nodes.pop()
      if (leaver === undefined) throw new Error('nobody is there to leave')
      await this.#simulation.settle(leaver.stop(), { within: '10m' })
      await this.#until(async () => (await this.#counts()).total === this.#numberOfShards)
    })
  }

  async end(): Promise<void> {
    await this.#simulation[Symbol.asyncDispose]()
  }

  async #startOne(): Promise<void> {
    const name = `n${this.nodes.length}-${this.#simulation.now.toFixed(0)}`
    const numberOfShards = this.#numberOfShards
    const node = await this.#simulation.settle(
      startSimulatedNode(this.#simulation, name, {
        seeds: [this.nodes[0]?.address ?? `${name}:2552`],
        beforeJoin: ({ sharding }) => {
          sharding.init({
            ...{ key, behavior: () => Behaviors.ignore, extractor: new ByNumber(numberOfShards) },
            settings: { numberOfShards, bufferedMessagesMax: this.#entities + 1 },
          })
        },
      }),
      { within: '10m' },
    )
    this.nodes.push(node)
  }

  async #counts() {
    const [first] = this.nodes
    if (first === undefined) return { regions: 0, least: 0, most: 0, total: 0 }
    const regions = await this.#simulation.settle(first.sharding.shardsByRegion(key.name))
    const sizes = [...regions.values()].map(({ length }) => length)
    const total = sizes.reduce((sum, size) => sum + size, 0)
    return { regions: sizes.length, least: Math.min(...sizes), most: Math.max(...sizes), total }
  }

  async #until(isDone: () => Promise<boolean>): Promise<void> {
    while (!(await isDone())) await this.#simulation.run({ for: '1s' })
  }

  async #measure(work: () => Promise<void>): Promise<Cost> {
    const cpu = process.cpuUsage()
    const begunMs = this.#simulation.now
    await work()
    const { user, system } = process.cpuUsage(cpu)
    return { virtualMs: this.#simulation.now - begunMs, cpuMs: (user + system) / 1000 }
  }
}
