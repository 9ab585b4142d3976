/**
 * Every peer this node has to do with, by address. Whoever sends a ref may name any address, so their number is bounded:
 * beyond it, peers that nothing is going on with are forgotten. Refs to their actors lead on to the association that takes
 * their place when they are used. Which of their incarnations are over is remembered for longer.
 */
import type { Timers } from '../foundation/timers.ts'
import { Association, type AssociationOptions } from './association.ts'
import type { Objection } from './handshake/handshake-inputs.ts'
import { Incarnations } from './incarnations.ts'
import { type Address, addressOfNode, type NodeId } from '../foundation/node-id.ts'

/** For each peer that may be kept, so many are remembered by what is known of their incarnations. */
const rememberedPerPeer = 8

type AssociationsOptions = Omit<AssociationOptions, 'address' | 'incarnations' | 'nextLearnt'>

export class Associations {
  readonly #options: AssociationsOptions
  readonly #peersMax: number
  readonly #byAddress = new Map<Address, Association>()
  /** Of peers that are not kept, oldest first. */
  readonly #incarnations = new Map<Address, Incarnations>()
  #tidyAt: number
  #learnt = 0

  constructor(options: AssociationsOptions) {
    this.#options = options
    this.#peersMax = options.world.settings.peersMax
    this.#tidyAt = this.#peersMax
  }

  /** Creates it when there is none: it costs little until something is sent. */
  with(address: Address): Association {
    const known = this.#byAddress.get(address)
    if (known !== undefined) return known
    if (this.#byAddress.size >= this.#tidyAt) this.#tidy()
    const association = this.#create(address)
    this.#byAddress.set(address, association)
    return association
  }

  find(address: Address): Association | undefined {
    return this.#byAddress.get(address)
  }

  /** Whom to refuse in a handshake that begins now; one whom we have called has the address for sure. */
  objections(isCalled: boolean): (node: NodeId) => Objection {
    const since = this.#learnt
    return (node) => {
      const address = addressOfNode(node)
      const incarnations = this.find(address)?.incarnations ?? this.#incarnations.get(address)
      const exclusion = incarnations?.exclusionOf(node)
      if (exclusion !== undefined) return exclusion
      if (incarnations?.isOvertaken(node, since) === true) return 'overtaken'
      return isCalled ? undefined : this.find(address)?.claimed(node)
    }
  }

  /** How many are kept. */
  get count(): number {
    return this.#byAddress.size
  }

  /** Messages that wait for any of them, not yet handed to the network. */
  get queued(): number {
    let sum = 0
    for (const { queued } of this.#byAddress.values()) sum += queued
    return sum
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

  #create(address: Address): Association {
    const incarnations = this.#incarnations.get(address) ?? new Incarnations()
    this.#incarnations.delete(address)
    const nextLearnt = (): number => ++this.#learnt
    return new Association({ ...this.#options, address, incarnations, nextLearnt })
  }

  /** Not again before as many have come on top: a sweep that finds all in use must not be made for each newcomer. */
  #tidy(): void {
    for (const [address, association] of this.#byAddress) {
      if (!association.isIdle) continue
      this.#byAddress.delete(address)
      association.retire(() => this.with(address))
      this.#remember(address, association.incarnations)
    }
    this.#tidyAt = this.#byAddress.size + this.#peersMax
  }

  #remember(address: Address, incarnations: Incarnations): void {
    if (incarnations.isBlank) return
    this.#incarnations.set(address, incarnations)
    if (this.#incarnations.size <= rememberedPerPeer * this.#peersMax) return
    for (const oldest of this.#incarnations.keys()) {
      this.#incarnations.delete(oldest)
      return
    }
  }
}
