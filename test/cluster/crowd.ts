/**
 * A crowd of members for what only shows in numbers: the same machines as in `network.ts`, without a check at every step,
 * and with every byte counted that a link would carry.
 */
import { ClusterMachine } from '../../src/cluster/cluster-machine.ts'
import type { ClusterEffect, ClusterInput } from '../../src/cluster/cluster-inputs.ts'
import type { ClusterEvent } from '../../src/cluster/cluster-events.ts'
import type { ClusterMessage } from '../../src/cluster/cluster-messages.ts'
import { type ClusterSettings, defaultClusterSettings } from '../../src/cluster/cluster-settings.ts'
import { clusterProtocol } from '../../src/cluster/cluster-wire.ts'
import { strategyOf } from '../../src/cluster/downing/downing-strategies.ts'
import { arbiterAttribute } from '../../src/cluster/downing/store-majority.ts'
import type { ReadFounding, WriteFounding } from '../../src/cluster/founding/founding-inputs.ts'
import type { Gossip } from '../../src/cluster/gossip/gossip.ts'
import { type Address, type NodeId, addressOfNode, nodeIdOf } from '../../src/foundation/node-id.ts'
import { attributeOfStore } from '../../src/cluster/joining/shared-store.ts'
import { NotAMessage, ValueCodec } from '../../src/serialization/internals.ts'
import { SeededRandom } from '../../src/simulation/seeded-random.ts'
import { MachineNetwork, type MachineNode, newcomer } from '../machines/network.ts'
import type { SharedRegister } from './shared-register.ts'

/** Of each pair there are others, and they would fill the memory of a large crowd. */
const remembered: ReadonlySet<ClusterEvent['type']> = new Set([
  'Frozen',
  'Thawed',
  'MemberDowned',
  'MemberRemoved',
])
const store = { id: 'one', name: 'the store' }
/** Every so many-th message is looked through as a peer would. */
const checkEvery = 1_000

export interface CrowdOptions {
  readonly size: number
  readonly seed?: number
  readonly settings?: Partial<ClusterSettings>
  /** How many of them are seeds of all. */
  readonly seeds?: number
  /** The store that all share, which then decides splits, as by default. */
  readonly register?: SharedRegister
  /** Whether the bytes of all messages are counted, and some are looked through as a peer would: it takes its time. */
  readonly countsBytes?: boolean
}

export interface CrowdMember extends MachineNode<ClusterInput, ClusterEffect> {
  readonly address: Address
  readonly machine: ClusterMachine
  readonly events: { readonly at: number; readonly event: ClusterEvent }[]
  ended: string | undefined
}

export interface Traffic {
  readonly bytes: number
  readonly heartbeatBytes: number
  readonly gossipBytes: number
}

export class Crowd {
  readonly machines: MachineNetwork
  readonly settings: ClusterSettings
  readonly members: CrowdMember[] = []
  /** By type, since the last time they were taken. */
  readonly #bytes = new Map<ClusterMessage['type'], number>()
  readonly #byAddress = new Map<Address, CrowdMember>()
  readonly #silent = new Set<Address>()
  /** Ends of a link learn the keys of each kind of message once: the first of a kind is counted with them, later ones without. */
  readonly #firstCodec = new ValueCodec({ use: 'stored' })
  readonly #laterCodec = new ValueCodec({ use: 'link' })
  readonly #said = new Map<ClusterMessage['type'], Set<number>>()
  readonly #options: CrowdOptions
  #counted = 0

  constructor(options: CrowdOptions) {
    this.#options = options
    const random = new SeededRandom(options.seed ?? 1, 'crowd')
    this.machines = new MachineNetwork({ random, latencyMs: [1, 5] })
    this.settings = { ...defaultClusterSettings, ...options.settings }
  }

  /** All together. */
  start(): void {
    const { size, seeds = Math.min(size, 3) } = this.#options
    const addresses = Array.from({ length: size }, (_, index) => addressAt(index))
    for (const address of addresses) this.startOne(address, addresses.slice(0, seeds))
  }

  startOne(address: Address, seeds: readonly Address[]): CrowdMember {
    const { random } = this.machines
    const id = nodeIdOf(address, random.uid())
    const hasStore = this.#options.register !== undefined
    const machine = new ClusterMachine({
      ...{ self: id, roles: ['back'], appVersion: '1.2.3' },
      attributes: [
        'host of Game',
        ...(hasStore ? [attributeOfStore(store), arbiterAttribute] : []),
      ],
      ...{ settings: this.settings, random: random.fork(id) },
      strategy: strategyOf(this.settings, hasStore),
      ...(hasStore && { store, founding: { identity: undefined } }),
    })
    const member: CrowdMember = {
      ...newcomer<never>(),
      ...{ id, address, machine, events: [], ended: undefined },
      act: (effects) => {
        for (const effect of effects) this.#perform(member, effect)
      },
    }
    this.members.push(member)
    this.#byAddress.set(address, member)
    this.#silent.delete(address)
    const tick = (): void => {
      if (!member.isAlive) return
      this.machines.give(member, { type: 'Tick' })
      this.machines.at(Math.max(this.now, member.asleepUntil) + this.settings.tickIntervalMs, tick)
    }
    this.machines.after(random.float() * this.settings.tickIntervalMs, tick)
    this.machines.give(member, { type: 'JoinSeeds', seeds })
    return member
  }

  get now(): number {
    return this.machines.now
  }

  get alive(): CrowdMember[] {
    return this.members.filter(({ isAlive }) => isAlive)
  }

  run(ms: number): void {
    this.machines.run(ms)
  }

  /** The time it took. */
  runUntil(what: string, holds: () => boolean, limitMs: number, stepMs = 50): number {
    const start = this.now
    while (!holds()) {
      if (this.now - start >= limitMs) throw new Error(`${what} did not come in ${limitMs} ms`)
      this.run(stepMs)
    }
    return this.now - start
  }

  /** With `silent` the host is gone; else the kernel closes its sockets and refuses new ones. */
  crash(member: CrowdMember, { silent = false } = {}): void {
    this.machines.crash(member)
    if (silent) this.#silent.add(member.address)
    else
      for (const peer of this.alive)
        this.machines.after(2, () => this.#report(peer, member.address))
  }

  cut(from: readonly CrowdMember[], to: readonly CrowdMember[]): void {
    this.machines.cut(
      from.map(({ address }) => address),
      to.map(({ address }) => address),
    )
  }

  /** Whether all who live see exactly each other Up. */
  get areUp(): boolean {
    const { alive } = this
    return this.#all(
      ({ members }) =>
        members.length === alive.length && members.every(({ status }) => status === 'Up'),
    )
  }

  /** And everybody knows that everybody knows. */
  get isWhole(): boolean {
    const { alive } = this
    return alive.every(({ machine }) => machine.gossip.seen.length === alive.length) && this.areUp
  }

  /** Looks at each view once: most are the same object in many places, or of the same version. */
  #all(holds: (gossip: Gossip) => boolean): boolean {
    const known = new Set<unknown>()
    return this.alive.every(({ machine: { gossip } }) => {
      if (known.has(gossip.members)) return true
      known.add(gossip.members)
      return holds(gossip)
    })
  }

  /** The bytes that were sent since the last time. */
  takeTraffic(): Traffic {
    const sum = (types: (type: string) => boolean): number =>
      [...this.#bytes].reduce((all, [type, bytes]) => (types(type) ? all + bytes : all), 0)
    const traffic = {
      bytes: sum(() => true),
      heartbeatBytes: sum((type) => type.startsWith('Heartbeat')),
      gossipBytes: sum((type) => type.startsWith('Gossip')),
    }
    this.#bytes.clear()
    return traffic
  }

  #perform(member: CrowdMember, effect: ClusterEffect): void {
    switch (effect.type) {
      case 'Send':
        return this.#send(member, addressOfNode(effect.to), effect.to, effect.message)
      case 'SendToAddress':
        return this.#send(member, effect.to, undefined, effect.message)
      case 'Publish':
        if (remembered.has(effect.event.type)) {
          member.events.push({ at: this.now, event: effect.event })
        }
        return
      case 'ReadFounding':
      case 'WriteFounding':
        return this.#askStore(member, effect)
      case 'ShutDown':
        member.ended = effect.reason
        this.machines.crash(member)
        return
      default:
        return
    }
  }

  #askStore(member: CrowdMember, question: ReadFounding | WriteFounding): void {
    const { machines } = this
    const latencyMs = (): number => 1 + machines.random.below(10)
    const after = (ms: number, then: () => void): void => machines.after(ms, then)
    this.#options.register?.ask(question, member.address, { latencyMs, after }, (answer) => {
      if (member.isAlive) machines.give(member, answer)
    })
  }

  #send(
    from: CrowdMember,
    address: Address,
    to: NodeId | undefined,
    message: ClusterMessage,
  ): void {
    if (this.#options.countsBytes) this.#count(from.address, address, message)
    this.machines.send({
      from: from.address,
      to: address,
      arrive: () => this.#arrive(from, address, to, message),
    })
  }

  #count(from: Address, to: Address, message: ClusterMessage): void {
    const packed = clusterProtocol.pack(message)
    const { type } = message
    const codec = this.#isFirst(from, to, type) ? this.#firstCodec : this.#laterCodec
    this.#bytes.set(type, (this.#bytes.get(type) ?? 0) + codec.encode(packed).length)
    if (++this.#counted % checkEvery > 0) return
    const taken = clusterProtocol.unpack(packed)
    if (taken instanceof NotAMessage) throw new Error(`${taken.problem}: ${message.type}`)
  }

  #isFirst(from: Address, to: Address, type: ClusterMessage['type']): boolean {
    const said = this.#said.get(type) ?? new Set()
    this.#said.set(type, said)
    const { size } = said
    return said.add(numberOf(from) * addressesMax + numberOf(to)).size > size
  }

  #arrive(
    from: CrowdMember,
    address: Address,
    to: NodeId | undefined,
    message: ClusterMessage,
  ): void {
    const receiver = this.#byAddress.get(address)
    if (receiver === undefined || !receiver.isAlive) {
      if (!this.#silent.has(address)) this.#report(from, address)
    } else if (to === undefined || to === receiver.id) {
      this.machines.give(receiver, { type: 'Received', message, receivedAtMs: this.now })
    }
  }

  #report(peer: CrowdMember, address: Address): void {
    if (this.machines.isCut(peer.address, address)) return
    const text = 'refused the connection'
    this.machines.give(peer, { type: 'NotConnected', address, isRefused: true, text })
  }
}

const addressesMax = 2 ** 16

function addressAt(index: number): Address {
  return `10.0.${index >> 8}.${index & 255}:2552`
}

function numberOf(address: Address): number {
  const [, , high, low] = address.split(/[.:]/).map(Number)
  return high! * 256 + low!
}
