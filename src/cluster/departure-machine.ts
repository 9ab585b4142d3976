/**
 * The end of one node's membership, as it follows its own member record.
 *
 *   present ──Exiting──▶ exiting ──tasks done──▶ exited ──removed, or waited──▶ stopped (leaving)
 *      └───────Down─────────┴──▶ downed ──news has spread, or waited──▶ stopped (downing)
 *
 * Invariant: a node confirms that it may be removed only after its exiting tasks are done, and stops once.
 */
import { unreachable } from '../foundation/assert.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import type { DepartureEffect, DepartureInput, DeparturePhase } from './departure-inputs.ts'
import type { MemberStatus } from './gossip/member.ts'

export class DepartureMachine {
  readonly #settings: ClusterSettings
  #phase: DeparturePhase = 'present'
  #waitsUntil = Infinity

  constructor(settings: ClusterSettings) {
    this.#settings = settings
  }

  step(input: DepartureInput, now: number): DepartureEffect[] {
    if (this.#phase === 'stopped') return []
    switch (input.type) {
      case 'OwnStatus':
        return this.#follow(input.status, now)
      case 'ExitingDone':
        return this.#tasksDone(input.isAlone, now)
      case 'Removed':
        return this.#stop(this.#phase === 'exited' ? 'leaving' : 'downing')
      case 'Tick':
        return this.#tick(input.hasNewsSpread, now)
      default:
        return unreachable(input)
    }
  }

  snapshot(): DeparturePhase {
    return this.#phase
  }

  #follow(status: MemberStatus, now: number): DepartureEffect[] {
    if (status === 'Exiting' && this.#phase === 'present') {
      this.#phase = 'exiting'
      return [{ type: 'BeginExiting' }]
    }
    if (status !== 'Down' || this.#phase === 'downed') return []
    this.#phase = 'downed'
    this.#waitsUntil = now + this.#settings.downedLingerMs
    return [{ type: 'SpreadNews' }]
  }

  #tasksDone(isAlone: boolean, now: number): DepartureEffect[] {
    if (this.#phase !== 'exiting') return []
    this.#phase = 'exited'
    this.#waitsUntil = now + this.#settings.exitedLingerMs
    if (isAlone) return this.#stop('leaving')
    return [{ type: 'SpreadNews' }, { type: 'ConfirmExiting' }]
  }

  #tick(hasNewsSpread: boolean, now: number): DepartureEffect[] {
    const hasWaited = now >= this.#waitsUntil
    if (this.#phase === 'exited') {
      return hasWaited ? this.#stop('leaving') : [{ type: 'ConfirmExiting' }]
    }
    if (this.#phase !== 'downed' || !(hasNewsSpread || hasWaited)) return []
    return [{ type: 'SpreadNews' }, ...this.#stop('downing')]
  }

  #stop(reason: 'leaving' | 'downing'): DepartureEffect[] {
    this.#phase = 'stopped'
    return [{ type: 'ShutDown', reason }]
  }
}
