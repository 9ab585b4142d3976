/** Calls all beacons all the time, wherever they are, by the view of one node. */
import { beacons } from '../load/beacon.ts'

/** Between two calls. */
const paceMs = 10
/** Calls of one beacon that are not answered yet; more would only wait. */
const openMax = 3

export class BeaconCalls {
  readonly #flash: (beacon: string) => Promise<string>
  readonly #open = new Map<string, number>()
  /** When the newest call began that was answered, per beacon. */
  readonly #answered = new Map<string, number>()
  #turn = 0
  #listeners: (() => void)[] = []

  constructor(flash: (beacon: string) => Promise<string>) {
    this.#flash = flash
    setInterval(() => void this.#call(beacons[this.#turn++ % beacons.length] ?? ''), paceMs)
  }

  /** Resolves when every beacon has answered a call that began here after this one. */
  async allAnswer(): Promise<void> {
    const sinceMs = performance.now()
    const hasAnswered = (beacon: string) => (this.#answered.get(beacon) ?? -1) >= sinceMs
    while (!beacons.every(hasAnswered)) {
      await new Promise<void>((resolve) => this.#listeners.push(resolve))
    }
  }

  /** What becomes of a call is for the logs of the beacons to show. */
  async #call(beacon: string): Promise<void> {
    const open = this.#open.get(beacon) ?? 0
    if (open >= openMax) return
    this.#open.set(beacon, open + 1)
    const begunMs = performance.now()
    try {
      await this.#flash(beacon)
      this.#answered.set(beacon, begunMs)
      for (const look of this.#listeners.splice(0)) look()
    } catch {
      // The node is frozen, leaves, or has no coordinator yet.
    } finally {
      this.#open.set(beacon, (this.#open.get(beacon) ?? 1) - 1)
    }
  }
}
