/**
 * Regions and coordinators as machines, and everything around them as letters: to each other, the journal, the strategy,
 * shards that are to stop. Checked at every step: one host per shard, order per sender, no delivery twice. One file because
 * every part of it is a part of one world, and is looked at by the same checks.
 */
import { type NodeId, nodeIdOf } from '../../src/foundation/node-id.ts'
import { LeastShardAllocationStrategy } from '../../src/sharding/allocation/least-shard-allocation-strategy.ts'
import type {
  ClusterView,
  ShardAllocationStrategy,
} from '../../src/sharding/allocation/shard-allocation-strategy.ts'
import {
  type StrategyAnswer,
  type StrategyQuestion,
  askStrategy,
} from '../../src/sharding/allocation/strategy-questions.ts'
import { CoordinatorMachine } from '../../src/sharding/coordinator/coordinator-machine.ts'
import type {
  CoordinatorEffect,
  CoordinatorInput,
  CoordinatorTimer,
} from '../../src/sharding/coordinator/coordinator-inputs.ts'
import {
  type CoordinatorEvent,
  CoordinatorState,
} from '../../src/sharding/coordinator/coordinator-state.ts'
import { RegionMachine } from '../../src/sharding/region/region-machine.ts'
import type {
  RegionEffect,
  RegionInput,
  RegionTimer,
} from '../../src/sharding/region/region-inputs.ts'
import type {
  BetweenRegions,
  ToCoordinator,
  ToRegion,
} from '../../src/sharding/sharding-messages.ts'
import { type ShardingSettings, shardingSettings } from '../../src/sharding/sharding-settings.ts'
import {
  type Letter,
  MachineNetwork,
  type MachineNetworkOptions,
  type MachineNode,
  nameOf,
  newcomer,
} from '../machines/network.ts'

export interface Parcel {
  readonly id: number
  readonly text: string
  readonly sender: NodeId
  readonly shard: number
  /** Nodes that held it. */
  readonly held: Set<NodeId>
}

export interface RegionNode extends MachineNode<
  RegionInput<Parcel>,
  RegionEffect<Parcel>,
  RegionTimer
> {
  readonly machine: RegionMachine<Parcel>
  readonly hosts: Map<number, 'running' | 'stopping'>
  readonly knowsRemoved: Set<NodeId>
  isLeaving: boolean
  isFinished: boolean
  isFrozen: boolean
}

export interface CoordinatorNode extends MachineNode<
  CoordinatorInput,
  CoordinatorEffect,
  CoordinatorTimer
> {
  readonly machine: CoordinatorMachine
  readonly knowsRemoved: Set<NodeId>
  isStoring: boolean
}

export interface WorldOptions extends MachineNetworkOptions {
  readonly settings: Partial<ShardingSettings>
  /** Messages that one turn of a region releases. */
  readonly releasedMax?: number
}

export class World {
  readonly network: MachineNetwork
  readonly nodes: RegionNode[] = []
  readonly coordinators: CoordinatorNode[] = []
  readonly removed = new Set<NodeId>()
  readonly delivered = new Set<number>()
  readonly dropped = new Map<number, string>()
  readonly lost = new Set<number>()
  readonly sent: Parcel[] = []
  /** What the journal says. */
  readonly stored = new CoordinatorState()
  /** Of messages from and to coordinators: they may be lost and repeated. */
  trouble: Pick<Letter, 'loss' | 'repetition'> = {}
  strategy: ShardAllocationStrategy = new LeastShardAllocationStrategy({
    shardsMax: 10,
    shareMax: 1,
  })
  /** Whether shards that are told to stop do so only when `stopShard` says it. */
  doShardsLinger = false
  /** While there is one: what is to be stored waits here until `goOnStoring`. */
  #unstored: (() => void)[] | undefined
  readonly #settings: ShardingSettings
  readonly #releasedMax: number | undefined
  readonly #journal: CoordinatorEvent[] = []
  readonly #lastOf = new Map<string, number>()

  constructor(options: WorldOptions) {
    this.network = new MachineNetwork(options)
    this.#settings = shardingSettings(options.settings)
    this.#releasedMax = options.releasedMax
  }

  addNode(name: string): RegionNode {
    const id = nodeIdOf(`${name}:1`, 1n)
    const settings = this.#settings
    const releasedMax = this.#releasedMax
    const node: RegionNode = {
      ...newcomer<RegionTimer>(),
      id,
      machine: new RegionMachine<Parcel>({ self: id, isProxy: false, settings, releasedMax }),
      act: (effects) => effects.forEach((effect) => this.#performFor(node, effect)),
      hosts: new Map(),
      knowsRemoved: new Set(this.removed),
      isLeaving: false,
      isFinished: false,
      isFrozen: false,
    }
    this.nodes.push(node)
    return node
  }

  /** Of the next term; those before it, if they live on, can store nothing any more. */
  startCoordinator(): void {
    const term = this.coordinators.length + 1
    const state = CoordinatorState.replay(this.#journal)
    const node: CoordinatorNode = {
      ...newcomer<CoordinatorTimer>(),
      id: coordinatorOf(term),
      machine: new CoordinatorMachine({ term, state, settings: this.#settings }),
      act: (effects) => effects.forEach((effect) => this.#perform(node, effect)),
      knowsRemoved: new Set(this.removed),
      isStoring: false,
    }
    this.coordinators.push(node)
    this.network.note(`${nameOf(node.id)} starts`)
    this.network.give(node, { type: 'Started', cluster: this.#view() })
  }

  /** The latest. */
  get coordinator(): CoordinatorNode {
    return this.coordinators.at(-1)!
  }

  find(id: NodeId): RegionNode | undefined {
    return this.nodes.find((node) => node.id === id)
  }

  check(condition: unknown, broken: string): void {
    if (!condition) throw new Error(`${broken}\n${this.network.story()}`)
  }

  get working(): RegionNode[] {
    return this.nodes.filter(({ isAlive, isFinished }) => isAlive && !isFinished)
  }

  get alive(): RegionNode[] {
    return this.nodes.filter(({ isAlive }) => isAlive)
  }

  // ---- what happens to nodes

  join(node: RegionNode): void {
    this.network.note(`${nameOf(node.id)} joins`)
    if (this.coordinators.length > 0) this.tellMembers()
    this.network.give(node, { type: 'Started', candidates: this.#candidates })
  }

  leave(node: RegionNode): void {
    this.network.note(`${nameOf(node.id)} leaves`)
    node.isLeaving = true
    this.network.give(node, { type: 'GracefulShutdown', isMember: true })
  }

  crash(node: RegionNode): void {
    this.network.note(`${nameOf(node.id)} crashes`)
    this.network.crash(node)
    node.hosts.clear()
  }

  /** One of them hears that a dead node was removed. */
  remove(id: NodeId, observer: RegionNode | CoordinatorNode): void {
    this.removed.add(id)
    if (observer.knowsRemoved.has(id)) return
    observer.knowsRemoved.add(id)
    if ('hosts' in observer) this.network.give(observer, { type: 'NodeRemoved', node: id })
    else this.tellMembers()
  }

  tellMembers(): void {
    this.network.give(this.coordinator, { type: 'MembersChanged', cluster: this.#view() })
  }

  /** An older member comes and goes: the region looks for its coordinator anew, twice. */
  tellCandidates(node: RegionNode): void {
    const more = [nodeIdOf('older:1', 1n), ...this.#candidates]
    this.network.give(node, { type: 'CandidatesChanged', candidates: more })
    this.network.give(node, { type: 'CandidatesChanged', candidates: this.#candidates })
  }

  breakStream(a: RegionNode, b: RegionNode): void {
    this.network.note(`the stream of ${nameOf(a.id)} and ${nameOf(b.id)} breaks`)
    this.network.flush(a.id, b.id, 'data')
    this.network.flush(b.id, a.id, 'data')
    this.network.give(a, { type: 'AssociationLost', node: b.id })
    this.network.give(b, { type: 'AssociationLost', node: a.id })
  }

  send(node: RegionNode, shard: number, text = ''): void {
    const id = this.sent.length + 1
    const parcel = { id, text, sender: node.id, shard, held: new Set([node.id]) }
    this.sent.push(parcel)
    const route = node.machine.table.homeOf(shard)
    if (route === undefined) return this.network.give(node, { type: 'Message', shard, parcel })
    if (route.node === undefined) return this.#deliver(node, parcel)
    this.#sendToPeer(node, route.node, { type: 'Forwarded', shard, stamp: route.stamp, parcel })
  }

  stopShard(node: RegionNode, shard: number): void {
    if (!node.isAlive || node.hosts.get(shard) !== 'stopping') return
    node.hosts.delete(shard)
    this.network.note(`${nameOf(node.id)} has stopped shard=${shard}`)
    this.network.give(node, { type: 'ShardTerminated', shard })
  }

  get #candidates(): readonly NodeId[] {
    return [coordinatorOf(this.coordinators.length || 1)]
  }

  #view(): ClusterView {
    const known = this.nodes.filter(({ id }) => !this.coordinator.knowsRemoved.has(id))
    return {
      members: new Map(known.map((node) => [node.id, node.isLeaving ? 'Leaving' : 'Up'])),
      unreachable: new Set(),
    }
  }

  // ---- what a coordinator wants done

  #perform(node: CoordinatorNode, effect: CoordinatorEffect): void {
    switch (effect.type) {
      case 'Send':
        return this.#sendToRegion(node.id, effect.to, effect.message)
      case 'Store':
        return this.#store(node, effect.events)
      case 'StartTimer':
        return this.network.startTimer(node, effect.timer, effect.delayMs)
      case 'CancelTimer':
        return void node.timers.delete(effect.timer)
      case 'AskStrategy':
        return this.#ask(node, effect.ask, effect.question)
    }
  }

  #sendToRegion(coordinator: NodeId, to: NodeId, message: ToRegion): void {
    const node = this.find(to)
    const input = { type: 'FromCoordinator', coordinator, message } as const
    const arrive = () => node && this.network.give(node, input)
    const { trouble } = this
    this.network.send({ from: coordinator, to, lane: 'control', message, arrive, ...trouble })
  }

  /** Committed first, and told later. */
  #store(node: CoordinatorNode, events: readonly CoordinatorEvent[]): void {
    this.check(!node.isStoring, 'two stores at once')
    node.isStoring = true
    const link = { from: node.id, to: 'journal', lane: 'store' }
    const told = () => {
      node.isStoring = false
      this.network.give(node, { type: 'Stored' })
    }
    const commit = () => {
      // Fenced: a newer one has claimed the stream.
      if (node !== this.coordinator) return
      for (const event of events) {
        this.#journal.push(event)
        this.stored.apply(event)
        const shard = 'shard' in event ? ` shard=${event.shard}` : ''
        this.network.note(`${nameOf(node.id)} stores ${event.type}${shard}`)
      }
      this.network.send({ ...link, arrive: told })
    }
    const arrive = () =>
      this.#unstored === undefined ? commit() : void this.#unstored.push(commit)
    this.network.send({ ...link, arrive })
  }

  holdStore(): void {
    this.#unstored ??= []
  }

  goOnStoring(): void {
    const commits = this.#unstored ?? []
    this.#unstored = undefined
    for (const commit of commits) commit()
  }

  #ask(node: CoordinatorNode, ask: number, question: StrategyQuestion): void {
    // One that draws by chance names shards that nobody hosts.
    const onFailure = (problem: string, error: unknown): void =>
      this.check(error === undefined, `the strategy ${problem}`)
    const answer = askStrategy(this.strategy, question, { onFailure }) as StrategyAnswer
    const arrive = () => this.network.give(node, { type: 'StrategyAnswered', ask, answer })
    this.network.send({ from: 'strategy', to: node.id, lane: 'answer', arrive })
  }

  // ---- what a region wants done

  #performFor(node: RegionNode, effect: RegionEffect<Parcel>): void {
    switch (effect.type) {
      case 'Deliver':
        return this.#deliver(node, effect.parcel)
      case 'SendToPeer':
        return this.#sendToPeer(node, effect.to, effect.message)
      case 'SendToCoordinator':
        return this.#sendToCoordinator(node.id, effect.to, effect.message)
      case 'Drop':
        this.check(!this.delivered.has(effect.parcel.id), 'dropped after delivery')
        this.network.note(`${nameOf(node.id)} drops ${effect.parcel.text}: ${effect.reason}`)
        this.dropped.set(effect.parcel.id, effect.reason)
        return
      case 'Registered':
      case 'Emptied':
      case 'LeftBehind':
        return
      case 'StartShard':
        return this.#startShard(node, effect.shard, effect.epoch)
      case 'StopShard':
        return this.#beginStop(node, effect.shard)
      case 'StartTimer':
        return this.network.startTimer(node, effect.timer, effect.delayMs)
      case 'Superseded':
        return this.check(false, `shard ${effect.shard} lives twice`)
      case 'Lonely':
        return
      case 'Refused':
      case 'Answer':
      case 'Prepared':
      case 'RestartShardLater':
        return this.check(false, 'nobody asks, all count the same shards, and none fails')
      case 'Finish':
        node.timers.clear()
        this.network.note(`${nameOf(node.id)} finishes`)
        this.check(node.hosts.size === 0, 'a region finishes while it hosts')
        node.isFinished = true
    }
  }

  #sendToCoordinator(from: NodeId, to: NodeId, message: ToCoordinator): void {
    const node = this.coordinators.find(({ id }) => id === to)
    const arrive = () => node && this.network.give(node, message)
    this.network.send({ from, to, lane: 'control', message, arrive, ...this.trouble })
  }

  #sendToPeer(from: RegionNode, to: NodeId, message: BetweenRegions<Parcel>): void {
    const lose = () => {
      for (const { id } of parcelsOf(message)) this.lost.add(id)
    }
    const arrive = () => {
      for (const { held } of parcelsOf(message)) held.add(to)
      const node = this.find(to)
      if (node?.isAlive) return this.#arrive(from.id, node, message)
      lose()
      this.network.give(from, { type: 'AssociationLost', node: to })
    }
    this.network.send({ from: from.id, to, lane: 'data', message, arrive, lose })
  }

  #arrive(region: NodeId, node: RegionNode, message: BetweenRegions<Parcel>): void {
    const isServed =
      message.type === 'Forwarded' &&
      node.machine.table.isServedTo(message.shard, region, message.stamp)
    if (isServed) this.#deliver(node, message.parcel)
    else this.network.give(node, { type: 'FromRegion', region, message })
  }

  #startShard(node: RegionNode, shard: number, epoch: number): void {
    this.network.note(`${nameOf(node.id)} hosts shard=${shard} in epoch ${epoch}`)
    for (const other of this.nodes) {
      this.check(!other.isAlive || !other.hosts.has(shard), `S4: two hosts of shard ${shard}`)
    }
    const home = this.stored.homeOf(shard)
    this.check(home?.region === node.id && home.epoch === epoch, `S4: no such allocation ${shard}`)
    node.hosts.set(shard, 'running')
  }

  #beginStop(node: RegionNode, shard: number): void {
    node.hosts.set(shard, 'stopping')
    const arrive = () => this.stopShard(node, shard)
    const link = { from: node.id, to: `shard ${shard}`, lane: 'stop' }
    if (!this.doShardsLinger) this.network.send({ ...link, arrive })
  }

  #deliver(node: RegionNode, { id, text, sender, shard }: Parcel): void {
    this.network.note(`${nameOf(node.id)} delivers ${text}`)
    this.check(!node.isFrozen, 'delivered while frozen')
    this.check(node.hosts.get(shard) === 'running', `delivered to shard ${shard} that does not run`)
    this.check(!this.delivered.has(id) && !this.dropped.has(id), 'S3: delivered twice')
    const last = this.#lastOf.get(`${sender}/${shard}`) ?? 0
    this.check(id > last, `S2: ${id} of ${sender} for shard ${shard} after ${last}`)
    this.#lastOf.set(`${sender}/${shard}`, id)
    this.delivered.add(id)
  }
}

function coordinatorOf(term: number): NodeId {
  return nodeIdOf(`coordinator${term > 1 ? term : ''}:1`, 1n)
}

function parcelsOf(message: BetweenRegions<Parcel>): readonly Parcel[] {
  if (message.type === 'Forwarded') return [message.parcel]
  return message.type === 'Returned' ? message.parcels : []
}
