/** Regions and coordinators for dialogues: what can happen to them, and what they say. */
import { type MachineNetwork, nameOf } from '../machines/network.ts'
import { NoChance } from '../machines/no-chance.ts'
import { type CoordinatorNode, type RegionNode, World } from '../sharding/machine-world.ts'
import type { Act, Settings, Stage } from './stage.ts'

export class ShardingStage implements Stage {
  readonly network: MachineNetwork
  readonly #world: World

  readonly acts: readonly Act[] = [
    [/^coordinator\d* starts$/, () => this.#world.startCoordinator()],
    [/^(\w+) joins$/, (name) => this.#world.join(this.#world.addNode(name))],
    [/^(\w+) leaves$/, (name) => this.#world.leave(this.#region(name))],
    [/^(\w+) crashes$/, (name) => this.#crash(this.#node(name))],
    [/^(\w+) hears that (\w+) is removed$/, (...names) => this.#remove(names)],
    [/^(\w+) looks for the coordinator$/, (name) => this.#world.tellCandidates(this.#region(name))],
    [/^(\w+) sleeps for (\d+) s$/, (name, s) => this.network.sleep(this.#node(name), 1_000 * +s)],
    [/^(\w+) sends (\w+) to shard (\d+)$/, (...words) => this.#send(words)],
    [/^shards linger$/, () => (this.#world.doShardsLinger = true)],
    [/^the store waits$/, () => this.#world.holdStore()],
    [/^the store goes on$/, () => this.#world.goOnStoring()],
    [/^(\w+) stops shard (\d+)$/, (name, n) => this.#world.stopShard(this.#region(name), +n)],
  ]

  /** With names, they have registered at a coordinator. */
  constructor(names: readonly string[], settings: Settings) {
    const random = new NoChance()
    const all = { numberOfShards: 8, ...settings }
    this.#world = new World({ random, latencyMs: [0, 0], settings: all })
    this.network = this.#world.network
    if (names.length > 0) this.#world.startCoordinator()
    for (const name of names) this.#world.join(this.#world.addNode(name))
    this.network.run(0)
  }

  inWords(message: object): string {
    if ('shard' in message) return `shard=${String(message.shard)}`
    if ('homes' in message && Array.isArray(message.homes)) {
      const homes = message.homes as readonly { readonly shard: number }[]
      return `shards=${homes.map(({ shard }) => shard).join()}`
    }
    return 'term' in message ? `term=${String(message.term)}` : ''
  }

  #region(name = ''): RegionNode {
    return this.#world.nodes.find(({ id }) => nameOf(id) === name)!
  }

  #node(name = ''): RegionNode | CoordinatorNode {
    return this.#world.coordinators.find(({ id }) => nameOf(id) === name) ?? this.#region(name)
  }

  #crash(node: RegionNode | CoordinatorNode): void {
    if ('hosts' in node) this.#world.crash(node)
    else this.network.crash(node)
  }

  #remove([observer, removed]: readonly string[]): void {
    this.#world.remove(this.#node(removed).id, this.#node(observer))
  }

  #send([name, text, shard]: readonly string[]): void {
    this.#world.send(this.#region(name), Number(shard), text)
  }
}
