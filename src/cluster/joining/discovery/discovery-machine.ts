/**
 * Finds the nodes that a list of seeds would name, by asking a discovery again and again, and settles with them who founds the
 * cluster when there is none.
 *
 *   idle ──Begin──▶ looking ──found one, or founded it──▶ over
 *                    │   ▲
 *                    └───┘ Elected, while the word of enough nodes is for this one
 *
 * A node takes the lowest address that it has found for the founder. That is its word: it gives it to whoever asks, and stays
 * with it for a while, so that it never stands for two at a time. Answers may differ between nodes and from one look to
 * the next: where they do, the words do not come together, and nobody founds.
 *
 * Invariant: a node is elected only while it is found by itself, by an answer that has not changed for a while; with the word of
 * `requiredNodes` nodes, its own among them; and when everybody else that it has found has said to be in no cluster, or is
 * not there.
 */
import { unreachable } from '../../../foundation/assert.ts'
import { type Address, type NodeId, addressOfNode } from '../../../foundation/node-id.ts'
import type { InitJoinNack } from '../../cluster-messages.ts'
import type {
  DiscoveryAnswer,
  DiscoveryEffect,
  DiscoveryInput,
  DiscoveryMachineOptions,
  DiscoverySnapshot,
} from './discovery-inputs.ts'

/** Refused connections, one after the other, that show that nobody is there: a process may just be replaced. */
const refusalsThatCount = 3
/** How often a word may be missed when it is due again, before it does not count any more. */
const wordsMissedMax = 3
/** Who is only looking for a cluster asks no more than so many at a time: any member can let it in. */
const contactsMax = 16

/** What a node has said last, and when that was heard. */
interface Word {
  readonly founder: Address | undefined
  readonly at: number
}

export class DiscoveryMachine {
  readonly #options: DiscoveryMachineOptions
  readonly #address: Address
  readonly #words = new Map<Address, Word>()
  readonly #refusals = new Map<Address, number>()
  #phase: DiscoverySnapshot['phase'] = 'idle'
  #found: readonly Address[] = []
  #foundSince = 0
  /** Why the last look-up failed. */
  #problem: string | undefined
  #number = 0
  #isAsking = false
  #askedAt = 0
  /** For whom this node stands, and how long it stays with that. */
  #own: { readonly founder: Address; readonly until: number } | undefined
  #asked = ''
  #now = 0

  constructor(options: DiscoveryMachineOptions) {
    this.#options = options
    this.#address = addressOfNode(options.self)
  }

  step(input: DiscoveryInput, now: number): DiscoveryEffect[] {
    if (this.#phase === 'over') return []
    this.#now = now
    switch (input.type) {
      case 'Begin':
        return this.#begin()
      case 'Discovered':
      case 'NotDiscovered':
        return this.#answered(input)
      case 'InitJoin':
        return [this.#answerTo(input.from)]
      case 'InitJoinNack':
        return this.#heard(input)
      case 'NotConnected':
        if (input.isRefused) this.#refused(input.address)
        return []
      case 'Tick':
        return this.#phase === 'looking' ? this.#tick() : []
      case 'Over':
        this.#phase = 'over'
        return []
      default:
        return unreachable(input)
    }
  }

  snapshot(): DiscoverySnapshot {
    return { phase: this.#phase, found: this.#found, troubles: this.#troubles }
  }

  // ---- looking

  #begin(): DiscoveryEffect[] {
    if (this.#phase !== 'idle') return []
    this.#phase = 'looking'
    this.#foundSince = this.#now
    return [this.#lookUp()]
  }

  #lookUp(): DiscoveryEffect {
    this.#number += 1
    this.#isAsking = true
    this.#askedAt = this.#now
    return { type: 'LookUp', number: this.#number }
  }

  #answered(answer: DiscoveryAnswer): DiscoveryEffect[] {
    // The answer to an earlier question may be older than one that we have had since.
    if (answer.number !== this.#number) return []
    this.#isAsking = false
    if (answer.type === 'NotDiscovered') {
      // Whoever was found may be there all the same, and is asked on; to found on old news is another matter.
      this.#problem = answer.problem
      return []
    }
    const wasTrouble = this.#problem !== undefined
    this.#problem = undefined
    if (answer.addresses.join() !== this.#found.join() || wasTrouble) this.#foundSince = this.#now
    this.#found = answer.addresses
    const isFound = new Set(this.#found)
    for (const known of [this.#words, this.#refusals]) {
      for (const address of known.keys()) if (!isFound.has(address)) known.delete(address)
    }
    return this.#contacts()
  }

  #tick(): DiscoveryEffect[] {
    const { discoveryIntervalMs, discoveryTimeoutMs } = this.#options.settings
    const waited = this.#now - this.#askedAt
    const effects: DiscoveryEffect[] = []
    if (this.#isAsking && waited >= discoveryTimeoutMs) {
      this.#problem = 'it has not answered in time'
      this.#isAsking = false
    }
    if (!this.#isAsking && waited >= discoveryIntervalMs) effects.push(this.#lookUp())
    if (this.#isElected) effects.push({ type: 'Elected' })
    return effects
  }

  /** Who would found needs the word of all; for others the lowest, one of whom will found, and by turns some of the rest. */
  #contacts(): DiscoveryEffect[] {
    const others = this.#found.filter((address) => address !== this.#address)
    let addresses = others
    if (others.length > contactsMax && this.#choice !== this.#address) {
      const lowest = others.slice(0, contactsMax / 2)
      const rest = others.slice(contactsMax / 2)
      const from = ((this.#number * contactsMax) / 2) % rest.length
      const turn = [...rest.slice(from), ...rest.slice(0, from)].slice(0, contactsMax / 2)
      addresses = [...lowest, ...turn]
    }
    if (addresses.join() === this.#asked) return []
    this.#asked = addresses.join()
    return [{ type: 'Contacts', addresses }]
  }

  // ---- words

  /** Whom this node would take for the founder, if it were asked for the first time. */
  get #choice(): Address | undefined {
    if (this.#phase !== 'looking' || this.#problem !== undefined) return undefined
    return this.#found.find((address) => !this.#isAbsent(address))
  }

  /** The word of this node, which it stays with for a while. Undefined while it has none, or has just changed its mind. */
  #giveWord(): Address | undefined {
    const choice = this.#choice
    const isBound = this.#own !== undefined && this.#now < this.#own.until
    if (choice === undefined || (isBound && this.#own?.founder !== choice)) return undefined
    // Twice as long as others build on it.
    this.#own = { founder: choice, until: this.#now + 2 * this.#wordMs }
    return choice
  }

  get #wordMs(): number {
    return wordsMissedMax * this.#options.settings.seedRetryIntervalMs
  }

  #answerTo(to: NodeId): DiscoveryEffect {
    const founder = this.#giveWord()
    const { self: from } = this.#options
    const refusal = { type: 'InitJoinNack', from, isEnding: false } as const
    return { type: 'Send', to, message: founder === undefined ? refusal : { ...refusal, founder } }
  }

  #heard({ from, founder }: InitJoinNack): DiscoveryEffect[] {
    const address = addressOfNode(from)
    if (!this.#found.includes(address) || address === this.#address) return []
    this.#refusals.delete(address)
    this.#words.set(address, { founder, at: this.#now })
    return []
  }

  #refused(address: Address): void {
    if (!this.#found.includes(address) || address === this.#address) return
    this.#refusals.set(address, (this.#refusals.get(address) ?? 0) + 1)
    this.#words.delete(address)
  }

  #isAbsent(address: Address): boolean {
    return (this.#refusals.get(address) ?? 0) >= refusalsThatCount
  }

  /** What it has said of late; undefined when it has not. */
  #wordOf(address: Address): Word | undefined {
    const word = this.#words.get(address)
    return word !== undefined && this.#now - word.at <= this.#wordMs ? word : undefined
  }

  // ---- who founds

  get #isElected(): boolean {
    if (this.#choice !== this.#address || !this.#isStill || this.#unheard.length > 0) return false
    if (this.#supporters.length + 1 < this.#options.requiredNodes) return false
    return this.#giveWord() === this.#address
  }

  get #isStill(): boolean {
    return this.#now - this.#foundSince >= this.#options.settings.discoveryStillMs
  }

  get #others(): readonly Address[] {
    return this.#found.filter((address) => address !== this.#address && !this.#isAbsent(address))
  }

  /** Who may be in a cluster, for all this node knows. */
  get #unheard(): readonly Address[] {
    return this.#others.filter((address) => this.#wordOf(address) === undefined)
  }

  get #supporters(): readonly Address[] {
    return this.#others.filter((address) => this.#wordOf(address)?.founder === this.#address)
  }

  // ---- for people

  get #troubles(): string[] {
    if (this.#phase !== 'looking') return []
    const { name, requiredNodes } = this.#options
    if (this.#problem !== undefined) return [`${name} cannot be looked up: ${this.#problem}`]
    if (this.#found.length < requiredNodes) {
      const found = this.#found.join(', ') || 'nobody'
      return [
        `${name} names ${found}; ${requiredNodes} nodes must have found each other to found a cluster (discovery.requiredNodes)`,
      ]
    }
    if (!this.#found.includes(this.#address)) {
      return [
        `${name} does not name this node, ${this.#address}: others do not find it, and it founds no cluster. Give it the address by which it is named (advertised)`,
      ]
    }
    return this.#troublesOfFounding
  }

  get #troublesOfFounding(): string[] {
    const choice = this.#choice
    if (choice !== this.#address) {
      return choice === undefined ? [] : [`${choice} is to found the cluster, and has not yet`]
    }
    if (!this.#isStill) return [`${this.#options.name} has changed its answer of late`]
    if (this.#unheard.length > 0) {
      return [
        `this node would found a cluster, but ${this.#unheard.join(', ')} may be in one: it is found, and has not said`,
      ]
    }
    const { requiredNodes } = this.#options
    const count = this.#supporters.length + 1
    return count < requiredNodes
      ? [
          `this node would found a cluster, with ${count} of the ${requiredNodes} nodes that must have found it`,
        ]
      : []
  }
}
