import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assert, AssertionFailed } from './assert.ts'
import { TimerWheel, type WheelTimer } from './timer-wheel.ts'

/** A clock and timers that move only when told to. Counts what the wheel asks for. */
class FakeWorld {
  nowMs: number
  clockReads = 0
  armings = 0
  readonly pending = new Set<{ readonly atMs: number; readonly callback: () => void }>()

  constructor(nowMs = 0) {
    this.nowMs = nowMs
  }

  readonly clock = {
    monotonicMs: (): number => {
      this.clockReads++
      return this.nowMs
    },
    wallMs: (): number => 0,
  }

  readonly timers = {
    after: (delayMs: number, callback: () => void) => {
      this.armings++
      const entry = { atMs: this.nowMs + delayMs, callback }
      this.pending.add(entry)
      return { cancel: () => void this.pending.delete(entry) }
    },
  }

  get armedForMs(): number[] {
    return [...this.pending].map((entry) => entry.atMs)
  }

  /** Time passes smoothly: every port timer is called at its own time. */
  runTo(untilMs: number): void {
    for (let calls = 0; ; calls++) {
      assert(calls < 10_000, 'the wheel gets somewhere')
      const next = [...this.pending].sort((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined || next.atMs > untilMs) break
      this.nowMs = Math.max(this.nowMs, next.atMs)
      this.#call(next)
    }
    this.nowMs = untilMs
  }

  /** The process slept: one late wake-up, and only one. */
  jumpTo(untilMs: number): void {
    this.nowMs = untilMs
    for (const entry of [...this.pending]) if (entry.atMs <= untilMs) this.#call(entry)
  }

  #call(entry: { readonly atMs: number; readonly callback: () => void }): void {
    this.pending.delete(entry)
    entry.callback()
  }
}

class TestTimer implements WheelTimer {
  deadlineMs = 0
  next: WheelTimer | undefined = undefined
  previous: WheelTimer | undefined = undefined
  slot = -1
  readonly #onFire: () => void

  constructor(onFire: () => void) {
    this.#onFire = onFire
  }

  fire(): void {
    this.#onFire()
  }
}

const setUp = (nowMs = 0) => {
  const world = new FakeWorld(nowMs)
  const wheel = new TimerWheel(world.clock, world.timers)
  const fired: string[] = []
  const timer = (name: string, andThen?: () => void): TestTimer =>
    new TestTimer(() => {
      fired.push(`${name}@${world.nowMs}`)
      andThen?.()
    })
  return { world, wheel, fired, timer }
}

describe('TimerWheel', () => {
  test('fires at the whole millisecond, not at the end of the slot', () => {
    const { world, wheel, fired, timer } = setUp()
    wheel.start(timer('a'), 13)
    wheel.start(timer('b'), 17)
    world.runTo(100)
    expect(fired).toEqual(['a@13', 'b@17'])
  })

  test('rounds a deadline up to the next whole millisecond', () => {
    const { world, wheel, fired, timer } = setUp(0.25)
    wheel.start(timer('a'), 10)
    wheel.start(timer('b'), 10.75)
    world.runTo(100)
    expect(fired).toEqual(['a@11', 'b@11'])
  })

  test('does not fire early when the port wakes it early', () => {
    const { world, wheel, fired, timer } = setUp()
    wheel.start(timer('a'), 20)
    const [early] = world.pending
    world.pending.clear()
    world.nowMs = 19.5
    early?.callback()
    expect(fired).toEqual([])
    expect(world.armedForMs).toEqual([20])
  })

  test('waits through several revolutions', () => {
    const { world, wheel, fired, timer } = setUp()
    wheel.start(timer('hour'), 3_600_000)
    wheel.start(timer('same slot, now'), 3_600_000 % 5_120)
    world.runTo(4_000_000)
    expect(fired).toEqual(['same slot, now@640', 'hour@3600000'])
    expect(world.armings).toBe(3)
  })

  test('fires everything that a long pause left behind by deadline, then by start', () => {
    const { world, wheel, fired, timer } = setUp()
    wheel.start(timer('revolution later'), 5_123)
    wheel.start(timer('third'), 7_000)
    wheel.start(timer('first'), 3)
    wheel.start(timer('fourth'), 7_000)
    wheel.start(timer('not yet'), 20_001)
    world.jumpTo(20_000)
    expect(fired.map((each) => each.split('@')[0])).toEqual([
      'first',
      'revolution later',
      'third',
      'fourth',
    ])
    expect(world.armedForMs).toEqual([20_001])
  })

  test('arms one port timer, again only for an earlier deadline, and none when empty', () => {
    const { world, wheel, timer } = setUp()
    expect(world.armedForMs).toEqual([])
    wheel.start(timer('a'), 50)
    wheel.start(timer('b'), 60)
    expect([world.armings, world.armedForMs]).toEqual([1, [50]])
    wheel.start(timer('c'), 40)
    expect([world.armings, world.armedForMs]).toEqual([2, [40]])
    world.runTo(100)
    expect([world.armings, world.armedForMs, wheel.size]).toEqual([4, [], 0])
  })

  test('does not touch the port on cancel; the wake-up finds the next deadline', () => {
    const { world, wheel, fired, timer } = setUp()
    const a = timer('a')
    wheel.start(a, 11)
    wheel.start(timer('b'), 14)
    wheel.cancel(a)
    expect([world.armings, world.armedForMs]).toEqual([1, [11]])
    world.runTo(11)
    expect([world.armings, world.armedForMs, fired]).toEqual([2, [14], []])
    world.runTo(14)
    expect(fired).toEqual(['b@14'])
  })

  test('is not misled by cancelled timers when it arms after a sweep', () => {
    const { world, wheel, timer } = setUp()
    const cancelled = timer('cancelled')
    wheel.start(timer('a'), 5)
    wheel.start(cancelled, 51)
    wheel.start(timer('b'), 58)
    wheel.cancel(cancelled)
    world.runTo(5)
    expect(world.armedForMs).toEqual([58])
  })

  test('reads the clock once per start and never on cancel', () => {
    const { world, wheel, timer } = setUp()
    const a = timer('a')
    wheel.start(a, 10)
    wheel.cancel(a)
    expect(world.clockReads).toBe(1)
  })

  test('lets a timer cancel another that is due in the same sweep', () => {
    const { world, wheel, fired, timer } = setUp()
    const victim = timer('victim')
    wheel.start(
      timer('a', () => wheel.cancel(victim)),
      10,
    )
    wheel.start(victim, 10)
    wheel.start(timer('b'), 10)
    world.jumpTo(10)
    expect(fired).toEqual(['a@10', 'b@10'])
    expect(victim.slot).toBe(-1)
  })

  test('lets a timer move another that is due in the same sweep', () => {
    const { world, wheel, fired, timer } = setUp()
    const moved = timer('moved')
    const mover = timer('mover', () => {
      wheel.cancel(moved)
      wheel.start(moved, 5)
    })
    wheel.start(mover, 10)
    wheel.start(moved, 10)
    world.runTo(100)
    expect(fired).toEqual(['mover@10', 'moved@15'])
  })

  test('fires a timer that was started without delay in a later wake-up', () => {
    const { world, wheel, fired, timer } = setUp()
    const again: TestTimer = timer('again', () => wheel.start(again, 0))
    wheel.start(again, 10)
    world.jumpTo(10)
    expect(fired).toEqual(['again@10'])
    world.jumpTo(10)
    expect(fired).toEqual(['again@10', 'again@10'])
    expect([wheel.size, world.armedForMs]).toEqual([1, [10]])
  })

  test('arms once after a sweep, however many timers were started in it', () => {
    const { world, wheel, timer } = setUp()
    const starter = timer('starter', () => {
      for (const delay of [30, 20, 10]) wheel.start(timer('x'), delay)
    })
    wheel.start(starter, 10)
    world.jumpTo(10)
    expect([world.armings, world.armedForMs]).toEqual([2, [20]])
  })

  test('can be started again once fired or cancelled, but not while it waits', () => {
    const { world, wheel, fired, timer } = setUp()
    const a = timer('a')
    wheel.start(a, 10)
    expect(() => wheel.start(a, 10)).toThrow(AssertionFailed)
    wheel.cancel(a)
    wheel.cancel(a)
    wheel.start(a, 20)
    world.runTo(20)
    wheel.start(a, 20)
    world.runTo(100)
    expect(fired).toEqual(['a@20', 'a@40'])
  })

  test('refuses a delay that is not a finite time', () => {
    const { wheel, timer } = setUp()
    for (const delay of [NaN, -1, Infinity]) {
      expect(() => wheel.start(timer('a'), delay)).toThrow(AssertionFailed)
    }
    expect(wheel.size).toBe(0)
  })

  test('forgets everything on close, also in the middle of a sweep', () => {
    const { world, wheel, fired, timer } = setUp()
    const later = timer('later')
    wheel.start(
      timer('a', () => wheel.close()),
      10,
    )
    wheel.start(timer('b'), 10)
    wheel.start(later, 500)
    world.jumpTo(10)
    expect([fired, wheel.size, later.slot, world.armedForMs]).toEqual([['a@10'], 0, -1, []])
    wheel.start(later, 5)
    wheel.close()
    expect([wheel.size, world.armedForMs]).toEqual([0, []])
  })
})

const TIMER_COUNT = 12

type Step =
  | { readonly type: 'start'; readonly which: number; readonly delayMs: number }
  | { readonly type: 'cancel'; readonly which: number }
  | { readonly type: 'run' | 'jump'; readonly ms: number }

/** What a timer does when it fires. */
interface Reaction {
  readonly cancels: number
  readonly starts: number
  readonly delayMs: number
}

const delay = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 0, max: 400 }).map((eighths) => eighths / 8),
  fc.integer({ min: 5_000, max: 5_300 }),
  fc.integer({ min: 0, max: 60_000 }),
)
const anyTimer = fc.nat(TIMER_COUNT - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant('start'), which: anyTimer, delayMs: delay }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('cancel'), which: anyTimer }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('run', 'jump'), ms: delay }) },
)
const reaction: fc.Arbitrary<Reaction | null> = fc.option(
  fc.record({ cancels: anyTimer, starts: anyTimer, delayMs: fc.integer({ min: 1, max: 6_000 }) }),
)

/** The wheel beside its promise in the simplest form: a list of deadlines, sorted. Each firing is compared. */
class ComparedWheel {
  readonly world: FakeWorld
  readonly wheel: TimerWheel
  /** Timer -> deadline, in the order of starts. */
  readonly #waiting = new Map<number, number>()
  readonly #timers: TestTimer[]
  #isPunctual = false
  #reactionsLeft = 50

  constructor(startMs: number, reactions: readonly (Reaction | null)[]) {
    this.world = new FakeWorld(startMs)
    this.wheel = new TimerWheel(this.world.clock, this.world.timers)
    this.#timers = reactions.map((each, which) => {
      return new TestTimer(() => this.#fired(which, each))
    })
  }

  take(each: Step): void {
    if (each.type === 'start') return this.#start(each.which, each.delayMs)
    if (each.type === 'cancel') return this.#cancel(each.which)
    const untilMs = this.world.nowMs + each.ms
    this.#isPunctual = each.type === 'run'
    if (this.#isPunctual) this.world.runTo(untilMs)
    else this.world.jumpTo(untilMs)
    expect(this.#first?.deadlineMs ?? Infinity).toBeGreaterThan(untilMs)
  }

  check(): void {
    expect(this.wheel.size).toBe(this.#waiting.size)
    expect(this.world.pending.size).toBeLessThanOrEqual(1)
    if (this.#first === undefined) return
    expect(this.world.armedForMs[0]).toBeLessThanOrEqual(this.#first.deadlineMs)
  }

  /** The sort is stable, so equal deadlines stay in the order of starts. */
  get #first(): { readonly which: number; readonly deadlineMs: number } | undefined {
    return [...this.#waiting]
      .map(([which, deadlineMs]) => ({ which, deadlineMs }))
      .sort((a, b) => a.deadlineMs - b.deadlineMs)[0]
  }

  #start(which: number, delayMs: number): void {
    if (this.#waiting.has(which)) return
    this.wheel.start(this.#timers[which]!, delayMs)
    this.#waiting.set(which, Math.ceil(this.world.nowMs + delayMs))
  }

  #cancel(which: number): void {
    this.wheel.cancel(this.#timers[which]!)
    this.#waiting.delete(which)
  }

  #fired(which: number, each: Reaction | null): void {
    const deadlineMs = this.#timers[which]!.deadlineMs
    expect({ which, deadlineMs }).toEqual(this.#first)
    if (this.#isPunctual) expect(this.world.nowMs).toBe(deadlineMs)
    else expect(this.world.nowMs).toBeGreaterThanOrEqual(deadlineMs)
    this.#waiting.delete(which)
    if (each === null || this.#reactionsLeft-- <= 0) return
    this.#cancel(each.cancels)
    this.#start(each.starts, each.delayMs)
  }
}

test('TimerWheel behaves like a sorted list, whatever fires, starts, stops and sleeps', () => {
  const reactions = fc.array(reaction, { minLength: TIMER_COUNT, maxLength: TIMER_COUNT })
  const start = fc.integer({ min: 0, max: 80_000 }).map((eighths) => eighths / 8)
  fc.assert(
    fc.property(start, reactions, fc.array(step, { maxLength: 60 }), (startMs, plans, steps) => {
      const compared = new ComparedWheel(startMs, plans)
      for (const each of steps) {
        compared.take(each)
        compared.check()
      }
    }),
    { numRuns: 500 },
  )
})
