/** What can go wrong with a simulation. Each error says under which seed, so that it can be met again. */
import { CodedError } from '../foundation/coded-error.ts'
import { formatMs } from '../foundation/duration.ts'
import { show } from '../foundation/show.ts'

/** Something that must never happen, and did. */
export interface Violation {
  /** The invariant that was broken. */
  readonly name: string
  readonly detail: string
  readonly seed: number
  /** Virtual time since the simulation began. */
  readonly timeMs: number
  /** What the entities it speaks of did, line by line; of all of them when it names none. Not there when there were none. */
  readonly story?: readonly string[]
  /** The error behind it, where there is one. */
  readonly cause?: unknown
}

/** Code in a simulation reached for the real world. */
export class SimulationEscape extends CodedError {
  readonly code = 'SIMULATION_ESCAPE'
  /** What was called, such as `fs.readFile`. */
  readonly called: string
  /** Where: function, file and line. */
  readonly callSite: string

  constructor(called: string, callSite: string) {
    super(
      `${called} was called in a simulation at ${callSite}. Its result would differ from run to run: put it behind a port, or do it before the simulation starts.`,
    )
    this.called = called
    this.callSite = callSite
  }
}

/** A simulation was used in a way it does not allow. */
export class SimulationMisuse extends CodedError {
  readonly code = 'SIMULATION_MISUSE'
}

/** Refuses what is no whole number of at least 1: with it nothing would run, or nothing would end. */
export function assertCount(name: string, value: unknown): void {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return
  throw new SimulationMisuse(`${name} is a whole number of at least 1, not ${show(value)}.`)
}

/** Invariants were broken during a run or a scenario. */
export class SimulationFailed extends CodedError {
  readonly code = 'SIMULATION_FAILED'
  readonly seed: number
  readonly violations: readonly Violation[]

  /** @internal */
  constructor(summary: string, scene: Scene, violations: readonly Violation[]) {
    const story = violations.find((violation) => violation.story !== undefined)?.story ?? []
    const text = `${summary}\n${violations.map(describeViolation).join('\n')}`
    super(withEvents(text, { ...scene, story }), {
      cause: violations[0]?.cause,
    })
    this.seed = scene.seed
    this.violations = violations
  }
}

/** What was waited for did not happen in time. */
export class GoalNotReached extends CodedError {
  readonly code = 'SIMULATION_GOAL_NOT_REACHED'
  readonly seed: number
  /** The message without the last events. */
  readonly summary: string

  /** @internal */
  constructor(scene: Scene, goal: string, why: string) {
    const summary = `Seed ${scene.seed}: this did not happen: ${goal}; ${why}.`
    super(withEvents(summary, scene))
    this.seed = scene.seed
    this.summary = summary
  }
}

/** A run took more steps than it may: most likely something goes round in circles. */
export class StepLimitReached extends CodedError {
  readonly code = 'SIMULATION_STEP_LIMIT'
  readonly seed: number
  /** The message without the last events. */
  readonly summary: string

  /** @internal */
  constructor(scene: Scene, stepsMax: number) {
    const summary =
      `Seed ${scene.seed}: one run took ${stepsMax} steps, its limit (stepsMax), and virtual time is at ` +
      `${formatMs(scene.timeMs)}. Does an actor keep telling itself to go on, without a timer between?`
    super(withEvents(summary, scene))
    this.seed = scene.seed
    this.summary = summary
  }
}

/** Where a simulation stands when an error is made. */
export interface Scene {
  readonly seed: number
  readonly timeMs: number
  /** What the entities did; empty when there were none. */
  readonly story: readonly string[]
  readonly lastEvents: readonly string[]
}

/** A sentence for people: what was violated, and when. */
export function describeViolation(violation: Violation): string {
  const detail = violation.detail === '' ? '' : `: ${violation.detail}`
  return `"${violation.name}" is violated at ${formatMs(violation.timeMs)}${detail}`
}

function withEvents(summary: string, { story, lastEvents }: Scene): string {
  const below = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
  return [
    summary,
    ...below('What happened:', story),
    ...below('The last events:', lastEvents),
  ].join('\n')
}
