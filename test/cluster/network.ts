/**
 * A cluster of machines: nodes that join, crash, sleep and come back, on links with latency, drops and cuts. What must
 * hold at every step is checked at every step (`checks.ts`).
 */
import { ClusterMachine } from '../../src/cluster/cluster-machine.ts'
import type { ClusterEffect, ClusterInput } from '../../src/cluster/cluster-inputs.ts'
import type { ClusterEvent } from '../../src/cluster/cluster-events.ts'
import type { ClusterMessage } from '../../src/cluster/cluster-messages.ts'
import { type ClusterSettings, defaultClusterSettings } from '../../src/cluster/cluster-settings.ts'
import { attributeOfProcess } from '../../src/cluster/detection/process-of-member.ts'
import type { CutDecision } from '../../src/cluster/downing/clean-cut.ts'
import { strategyOf } from '../../src/cluster/downing/downing-strategies.ts'
import type { DowningStrategy } from '../../src/cluster/downing/downing-strategy.ts'
import { withRecord } from '../../src/cluster/downing/lease-majority.ts'
import { arbiterAttribute } from '../../src/cluster/downing/store-majority.ts'
import type { ReadFounding, WriteFounding } from '../../src/cluster/founding/founding-inputs.ts'
import { clusterProtocol } from '../../src/cluster/cluster-wire.ts'
import { memberOf } from '../../src/cluster/gossip/gossip.ts'
import { type Address, type NodeId, addressOfNode, nodeIdOf } from '../../src/foundation/node-id.ts'
import { attributeOfStore } from '../../src/cluster/joining/shared-store.ts'
import { NotAMessage } from '../../src/serialization/internals.ts'
import { SeededRandom } from '../../src/simulation/seeded-random.ts'
import { Checks } from './checks.ts'
import type { SharedRecord } from './shared-record.ts'
import type { SharedRegister } from './shared-register.ts'
import {
  type Chance,
  MachineNetwork,
  type MachineNode,
  nameOf,
  newcomer,
} from '../machines/network.ts'

export interface NetworkOptions {
  readonly seed?: number
  /** In place of the one that the seed gives. */
  readonly random?: Chance
  readonly settings?: Partial<ClusterSettings>
  /** In place of the one that the settings name. */
  readonly strategy?: DowningStrategy
  /** What it decides when a node asks it; undefined when it cannot say. */
  readonly arbiter?: (question: string, asker: Node) => CutDecision | undefined
  /** Its record of those who were given up, where it keeps one. */
  readonly record?: SharedRecord
  /** It is told by this node that its decision need not be remembered. */
  readonly arbiterIsOver?: (node: Node) => void
  /** Where nodes share a store: it keeps their founding, and decides splits if the strategy says so. */
  readonly register?: SharedRegister
  readonly latencyMs?: readonly [least: number, most: number]
  /** Where each address lives: those on one host see each other's processes end. */
  readonly hostOf?: (address: Address) => string | undefined
  /** What each node is told when it asks where others are, a moment later; in place of seeds. Never answered when undefined. */
  readonly lookUp?: (asker: Address) => readonly Address[] | Error | undefined
  readonly requiredNodes?: number
  /** How long an exiting node takes to hand over. */
  readonly exitingTasksMs?: number
}

export interface Node extends MachineNode<ClusterInput, ClusterEffect> {
  readonly address: Address
  readonly machine: ClusterMachine
  readonly events: { readonly at: number; readonly event: ClusterEvent }[]
  /** Why it shut itself down. */
  ended: string | undefined
  /** It is Exiting, and something may still live on it. */
  isHandingOver: boolean
}

const store = { id: 'one', name: 'the store' }

/** There and back. */
const arbiterMs = 20

export class Network {
  readonly machines: MachineNetwork
  readonly random: Chance
  readonly settings: ClusterSettings
  readonly checks = new Checks(this)
  readonly nodes: Node[] = []
  readonly #options: NetworkOptions
  readonly #strategy: DowningStrategy
  readonly #cutTimes: number[] = []
  readonly #silent = new Set<Address>()
  /** They ended with their hosts, and so did all who could have seen it. */
  readonly #unseen = new Set<NodeId>()
  dropProbability = 0
  /** How often somebody was told that nobody is given up for want of the store. */
  awaitingStore = 0
  /** Messages of these types are lost. */
  readonly lostTypes = new Set<ClusterMessage['type']>()

  constructor(options: NetworkOptions = {}) {
    this.#options = options
    this.random = options.random ?? new SeededRandom(options.seed ?? 1, 'network')
    const { latencyMs = [1, 5] } = options
    this.machines = new MachineNetwork({ random: this.random, latencyMs })
    const { requiredNodes: minMembers = 1 } = options
    this.settings = { ...defaultClusterSettings, minMembers, ...options.settings }
    const strategy = options.strategy ?? strategyOf(this.settings, options.register !== undefined)
    this.#strategy = options.record === undefined ? strategy : withRecord(strategy)
  }

  /** Starts a node, in place of an earlier one at the same address. */
  start(
    address: Address,
    seeds: readonly Address[] = [],
    { roles = [], dataCenter }: { roles?: readonly string[]; dataCenter?: string } = {},
  ): Node {
    const id = nodeIdOf(address, this.random.uid())
    const host = this.#options.hostOf?.(address)
    const identity = host === undefined ? undefined : `${host} ${id}`
    const random = this.random.fork(id)
    const hasStore = this.#options.register !== undefined
    const { requiredNodes = 1 } = this.#options
    const machine = new ClusterMachine({
      ...{ self: id, roles, appVersion: '1.2.3', identity },
      attributes: [
        ...(identity === undefined ? [] : [attributeOfProcess(identity)]),
        ...(hasStore ? [attributeOfStore(store), arbiterAttribute] : []),
      ],
      ...{
        settings: { ...this.settings, ...(dataCenter !== undefined && { dataCenter }) },
        random,
      },
      strategy: this.#strategy,
      ...(hasStore && { store, founding: { identity: undefined } }),
      ...(this.#options.lookUp && { discovery: { name: 'shop', requiredNodes } }),
    })
    const node: Node = {
      ...newcomer<never>(),
      id,
      address,
      machine,
      events: [],
      ended: undefined,
      isHandingOver: false,
      act: (effects) => {
        for (const effect of effects) this.#perform(node, effect)
        this.checks.afterStep(node)
      },
    }
    this.#silent.delete(address)
    this.nodes.push(node)
    const tick = (): void => {
      if (!this.isAlive(node)) return
      this.give(node, { type: 'Tick' })
      const at = Math.max(this.now, node.asleepUntil) + this.settings.tickIntervalMs
      this.machines.at(at, tick)
    }
    this.machines.after(this.random.below(this.settings.tickIntervalMs), tick)
    this.give(
      node,
      this.#options.lookUp ? { type: 'JoinDiscovered' } : { type: 'JoinSeeds', seeds },
    )
    return node
  }

  isAlive(node: Node): boolean {
    return node.isAlive
  }

  get alive(): Node[] {
    return this.nodes.filter((node) => node.isAlive)
  }

  get now(): number {
    return this.machines.now
  }

  /** How many were sent so far. */
  get messages(): number {
    return this.machines.sent
  }

  latest(address: Address): Node {
    return this.nodes.findLast((node) => node.address === address)!
  }

  /** kill -9; with `silent` the whole host is gone and nobody answers for it. */
  crash(node: Node, { silent = false } = {}): void {
    this.machines.crash(node)
    if (silent) this.#unseen.add(node.id)
    if (silent) this.#silent.add(node.address)
    else this.#hangUp(node)
  }

  sleep(node: Node, ms: number): void {
    this.machines.sleep(node, ms)
  }

  cut(from: readonly Node[], to: readonly Node[], options: { oneWay?: boolean } = {}): void {
    this.#cutTimes.push(this.now)
    const [here, there] = [from, to].map((side) => side.map(({ address }) => address))
    this.machines.cut(here!, there!, options)
  }

  /** How many times links were cut lately. */
  cutsWithin(ms: number): number {
    return this.#cutTimes.filter((at) => at > this.now - ms).length
  }

  heal(): void {
    this.machines.heal()
  }

  give(node: Node, input: ClusterInput): void {
    this.machines.give(node, input)
  }

  /** One that sleeps reads it when it wakes. */
  deliver(node: Node, message: ClusterMessage): void {
    if (this.now < node.asleepUntil)
      this.machines.at(node.asleepUntil, () => this.deliver(node, message))
    else this.give(node, { type: 'Received', message, receivedAtMs: this.now })
  }

  run(ms: number): void {
    this.machines.run(ms)
  }

  /** Runs until it holds; the time that took, or an error that says what did not come. */
  runUntil(what: string, holds: () => boolean, limitMs: number, stepMs = 10): number {
    const start = this.now
    while (!holds()) {
      if (this.now - start >= limitMs)
        throw new Error(`${what} did not come in ${limitMs} ms: ${this.show()}`)
      this.run(stepMs)
    }
    return this.now - start
  }

  /** Whether all living nodes see exactly each other, Up, reachable and agreed upon. */
  get isWhole(): boolean {
    const expected = this.alive.map(({ id }) => id).sort()
    return this.alive.every(({ machine: { gossip, isFrozen } }) => {
      const nodes = gossip.members.map(({ node }) => node).sort()
      return (
        !isFrozen &&
        nodes.join() === expected.join() &&
        gossip.members.every(({ status }) => status === 'Up') &&
        gossip.reachability.every(({ rows }) => rows.length === 0) &&
        gossip.seen.length === nodes.length
      )
    })
  }

  show(): string {
    const lines = this.nodes.map(({ id, machine, ended, isAlive }) => {
      const members = machine.gossip.members.map((m) => `${m.node.slice(0, -12)}:${m.status}`)
      const rows = machine.gossip.reachability.flatMap((entry) =>
        entry.rows.map((row) => `${entry.observer.slice(0, -12)}!${row.subject.slice(0, -12)}`),
      )
      const { frozen, joining } = machine.snapshot()
      const state = ended ?? (isAlive ? joining.phase : 'crashed')
      return `${id} ${state} [${members.join(' ')}] ${rows.join(' ')} seen ${machine.gossip.seen.length} frozen ${frozen.join()}`
    })
    return `at ${this.now}\n${lines.join('\n')}\n${this.machines.story()}`
  }

  #perform(node: Node, effect: ClusterEffect): void {
    switch (effect.type) {
      case 'Send':
        return this.#send(node, addressOfNode(effect.to), effect.to, effect.message)
      case 'SendToAddress':
        return this.#send(node, effect.to, undefined, effect.message)
      case 'Publish':
        this.machines.note(`${nameOf(node.id)} ${inWords(effect.event)}`)
        node.events.push({ at: this.now, event: effect.event })
        this.checks.onEvent(node, effect.event)
        return
      case 'AskArbiter':
        this.machines.after(arbiterMs, () => {
          const decision = this.#options.arbiter?.(effect.question, node)
          this.give(node, { type: 'ArbiterAnswered', number: effect.number, decision })
        })
        return
      case 'ArbiterIsOver':
        return this.#options.arbiterIsOver?.(node)
      case 'RecordGivenUp':
        return this.machines.after(arbiterMs, () => {
          const shown = this.#options.record?.ask(effect, node.id)
          if (shown !== undefined) this.give(node, shown)
        })
      case 'BeginExiting':
        node.isHandingOver = true
        this.machines.after(this.#options.exitingTasksMs ?? 200, () => {
          node.isHandingOver = false
          this.give(node, { type: 'ExitingDone' })
        })
        return
      case 'LookAtProcesses':
        return this.#lookAtProcesses(node, effect.processes)
      case 'LookAgain':
        return this.machines.after(effect.afterMs, () => this.give(node, { type: 'LookDue' }))
      case 'LookUp':
        return this.#lookUp(node, effect.number)
      case 'Disagrees':
      case 'ForgetPeer':
      case 'ProvedDead':
      case 'Refuse':
      case 'StillJoining':
      case 'WaitingToFound':
        return
      case 'AwaitingStore':
        this.awaitingStore++
        return
      case 'ReadFounding':
      case 'WriteFounding':
        return this.#askStore(node, effect)
      case 'ShutDown':
        this.machines.note(`${nameOf(node.id)} ShutDown ${effect.reason}`)
        node.ended = effect.reason
        this.machines.crash(node)
        this.#hangUp(node)
    }
  }

  #lookUp(node: Node, number: number): void {
    const found = this.#options.lookUp?.(node.address)
    if (found === undefined) return
    const answer =
      found instanceof Error
        ? ({ type: 'NotDiscovered', number, problem: found.message } as const)
        : ({ type: 'Discovered', number, addresses: [...found].sort() } as const)
    this.machines.after(1 + this.random.below(50), () => {
      if (this.isAlive(node)) this.give(node, answer)
    })
  }

  #lookAtProcesses(node: Node, processes: ReadonlyMap<NodeId, string>): void {
    const hasEnded = (id: NodeId): boolean =>
      !this.#unseen.has(id) && this.nodes.some((other) => other.id === id && !other.isAlive)
    const ended = [...processes.keys()].filter(hasEnded)
    const running = [...processes.keys()].filter((id) => !hasEnded(id) && !this.#unseen.has(id))
    const unknown = [...processes.keys()].filter((id) => this.#unseen.has(id))
    const seen = { type: 'ProcessesSeen', ended, running, unknown } as const
    this.machines.after(0, () => this.give(node, seen))
  }

  #askStore(node: Node, question: ReadFounding | WriteFounding): void {
    const latencyMs = (): number => 1 + this.random.below(10)
    const after = (ms: number, then: () => void): void => this.machines.after(ms, then)
    this.#options.register?.ask(question, node.address, { latencyMs, after }, (answer) =>
      this.give(node, answer),
    )
  }

  #send(from: Node, address: Address, to: NodeId | undefined, message: ClusterMessage): void {
    // What a real peer would take, or not.
    const taken = clusterProtocol.unpack(clusterProtocol.pack(message))
    if (taken instanceof NotAMessage)
      throw new Error(`${taken.problem}: ${JSON.stringify(message)}`)
    this.machines.send({
      from: from.address,
      to: address,
      message,
      arrive: () => this.#arrive(from, address, to, message),
      loss: this.lostTypes.has(message.type) ? 1 : this.dropProbability,
    })
  }

  #arrive(from: Node, address: Address, to: NodeId | undefined, message: ClusterMessage): void {
    const receiver = this.nodes.findLast((node) => node.address === address)
    if (receiver === undefined || !receiver.isAlive) {
      if (!this.#silent.has(address)) this.#report(from, address)
    } else if (to === undefined || to === receiver.id) {
      this.deliver(receiver, message)
    } else if (!this.machines.isCut(address, from.address)) {
      this.give(from, { type: 'Connected', node: receiver.id, latest: receiver.id })
    }
  }

  /** The kernel closes the sockets of a process that is gone; those who connect again are refused. */
  #hangUp(node: Node): void {
    for (const peer of this.nodes) {
      const knows = memberOf(peer.machine.gossip, node.id) !== undefined
      if (peer !== node && knows) this.machines.after(2, () => this.#refuse(peer, node))
    }
  }

  #refuse(peer: Node, gone: Node): void {
    const isBack = this.nodes.some((other) => other.address === gone.address && other.isAlive)
    if (!isBack) this.#report(peer, gone.address)
  }

  #report(peer: Node, address: Address): void {
    const ends = [peer.address, address] as const
    if (this.machines.isCut(...ends) || this.machines.isCut(ends[1], ends[0])) return
    const text = 'refused the connection'
    this.give(peer, { type: 'NotConnected', address, isRefused: true, text })
  }
}

function inWords(event: ClusterEvent): string {
  if ('member' in event) return `${event.type} ${nameOf(event.member.node)}`
  if (event.type === 'LeaderChanged') return `${event.type} ${nameOf(event.leader ?? 'nobody')}`
  return event.type === 'Frozen' ? `${event.type} ${event.reason}` : event.type
}
