/**
 * The gates before the instances of this node: all of them are closed while it is frozen. Singletons share one; an instance that
 * lives under a lease has its own, which also asks for the lease before every turn.
 */
import { Gate } from '../actor/internals.ts'
import type { GuardingLease } from '../lease/internals.ts'

export class SingletonGates {
  readonly #shared = new Gate()
  readonly #ofLeases = new Set<Gate>()

  get isClosed(): boolean {
    return this.#shared.isClosed
  }

  /** For one life of an instance; `ended` ends it. */
  gateFor(lease: GuardingLease | undefined): Gate {
    if (lease === undefined) return this.#shared
    const gate = new Gate({ mayPass: () => lease.isHeld(), grant: () => lease.grant })
    if (this.isClosed) gate.close()
    this.#ofLeases.add(gate)
    return gate
  }

  ended(gate: Gate | undefined): void {
    if (gate !== undefined) this.#ofLeases.delete(gate)
  }

  close(): void {
    for (const gate of [this.#shared, ...this.#ofLeases]) gate.close()
  }

  open(): void {
    for (const gate of [this.#shared, ...this.#ofLeases]) gate.open()
  }
}
