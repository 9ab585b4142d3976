/**
 * How far a link is known to have got: what was handed to the network, and what of it is settled, because the peer has
 * confirmed it or because it is lost. Numbers count messages over all connections of the link. What waits for the next
 * connection is not settled by the end of this one: it is still to be delivered, or to be taken out of the queue.
 */
import { MalformedFrame } from '../wire/byte-cursor.ts'

export class Confirmations {
  #handed = 0
  #settled = 0
  /** What had been handed over before the current connection. */
  #before = 0
  /** In the order in which they are settled. */
  readonly #waiting = new Set<{ upTo: number; readonly done: () => void }>()

  /** Whether somebody waits for messages to be settled. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0
  }

  handedOver(count: number): void {
    this.#handed += count
  }

  connectionBegan(): void {
    this.#before = this.#handed
  }

  /** The peer has this many messages of the current connection. */
  confirmed(count: number): void {
    const upTo = this.#before + count
    if (upTo > this.#handed) throw new MalformedFrame('more is confirmed than was sent')
    if (upTo > this.#settled) this.#settle(upTo)
  }

  /** Answers how many messages may have been lost. */
  connectionLost(): number {
    const unconfirmed = this.#handed - this.#settled
    this.#settle(this.#handed)
    return unconfirmed
  }

  /** These have left the queue and will never be handed over; their places in it as it was, 0 for the oldest. */
  tookOut(places: readonly number[]): void {
    if (!this.isAwaited) return
    // Both are in order, and both may be many.
    let before = 0
    for (const each of this.#waiting) {
      const queued = each.upTo - this.#handed
      while (before < places.length && (places[before] as number) < queued) before++
      each.upTo -= before
    }
    this.#settle(this.#settled)
  }

  /**
   * Calls `done` once everything handed over, and `queued` messages more, is settled; at once when it is. Whoever does not
   * want to know any more calls what it returns: a peer that never confirms would have it kept for good.
   */
  whenSettled(queued: number, done: () => void): () => void {
    const wait = { upTo: this.#handed + queued, done }
    if (wait.upTo <= this.#settled) done()
    else this.#waiting.add(wait)
    return () => void this.#waiting.delete(wait)
  }

  #settle(upTo: number): void {
    this.#settled = upTo
    if (!this.isAwaited) return
    const settled = [...this.#waiting].filter((each) => each.upTo <= upTo)
    for (const each of settled) this.#waiting.delete(each)
    for (const { done } of settled) done()
  }
}
