/**
 * Finds the coordinator and keeps it found.
 *
 *   searching ──RegisterAck──▶ registered
 *       ▲──coordinator's node removed, candidates changed, a new one speaks──┘
 *
 * Who searches for long says so once: it may be that the oldest members have not started this type.
 *
 * Invariant: nobody of an older term is listened to.
 */
import type { Member } from '../../cluster/index.ts'
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { ToCoordinator } from '../sharding-messages.ts'
import type { TypeIdentity } from '../type-identity.ts'
import type { Heard, RegistrationEffect, RegistrationInput } from './region-inputs.ts'

/** Retries start this much faster than the steady pace, and double. */
const fastFraction = 8
const shortestDelayMs = 100
/** Steady ticks without an answer, after which it is said aloud. */
export const lonelyAfter = 5

export interface RegistrationOptions {
  readonly self: NodeId
  readonly isProxy: boolean
  readonly numberOfShards: number
  readonly retryIntervalMs: number
  /** What all regions of the type must agree on. */
  readonly identity?: TypeIdentity | undefined
}

export class RegistrationMachine {
  readonly #self: NodeId
  readonly #isProxy: boolean
  readonly #numberOfShards: number
  readonly #retryIntervalMs: number
  readonly #identity: TypeIdentity
  /** Steady ticks of this search. */
  #ticks = 0
  #candidates: readonly NodeId[] | undefined
  #coordinator: NodeId | undefined
  #term = 0
  #delayMs = 0
  #isSearching = true
  #isPreparing = false

  constructor(options: RegistrationOptions) {
    const { self, isProxy, numberOfShards, retryIntervalMs, identity = {} } = options
    this.#identity = identity
    this.#self = self
    this.#isProxy = isProxy
    this.#numberOfShards = numberOfShards
    this.#retryIntervalMs = retryIntervalMs
  }

  get coordinator(): NodeId | undefined {
    return this.#coordinator
  }

  /** Whether a coordinator has let this region in and is the one to ask. */
  get isRegistered(): boolean {
    return !this.#isSearching
  }

  get term(): number {
    return this.#term
  }

  step(input: RegistrationInput): RegistrationEffect[] {
    switch (input.type) {
      case 'CandidatesChanged':
        return this.#seeCandidates(input.candidates)
      case 'Heard':
        return this.#heard(input)
      case 'Acknowledged':
        this.#isSearching = false
        return []
      case 'NodeRemoved':
        if (input.node !== this.#coordinator) return []
        this.#coordinator = undefined
        return this.#search()
      case 'Retry':
        return this.#isSearching || input.isWaiting ? [...this.#register(), ...this.#tick()] : []
      case 'RetryFast':
        return this.#isSearching ? [...this.#register(), ...this.#again()] : []
      default:
        return unreachable(input)
    }
  }

  /** From now on every coordinator hears that the whole cluster is about to stop. */
  prepare(): void {
    this.#isPreparing = true
  }

  /** Whether a word of this term still counts. */
  isCurrent(term: number): boolean {
    return term >= this.#term
  }

  /** To everyone who may be the coordinator. */
  toAll(message: ToCoordinator): RegistrationEffect[] {
    const known = this.#coordinator === undefined ? [] : [this.#coordinator]
    return [...new Set([...known, ...(this.#candidates ?? [])])].map((to) => ({
      type: 'SendToCoordinator',
      to,
      message,
    }))
  }

  #seeCandidates(candidates: readonly NodeId[]): RegistrationEffect[] {
    if (candidates.join() === this.#candidates?.join()) return []
    this.#candidates = candidates
    return this.#search()
  }

  /** The coordinator known so far stays until a newer one speaks: it may be the same. */
  #search(): RegistrationEffect[] {
    this.#isSearching = true
    this.#ticks = 0
    this.#delayMs = Math.max(shortestDelayMs, this.#retryIntervalMs / fastFraction) / 2
    return [...this.#register(), ...this.#again()]
  }

  #register(): RegistrationEffect[] {
    return this.toAll(this.#greeting())
  }

  #greeting(): ToCoordinator {
    const [region, isProxy, numberOfShards] = [this.#self, this.#isProxy, this.#numberOfShards]
    const known = this.#isPreparing ? { isPreparing: true } : {}
    return { type: 'Register', region, isProxy, numberOfShards, ...this.#identity, ...known }
  }

  #tick(): RegistrationEffect[] {
    if (!this.#isSearching || ++this.#ticks !== lonelyAfter) return []
    return [{ type: 'Lonely', asked: this.#candidates ?? [] }]
  }

  #again(): RegistrationEffect[] {
    this.#delayMs *= 2
    if (this.#delayMs >= this.#retryIntervalMs) return []
    return [{ type: 'StartTimer', timer: 'register', delayMs: this.#delayMs }]
  }

  /** One that is new has to hear who this is, also when it knows it from those before: it may want other settings. */
  #heard({ coordinator, term, isAnswer }: Heard): RegistrationEffect[] {
    if (!this.isCurrent(term)) return []
    const isNew = coordinator !== this.#coordinator || term > this.#term
    this.#term = term
    this.#coordinator = coordinator
    if (!isNew || isAnswer) return []
    this.#isSearching = true
    this.#ticks = 0
    return [{ type: 'SendToCoordinator', to: coordinator, message: this.#greeting() }]
  }
}

/** Where the coordinator may be: the oldest that is Up, or one before it that is on its way out. Members come by age. */
export function candidatesAmong(members: readonly Pick<Member, 'node' | 'status'>[]): NodeId[] {
  const standing = members.filter(({ status }) => status !== 'Down')
  const firstUp = standing.findIndex(({ status }) => status === 'Up')
  return standing.slice(0, firstUp < 0 ? standing.length : firstUp + 1).map(({ node }) => node)
}
