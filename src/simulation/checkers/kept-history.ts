/**
 * Every event that a store ever accepted, deleted since or not, by stream and life: what a state must be the replay of (D5). A
 * life of a stream ends where all its events are deleted at once.
 */
import { bytesOfEvent } from '../../persistence/index.ts'
import type { SimulatedStore } from '../storage/simulated-store.ts'

export class KeptHistory {
  readonly #lives = new Map<string, Uint8Array[][]>()

  /** From now on. A store has one. */
  constructor(store: SimulatedStore) {
    store.onHistory = ({ persistenceId, events }, deletesEarlier) => {
      const lives = this.#lives.get(persistenceId) ?? [[]]
      this.#lives.set(persistenceId, lives)
      if (deletesEarlier) lives.push([])
      // Copied: the writer may use his bytes again.
      lives.at(-1)?.push(...events.map((event) => bytesOfEvent(event).slice()))
    }
  }

  /** The lives of a stream, the present one last; each with its events from the first on. */
  livesOf(persistenceId: string): readonly (readonly Uint8Array[])[] {
    return this.#lives.get(persistenceId) ?? [[]]
  }
}
