/**
 * A cluster of machines in one loop: virtual time, links with latency, drops and cuts, nodes that crash, sleep and come
 * back. What must hold at every step is checked at every step (`checks.ts`).
 */
import { BinaryHeap } from '../../src/foundation/binary-heap.ts'
import { ClusterMachine } from '../../src/cluster/cluster-machine.ts'
import type { ClusterEffect, ClusterInput } from '../../src/cluster/cluster-inputs.ts'
import type { ClusterEvent } from '../../src/cluster/cluster-events.ts'
import type { ClusterMessage } from '../../src/cluster/cluster-messages.ts'
import { type ClusterSettings, defaultClusterSettings } from '../../src/cluster/cluster-settings.ts'
import type { CutDecision } from '../../src/cluster/downing/clean-cut.ts'
import { strategyOf } from '../../src/cluster/downing/downing-strategies.ts'
import type { DowningStrategy } from '../../src/cluster/downing/downing-strategy.ts'
import { clusterProtocol } from '../../src/cluster/cluster-wire.ts'
import { memberOf } from '../../src/cluster/gossip/gossip.ts'
import { type Address, type NodeId, addressOfNode, nodeIdOf } from '../../src/foundation/node-id.ts'
import { NotAMessage } from '../../src/serialization/index.ts'
import { SeededRandom } from '../../src/simulation/seeded-random.ts'
import { Checks } from './checks.ts'

export interface NetworkOptions {
  readonly seed?: number
  readonly settings?: Partial<ClusterSettings>
  /** In place of the one that the settings name. */
  readonly strategy?: DowningStrategy
  /** What it decides when it is asked; undefined when it cannot say. */
  readonly arbiter?: (question: string) => CutDecision | undefined
  readonly latencyMs?: readonly [least: number, most: number]
  /** How long an exiting node takes to hand over. */
  readonly exitingTasksMs?: number
}

export interface Node {
  readonly id: NodeId
  readonly address: Address
  readonly machine: ClusterMachine
  readonly events: { readonly at: number; readonly event: ClusterEvent }[]
  /** Why it shut itself down. */
  ended: string | undefined
  isCrashed: boolean
  /** It is Exiting, and something may still live on it. */
  isHandingOver: boolean
  asleepUntil: number
}

interface Due {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

/** There and back. */
const arbiterMs = 20

export class Network {
  readonly random: SeededRandom
  readonly settings: ClusterSettings
  readonly checks = new Checks(this)
  readonly nodes: Node[] = []
  readonly #options: NetworkOptions
  readonly #strategy: DowningStrategy
  readonly #agenda = new BinaryHeap<Due>(
    (a, b) => a.at < b.at || (a.at === b.at && a.order < b.order),
  )
  readonly #cuts = new Set<string>()
  readonly #cutTimes: number[] = []
  readonly #silent = new Set<Address>()
  readonly #lastArrival = new Map<string, number>()
  #order = 0
  now = 0
  dropProbability = 0
  /** Messages of these types are lost. */
  readonly lostTypes = new Set<ClusterMessage['type']>()
  messages = 0

  constructor(options: NetworkOptions = {}) {
    this.#options = options
    this.random = new SeededRandom(options.seed ?? 1, 'network')
    this.settings = { ...defaultClusterSettings, ...options.settings }
    this.#strategy = options.strategy ?? strategyOf(this.settings.downing)
  }

  /** Starts a node, in place of an earlier one at the same address. */
  start(address: Address, seeds: readonly Address[], roles: readonly string[] = []): Node {
    const id = nodeIdOf(address, this.random.uid())
    const random = this.random.fork(id)
    const machine = new ClusterMachine({
      ...{ self: id, roles, attributes: [], appVersion: '1.2.3' },
      ...{ settings: this.settings, random },
      strategy: this.#strategy,
    })
    const node: Node = {
      id,
      address,
      machine,
      events: [],
      ended: undefined,
      isCrashed: false,
      isHandingOver: false,
      asleepUntil: 0,
    }
    this.#silent.delete(address)
    this.nodes.push(node)
    const tick = (): void => {
      if (!this.isAlive(node)) return
      this.give(node, { type: 'Tick' })
      const at = Math.max(this.now, node.asleepUntil) + this.settings.tickIntervalMs
      this.at(at, tick)
    }
    this.after(this.random.below(this.settings.tickIntervalMs), tick)
    this.give(node, { type: 'JoinSeeds', seeds })
    return node
  }

  isAlive(node: Node): boolean {
    return !node.isCrashed && node.ended === undefined
  }

  get alive(): Node[] {
    return this.nodes.filter((node) => this.isAlive(node))
  }

  latest(address: Address): Node {
    return this.nodes.findLast((node) => node.address === address)!
  }

  /** kill -9; with `silent` the whole host is gone and nobody answers for it. */
  crash(node: Node, { silent = false } = {}): void {
    node.isCrashed = true
    this.#hangUp(node, silent)
  }

  sleep(node: Node, ms: number): void {
    node.asleepUntil = this.now + ms
  }

  cut(from: readonly Node[], to: readonly Node[], { oneWay = false } = {}): void {
    this.#cutTimes.push(this.now)
    for (const a of from) {
      for (const b of to) {
        this.#cuts.add(`${a.address}>${b.address}`)
        if (!oneWay) this.#cuts.add(`${b.address}>${a.address}`)
      }
    }
  }

  /** How many times links were cut lately. */
  cutsWithin(ms: number): number {
    return this.#cutTimes.filter((at) => at > this.now - ms).length
  }

  heal(): void {
    this.#cuts.clear()
  }

  give(node: Node, input: ClusterInput): void {
    if (!this.isAlive(node)) return
    if (this.now < node.asleepUntil) {
      this.at(node.asleepUntil, () => this.give(node, input))
      return
    }
    const effects = node.machine.step(input, this.now)
    for (const effect of effects) this.#perform(node, effect)
    this.checks.afterStep(node)
  }

  /** One that sleeps reads it when it wakes. */
  deliver(node: Node, message: ClusterMessage): void {
    if (this.now < node.asleepUntil) this.at(node.asleepUntil, () => this.deliver(node, message))
    else this.give(node, { type: 'Received', message, receivedAtMs: this.now })
  }

  at(time: number, run: () => void): void {
    this.#agenda.push({ at: time, order: this.#order++, run })
  }

  after(ms: number, run: () => void): void {
    this.at(this.now + ms, run)
  }

  run(ms: number): void {
    const end = this.now + ms
    for (let due = this.#agenda.peek(); due && due.at <= end; due = this.#agenda.peek()) {
      this.#agenda.pop()
      this.now = due.at
      due.run()
    }
    this.now = end
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
    const lines = this.nodes.map(({ id, machine, ended, isCrashed }) => {
      const members = machine.gossip.members.map((m) => `${m.node.slice(0, -12)}:${m.status}`)
      const rows = machine.gossip.reachability.flatMap((entry) =>
        entry.rows.map((row) => `${entry.observer.slice(0, -12)}!${row.subject.slice(0, -12)}`),
      )
      const { frozen, joining } = machine.snapshot()
      const state = ended ?? (isCrashed ? 'crashed' : joining.phase)
      return `${id} ${state} [${members.join(' ')}] ${rows.join(' ')} seen ${machine.gossip.seen.length} frozen ${frozen.join()}`
    })
    return `at ${this.now}\n${lines.join('\n')}`
  }

  #perform(node: Node, effect: ClusterEffect): void {
    switch (effect.type) {
      case 'Send':
        return this.#send(node, addressOfNode(effect.to), effect.to, effect.message)
      case 'SendToAddress':
        return this.#send(node, effect.to, undefined, effect.message)
      case 'Publish':
        node.events.push({ at: this.now, event: effect.event })
        this.checks.onEvent(node, effect.event)
        return
      case 'AskArbiter':
        this.after(arbiterMs, () => {
          const decision = this.#options.arbiter?.(effect.question)
          this.give(node, { type: 'ArbiterAnswered', number: effect.number, decision })
        })
        return
      case 'BeginExiting':
        node.isHandingOver = true
        this.after(this.#options.exitingTasksMs ?? 200, () => {
          node.isHandingOver = false
          this.give(node, { type: 'ExitingDone' })
        })
        return
      case 'ForgetPeer':
      case 'Refuse':
      case 'StillJoining':
        return
      case 'ShutDown':
        node.ended = effect.reason
        this.#hangUp(node, false)
    }
  }

  #send(from: Node, address: Address, to: NodeId | undefined, message: ClusterMessage): void {
    this.messages++
    // What a real peer would take, or not.
    const taken = clusterProtocol.unpack(clusterProtocol.pack(message))
    if (taken instanceof NotAMessage)
      throw new Error(`${taken.problem}: ${JSON.stringify(message)}`)
    const link = `${from.address}>${address}`
    if (this.#cuts.has(link) || this.lostTypes.has(message.type)) return
    if (this.random.chance(this.dropProbability)) return
    const [least, most] = this.#options.latencyMs ?? [1, 5]
    const drawn = this.now + least + this.random.float() * (most - least)
    const at = Math.max(drawn, this.#lastArrival.get(link) ?? 0)
    this.#lastArrival.set(link, at)
    this.at(at, () => this.#arrive(from, address, to, message))
  }

  #arrive(from: Node, address: Address, to: NodeId | undefined, message: ClusterMessage): void {
    const receiver = this.nodes.findLast((node) => node.address === address)
    if (receiver === undefined || !this.isAlive(receiver)) {
      if (!this.#silent.has(address)) this.#report(from, address)
    } else if (to === undefined || to === receiver.id) {
      this.deliver(receiver, message)
    } else if (!this.#cuts.has(`${address}>${from.address}`)) {
      this.give(from, { type: 'Connected', node: receiver.id, latest: receiver.id })
    }
  }

  /** The kernel closes the sockets of a process that is gone; those who connect again are refused. */
  #hangUp(node: Node, silent: boolean): void {
    if (silent) this.#silent.add(node.address)
    else {
      for (const peer of this.nodes) {
        const knows = memberOf(peer.machine.gossip, node.id) !== undefined
        if (peer !== node && knows) this.after(2, () => this.#refuse(peer, node))
      }
    }
  }

  #refuse(peer: Node, gone: Node): void {
    const isBack = this.nodes.some((other) => other.address === gone.address && this.isAlive(other))
    if (!isBack) this.#report(peer, gone.address)
  }

  #report(peer: Node, address: Address): void {
    const link = [`${peer.address}>${address}`, `${address}>${peer.address}`]
    if (link.some((cut) => this.#cuts.has(cut))) return
    const text = 'refused the connection'
    this.give(peer, { type: 'NotConnected', address, isRefused: true, text })
  }
}
