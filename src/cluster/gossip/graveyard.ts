/**
 * How long this node has known of each removal, by its own monotonic clock. The clocks of two machines may be hours
 * apart, so no time of day travels: a newcomer is told ages, which mean the same everywhere, and whoever is behind a
 * split counts from when it hears of it. A tombstone may be kept for longer than it was meant to be, never for less.
 */
import type { NodeId } from '../../foundation/node-id.ts'

const nothing: ReadonlySet<NodeId> = new Set()

export class Graveyard {
  readonly #keepMs: number
  readonly #since = new Map<NodeId, number>()
  #noted: readonly NodeId[] = []

  constructor(keepMs: number) {
    this.#keepMs = keepMs
  }

  /** Takes over what others know: ages in the order of the tombstones, 0 where one is missing. */
  learn(tombstones: readonly NodeId[], agesMs: readonly number[], now: number): void {
    tombstones.forEach((node, index) => this.#since.set(node, now - (agesMs[index] ?? 0)))
  }

  agesMs(tombstones: readonly NodeId[], now: number): number[] {
    return tombstones.map((node) => Math.floor(now - (this.#since.get(node) ?? now)))
  }

  /** Takes note of the tombstones there are, and answers which have been known for long enough. */
  overdue(tombstones: readonly NodeId[], now: number): ReadonlySet<NodeId> {
    if (tombstones !== this.#noted) this.#note(tombstones, now)
    const isOverdue = (node: NodeId) => now - (this.#since.get(node) ?? now) >= this.#keepMs
    return tombstones.some(isOverdue) ? new Set(tombstones.filter(isOverdue)) : nothing
  }

  #note(tombstones: readonly NodeId[], now: number): void {
    this.#noted = tombstones
    for (const node of tombstones) {
      if (!this.#since.has(node)) this.#since.set(node, now)
    }
    // One that was dropped is remembered as long again: a view that still has it may bring it back, as old as it was.
    const present = new Set(tombstones)
    for (const [node, since] of this.#since) {
      if (!present.has(node) && now - since >= 2 * this.#keepMs) this.#since.delete(node)
    }
  }
}
