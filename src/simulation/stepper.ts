/**
 * Steps a world towards a goal. A run ends at the goal, at the end of its time, or in the step that broke an
 * invariant; while it steps, the process shows the world's time and chance, and none of the real world.
 */
import { assert } from '../foundation/assert.ts'
import { formatMs } from '../foundation/duration.ts'
import { show } from '../foundation/show.ts'
import { Escapes } from './escapes.ts'
import type { Incarnation } from './incarnation.ts'
import { type DrainMode, type SteppedWork, Whereabouts, driveSteps } from './microtasks.ts'
import { SimulationFailed, SimulationMisuse, StepLimitReached } from './simulation-errors.ts'
import { VirtualGlobals, isInsideStep } from './virtual-globals.ts'
import type { World } from './world.ts'

export interface Goal {
  readonly untilUs: number
  /** Asked before the first step and after every one. */
  readonly isReached?: () => boolean
  /** End as soon as nothing is awaited any more. */
  readonly endsWhenIdle?: boolean
}

export interface SteppingOptions {
  readonly stepsMax: number
  readonly stepsPerInstantMax: number
  readonly drainMode: DrainMode
  readonly invariants: ReadonlyMap<string, () => boolean>
}

export type RunEnd = 'reached' | 'idle' | 'time-over'

/** Steps worlds. Can be shared by simulations: it knows every way out of the process, and learning them takes its time. */
export class Stepper {
  /**
   * For all its worlds, one after the other: whatever can be waited for carries a mark of its own for each storage, and
   * with one per world no two worlds would have promises of the same shape.
   */
  readonly whereabouts = new Whereabouts<Incarnation>()
  readonly #globals = new VirtualGlobals(() => this.#stepped.current)
  readonly #escapes = new Escapes(({ called, callSite }) =>
    this.#stepped.violate(
      'nothing escapes to the real world',
      `${called} was called at ${callSite}`,
    ),
  )
  #world: World | undefined

  constructor() {
    assertOutsideSteps('A simulation was made')
  }

  async run(world: World, goal: Goal, options: SteppingOptions): Promise<RunEnd> {
    assertRests(world)
    const keptBefore = world.violations.length
    const countBefore = world.violationCount
    const run = new Run(world, goal, options, {
      enter: () => this.#enter(world),
      leave: () => this.#leave(world),
    })
    world.activity = 'starting'
    try {
      await driveSteps(run, options.drainMode)
    } finally {
      world.activity = 'resting'
    }
    if (world.violationCount > countBefore) {
      const summary = `Seed ${world.seed} breaks an invariant.`
      const violations = world.violations.slice(keptBefore)
      throw new SimulationFailed(summary, world.scene(''), violations)
    }
    if (run.outcome === undefined) throw new StepLimitReached(world.scene(''), options.stepsMax)
    return run.outcome
  }

  /** Chunks of steps do not overlap, so one world at a time is behind the globals. */
  get #stepped(): World {
    assert(this.#world !== undefined, 'virtual functions are called while a world steps')
    return this.#world
  }

  #enter(world: World): void {
    this.#world = world
    this.#globals.install()
    this.#escapes.install()
    world.activity = 'stepping'
  }

  #leave(world: World): void {
    world.activity = 'between-steps'
    world.rest()
    this.#globals.restore()
    // Last in both directions: it brings the named imports of every module up to date.
    this.#escapes.restore()
    this.#world = undefined
  }
}

function assertRests({ activity }: World): void {
  assertOutsideSteps('A run was asked for')
  if (activity === 'resting') return
  throw new SimulationMisuse(
    'A run was asked for while another one is in progress. Await the first one.',
  )
}

/** Of any world: what a step of another one shows are not the real functions, and it cannot wait for ours. */
function assertOutsideSteps(what: string): void {
  if (!isInsideStep()) return
  throw new SimulationMisuse(
    `${what} inside a step. Steps cannot wait for steps: use simulation.after to do something later.`,
  )
}

class Run implements SteppedWork {
  readonly enter: () => void
  readonly leave: () => void
  readonly #world: World
  readonly #goal: Goal
  readonly #options: SteppingOptions
  readonly #violationsBefore: number
  #steps = 0
  #instantUs = -1
  #stepsOfInstant = 0
  #outcome: RunEnd | undefined

  constructor(
    world: World,
    goal: Goal,
    options: SteppingOptions,
    around: { readonly enter: () => void; readonly leave: () => void },
  ) {
    this.#world = world
    this.#goal = goal
    this.#options = options
    this.enter = around.enter
    this.leave = around.leave
    this.#violationsBefore = world.violationCount
  }

  /** Undefined when the steps ran out. */
  get outcome(): RunEnd | undefined {
    return this.#outcome
  }

  step(): boolean {
    try {
      if (this.#isOver() || this.#steps >= this.#options.stepsMax) return false
      this.#steps++
      if (this.#world.step(this.#goal.untilUs)) {
        this.#countInstant()
        return true
      }
      this.#nothingHappens()
      return false
    } catch (error) {
      this.uncaught(error, 'thrown')
      return true
    }
  }

  settle(): boolean {
    for (const [name, holds] of this.#options.invariants) {
      try {
        if (!holds()) this.#world.violate(name, '')
      } catch (error) {
        this.#world.violate(name, `the invariant itself threw ${show(error)}`, error)
      }
    }
    return this.#world.violationCount === this.#violationsBefore
  }

  uncaught(error: unknown, how: 'thrown' | 'rejected'): void {
    const what =
      how === 'thrown'
        ? `${show(error, 500)} was thrown and nobody caught it`
        : `a promise was rejected with ${show(error, 500)} and nobody handles it`
    this.#world.violate('no error goes unnoticed', what, error)
  }

  /** Whoever goes on for ever while no time passes would keep the run for as long as all its steps take. */
  #countInstant(): void {
    const { nowUs } = this.#world.clock
    if (nowUs !== this.#instantUs) {
      this.#instantUs = nowUs
      this.#stepsOfInstant = 0
    }
    const { stepsPerInstantMax } = this.#options
    if (++this.#stepsOfInstant !== stepsPerInstantMax) return
    this.#world.violate(
      'time goes on',
      `${stepsPerInstantMax} steps were taken at ${formatMs(nowUs / 1_000)} and no time has passed; most of the last ones: ${this.#world.busiest().join('; ')}`,
    )
  }

  #isOver(): boolean {
    const { isReached, endsWhenIdle } = this.#goal
    const answer: unknown = isReached?.()
    if (answer instanceof Promise) {
      throw new SimulationMisuse(
        'A condition answered with a promise. It is asked after every step, so it must be synchronous.',
      )
    }
    if (answer === true) this.#outcome = 'reached'
    else if (endsWhenIdle === true && this.#world.isIdle) this.#outcome = 'idle'
    return this.#outcome !== undefined
  }

  #nothingHappens(): void {
    const { clock, isDead } = this.#world
    if (this.#goal.isReached !== undefined && isDead) {
      this.#outcome = 'idle'
    } else {
      this.#outcome = 'time-over'
      clock.advanceTo(this.#goal.untilUs)
    }
  }
}
