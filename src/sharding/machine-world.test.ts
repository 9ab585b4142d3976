/**
 * Regions and coordinators as machines, with everything around them as plain data: links that keep order, a journal, timers
 * that fire when told. Safety is checked at every step: one host per shard, order per sender, no delivery twice.
 */
import { type NodeId, addressOf, nodeIdOf } from '../foundation/node-id.ts'
import { expect, test } from 'vitest'
import { SeededRandom } from '../simulation/index.ts'
import { LeastShardAllocationStrategy } from './allocation/least-shard-allocation-strategy.ts'
import type { ClusterView } from './allocation/shard-allocation-strategy.ts'
import { askStrategy, type StrategyAnswer } from './allocation/strategy-questions.ts'
import { CoordinatorMachine } from './coordinator/coordinator-machine.ts'
import type { CoordinatorEffect, CoordinatorTimer } from './coordinator/coordinator-inputs.ts'
import { type CoordinatorEvent, CoordinatorState } from './coordinator/coordinator-state.ts'
import { RegionMachine } from './region/region-machine.ts'
import type { RegionEffect, RegionInput, RegionTimer } from './region/region-inputs.ts'
import type { BetweenRegions, ToCoordinator, ToRegion } from './sharding-messages.ts'
import { shardingSettings } from './sharding-settings.ts'

export const numberOfShards = 4
const settings = shardingSettings({ numberOfShards, handOffsMax: 2 })
const strategy = new LeastShardAllocationStrategy({ shardsMax: 10, shareMax: 1 })

interface Parcel {
  readonly id: number
  readonly sender: NodeId
  readonly shard: number
  /** Nodes that held it. */
  readonly held: Set<NodeId>
}

export interface Node {
  readonly id: NodeId
  readonly machine: RegionMachine<Parcel>
  readonly hosts: Map<number, 'running' | 'stopping'>
  readonly timers: Set<RegionTimer>
  readonly knowsRemoved: Set<NodeId>
  isAlive: boolean
  isLeaving: boolean
  isFinished: boolean
  isFrozen: boolean
}

interface Coordinator {
  readonly id: NodeId
  readonly machine: CoordinatorMachine
  readonly timers: Set<CoordinatorTimer>
  readonly knowsRemoved: Set<NodeId>
  readonly answers: { ask: number; answer: StrategyAnswer }[]
  storing: readonly CoordinatorEvent[] | undefined
  isCommitted: boolean
}

type Item =
  | { readonly type: 'ToRegion'; readonly message: ToRegion }
  | { readonly type: 'ToCoordinator'; readonly message: ToCoordinator }
  | { readonly type: 'Peer'; readonly message: BetweenRegions<Parcel> }

interface Link {
  readonly from: NodeId
  readonly to: NodeId
  readonly isControl: boolean
  readonly items: Item[]
}

interface Faults {
  readonly isFaultFree: boolean
  readonly canCrash: boolean
  readonly canLose: boolean
}

export class World {
  readonly random: SeededRandom
  readonly faults: Faults
  readonly nodes: Node[] = []
  readonly links = new Map<string, Link>()
  readonly journal: CoordinatorEvent[] = []
  readonly removed = new Set<NodeId>()
  readonly delivered = new Set<number>()
  readonly dropped = new Map<number, string>()
  readonly lost = new Set<number>()
  readonly sent: Parcel[] = []
  readonly lastOf = new Map<string, number>()
  readonly story: string[] = []
  shadow = new CoordinatorState()
  coordinator!: Coordinator
  term = 0
  uid = 0n
  isQuiet = false

  constructor(seed: number) {
    this.random = new SeededRandom(seed, 'interleaving')
    const kind = seed % 4
    this.faults = { isFaultFree: kind === 0, canCrash: kind !== 0, canLose: kind >= 2 }
    for (let index = 0; index < 3; index++) this.addNode()
    this.startCoordinator()
    for (const node of this.nodes)
      this.step(node, { type: 'Started', candidates: [this.coordinator.id] })
  }

  addNode(): Node {
    const id = nodeIdOf(addressOf('n', this.nodes.length + 1), ++this.uid)
    const node: Node = {
      id,
      machine: new RegionMachine<Parcel>({ self: id, isProxy: false, settings, releasedMax: 2 }),
      hosts: new Map(),
      timers: new Set(),
      knowsRemoved: new Set(this.removed),
      isAlive: true,
      isLeaving: false,
      isFinished: false,
      isFrozen: false,
    }
    this.nodes.push(node)
    return node
  }

  startCoordinator(): void {
    const term = ++this.term
    const state = CoordinatorState.replay(this.journal)
    this.coordinator = {
      id: nodeIdOf(addressOf('coordinator', term), 1n),
      machine: new CoordinatorMachine({ term, state, settings }),
      timers: new Set(),
      knowsRemoved: new Set(this.removed),
      answers: [],
      storing: undefined,
      isCommitted: false,
    }
    this.story.push(`coordinator of term ${term} starts`)
    const { machine } = this.coordinator
    this.perform(machine.step({ type: 'Started', cluster: this.view() }))
  }

  view(): ClusterView {
    const known = this.nodes.filter(({ id }) => !this.coordinator.knowsRemoved.has(id))
    return {
      members: new Map(known.map((node) => [node.id, node.isLeaving ? 'Leaving' : 'Up'])),
      unreachable: new Set(),
    }
  }

  find(id: NodeId): Node | undefined {
    return this.nodes.find((node) => node.id === id)
  }

  check(condition: unknown, broken: string): asserts condition {
    if (!condition) throw new Error(`${broken}\n${this.story.slice(-60).join('\n')}`)
  }

  enqueue(from: NodeId, to: NodeId, isControl: boolean, item: Item): void {
    const key = `${from}>${to}>${isControl}`
    const link = this.links.get(key) ?? { from, to, isControl, items: [] }
    this.links.set(key, link)
    link.items.push(item)
  }

  // -- what machines want done

  perform(effects: readonly CoordinatorEffect[]): void {
    const { coordinator } = this
    for (const effect of effects) {
      switch (effect.type) {
        case 'Send':
          this.enqueue(coordinator.id, effect.to, true, {
            type: 'ToRegion',
            message: effect.message,
          })
          break
        case 'Store':
          this.check(coordinator.storing === undefined, 'two stores at once')
          coordinator.storing = effect.events
          coordinator.isCommitted = false
          break
        case 'StartTimer':
          coordinator.timers.add(effect.timer)
          break
        case 'CancelTimer':
          coordinator.timers.delete(effect.timer)
          break
        case 'AskStrategy': {
          const { ask, question } = effect
          let answer = askStrategy(strategy, question, (error) => {
            throw error
          }) as StrategyAnswer
          if (answer.type === 'Rebalance' && !this.isQuiet) {
            answer = { type: 'Rebalance', shards: [this.random.below(numberOfShards)] }
          }
          coordinator.answers.push({ ask, answer })
          break
        }
      }
    }
  }

  step(node: Node, input: RegionInput<Parcel>): void {
    for (const effect of node.machine.step(input)) this.performFor(node, effect)
  }

  performFor(node: Node, effect: RegionEffect<Parcel>): void {
    switch (effect.type) {
      case 'Deliver':
        return this.deliver(node, effect.parcel)
      case 'SendToPeer':
        return this.enqueue(node.id, effect.to, false, { type: 'Peer', message: effect.message })
      case 'SendToCoordinator': {
        const { to, message } = effect
        return this.enqueue(node.id, to, true, { type: 'ToCoordinator', message })
      }
      case 'Drop':
        this.check(!this.delivered.has(effect.parcel.id), 'dropped after delivery')
        this.dropped.set(effect.parcel.id, effect.reason)
        return
      case 'StartShard':
        return this.startShard(node, effect.shard, effect.epoch)
      case 'StopShard':
        return void node.hosts.set(effect.shard, 'stopping')
      case 'StartTimer':
        return void node.timers.add(effect.timer)
      case 'Refused':
      case 'Answer':
        return this.check(false, 'nobody asks, and all count the same shards')
      case 'Finish':
        node.timers.clear()
        this.story.push(`${node.id} finishes`)
        this.check(node.hosts.size === 0, 'a region finishes while it hosts')
        node.isFinished = true
    }
  }

  startShard(node: Node, shard: number, epoch: number): void {
    this.story.push(`${node.id} hosts ${shard} in epoch ${epoch}`)
    for (const other of this.nodes) {
      this.check(!other.isAlive || !other.hosts.has(shard), `S4: two hosts of shard ${shard}`)
    }
    const home = this.shadow.homeOf(shard)
    this.check(home?.region === node.id && home.epoch === epoch, `S4: no such allocation ${shard}`)
    node.hosts.set(shard, 'running')
  }

  deliver(node: Node, { id, sender, shard }: Parcel): void {
    this.check(!node.isFrozen, 'delivered while frozen')
    this.check(node.hosts.get(shard) === 'running', `delivered to shard ${shard} that does not run`)
    this.check(!this.delivered.has(id) && !this.dropped.has(id), 'S3: delivered twice')
    const last = this.lastOf.get(`${sender}/${shard}`) ?? 0
    this.check(id > last, `S2: ${id} of ${sender} for shard ${shard} after ${last}`)
    this.lastOf.set(`${sender}/${shard}`, id)
    this.delivered.add(id)
  }

  send(node: Node, shard: number): void {
    const parcel: Parcel = {
      id: this.sent.length + 1,
      sender: node.id,
      shard,
      held: new Set([node.id]),
    }
    this.sent.push(parcel)
    const route = node.machine.table.homeOf(shard)
    if (route === undefined) return this.step(node, { type: 'Message', shard, parcel })
    if (route.node === undefined) return this.deliver(node, parcel)
    const message = { type: 'Forwarded', shard, stamp: route.stamp, parcel } as const
    this.enqueue(node.id, route.node, false, { type: 'Peer', message })
  }

  // -- what the world does

  deliverFrom(link: Link): void {
    const item = link.items.shift()
    if (item === undefined) return
    if (link.isControl && !this.isQuiet) {
      if (this.faults.canLose && this.random.chance(0.02)) return
      const dice = this.random.below(100)
      if (dice < 4) link.items.push(item)
      else if (dice < 8) link.items.unshift(item)
    }
    if (item.type === 'ToCoordinator') {
      if (link.to !== this.coordinator.id) return
      return this.perform(this.coordinator.machine.step(item.message))
    }
    const node = this.find(link.to)
    if (item.type === 'ToRegion') {
      if (!node?.isAlive) return
      const { message } = item
      return this.step(node, { type: 'FromCoordinator', coordinator: link.from, message })
    }
    this.arrive(link, item.message, node)
  }

  arrive(link: Link, message: BetweenRegions<Parcel>, node: Node | undefined): void {
    const parcels = parcelsOf(message)
    for (const { held } of parcels) held.add(link.to)
    if (!node?.isAlive) {
      for (const { id } of parcels) this.lost.add(id)
      const sender = this.find(link.from)
      if (sender?.isAlive) this.step(sender, { type: 'AssociationLost', node: link.to })
      return
    }
    if (message.type === 'Forwarded') {
      const { shard, stamp, parcel } = message
      if (node.machine.table.isServedTo(shard, link.from, stamp)) return this.deliver(node, parcel)
    }
    this.step(node, { type: 'FromRegion', region: link.from, message })
  }

  store(): void {
    const { coordinator } = this
    if (coordinator.storing === undefined) return
    if (!coordinator.isCommitted) {
      coordinator.isCommitted = true
      for (const event of coordinator.storing) {
        this.journal.push(event)
        this.shadow.apply(event)
        this.story.push(`stored ${JSON.stringify(event)}`)
      }
      return
    }
    coordinator.storing = undefined
    this.perform(coordinator.machine.step({ type: 'Stored' }))
  }

  answer(): void {
    const next = this.coordinator.answers.shift()
    if (next === undefined) return
    this.perform(this.coordinator.machine.step({ type: 'StrategyAnswered', ...next }))
  }

  fire(timer: CoordinatorTimer): void {
    this.coordinator.timers.delete(timer)
    this.perform(this.coordinator.machine.step({ type: 'TimerFired', timer }))
  }

  fireFor(node: Node, timer: RegionTimer): void {
    node.timers.delete(timer)
    this.step(node, { type: 'TimerFired', timer })
  }

  stopOne(node: Node): void {
    const stopping = [...node.hosts].filter(([, state]) => state === 'stopping')
    if (stopping.length === 0) return
    const [shard] = this.random.pick(stopping)
    node.hosts.delete(shard)
    this.story.push(`${node.id} has stopped ${shard}`)
    this.step(node, { type: 'ShardTerminated', shard })
  }

  crash(node: Node): void {
    this.story.push(`${node.id} dies`)
    node.isAlive = false
    node.hosts.clear()
    node.timers.clear()
  }

  /** One observer hears that a dead node was removed. */
  removeDead(): void {
    const dead = this.nodes.filter(({ isAlive }) => !isAlive)
    if (dead.length === 0) return
    const { id } = this.random.pick(dead)
    this.removed.add(id)
    const observers = this.nodes.filter((node) => node.isAlive && !node.knowsRemoved.has(id))
    const observer = this.random.below(observers.length + 1)
    const node = observers[observer]
    if (node !== undefined) {
      node.knowsRemoved.add(id)
      this.step(node, { type: 'NodeRemoved', node: id })
    } else if (!this.coordinator.knowsRemoved.has(id)) {
      this.coordinator.knowsRemoved.add(id)
      this.perform(this.coordinator.machine.step({ type: 'MembersChanged', cluster: this.view() }))
    }
  }

  explain(shard: number): string {
    return this.alive
      .map(({ id, machine }) => `${id} ${JSON.stringify(machine.explain(shard))}`)
      .join('\n')
  }

  get working(): Node[] {
    return this.nodes.filter(({ isAlive, isFinished }) => isAlive && !isFinished)
  }

  get alive(): Node[] {
    return this.nodes.filter(({ isAlive }) => isAlive)
  }
}

export function parcelsOf(message: BetweenRegions<Parcel>): readonly Parcel[] {
  if (message.type === 'Forwarded') return [message.parcel]
  return message.type === 'Returned' ? message.parcels : []
}

test('a world of machines brings a message to its shard', () => {
  const world = new World(0)
  world.send(world.nodes[0]!, 1)
  for (let round = 0; round < 9; round++) {
    for (const link of world.links.values()) while (link.items.length > 0) world.deliverFrom(link)
    world.store()
    world.answer()
  }
  expect(world.delivered.size).toBe(1)
})
