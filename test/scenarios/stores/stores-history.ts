/** What the rolls must be, by the complete history of their events: those that were deleted since are in it as well. */
import { persistenceIdOf } from '../../../src/persistence/index.ts'
import { ValueCodec } from '../../../src/serialization/internals.ts'
import type { Simulation } from '../../../src/simulation/index.ts'
import { KeptHistory } from '../../../src/simulation/internals.ts'

export class RollHistory {
  readonly #simulation: Simulation
  readonly #history: KeptHistory
  readonly #codec = new ValueCodec({ use: 'stored' })

  constructor(simulation: Simulation) {
    this.#simulation = simulation
    this.#history = new KeptHistory(simulation.store)
  }

  /** Somebody read this: some life had it at some time, since nothing is answered before it is stored. */
  read(roll: string, ids: readonly string[]): void {
    const isKnown = this.#livesOf(roll).some((life) => ids.every((id, place) => life[place] === id))
    const shown = `${roll} showed ${ids.join(' ')}`
    this.#simulation.check('what is read is a state that its events make', isKnown, shown)
  }

  /** This was acknowledged: it is in the history once, in whatever life. */
  acknowledged(roll: string, id: string): void {
    const times = this.#livesOf(roll).flatMap((life) => life.filter((other) => other === id))
    this.#simulation.check(
      'what was acknowledged is stored once',
      times.length === 1,
      `${id} is in the history of ${roll} ${times.length} times`,
    )
  }

  /** When nothing is under way: the state is the replay of its present life. */
  conclude(roll: string, ids: readonly string[]): void {
    const present = this.#livesOf(roll).at(-1) ?? []
    this.#simulation.check(
      'a state is the replay of its complete history',
      present.length === ids.length && present.every((id, place) => ids[place] === id),
      `${roll} has ${ids.join(' ')}, and its events say ${present.join(' ')}`,
    )
  }

  #livesOf(roll: string): string[][] {
    const lives = this.#history.livesOf(persistenceIdOf('Roll', roll))
    return lives.map((life) =>
      life.map((bytes) => (this.#codec.decode(bytes) as [name: string, id: string])[1]),
    )
  }
}
