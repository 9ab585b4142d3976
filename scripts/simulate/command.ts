/** `npm run simulate`: runs the seeds, says what it found, and how to meet it again. */
import { unreachable } from '../../src/foundation/assert.ts'
import { formatMs } from '../../src/foundation/duration.ts'
import {
  type Scenario,
  type SeedResult,
  type SimulationReport,
  simulateSeeds,
} from '../../src/simulation/index.ts'
import {
  addToReport,
  causalSlice,
  describeViolation,
  emptyReport,
  formatEvent,
} from '../../src/simulation/internals.ts'
import { problemsOver, scenarios } from '../../test/scenarios/index.ts'
import { compared } from './compared.ts'
import { resultsOfJobs, toLine } from './jobs.ts'
import { describePlan, numbersInWords, shrink } from './shrink.ts'
import { type CommandOptions, listOfScenarios, parseCommand, usage } from './options.ts'

/** Where the words go. */
export interface Terminal {
  print(line: string): void
  printError(line: string): void
  /** How far it is, again and again; the empty line at the end. Left out where nobody watches. */
  progress?(line: string): void
  /** 200 ms when not given. */
  readonly progressEveryMs?: number
  /** Milliseconds, for the time it took. */
  now(): number
}

/** Failing seeds that are shown with their events; the others in one line. */
const SHOWN_MAX = 3
const PROGRESS_EVERY_MS = 200
const EVENTS_KEPT = 500_000
const LAST_SHOWN = 20
/** How much is tried to make a failing seed smaller. */
const SHRINK_RUNS_MAX = 200
const SHRINK_TIME_MAX_MS = 60_000

/** Answers the exit code. */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const command = parseCommand(words)
  switch (command.type) {
    case 'Help':
      terminal.print(`${usage}\n\nScenarios:\n${listOfScenarios()}`)
      return 0
    case 'List':
      terminal.print(listOfScenarios())
      return 0
    case 'Mistake':
      terminal.printError(`${command.problem}\nTry: npm run simulate -- --help`)
      return 1
    case 'Run':
      return command.options.part === undefined
        ? runSeeds(command.options, words, terminal)
        : runPart(command.options, terminal)
    default:
      return unreachable(command)
  }
}

/** One of several processes: whoever started it counts, shows and judges. */
async function runPart(options: CommandOptions, terminal: Terminal): Promise<number> {
  for await (const result of resultsOf(options)) terminal.print(toLine(result))
  return 0
}

async function runSeeds(
  options: CommandOptions,
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const startedMs = terminal.now()
  const progress = new Progress(options, terminal)
  let report = emptyReport
  let shown = 0
  const results = options.jobs > 1 ? resultsOfJobs(options, words) : resultsOf(options)
  for await (const result of results) {
    report = addToReport(report, result)
    const isShown = shown < SHOWN_MAX || isFound(result, options.until)
    if (result.violations.length > 0) shown++
    if (result.violations.length > 0) {
      progress.clear()
      const lines = isShown
        ? describeFailure(options, await withEvents(options, result))
        : nameFailure(result)
      for (const line of lines) terminal.print(line)
      if (shown === 1 && options.isShrunk) {
        for (const line of await shrunkPlan(options, result, terminal)) terminal.print(line)
      }
    }
    progress.show(report)
    if (isFound(result, options.until)) break
  }
  progress.clear()
  for (const [name, times] of Object.entries(report.excuses)) {
    terminal.print(`Excused ${count(times, 'time')}: ${name}`)
  }
  for (const line of placesIn(report, scenarios.get(options.scenario)?.places ?? [])) {
    terminal.print(line)
  }
  const known = scenarios.get(options.scenario)
  const problems = known === undefined ? [] : problemsOver(report, known)
  for (const problem of problems) {
    terminal.print(`Fails over ${count(report.seeds, 'seed')}: ${problem}`)
  }
  for (const line of known?.tableOf?.(report) ?? []) terminal.print(line)
  terminal.print(summaryOf(options.scenario, report, terminal.now() - startedMs))
  if (options.isJson) {
    const { places: _, ...told } = report
    terminal.print(JSON.stringify({ scenario: options.scenario, ...told }))
  }
  return report.violations + problems.length === 0 ? 0 : 1
}

/** In one line: enough to replay it. */
function nameFailure({ seed, violations: [first] }: SeedResult): readonly string[] {
  return first === undefined ? [] : [`Seed ${seed} fails, too: ${describeViolation(first)}`]
}

function isFound({ violations }: SeedResult, until: string | undefined): boolean {
  return until !== undefined && violations.some(({ name }) => name.includes(until))
}

async function* resultsOf({
  scenario: name,
  seed,
  seeds,
  isTwice,
  only,
  part: { index, of } = { index: 0, of: 1 },
}: CommandOptions): AsyncGenerator<SeedResult> {
  const scenario = scenarios.get(name)?.scenario as Scenario
  const part = { seed: seed + index, seeds: Math.ceil((seeds - index) / of), stride: of }
  const plan = { scenario, ...part, ...(only && { only }) }
  const second = simulateSeeds(plan)
  for await (const result of simulateSeeds(plan)) {
    const again = isTwice ? await second.next() : undefined
    yield again?.value === undefined ? result : compared(result, again.value)
  }
}

/**
 * The same seed once more, with all its events kept: what led to the violation may lie far back. Where entities tell their
 * story, only for those who ask.
 */
async function withEvents(
  { scenario: name, isTraced, only }: CommandOptions,
  result: SeedResult,
): Promise<SeedResult> {
  if (!isTraced && storyOf(result).length > 0) return { ...result, lastEvents: [] }
  const scenario = scenarios.get(name)?.scenario as Scenario
  const { seed } = result
  for await (const again of simulateSeeds({
    scenario,
    seed,
    seeds: 1,
    keptEventsMax: EVENTS_KEPT,
    ...(only && { only }),
  })) {
    if (again.hash === result.hash) return { ...result, lastEvents: again.lastEvents }
  }
  return result
}

/** With the story of the entities concerned; turn by turn where there is none, or where that is asked for. */
export function describeFailure(options: CommandOptions, result: SeedResult): string[] {
  const { isTraced } = options
  const { seed, violations, lastEvents } = result
  const story = storyOf(result)
  const [first] = violations
  const slice = first === undefined ? [] : causalSlice(lastEvents, first)
  return [
    `Seed ${seed} fails:`,
    ...violations.slice(0, 10).map((violation) => `  ${describeViolation(violation)}`),
    ...(violations.length > 10 ? [`  and ${violations.length - 10} more`] : []),
    ...(story.length > 0 ? ['What happened:', ...story.map((line) => `  ${line}`)] : []),
    ...(slice.length > 0
      ? ['What led to it:', ...slice.map((event) => `  ${formatEvent(event)}`)]
      : []),
    ...(lastEvents.length > 0 ? ['The last events:'] : []),
    ...lastEvents.slice(-LAST_SHOWN).map((event) => `  ${formatEvent(event)}`),
    `Replay: ${replayOf(options, seed, options.only && numbersInWords(options.only))}`,
    ...(story.length > 0 && !isTraced ? ['With --trace it shows every turn that led to it.'] : []),
    '',
  ]
}

function replayOf({ scenario, mutant }: CommandOptions, seed: number, only?: string): string {
  const faults = only === undefined ? '' : ` --only ${only}`
  const bug = mutant === undefined ? '' : ` --mutant ${mutant}`
  return `npm run simulate -- --scenario ${scenario} --seed ${seed} --seeds 1${faults}${bug}`
}

/** The smallest plan under which that seed fails in the same way, and how to meet it again. */
async function shrunkPlan(
  options: CommandOptions,
  result: SeedResult,
  terminal: Terminal,
): Promise<string[]> {
  const scenario = scenarios.get(options.scenario)?.scenario as Scenario
  const limits = { runsMax: SHRINK_RUNS_MAX, timeMaxMs: SHRINK_TIME_MAX_MS }
  const shrunk = await shrink(scenario, result, { ...limits, now: () => terminal.now() })
  if (shrunk === undefined) return []
  const only = numbersInWords(shrunk.plan.map(({ number }) => number))
  return [...describePlan(shrunk), `Replay: ${replayOf(options, result.seed, only)}`, '']
}

/** What the entities of the first violation that tells of some did. */
function storyOf({ violations }: SeedResult): readonly string[] {
  return violations.find(({ story }) => story !== undefined)?.story ?? []
}

/** The places that were reached, and those of the scenario that were not. */
function placesIn({ places }: SimulationReport, wanted: readonly string[]): string[] {
  const reached = Object.entries(places).sort(([one], [other]) => (one < other ? -1 : 1))
  return [
    ...reached.map(
      ([name, { times, seeds }]) =>
        `Reached ${count(times, 'time')}, under ${count(seeds, 'seed')}: ${name}`,
    ),
    ...wanted.filter((name) => places[name] === undefined).map((name) => `Never reached: ${name}`),
  ]
}

function summaryOf(scenario: string, report: SimulationReport, tookMs: number): string {
  const { seeds, violations, hash, events, faults, simulatedMs } = report
  return (
    `${scenario}: ${count(seeds, 'seed')}, ${count(violations, 'violation')}, hash ${hash}, ` +
    `${count(events, 'event')}, ${count(faults, 'fault')}, ` +
    `${formatMs(simulatedMs)} simulated in ${formatMs(tookMs)}`
  )
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}

class Progress {
  readonly #options: CommandOptions
  readonly #terminal: Terminal
  #shownMs: number

  constructor(options: CommandOptions, terminal: Terminal) {
    this.#options = options
    this.#terminal = terminal
    this.#shownMs = terminal.now()
  }

  show({ seeds, violations }: SimulationReport): void {
    const nowMs = this.#terminal.now()
    if (nowMs - this.#shownMs < (this.#terminal.progressEveryMs ?? PROGRESS_EVERY_MS)) return
    this.#shownMs = nowMs
    const { scenario, seeds: all } = this.#options
    const found = count(violations, 'violation')
    this.#terminal.progress?.(`${scenario}: ${seeds} of ${count(all, 'seed')}, ${found}`)
  }

  clear(): void {
    this.#terminal.progress?.('')
  }
}
