import { describe, expect, test } from 'vitest'
import type { LimitedPassivation } from '../../../src/sharding/passivation/passivation-options.ts'
import { RehearsedRegion } from './rehearsed-region.ts'

/** A region that is spoken to by numbers. */
class Stage {
  readonly #region: RehearsedRegion

  constructor(passivation: LimitedPassivation) {
    this.#region = new RehearsedRegion(passivation)
  }

  /** Messages for these, one after the other; answers who stopped, by the message that made it stop. */
  say(shard: number, ids: readonly number[]): [by: number, ...stopped: number[]][] {
    return ids.flatMap((id) => {
      const stopped = this.#region.touch(shard, String(id)).map(Number)
      return stopped.length === 0 ? [] : [[id, ...stopped]]
    })
  }

  set(limit: number): number[] {
    return this.#region.setLimit(limit).map(Number)
  }

  end(shard: number, id: number): void {
    this.#region.end(shard, String(id))
  }

  active(shard: number): number[] {
    return this.#region
      .active(shard)
      .map(Number)
      .toSorted((a, b) => a - b)
  }
}

/** From one number to another, both included, upwards or downwards. */
function span(from: number, to: number): number[] {
  const step = from <= to ? 1 : -1
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => from + index * step)
}

const each = (ids: readonly number[], stopped: (id: number) => number): [number, number][] =>
  ids.map((id) => [id, stopped(id)])

const times = (ids: readonly number[], count: (id: number) => number): number[] =>
  ids.flatMap((id) => Array.from({ length: count(id) }, () => id))

describe('SH-055 the least and the most recently used', () => {
  test('those unused for longest rest, by an equal part of the limit for every shard', () => {
    const stage = new Stage({ activeEntityLimit: 10, replacement: 'least-recently-used' })
    expect(stage.say(1, span(1, 20))).toEqual(each(span(11, 20), (id) => id - 10))
    expect(stage.active(1)).toEqual(span(11, 20))
    expect(stage.say(2, [21])).toEqual([[21, 11, 12, 13, 14, 15]])
    expect([stage.active(1), stage.active(2)]).toEqual([span(16, 20), [21]])
    expect(stage.say(1, span(1, 20))).toEqual(
      each(span(1, 20), (id) => (id <= 5 ? id + 15 : id - 5)),
    )
    expect(stage.active(1)).toEqual(span(16, 20))
    expect(stage.say(2, span(21, 24))).toEqual([])
    expect(stage.say(3, [31])).toEqual([[31, 16, 17, 21]])
    expect([1, 2, 3].map((shard) => stage.active(shard))).toEqual([
      [18, 19, 20],
      [22, 23, 24],
      [31],
    ])
    expect(stage.say(2, span(25, 30))).toEqual(each(span(25, 30), (id) => id - 3))
    expect(stage.say(3, span(31, 40))).toEqual(each(span(34, 40), (id) => id - 3))
    for (const shard of [1, 2, 3]) stage.end(shard, shard * 10 + 9)
    const rounds = [1, 2, 3].map((round) =>
      [1, 2, 3].flatMap((shard) => stage.say(shard, [shard * 10 + round]).flatMap(([, id]) => id)),
    )
    expect(rounds).toEqual([[], [18, 28, 38], [20, 30, 40]])
    expect([1, 2, 3].map((shard) => stage.active(shard))).toEqual([
      [11, 12, 13],
      [21, 22, 23],
      [31, 32, 33],
    ])
  })

  test('those used last rest, but never the one that a message came for', () => {
    const stage = new Stage({ activeEntityLimit: 10, replacement: 'most-recently-used' })
    expect(stage.say(1, span(1, 20))).toEqual(each(span(11, 20), (id) => id - 1))
    expect(stage.active(1)).toEqual([...span(1, 9), 20])
    expect(stage.say(2, [21])).toEqual([[21, 20, 9, 8, 7, 6]])
    expect(stage.say(1, span(1, 20))).toEqual(each(span(6, 20), (id) => id - 1))
    expect(stage.active(1)).toEqual([1, 2, 3, 4, 20])
    expect(stage.say(2, span(21, 24))).toEqual([])
    expect(stage.say(3, [31])).toEqual([[31, 20, 4, 24]])
    expect(stage.say(2, span(24, 30))).toEqual(each(span(24, 30), (id) => id - 1))
    expect(stage.active(2)).toEqual([21, 22, 30])
    expect(stage.say(3, span(31, 40))).toEqual(each(span(34, 40), (id) => id - 1))
    expect(stage.active(3)).toEqual([31, 32, 40])
    for (const [index, id] of [2, 22, 32].entries()) stage.end(index + 1, id)
    expect([1, 2, 3].map((shard) => stage.active(shard))).toEqual([
      [1, 3],
      [21, 30],
      [31, 40],
    ])
    const rounds = [1, 2, 3].map((round) =>
      [1, 2, 3].flatMap((shard) => stage.say(shard, [shard * 11 + round]).flatMap(([, id]) => id)),
    )
    expect(rounds).toEqual([[], [12, 23, 34], [13, 24, 35]])
    expect([1, 2, 3].map((shard) => stage.active(shard))).toEqual([
      [1, 3, 14],
      [21, 25, 30],
      [31, 36, 40],
    ])
  })

  test('more shards than the limit allows have one entity each', () => {
    const stage = new Stage({ activeEntityLimit: 2, replacement: 'least-recently-used' })
    for (const shard of [1, 2, 3]) stage.say(shard, [shard * 10, shard * 10 + 1])
    expect([1, 2, 3].map((shard) => stage.active(shard))).toEqual([[11], [21], [31]])
  })
})

describe('SH-056 segments', () => {
  const replacement = { policy: 'least-recently-used', proportions: [0.2, 0.8] } as const

  test('those that are used once only push out each other', () => {
    const stage = new Stage({ activeEntityLimit: 10, replacement })
    expect(stage.say(1, span(1, 20))).toEqual(each(span(11, 20), (id) => id - 10))
    expect(stage.say(1, span(11, 20))).toEqual([])
    expect(stage.say(1, span(1, 5))).toEqual([
      [1, 11],
      [2, 12],
      [3, 1],
      [4, 2],
      [5, 3],
    ])
    expect(stage.active(1)).toEqual([4, 5, ...span(13, 20)])
    expect(stage.say(2, [21])).toEqual([[21, 4, 5, 13, 14, 15]])
    expect(stage.say(1, span(20, 11))).toEqual([[15, 20], ...each(span(14, 11), (id) => id + 1)])
    expect(stage.active(1)).toEqual([11, ...span(16, 19)])
  })
})

describe('SH-057 the least frequently used', () => {
  const quarters = (id: number): number => ((id - 1) % 4) + 1

  test('those with the fewest messages rest, among equals those unused for longest', () => {
    const stage = new Stage({ activeEntityLimit: 10, replacement: 'least-frequently-used' })
    expect(stage.say(1, times(span(1, 20), quarters))).toEqual(
      [1, 5, 9, 13, 2, 6, 10, 17, 14, 18].map((stopped, index) => [11 + index, stopped]),
    )
    expect(stage.active(1)).toEqual([3, 4, 7, 8, 11, 12, 15, 16, 19, 20])
    expect(stage.say(2, [21])).toEqual([[21, 3, 7, 11, 15, 19]])
    expect(stage.say(1, times(span(1, 20), quarters))).toEqual(
      each(span(1, 20), (id) => (quarters(id) === 1 ? id + 3 : id - 1)),
    )
    expect(stage.active(1)).toEqual([4, 8, 12, 16, 20])
    expect(stage.say(2, span(21, 24))).toEqual([])
    expect(stage.say(3, [31])).toEqual([[31, 4, 8, 22]])
    expect(stage.say(2, times(span(21, 30), quarters))).toEqual([
      [22, 23],
      [23, 24],
      [24, 22],
      [25, 21],
      [26, 25],
      [27, 26],
      [28, 23],
      [29, 27],
      [30, 29],
    ])
    expect(stage.active(2)).toEqual([24, 28, 30])
    expect(
      stage.say(
        3,
        times(span(31, 40), (id) => 5 - quarters(id)),
      ),
    ).toEqual([
      [34, 32],
      [35, 31],
      [36, 35],
      [37, 36],
      [38, 34],
      [39, 38],
      [40, 39],
    ])
    expect(stage.active(3)).toEqual([33, 37, 40])
  })

  test('with aging, those that were popular once are outlived', () => {
    const replacement = { policy: 'least-frequently-used', dynamicAging: true } as const
    const stage = new Stage({ activeEntityLimit: 10, replacement })
    stage.say(
      1,
      times([1, 2], () => 5),
    )
    stage.say(
      1,
      times([3, 4, 5], () => 10),
    )
    expect(stage.say(1, span(6, 20))).toEqual(each(span(11, 20), (id) => id - 5))
    expect(stage.active(1)).toEqual([...span(1, 5), ...span(16, 20)])
    expect(stage.say(2, [21])).toEqual([[21, ...span(16, 20)]])
    stage.say(1, span(6, 10))
    expect(stage.active(1)).toEqual([3, 4, 5, 9, 10])
    stage.say(1, span(11, 15))
    expect(stage.active(1)).toEqual([3, 4, 5, 14, 15])
    stage.say(1, span(16, 20))
    expect(stage.active(1)).toEqual(span(16, 20))
  })
})

const windowed = {
  replacement: { policy: 'least-recently-used', proportions: [0.25, 0.75] },
  admission: {
    window: { policy: 'least-recently-used', proportion: 0.2 },
    filter: 'frequency-sketch',
  },
} as const

describe('SH-058 places that have to be earned', () => {
  test('a window, a filter and segments', () => {
    const stage = new Stage({ activeEntityLimit: 20, ...windowed })
    expect(stage.say(1, span(1, 40))).toEqual(each(span(21, 40), (id) => id - 4))
    expect(stage.active(1)).toEqual([...span(1, 16), ...span(37, 40)])
    expect(stage.say(1, span(1, 20))).toEqual(each(span(17, 20), (id) => id + 20))
    expect(stage.active(1)).toEqual(span(1, 20))
    expect(
      stage.say(
        1,
        times(span(17, 20), () => 5),
      ),
    ).toEqual([])
    expect(stage.say(1, span(21, 24))).toEqual(each(span(21, 24), (id) => id - 20))
    expect(stage.active(1)).toEqual(span(5, 24))
    expect(stage.say(1, span(25, 28))).toEqual(each(span(25, 28), (id) => id - 4))
    expect(stage.active(1)).toEqual([...span(5, 20), ...span(25, 28)])
    expect(stage.say(2, [41])).toEqual([[41, 25, 26, 17, 18, 19, 20, 5, 6, 7, 8]])
    expect(stage.active(1)).toEqual([...span(9, 16), 27, 28])
    expect(stage.say(1, span(17, 20))).toEqual([
      [17, 27],
      [18, 28],
      [19, 9],
      [20, 10],
    ])
    expect(stage.active(1)).toEqual(span(11, 20))
  })

  test('a filter alone: who was seen no more often than who is here does not stay', () => {
    const stage = new Stage({
      activeEntityLimit: 10,
      replacement: 'least-recently-used',
      admission: { filter: 'frequency-sketch' },
    })
    expect(stage.say(1, span(1, 20))).toEqual(each(span(11, 20), (id) => id))
    expect(stage.active(1)).toEqual(span(1, 10))
    expect(
      stage.say(
        1,
        times(span(11, 20), () => 5),
      ),
    ).toEqual(each(span(11, 20), (id) => id - 10))
    expect(stage.active(1)).toEqual(span(11, 20))
    expect(
      stage.say(
        1,
        times(span(1, 10), () => 2),
      ),
    ).toEqual(
      each(
        times(span(1, 10), () => 2),
        (id) => id,
      ),
    )
    expect(stage.say(2, [21])).toEqual([[21, ...span(11, 15)]])
    expect(stage.say(1, span(1, 10))).toEqual(each(span(1, 10), (id) => (id <= 5 ? id + 15 : id)))
    expect(stage.active(1)).toEqual(span(1, 5))
  })
})

describe('SH-059 a limit that changes while they run', () => {
  test.each(['least-recently-used', 'least-frequently-used'] as const)('%s', (replacement) => {
    const stage = new Stage({ activeEntityLimit: 10, replacement })
    stage.say(1, span(1, 20))
    stage.say(2, [21])
    expect(stage.active(1)).toEqual(span(16, 20))
    expect(stage.set(6)).toEqual([16, 17])
    expect(stage.say(1, span(1, 10))).toEqual(
      each(span(1, 10), (id) => (id < 4 ? id + 17 : id - 3)),
    )
    expect(stage.active(1)).toEqual([8, 9, 10])
    expect(stage.set(12)).toEqual([])
    expect(stage.say(1, span(11, 20))).toEqual(each(span(14, 20), (id) => id - 6))
    expect(stage.active(1)).toEqual(span(15, 20))
  })

  test('most-recently-used', () => {
    const stage = new Stage({ activeEntityLimit: 10, replacement: 'most-recently-used' })
    stage.say(1, span(1, 20))
    stage.say(2, [21])
    expect(stage.active(1)).toEqual(span(1, 5))
    expect(stage.set(6)).toEqual([5, 4])
    stage.say(1, span(1, 10))
    expect(stage.active(1)).toEqual([1, 2, 10])
    stage.set(12)
    expect(stage.say(1, span(11, 20))).toEqual(each(span(14, 20), (id) => id - 1))
    expect(stage.active(1)).toEqual([1, 2, 10, 11, 12, 20])
  })

  test('segments', () => {
    const replacement = { policy: 'least-recently-used', proportions: [0.2, 0.8] } as const
    const stage = new Stage({ activeEntityLimit: 20, replacement })
    stage.say(1, span(1, 30))
    stage.say(2, [31])
    expect(stage.active(1)).toEqual(span(21, 30))
    expect(stage.set(10)).toEqual(span(21, 25))
    stage.say(1, span(1, 10))
    expect(stage.active(1)).toEqual(span(6, 10))
    stage.set(30)
    expect(stage.say(1, span(11, 30))).toEqual(each(span(21, 30), (id) => id - 15))
    expect(stage.active(1)).toEqual(span(16, 30))
  })

  test('a window, a filter and segments', () => {
    const stage = new Stage({ activeEntityLimit: 20, ...windowed })
    stage.say(1, span(1, 40))
    expect(stage.say(2, [41])).toEqual([[41, 37, 38, ...span(1, 8)]])
    expect(stage.set(10)).toEqual([39, ...span(9, 12)])
    expect(stage.active(1)).toEqual([...span(13, 16), 40])
    expect(stage.say(1, span(1, 10))).toEqual([
      [1, 40],
      ...each(span(2, 5), (id) => id + 11),
      ...each(span(6, 10), (id) => id - 1),
    ])
    expect(stage.active(1)).toEqual([...span(1, 4), 10])
    stage.set(30)
    expect(stage.say(1, span(1, 20))).toEqual(each(span(16, 20), (id) => id - 3))
    expect(stage.active(1)).toEqual([...span(1, 12), ...span(18, 20)])
  })

  test('shards that come later have a part of the limit that was set, too', () => {
    const stage = new Stage({ activeEntityLimit: 10, replacement: 'least-recently-used' })
    stage.say(1, span(1, 10))
    stage.set(4)
    stage.say(2, span(21, 30))
    expect([stage.active(1), stage.active(2)]).toEqual([
      [9, 10],
      [29, 30],
    ])
  })
})
