/**
 * Of the sides of a split one goes on: whoever was removed by a member that acts, acts no more. And the list of those whom
 * the store has given up only grows while a founding lives.
 */
import type { ClusterEvent } from '../../../src/cluster/index.ts'
import {
  type FoundingRecord,
  recordOfBytes,
} from '../../../src/cluster/founding/founding-record.ts'
import type { NodeId } from '../../../src/foundation/node-id.ts'
import type { SherdNode } from '../../../src/node/index.ts'
import { MemoryJournal } from '../../../src/persistence/index.ts'
import type { SimulatedNode, Simulation } from '../../../src/simulation/index.ts'
import { places } from './splits-places.ts'

interface Side {
  readonly node: NodeId
  readonly life: SimulatedNode
  readonly removed: Set<NodeId>
  isFrozen: boolean
  /** The pauses it had had when it was last seen to act. */
  pausesSeen: number
}

const LOOK_MS = 100

export class OneSide {
  readonly #simulation: Simulation
  readonly #store: MemoryJournal
  readonly #register: string
  readonly #excuse: () => string | undefined
  readonly #sides = new Map<string, Side>()
  #record: FoundingRecord | undefined

  /** `excuse` says why two sides may act for a moment, if they may: the strategy does not promise that they do not. */
  constructor(
    simulation: Simulation,
    clusterName: string,
    excuse: () => string | undefined = () => undefined,
  ) {
    this.#simulation = simulation
    this.#excuse = excuse
    this.#store = new MemoryJournal({ store: simulation.store.memory })
    this.#register = `founding/${clusterName}`
    this.#look()
  }

  attach(node: SherdNode, life: SimulatedNode): void {
    const { isFrozen } = node.cluster
    const side = { node: node.id, life, removed: new Set<NodeId>(), isFrozen, pausesSeen: 0 }
    this.#sides.set(life.label, side)
    node.cluster.subscribe((event) => this.#changed(side, event))
  }

  /** Something was handled in the life of that label. */
  acted(label: string): void {
    const own = this.#sides.get(label)
    if (own === undefined) return
    own.pausesSeen = own.life.pauseCount
    for (const other of this.#sides.values()) {
      if (!isActive(other) || !other.removed.has(own.node)) continue
      const excuse = this.#excuse()
      if (excuse !== undefined) {
        this.#simulation.excuse(`B1: ${excuse}`)
        continue
      }
      this.#simulation.check(
        'one side of a split goes on',
        false,
        `${label} acts, and ${other.life.label}, which goes on, has removed it`,
      )
    }
  }

  #changed(side: Side, event: ClusterEvent): void {
    if (event.type === 'Frozen') side.isFrozen = true
    if (event.type === 'Thawed') {
      side.isFrozen = false
      side.pausesSeen = side.life.pauseCount
    }
    if (event.type === 'MemberRemoved') side.removed.add(event.member.node)
  }

  #look(): void {
    void this.#store.readRegister(this.#register).then((found) => {
      const record = found && recordOfBytes(found.bytes)
      if (record !== undefined) this.#see(record)
    })
    this.#simulation.after(LOOK_MS, () => this.#look())
  }

  #see(record: FoundingRecord): void {
    const before = this.#record
    this.#record = record
    if (record.claim !== undefined) this.#simulation.reached(places.claimed)
    if (before?.number !== record.number) return
    if (record.givenUp.length > before.givenUp.length) this.#simulation.reached(places.givenUp)
    this.#simulation.check(
      'whoever was given up stays so',
      before.givenUp.every((node) => record.givenUp.includes(node)),
      `${before.givenUp.join()} became ${record.givenUp.join()}`,
    )
  }
}

function isActive({ life, isFrozen, pausesSeen }: Side): boolean {
  return life.isAlive && !life.isPaused && !isFrozen && pausesSeen === life.pauseCount
}
