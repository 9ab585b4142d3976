/**
 * Stands before actors that may have to stand still for a while, and before all that they spawn: behind a closed gate no
 * message is handled, and what comes waits in the mailbox. Stopping is not held up. Its keeper also hears of the end of each
 * actor that it was put before, in the very turn in which it ends.
 */
import type { Grant } from '../../foundation/grant.ts'
import type { LocalRef } from '../ref/local-ref.ts'
import type { Cell } from './cell.ts'
import { scheduled } from './cell-flags.ts'

export interface GateOptions {
  readonly onTerminated?: (ref: LocalRef) => void
  /** Asked before every turn. Whoever answers no lets the actors stop: their turns do not come again. */
  readonly mayPass?: (() => boolean) | undefined
  /** Under what those behind it act, for the stores that they claim something from. */
  readonly grant?: () => Grant | undefined
}

export class Gate {
  #isClosed = false
  readonly #options: GateOptions
  readonly #parked = new Set<Cell>()
  readonly #mayPass: (() => boolean) | undefined

  constructor(options: GateOptions = {}) {
    this.#options = options
    this.#mayPass = options.mayPass
  }

  get grant(): Grant | undefined {
    return this.#options.grant?.()
  }

  get isClosed(): boolean {
    return this.#isClosed || (this.#mayPass !== undefined && !this.#mayPass())
  }

  /** A turn under way goes on to its end. */
  close(): void {
    this.#isClosed = true
  }

  /** Gives a turn to every actor that would have had one. */
  open(): void {
    this.#isClosed = false
    const parked = [...this.#parked]
    this.#parked.clear()
    for (const cell of parked) cell.schedule()
  }

  /** For the cell: keeps its turn until the gate opens. Answers what the cell has done in it: nothing. */
  park(cell: Cell): 0 {
    cell.flags &= ~scheduled
    this.#parked.add(cell)
    return 0
  }

  /** For the cell: it has ended. */
  terminated(cell: Cell): void {
    this.#parked.delete(cell)
    const isInherited = cell.ref.parent?.cell?.gate === this
    if (!isInherited) this.#options.onTerminated?.(cell.ref)
  }
}
