/**
 * Finds the coordinator and keeps it found.
 *
 *   searching ──RegisterAck──▶ registered
 *       ▲──coordinator's node removed, candidates changed──┘
 *
 * Invariant: nobody of an older term is listened to.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { ToCoordinator } from '../sharding-messages.ts'
import type { RegistrationEffect, RegistrationInput } from './region-inputs.ts'

/** Retries start this much faster than the steady pace, and double. */
const fastFraction = 8
const shortestDelayMs = 100

export interface RegistrationOptions {
  readonly self: NodeId
  readonly isProxy: boolean
  readonly numberOfShards: number
  readonly retryIntervalMs: number
}

export class RegistrationMachine {
  readonly #self: NodeId
  readonly #isProxy: boolean
  readonly #numberOfShards: number
  readonly #retryIntervalMs: number
  #candidates: readonly NodeId[] = []
  #coordinator: NodeId | undefined
  #term = 0
  #delayMs = 0
  #isSearching = true

  constructor({ self, isProxy, numberOfShards, retryIntervalMs }: RegistrationOptions) {
    this.#self = self
    this.#isProxy = isProxy
    this.#numberOfShards = numberOfShards
    this.#retryIntervalMs = retryIntervalMs
  }

  get coordinator(): NodeId | undefined {
    return this.#coordinator
  }

  get term(): number {
    return this.#term
  }

  step(input: RegistrationInput): RegistrationEffect[] {
    switch (input.type) {
      case 'CandidatesChanged':
        this.#candidates = input.candidates
        return this.#search()
      case 'Heard':
        this.#heard(input.coordinator, input.term)
        return []
      case 'Acknowledged':
        this.#isSearching = false
        return []
      case 'NodeRemoved':
        if (input.node !== this.#coordinator) return []
        this.#coordinator = undefined
        return this.#search()
      case 'Retry':
        return this.#isSearching || input.isWaiting ? this.#register() : []
      case 'RetryFast':
        return this.#isSearching ? [...this.#register(), ...this.#again()] : []
      default:
        return unreachable(input)
    }
  }

  /** Whether a word of this term still counts. */
  isCurrent(term: number): boolean {
    return term >= this.#term
  }

  /** To everyone who may be the coordinator. */
  toAll(message: ToCoordinator): RegistrationEffect[] {
    const known = this.#coordinator === undefined ? [] : [this.#coordinator]
    return [...new Set([...known, ...this.#candidates])].map((to) => ({
      type: 'SendToCoordinator',
      to,
      message,
    }))
  }

  /** The coordinator known so far stays until a newer one speaks: it may be the same. */
  #search(): RegistrationEffect[] {
    this.#isSearching = true
    this.#delayMs = Math.max(shortestDelayMs, this.#retryIntervalMs / fastFraction) / 2
    return [...this.#register(), ...this.#again()]
  }

  #register(): RegistrationEffect[] {
    const region = this.#self
    const isProxy = this.#isProxy
    return this.toAll({ type: 'Register', region, isProxy, numberOfShards: this.#numberOfShards })
  }

  #again(): RegistrationEffect[] {
    this.#delayMs *= 2
    if (this.#delayMs >= this.#retryIntervalMs) return []
    return [{ type: 'StartTimer', timer: 'register', delayMs: this.#delayMs }]
  }

  #heard(coordinator: NodeId, term: number): void {
    if (!this.isCurrent(term)) return
    this.#term = term
    this.#coordinator = coordinator
  }
}
