/** Every peer this node has to do with, by address. */
import type { Timers } from '../foundation/timers.ts'
import { Association, type AssociationOptions } from './association.ts'
import type { Admission } from './handshake/handshake-machine.ts'
import { type Address, addressOfNode, type NodeId } from './node-id.ts'

export class Associations {
  readonly #options: Omit<AssociationOptions, 'address'>
  readonly #byAddress = new Map<Address, Association>()

  constructor(options: Omit<AssociationOptions, 'address'>) {
    this.#options = options
  }

  /** Creates it when there is none: it costs nothing until something is sent. */
  with(address: Address): Association {
    const known = this.#byAddress.get(address)
    if (known !== undefined) return known
    const association = new Association({ ...this.#options, address })
    this.#byAddress.set(address, association)
    return association
  }

  find(address: Address): Association | undefined {
    return this.#byAddress.get(address)
  }

  admission(node: NodeId): Admission {
    return this.#byAddress.get(addressOfNode(node))?.admission(node)
  }

  /** Resolves when everything sent has come or is lost, or when the time is up. */
  stop(timers: Timers, waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      let waiting = this.#byAddress.size
      if (waiting === 0) return resolve()
      const patience = timers.after(waitMs, resolve)
      const stopped = (): void => {
        if (--waiting > 0) return
        patience.cancel()
        resolve()
      }
      for (const association of this.#byAddress.values()) association.stop(stopped)
    })
  }

  close(): void {
    for (const association of this.#byAddress.values()) association.close()
  }
}
