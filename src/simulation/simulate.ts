/** Runs a scenario under many seeds, from any test runner: the returned promise rejects when one of them fails. */
import { stableHash } from '../foundation/stable-hash.ts'
import { show } from '../foundation/show.ts'
import { unlessStill } from './microtasks.ts'
import { Stepper } from './stepper.ts'
import type { PlannedFault } from './fault-plan.ts'
import { Simulation, type SimulationOptions } from './simulation.ts'
import {
  GoalNotReached,
  SimulationFailed,
  SimulationMisuse,
  StepLimitReached,
  type Violation,
  assertCount,
} from './simulation-errors.ts'
import { type TraceEvent, formatEvent } from './trace.ts'

const LINES_SHOWN = 20

/** Builds nodes, runs them and checks. What it rejects with fails the seed. */
export type Scenario = (simulation: Simulation) => void | Promise<void>

/** What to run, and under which seeds. */
export interface SimulateOptions extends Omit<SimulationOptions, 'seed'> {
  readonly scenario: Scenario
  /** How many seeds; 100 when not given, or 1 when `seed` is. */
  readonly seeds?: number
  /** The first seed; 1 when not given. Alone, it replays that seed. */
  readonly seed?: number
  /** From one seed to the next; 1 when not given. For processes that share the seeds. */
  readonly stride?: number
}

/** What happened under one seed. */
export interface SeedResult {
  readonly seed: number
  readonly violations: readonly Violation[]
  readonly hash: string
  readonly checkpoints: readonly string[]
  readonly events: number
  readonly faults: number
  /** Those that were planned, and carried out. */
  readonly plan: readonly PlannedFault[]
  readonly simulatedMs: number
  /** Deviations that an injected fault permits, by name. */
  readonly excuses: Excuses
  /** Places that are worth testing, and how often the run came to them. */
  readonly places: Readonly<Record<string, number>>
  readonly lastEvents: readonly TraceEvent[]
}

/** What happened under all seeds together. */
export interface SimulationReport {
  readonly seeds: number
  readonly violations: number
  /** Over all seeds, in order. */
  readonly hash: string
  readonly events: number
  readonly faults: number
  readonly simulatedMs: number
  readonly excuses: Excuses
  readonly places: Places
}

/** How often each deviation was excused by a fault. */
export type Excuses = Readonly<Record<string, number>>

/** How often each place was reached, and under how many seeds. */
export type Places = Readonly<Record<string, { readonly times: number; readonly seeds: number }>>

/** Rejects with `SimulationFailed` at the first seed that fails. */
export async function simulate(name: string, options: SimulateOptions): Promise<SimulationReport> {
  let report = emptyReport
  for await (const result of simulateSeeds(options)) {
    if (result.violations.length > 0) throw failure(name, result, options.trace ?? false)
    report = addToReport(report, result)
  }
  return report
}

/** Runs the scenario seed by seed. Whatever goes wrong in it is a violation in the result; only misuse rejects. */
export async function* simulateSeeds(options: SimulateOptions): AsyncGenerator<SeedResult, void> {
  const { scenario, seed: firstSeed = 1, seeds = options.seed === undefined ? 100 : 1 } = options
  const { stride = 1 } = options
  assertCount('seeds', seeds)
  assertCount('stride', stride)
  const stepper = new Stepper()
  for (let count = 0; count < seeds; count++) {
    const seed = firstSeed + count * stride
    yield await simulateSeed(scenario, { ...options, seed }, stepper)
  }
}

async function simulateSeed(
  scenario: Scenario,
  options: SimulationOptions,
  stepper: Stepper,
): Promise<SeedResult> {
  const simulation = new Simulation(options, stepper)
  const violations: Violation[] = []
  try {
    await playedBy(simulation, scenario)
    if (simulation.isRunning) throw new SimulationMisuse('A run is still in progress. Await it.')
  } catch (error) {
    if (!(error instanceof SimulationFailed && simulation.violations.length > 0)) {
      const { seed, now: timeMs } = simulation
      const detail = inWords(error)
      const story = simulation.storyAbout(detail)
      violations.push({
        name: 'the scenario ends well',
        detail,
        seed,
        timeMs,
        ...(story.length > 0 && { story }),
        cause: error,
      })
    }
  }
  const { seed, hash, checkpoints, events, faults, excuses, places, now: simulatedMs } = simulation
  const { plannedFaults: plan } = simulation
  violations.unshift(...simulation.violations)
  const lastEvents = simulation.lastEvents(options.keptEventsMax)
  simulation[Symbol.dispose]()
  return {
    seed,
    violations,
    hash,
    checkpoints,
    events,
    faults,
    plan,
    simulatedMs,
    excuses,
    places,
    lastEvents,
  }
}

/** A scenario that waits for an actor while nothing moves would wait for ever. */
function playedBy(simulation: Simulation, scenario: Scenario): Promise<void> {
  const refusal = (): Error =>
    new SimulationMisuse(
      'The scenario waits, and nothing moves: actors run only inside of run, runUntil, runUntilIdle and settle. ' +
        'Does it await an answer directly? Write await simulation.settle(ref.ask(…)).',
    )
  // While a run is in progress something moves, however long a step takes. And before its first node starts, which is the
  // first event, it waits for no actor: it may be loading what it needs.
  const movements = (): unknown =>
    simulation.isRunning || simulation.events === 0 ? {} : `${simulation.events} ${simulation.now}`
  return unlessStill(Promise.resolve(scenario(simulation)), { movements, refusal })
}

/** The report of no seeds. */
export const emptyReport: SimulationReport = {
  seeds: 0,
  violations: 0,
  hash: '0000000000000000',
  events: 0,
  faults: 0,
  simulatedMs: 0,
  excuses: {},
  places: {},
}

/** The report with one more seed in it. */
export function addToReport(report: SimulationReport, result: SeedResult): SimulationReport {
  return {
    seeds: report.seeds + 1,
    violations: report.violations + result.violations.length,
    hash: combined(report.hash, result.hash),
    events: report.events + result.events,
    faults: report.faults + result.faults,
    simulatedMs: report.simulatedMs + result.simulatedMs,
    excuses: sumOf(report.excuses, result.excuses),
    places: withPlaces(report.places, result.places),
  }
}

function sumOf(one: Excuses, other: Excuses): Excuses {
  const sum: Record<string, number> = { ...one }
  for (const [name, count] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + count
  return sum
}

function withPlaces(places: Places, reached: Readonly<Record<string, number>>): Places {
  const sum: Record<string, Places[string]> = { ...places }
  for (const [name, count] of Object.entries(reached)) {
    const { times, seeds } = sum[name] ?? { times: 0, seeds: 0 }
    sum[name] = { times: times + count, seeds: seeds + 1 }
  }
  return sum
}

function combined(first: string, second: string): string {
  const both = first + second
  const hex = (seed: number): string => stableHash(both, seed).toString(16).padStart(8, '0')
  return hex(1) + hex(2)
}

function failure(name: string, result: SeedResult, isTraced: boolean): SimulationFailed {
  const { seed, simulatedMs: timeMs, violations } = result
  const summary = `"${name}" fails under seed ${seed}. To meet it again: simulate(${show(name)}, { seed: ${seed}, … })`
  const isTold = violations.some(({ story }) => story !== undefined)
  const shown = isTraced || !isTold ? LINES_SHOWN : 0
  const lastEvents = shown === 0 ? [] : result.lastEvents.slice(-shown).map(formatEvent)
  return new SimulationFailed(summary, { seed, timeMs, story: [], lastEvents }, violations)
}

function inWords(error: unknown): string {
  if (error instanceof GoalNotReached || error instanceof StepLimitReached) return error.summary
  return error instanceof Error ? error.message : show(error)
}
