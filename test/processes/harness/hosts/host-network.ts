/**
 * Hosts for nodes and for their store, each a network namespace with an address of its own, joined by a switch: real packets
 * through a real kernel, which can be lost, delayed and cut in each direction. Nothing of it is in the namespace of the machine
 * itself, so that no packet leaves and several runs do not meet. Needs Linux and root (`host-tools.ts`).
 *
 *   store and switch ──to-a── eth0  host a
 *        (bridge)    ──to-b── eth0  host b
 */
import { atTheEnd } from '../at-the-end.ts'
import { entering, run } from './host-tools.ts'
import { newPrefix, removeLeftovers, removeNamespace } from './leftovers.ts'
import {
  type Addresses,
  deviceTo,
  type Direction,
  hostDevice,
  lostBy,
  noFaults,
  type PacketFaults,
  rulesOfHost,
  rulesOfSwitch,
  storeName,
} from './packet-rules.ts'

const subnet = '10.73.0.'
/** The same on every host. */
const port = 2552
const firstAddress = 11

/** Where a process lives, and how it gets there. */
export interface Seat {
  readonly host: string
  readonly port: number
  /** What stands before the command that is to run there. */
  readonly enter: readonly [program: string, ...args: string[]]
}

export class HostNetwork {
  readonly #names: readonly string[]
  readonly #prefix = newPrefix()
  readonly #addresses = new Map<string, string>([[storeName, `${subnet}1`]])
  readonly #forget: () => void
  #addressesGiven = 0
  #faults = noFaults
  #lostBefore = 0

  constructor(names: readonly string[]) {
    this.#names = names
    removeLeftovers()
    this.#forget = atTheEnd(() => this.#remove())
    try {
      this.#make()
    } catch (error) {
      this.dispose()
      throw new Error(`Cannot make hosts in network namespaces here: ${String(error)}`, {
        cause: error,
      })
    }
  }

  /** Of the host of that name; `store` is one as well. */
  seatOf(name: string): Seat {
    const host = this.#addresses.get(name) ?? ''
    return { host, port, enter: entering(this.#namespaceOf(name)) }
  }

  /** All addresses that hosts can have. */
  get range(): string {
    return `${subnet}0/24`
  }

  // ---- faults

  /** From now on so many of all packets are lost, by chance. */
  lose(lossPercent: number): void {
    this.#follow({ ...this.#faults, lossPercent })
  }

  /** What these send to those arrives no more, and nobody is told; the other direction is as it was. */
  cutOneWay(from: readonly string[], to: readonly string[]): void {
    this.#follow({ ...this.#faults, cut: [...this.#faults.cut, ...directions(from, to)] })
  }

  /** Nothing passes between the two sides, and nobody is told. */
  cut(left: readonly string[], right: readonly string[]): void {
    this.cutOneWay(left, right)
    this.cutOneWay(right, left)
  }

  /** Nothing is lost or cut any more. Addresses stay as they are. */
  heal(): void {
    this.#follow(noFaults)
  }

  /** Packets that were lost so far. */
  get lost(): number {
    return this.#lostBefore + this.#lostNow()
  }

  /** The host has no address any more, and so no way to anybody. */
  takeAddress(name: string): void {
    this.#ip(name, 'addr', 'flush', 'dev', hostDevice)
  }

  /** The host has another address, which nobody has had before. */
  newAddress(name: string): void {
    this.takeAddress(name)
    this.#giveAddress(name)
  }

  // ---- making and removing

  dispose(): void {
    this.#forget()
    this.#remove()
  }

  #make(): void {
    run('ip', ['netns', 'add', this.#namespaceOf(storeName)])
    this.#ip(storeName, 'link', 'set', 'dev', 'lo', 'up')
    this.#ip(storeName, 'link', 'add', 'name', 'bridge', 'type', 'bridge')
    this.#ip(storeName, 'addr', 'add', `${this.seatOf(storeName).host}/24`, 'dev', 'bridge')
    this.#ip(storeName, 'link', 'set', 'dev', 'bridge', 'up')
    for (const name of this.#names) this.#makeHost(name)
    this.#follow(noFaults)
  }

  #makeHost(name: string): void {
    const [namespace, device] = [this.#namespaceOf(name), deviceTo(name)]
    run('ip', ['netns', 'add', namespace])
    const peer = ['peer', 'name', hostDevice, 'netns', namespace]
    this.#ip(storeName, 'link', 'add', 'name', device, 'type', 'veth', ...peer)
    this.#ip(storeName, 'link', 'set', 'dev', device, 'master', 'bridge', 'up')
    this.#ip(name, 'link', 'set', 'dev', 'lo', 'up')
    this.#ip(name, 'link', 'set', 'dev', hostDevice, 'up')
    this.#giveAddress(name)
  }

  #giveAddress(name: string): void {
    const address = `${subnet}${firstAddress + this.#addressesGiven++}`
    this.#addresses.set(name, address)
    this.#ip(name, 'addr', 'add', `${address}/24`, 'dev', hostDevice)
  }

  /** Devices go with their namespaces, and these with the last process in them. */
  #remove(): void {
    for (const name of [...this.#names, storeName]) removeNamespace(this.#namespaceOf(name))
  }

  #follow(faults: PacketFaults): void {
    this.#lostBefore += this.#lostNow()
    this.#faults = faults
    const addresses: Addresses = this.#addresses
    this.#nft(storeName, ['-f', '-'], rulesOfSwitch(faults, addresses))
    for (const name of this.#names) {
      this.#nft(name, ['-f', '-'], rulesOfHost(name, faults, addresses))
    }
  }

  #lostNow(): number {
    const printed = [storeName, ...this.#names].map((name) => this.#nft(name, ['list', 'ruleset']))
    return printed.reduce((sum, rules) => sum + lostBy(rules), 0)
  }

  #namespaceOf(name: string): string {
    return `${this.#prefix}-${name}`
  }

  #ip(name: string, ...args: readonly string[]): void {
    run('ip', ['-n', this.#namespaceOf(name), ...args])
  }

  #nft(name: string, args: readonly string[], input?: string): string {
    return run('ip', ['netns', 'exec', this.#namespaceOf(name), 'nft', ...args], input)
  }
}

function directions(from: readonly string[], to: readonly string[]): Direction[] {
  return from.flatMap((a) => to.map((b) => ({ from: a, to: b })))
}
