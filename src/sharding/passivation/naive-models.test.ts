import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Entities, type Entity } from '../shard/entities.ts'
import { LimitedEntities } from '../shard/limited-entities.ts'
import { ActiveEntities } from './active-entities.ts'
import { makeStrategy } from './make-strategy.ts'
import type { LimitedPassivation } from './passivation-options.ts'

/** What a strategy must do, written down so slowly that it is plainly right. Oldest first. */
interface Model {
  touch(id: string): string[]
  remove(id: string): void
  limit(limit: number): string[]
}

class ByRecency implements Model {
  #ids: string[] = []
  #limit: number
  readonly #fromNewest: boolean

  constructor(limit: number, fromNewest: boolean) {
    this.#limit = limit
    this.#fromNewest = fromNewest
  }

  touch(id: string): string[] {
    this.remove(id)
    const gone = this.#shrink(this.#limit - 1)
    this.#ids.push(id)
    return gone
  }

  remove(id: string): void {
    this.#ids = this.#ids.filter((each) => each !== id)
  }

  limit(limit: number): string[] {
    this.#limit = limit
    return this.#shrink(limit)
  }

  #shrink(size: number): string[] {
    const excess = Math.max(0, this.#ids.length - size)
    if (!this.#fromNewest) return this.#ids.splice(0, excess)
    return this.#ids.splice(this.#ids.length - excess, excess).toReversed()
  }
}

class ByFrequency implements Model {
  #entries: { id: string; uses: number; priority: number; at: number }[] = []
  #age = 0
  #now = 0
  #limit: number
  readonly #isAging: boolean

  constructor(limit: number, isAging: boolean) {
    this.#limit = limit
    this.#isAging = isAging
  }

  touch(id: string): string[] {
    const known = this.#entries.find((each) => each.id === id)
    const gone = known === undefined ? this.#shrink(this.#limit - 1) : []
    const entry = known ?? { id, uses: 0, priority: 0, at: 0 }
    if (known === undefined) this.#entries.push(entry)
    entry.uses++
    entry.priority = entry.uses + this.#age
    entry.at = ++this.#now
    return gone
  }

  remove(id: string): void {
    this.#entries = this.#entries.filter((each) => each.id !== id)
  }

  limit(limit: number): string[] {
    this.#limit = limit
    return this.#shrink(limit)
  }

  #shrink(size: number): string[] {
    const gone: string[] = []
    while (this.#entries.length > size) {
      const [first] = this.#entries.toSorted((a, b) => a.priority - b.priority || a.at - b.at)
      if (first === undefined) break
      if (this.#isAging) this.#age = first.priority
      this.remove(first.id)
      gone.push(first.id)
    }
    return gone
  }
}

class InSegments implements Model {
  readonly #levels: string[][]
  readonly #proportions: readonly number[]
  #limits: number[] = []
  #limit: number

  constructor(limit: number, proportions: readonly number[]) {
    this.#levels = proportions.map(() => [])
    this.#proportions = proportions
    this.#limit = limit
    this.#divide(limit)
  }

  touch(id: string): string[] {
    const level = this.#levels.findIndex((ids) => ids.includes(id))
    if (level < 0) {
      const gone = this.#shrink(this.#limit - 1)
      this.#levels[0]!.push(id)
      return gone
    }
    const next = Math.min(level + 1, this.#levels.length - 1)
    this.remove(id)
    this.#levels[next]!.push(id)
    // One that was in the highest is not lifted, and pushes nobody down.
    if (next > level && this.#levels[next]!.length > this.#limits[next]!) {
      this.#levels[next - 1]!.push(this.#levels[next]!.shift()!)
    }
    return []
  }

  remove(id: string): void {
    for (const ids of this.#levels) if (ids.includes(id)) ids.splice(ids.indexOf(id), 1)
  }

  limit(limit: number): string[] {
    this.#limit = limit
    this.#divide(limit)
    return this.#shrink(limit)
  }

  #divide(limit: number): void {
    const higher = this.#proportions.slice(1).map((each) => Math.floor(each * limit))
    this.#limits = [limit - higher.reduce((sum, each) => sum + each, 0), ...higher]
  }

  #shrink(size: number): string[] {
    const excess = this.#levels.flat().length - size
    if (excess <= 0) return []
    for (let level = this.#levels.length - 1; level > 0; level--) {
      const ids = this.#levels[level]!
      this.#levels[level - 1]!.push(
        ...ids.splice(0, Math.max(0, ids.length - this.#limits[level]!)),
      )
    }
    return this.#levels[0]!.splice(0, excess)
  }
}

const step = fc.oneof(
  { weight: 20, arbitrary: fc.record({ touch: fc.integer({ min: 0, max: 14 }) }) },
  { weight: 2, arbitrary: fc.record({ remove: fc.integer({ min: 0, max: 14 }) }) },
  { weight: 1, arbitrary: fc.record({ limit: fc.integer({ min: 1, max: 20 }) }) },
)

type Given = Omit<LimitedPassivation, 'activeEntityLimit'>

const models: [string, Given, (limit: number) => Model][] = [
  [
    'least recently used',
    { replacement: 'least-recently-used' },
    (limit) => new ByRecency(limit, false),
  ],
  [
    'most recently used',
    { replacement: 'most-recently-used' },
    (limit) => new ByRecency(limit, true),
  ],
  [
    'least frequently used',
    { replacement: 'least-frequently-used' },
    (limit) => new ByFrequency(limit, false),
  ],
  [
    'least frequently used with aging',
    { replacement: { policy: 'least-frequently-used', dynamicAging: true } },
    (limit) => new ByFrequency(limit, true),
  ],
  ...[
    [0.2, 0.8],
    [0.25, 0.25, 0.25, 0.25],
    [0.5, 0.3, 0.2],
  ].map((proportions): [string, Given, (limit: number) => Model] => [
    `segments of ${proportions.join(', ')}`,
    { replacement: { policy: 'least-recently-used', proportions } },
    (limit) => new InSegments(limit, proportions),
  ]),
]

test.each(models)('%s: does what the naive model does', (_, given, makeModel) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
      const stage = new Stage(given, 5)
      const model = makeModel(5)
      for (const each of steps) {
        if ('touch' in each)
          expect(stage.touch(String(each.touch))).toEqual(model.touch(String(each.touch)))
        else if ('remove' in each) {
          stage.remove(String(each.remove))
          model.remove(String(each.remove))
        } else expect(stage.limit(each.limit)).toEqual(model.limit(each.limit))
      }
    }),
    { numRuns: 100 },
  )
})

const policy = fc.constantFrom<NonNullable<LimitedPassivation['replacement']> & object>(
  { policy: 'least-recently-used' },
  { policy: 'least-recently-used', proportions: [0.2, 0.8] },
  { policy: 'most-recently-used' },
  { policy: 'least-frequently-used', dynamicAging: true },
)

const admitting = fc.record({
  replacement: policy,
  admission: fc.record({
    window: fc.option(
      fc.record({
        policy,
        proportion: fc.constantFrom(0.05, 0.3, 1),
        optimizer: fc.constantFrom('hill-climbing' as const, {
          adjustMultiplier: 0.5,
          initialStep: 0.4,
        }),
      }),
      { nil: undefined },
    ),
    filter: fc.constantFrom('frequency-sketch' as const, undefined),
  }),
})

test('places that have to be earned: never more than the limit, whoever goes was there, and nobody is forgotten', () => {
  fc.assert(
    fc.property(admitting, fc.array(step, { maxLength: 300 }), (given, steps) => {
      const stage = new Stage(given, 5)
      let limit = 5
      for (const each of steps) {
        if ('touch' in each) stage.touch(String(each.touch))
        else if ('remove' in each) stage.remove(String(each.remove))
        else {
          limit = each.limit
          stage.limit(limit)
        }
        expect(stage.size).toBe(stage.tracked)
        expect(stage.size).toBeLessThanOrEqual(limit)
      }
    }),
    { numRuns: 300 },
  )
})

/** The entities of a shard under a limit, without the shard: one that has to rest is gone at once. */
class Stage {
  readonly #strategy
  readonly #entities = new Entities<never, never>(0)
  readonly #limited: LimitedEntities<never, never>

  constructor(given: Given, limit: number) {
    this.#strategy = makeStrategy(given)
    const active = new ActiveEntities(this.#strategy, limit)
    this.#limited = new LimitedEntities(this.#entities, active)
  }

  get size(): number {
    return this.#entities.size
  }

  get tracked(): number {
    return this.#strategy.size
  }

  touch(id: string): string[] {
    const known = this.#entities.get(id)
    if (known === undefined) return this.#gone(this.#limited.add(this.#entities.add(id, true, 0)))
    this.#limited.touch(known)
    return []
  }

  remove(id: string): void {
    const known = this.#entities.get(id)
    if (known === undefined) return
    this.#limited.remove(known)
    this.#entities.delete(known)
  }

  limit(limit: number): string[] {
    this.#limited.limitTo(limit)
    return this.#gone(this.#limited.settle())
  }

  #gone(victims: readonly Entity<never, never>[]): string[] {
    for (const victim of victims) this.#entities.delete(victim)
    return victims.map(({ entityId }) => entityId)
  }
}
