import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrequencySketch } from './frequency-sketch.ts'
import { SeatFrequencies } from './seat-frequencies.ts'
import { spotsPerId, writeSpots } from './spots.ts'

const options = { depth: 4, counterBits: 2, widthMultiplier: 4, resetMultiplier: 10 }
const seats = Array.from({ length: 6 }, (_, index) => index + 1)

const step = fc.oneof(
  { weight: 10, arbitrary: fc.record({ uses: fc.array(fc.constantFrom(...seats)) }) },
  { weight: 1, arbitrary: fc.record({ seat: fc.constantFrom(...seats), takenBy: fc.string() }) },
  { weight: 1, arbitrary: fc.record({ capacity: fc.constantFrom(2, 4) }) },
)

test('knows the same as a sketch that is told of every use', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const frequencies = new SeatFrequencies(options)
      let sketch: FrequencySketch
      const spots = seats.map(() => new Int32Array(spotsPerId))
      const use = (seat: number): unknown => sketch.increment(spots[seat - 1]!, 0)
      const setCapacity = (capacity: number): void => {
        frequencies.setCapacity(capacity)
        sketch = new FrequencySketch(capacity, options)
      }
      const enter = (seat: number, id: string): void => {
        frequencies.enter(seat, id)
        writeSpots(id, spots[seat - 1]!, 0)
        use(seat)
      }
      setCapacity(4)
      for (const seat of seats) enter(seat, `account-${seat}`)
      for (const each of steps) {
        if ('uses' in each) {
          frequencies.touch(Int32Array.from(each.uses), each.uses.length)
          each.uses.forEach(use)
        } else if ('seat' in each) enter(each.seat, each.takenBy)
        else setCapacity(each.capacity)
        const counts = spots.map((ofSeat) => sketch.frequency(ofSeat, 0))
        const isHigher = seats.map((a) => seats.map((b) => frequencies.isHigher(a, b)))
        expect(isHigher).toEqual(counts.map((a) => counts.map((b) => a > b)))
      }
    }),
  )
})
