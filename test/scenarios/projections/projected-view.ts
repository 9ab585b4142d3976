/**
 * The view that a projection builds in a scenario, outside of all nodes, as a database would be; and what it must be at any
 * time: every event at least once, those of one entity in their order, and nothing stored as handled that was not.
 */
import { numberOfSlices, type OrderedEvent } from '../../../src/persistence/index.ts'
import { placeOfText, SliceCursor } from '../../../src/persistence/internals.ts'
import { ValueCodec } from '../../../src/serialization/internals.ts'
import type { Simulation } from '../../../src/simulation/index.ts'

export interface ViewOf {
  readonly projection: string
  readonly entityType: string
  readonly ranges: number
}

export class ProjectedView {
  readonly #simulation: Simulation
  readonly #of: ViewOf
  readonly #codec = new ValueCodec({ use: 'stored' })
  /** The number of the last event that was handled, by entity. */
  readonly #last = new Map<string, number>()
  /** How many events were stored as handled, by range. */
  readonly #passed = new Map<number, number>()
  #repeats = 0

  constructor(simulation: Simulation, of: ViewOf) {
    this.#simulation = simulation
    this.#of = of
  }

  handled(id: string, sequenceNr: number, by: string): void {
    const last = this.#last.get(id) ?? 0
    this.#simulation.check(
      'no event is handled before those before it',
      sequenceNr <= last + 1,
      `${by} handles event ${sequenceNr} of ${id}, and the last one was ${last}`,
    )
    if (sequenceNr <= last && this.#repeats++ === 0) {
      this.#simulation.reached('an event is handled again')
    }
    this.#last.set(id, Math.max(last, sequenceNr))
  }

  /** Whether everything that is stored was handled. */
  async isComplete(): Promise<boolean> {
    const events = await this.#eventsFrom('[null]', 0, numberOfSlices - 1)
    return events.every((event) => this.#isHandled(event))
  }

  /** Nothing that is stored as handled is not. */
  async checkOffsets(): Promise<void> {
    const { projection, ranges } = this.#of
    const slices = numberOfSlices / ranges
    for (let range = 0; range < ranges; range++) {
      const register = this.#simulation.store.memory.readRegister(
        `projection/${projection}/${range}`,
      )
      if (register === undefined) continue
      const { place } = this.#codec.decode(Buffer.from(register.bytes)) as { place: string }
      const [from, to] = [range * slices, (range + 1) * slices - 1]
      const left = new Set((await this.#eventsFrom(place, from, to)).map(nameOf))
      const passed = (await this.#eventsFrom('[null]', from, to)).filter(
        (event) => !left.has(nameOf(event)),
      )
      const unhandled = passed.find((event) => !this.#isHandled(event))
      this.#simulation.check(
        'a stored offset passes no event that was not handled',
        unhandled === undefined,
        `range ${range} is stored as being at ${place}, behind ${unhandled && nameOf(unhandled)}`,
      )
      const before = this.#passed.get(range) ?? 0
      this.#simulation.check(
        'a stored offset never goes back',
        passed.length >= before,
        `range ${range} had ${before} events behind it, and now ${passed.length}`,
      )
      this.#passed.set(range, passed.length)
      if (passed.length > 0) this.#simulation.reached('an offset is stored')
    }
  }

  #isHandled({ persistenceId, sequenceNr }: OrderedEvent): boolean {
    const id = persistenceId.slice(this.#of.entityType.length + 1)
    return sequenceNr <= (this.#last.get(id) ?? 0)
  }

  async #eventsFrom(place: string, fromSlice: number, toSlice: number): Promise<OrderedEvent[]> {
    const { memory } = this.#simulation.store
    const { entityType } = this.#of
    const cursor = new SliceCursor({
      journal: { readSlices: async (query) => memory.readSlices(query) },
      ...{ fromSlice, toSlice, eventsMax: 1_000_000, place: placeOfText(place) },
      wants: ({ persistenceId }) => persistenceId.startsWith(`${entityType}|`),
    })
    return (await cursor.next()).events.map(({ event }) => event)
  }
}

function nameOf({ persistenceId, sequenceNr }: OrderedEvent): string {
  return `${persistenceId} ${sequenceNr}`
}
