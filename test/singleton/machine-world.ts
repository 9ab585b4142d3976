/**
 * A world for machines of one singleton: nodes whose news comes late, messages that come late, in any order or never,
 * instances that end or linger, nodes that crash, freeze, leave and come back on the same address. It knows what is true,
 * and checks it after every step. A member is removed only when it is dead, frozen or has handed over.
 */
import type { Member, MemberStatus } from '../../src/cluster/index.ts'
import { type NodeId, nodeIdOf } from '../../src/foundation/node-id.ts'
import type { SeededRandom } from '../../src/simulation/index.ts'
import { SingletonMachine } from '../../src/singleton/singleton-machine.ts'
import type {
  SingletonEffect,
  SingletonInput,
  SingletonTimer,
} from '../../src/singleton/singleton-inputs.ts'
import { defaultSingletonSettings } from '../../src/singleton/singleton-settings.ts'
import { MachineNetwork, type MachineNode, newcomer } from '../machines/network.ts'

interface WorldNode extends MachineNode<SingletonInput, SingletonEffect, SingletonTimer> {
  /** How much of the history it has heard. */
  seen: number
  isFrozen: boolean
  isHandedOver: boolean
  isHandingOver: boolean
  instance: { readonly term: number; isStopping: boolean } | undefined
}

export class MachineWorld {
  readonly lives: { readonly node: NodeId; readonly term: number }[] = []
  readonly #network: MachineNetwork
  readonly #addresses: readonly string[]
  readonly #areNumbersReused: boolean
  readonly #nodes: WorldNode[] = []
  /** Every membership there ever was; each node has heard a beginning of it. */
  readonly #history: (readonly Member[])[] = [[]]
  #loss = 0.25
  #upNumber = 0
  #incarnations = 0n

  constructor(random: SeededRandom, addresses: number, areNumbersReused = false) {
    this.#network = new MachineNetwork({ random })
    this.#areNumbersReused = areNumbersReused
    this.#addresses = ['a:1', 'b:1', 'c:1', 'd:1'].slice(0, addresses)
    for (const address of this.#addresses) this.#join(address)
  }

  /** Something happens, by chance. */
  disturb(): void {
    this.#network.now += this.#below(300)
    const node = this.#pick(this.#nodes.filter((each) => this.#hasSomethingToDo(each)))
    if (node === undefined) return this.#join(this.#addresses[0])
    const dice = this.#below(100)
    if (dice < 25) this.#hearMore(node)
    else if (dice < 50) this.#network.deliverAny()
    else if (dice < 62) this.#fire(node)
    else if (dice < 72) this.#instanceEnds(node)
    else if (dice < 76) this.#leave(node)
    else if (dice < 88) this.#goOnLeaving()
    else if (dice < 91) this.#crash(node)
    else if (dice < 96) this.#freezeOrThaw(node)
    else this.#join(this.#addresses[this.#below(this.#addresses.length)])
    this.#check()
  }

  /** No more faults: every letter comes, everybody hears everything. */
  settle(): void {
    this.#loss = 0
    for (const node of this.#nodes)
      if (this.#current(node)?.status !== 'Down') this.#freeze(node, false)
    for (let round = 0; round < 60; round++) {
      this.#network.now += 2_000
      this.#goOnLeaving()
      for (const node of this.#nodes) {
        while (node.isAlive && node.seen < this.#history.length - 1) this.#hearMore(node)
        if (node.instance?.isStopping === true) this.#instanceEnds(node)
      }
      while (this.#network.deliverAny());
      for (const node of this.#nodes) this.#fire(node)
      this.#check()
    }
  }

  /** The nodes that are in service, oldest first, and where instances live. */
  outcome(): { readonly oldest: NodeId | undefined; readonly hosts: readonly NodeId[] } {
    const inService = this.#members
      .filter(({ status }) => status === 'Up' || status === 'Leaving')
      .sort((a, b) => a.upNumber - b.upNumber)
    const hosts = this.#nodes.filter((node) => this.#isLive(node)).map(({ id }) => id)
    return { oldest: inService[0]?.node, hosts }
  }

  // ---- what is true

  get #members(): readonly Member[] {
    return this.#history.at(-1) ?? []
  }

  #current({ id }: WorldNode): Member | undefined {
    return this.#members.find(({ node }) => node === id)
  }

  #hasSomethingToDo(node: WorldNode): boolean {
    const isBehind = node.seen < this.#history.length - 1
    return node.isAlive && (this.#current(node) !== undefined || isBehind)
  }

  /** Removed with an instance is excused only because it is frozen for ever. */
  #isLive(node: WorldNode): boolean {
    return node.instance !== undefined && node.isAlive && this.#current(node) !== undefined
  }

  #check(): void {
    const live = this.#nodes.filter((node) => this.#isLive(node))
    if (live.length > 1) throw new Error(`two instances: ${live.map(({ id }) => id).join(', ')}`)
  }

  // ---- membership

  #write(members: readonly Member[]): void {
    this.#history.push(members)
  }

  #become(id: NodeId, status: MemberStatus): void {
    this.#write(
      this.#members.map((member) => (member.node === id ? { ...member, status } : member)),
    )
  }

  #join(address: string | undefined): void {
    const isTaken = this.#members.some(({ node }) => node.startsWith(`${address}#`))
    if (address === undefined || isTaken) return
    const id = nodeIdOf(address, ++this.#incarnations)
    const settings = defaultSingletonSettings
    const machine = new SingletonMachine({ name: 'x', self: id, hosts: {}, settings })
    const upNumber = this.#nextUpNumber()
    const member = {
      node: id,
      status: 'Up',
      roles: [],
      attributes: [],
      appVersion: '1.0.0',
      upNumber,
    } as const
    this.#write([...this.#members, member])
    const node: WorldNode = {
      ...newcomer<SingletonTimer>(),
      id,
      machine,
      act: (effects) => effects.forEach((effect) => this.#perform(node, effect)),
      seen: this.#history.length - 2,
      isFrozen: false,
      isHandedOver: false,
      isHandingOver: false,
      instance: undefined,
    }
    this.#nodes.push(node)
  }

  /** A leader knows only the members there are: the number of one that was removed may be given again. */
  #nextUpNumber(): number {
    if (!this.#areNumbersReused) return ++this.#upNumber
    return Math.max(0, ...this.#members.map(({ upNumber }) => upNumber)) + 1
  }

  #leave(node: WorldNode): void {
    if (this.#current(node)?.status === 'Up') this.#become(node.id, 'Leaving')
  }

  /** The leader does its work: leaving becomes exiting, the dead and frozen go down, whoever is done is removed. */
  #goOnLeaving(): void {
    for (const node of this.#nodes) {
      const status = this.#current(node)?.status
      const seen = this.#history[node.seen]?.find((member) => member.node === node.id)?.status
      const knowsItLeaves = seen === 'Leaving' || seen === 'Exiting'
      if (knowsItLeaves && !node.isHandingOver && node.isAlive) {
        node.isHandingOver = true
        this.#step(node, { type: 'HandOver' })
      }
      const isGone = !node.isAlive || (node.isFrozen && this.#below(6) === 0)
      if (status === 'Leaving') this.#become(node.id, 'Exiting')
      else if (status === 'Exiting' && node.isHandedOver) this.#remove(node)
      else if (status === 'Down' && (!node.isAlive || node.isFrozen)) this.#remove(node)
      else if (status !== undefined && status !== 'Down' && isGone) this.#become(node.id, 'Down')
    }
  }

  #remove({ id }: WorldNode): void {
    this.#write(this.#members.filter(({ node }) => node !== id))
  }

  #hearMore(node: WorldNode | undefined): void {
    if (node === undefined || node.seen >= this.#history.length - 1) return
    node.seen++
    this.#step(node, { type: 'MembersChanged', members: this.#history[node.seen] ?? [] })
  }

  // ---- faults

  #crash(node: WorldNode | undefined): void {
    const alive = this.#nodes.filter((each) => each.isAlive && this.#current(each) !== undefined)
    if (node === undefined || alive.length < 2) return
    this.#network.crash(node)
    node.instance = undefined
  }

  #freezeOrThaw(node: WorldNode | undefined): void {
    if (node === undefined) return
    const status = this.#current(node)?.status
    // Whoever was given up stays frozen.
    if (status !== undefined && status !== 'Down') this.#freeze(node, !node.isFrozen)
  }

  #freeze(node: WorldNode, isFrozen: boolean): void {
    if (node.isFrozen === isFrozen || this.#current(node) === undefined) return
    node.isFrozen = isFrozen
    this.#step(node, { type: 'FreezeChanged', isFrozen })
  }

  // ---- machines

  #fire(node: WorldNode | undefined): void {
    const timer = this.#pick([...(node?.timers.keys() ?? [])])
    if (node !== undefined && timer !== undefined) this.#network.fire(node, timer)
  }

  #instanceEnds(node: WorldNode | undefined): void {
    const instance = node?.instance
    // By itself it ends seldom, and never while it stands still.
    const ends = instance?.isStopping === true || (!node?.isFrozen && this.#below(4) === 0)
    if (node === undefined || instance === undefined || !ends) return
    node.instance = undefined
    this.#step(node, { type: 'InstanceTerminated', term: instance.term })
  }

  #step(node: WorldNode, input: SingletonInput): void {
    this.#network.give(node, input)
  }

  #perform(node: WorldNode, effect: SingletonEffect): void {
    switch (effect.type) {
      case 'Send':
        return this.#send(node.id, effect)
      case 'StartInstance':
        return this.#started(node, effect.term)
      case 'StopInstance':
        if (node.instance !== undefined) node.instance.isStopping = true
        break
      case 'StartTimer':
        return this.#network.startTimer(node, effect.timer, effect.delayMs)
      case 'CancelTimer':
        node.timers.delete(effect.timer)
        break
      case 'HandedOver':
        node.isHandedOver = true
        break
      default:
    }
  }

  /** On a link of its own: letters of a singleton may overtake each other. */
  #send(from: NodeId, { to, message }: Extract<SingletonEffect, { type: 'Send' }>): void {
    const receiver = this.#nodes.find(({ id }) => id === to)
    const arrive = () => receiver && this.#step(receiver, message)
    const lane = String(this.#network.sent)
    this.#network.send({ from, to, lane, message, arrive, loss: this.#loss })
  }

  #started(node: WorldNode, term: number): void {
    const isKnown = ({ node: host }: { readonly node: NodeId }): boolean =>
      !this.#areNumbersReused || this.#members.some((member) => member.node === host)
    const last = this.lives.findLast(isKnown)
    if (node.isFrozen) throw new Error(`${node.id} starts although it is frozen`)
    if (node.instance !== undefined) throw new Error(`${node.id} starts a second one`)
    if (last !== undefined && term <= last.term) {
      throw new Error(`term ${term} on ${node.id} after ${last.term} on ${last.node}`)
    }
    node.instance = { term, isStopping: false }
    this.lives.push({ node: node.id, term })
  }

  // ---- chance

  #below(limit: number): number {
    return this.#network.random.below(limit)
  }

  #pick<T>(values: readonly T[]): T | undefined {
    return values.length === 0 ? undefined : values[this.#below(values.length)]
  }
}
