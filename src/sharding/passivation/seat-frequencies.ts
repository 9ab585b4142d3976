/**
 * How often the entities in the seats were used lately, by a frequency sketch, which also knows those that are gone. Where it
 * counts an entity is found once in a life. One whose counters are all full is left alone until they are halved: it would
 * change nothing, and to look at its counters is to wait for other memory.
 */
import type { EntityId } from '../shard-id.ts'
import { FrequencySketch, type SketchOptions } from './frequency-sketch.ts'
import { type Seat, withRoomFor } from './seat.ts'
import { spotsPerId, writeSpots } from './spots.ts'

const notFull = -1

export class SeatFrequencies {
  readonly #options: SketchOptions
  #capacity = 1
  /** Made by the first use: a shard that begins is told many limits while others begin beside it. */
  #sketch: FrequencySketch | undefined
  #spots: Int32Array = new Int32Array(8 * spotsPerId)
  /** By seat, after how many halvings its counters were found full. */
  #fullAfter: Int32Array = new Int32Array(8)

  constructor(options: SketchOptions) {
    this.#options = options
  }

  /** What was counted before is forgotten. */
  setCapacity(capacity: number): void {
    this.#capacity = capacity
    this.#sketch = undefined
    this.#fullAfter.fill(notFull)
  }

  /** Somebody has taken this seat, and was used. */
  enter(seat: Seat, entityId: EntityId): void {
    const at = seat * spotsPerId
    this.#spots = withRoomFor(this.#spots, at + spotsPerId)
    this.#fullAfter = withRoomFor(this.#fullAfter, seat + 1)
    this.#fullAfter[seat] = notFull
    writeSpots(entityId, this.#spots, at)
    this.#makeSketch().increment(this.#spots, at)
  }

  /** Uses of those in the first `count` of these seats, in order. */
  touch(seats: Int32Array, count: number): void {
    const sketch = this.#makeSketch()
    const spots = this.#spots
    const fullAfter = this.#fullAfter
    for (let index = 0; index < count; index++) {
      const seat = seats[index] as Seat
      if (fullAfter[seat] === sketch.halvings) continue
      if (!sketch.increment(spots, seat * spotsPerId)) fullAfter[seat] = sketch.halvings
    }
  }

  isHigher(seat: Seat, than: Seat): boolean {
    const sketch = this.#makeSketch()
    const ofSeat = sketch.frequency(this.#spots, seat * spotsPerId)
    return ofSeat > sketch.frequency(this.#spots, than * spotsPerId)
  }

  #makeSketch(): FrequencySketch {
    return (this.#sketch ??= new FrequencySketch(this.#capacity, this.#options))
  }
}
