/** `npm run chaos`: runs the scenarios one after the other and says what came of them. */
import { unreachable } from '../../src/foundation/assert.ts'
import { formatMs } from '../../src/foundation/duration.ts'
import {
  type ClusterOptions,
  ProcessCluster,
} from '../../test/processes/harness/process-cluster.ts'
import { scenarios as allScenarios } from '../../test/processes/scenarios/index.ts'
import type { Outcome, Scenario, Stage } from '../../test/processes/scenarios/scenario.ts'
import { type ChaosOptions, listOf, parseChaos, usage } from './options.ts'

/** Where the words go. */
export interface Terminal {
  print(line: string): void
  printError(line: string): void
  /** Milliseconds, for the time it took. */
  now(): number
}

interface Ended extends Outcome {
  readonly scenario: string
  readonly tookMs: number
}

/** Answers the exit code. */
export async function runChaos(
  words: readonly string[],
  terminal: Terminal,
  scenarios: ReadonlyMap<string, Scenario> = allScenarios,
): Promise<number> {
  const command = parseChaos(words, scenarios)
  switch (command.type) {
    case 'Help':
      terminal.print(`${usage}\n\nScenarios:\n${listOf(scenarios)}`)
      return 0
    case 'List':
      terminal.print(listOf(scenarios))
      return 0
    case 'Mistake':
      terminal.printError(`${command.problem}\nTry: npm run chaos -- --help`)
      return 1
    case 'Run':
      return runAll(command.options, terminal)
    default:
      return unreachable(command)
  }
}

async function runAll(options: ChaosOptions, terminal: Terminal): Promise<number> {
  const results: Ended[] = []
  for (const scenario of options.scenarios) {
    const result = await runOne(scenario, options, terminal)
    results.push(result)
    terminal.print(summaryOf(result))
    for (const problem of result.problems) terminal.print(`  ${problem}`)
  }
  if (options.isJson) terminal.print(JSON.stringify(results))
  return results.every(({ problems }) => problems.length === 0) ? 0 : 1
}

async function runOne(
  scenario: Scenario,
  { rounds = scenario.defaultRounds, isQuick }: ChaosOptions,
  terminal: Terminal,
): Promise<Ended> {
  const begunMs = terminal.now()
  const missing = scenario.missing?.() ?? []
  if (missing.length > 0) {
    const problems = missing.map((what) => `It cannot be played here. ${what}`)
    return { scenario: scenario.name, tookMs: 0, problems, figures: {} }
  }
  const clusters: { dispose(): Promise<void>; transcript(): string }[] = []
  const over = new AbortController()
  const stage: Stage = {
    rounds,
    isQuick,
    cluster<N, O extends object>(kind: string, options?: ClusterOptions) {
      const cluster = new ProcessCluster<N, O>(kind, options)
      clusters.push(cluster)
      return cluster
    },
    over: over.signal,
    // Progress is for people, and not part of the result.
    say: (line) => terminal.printError(`${scenario.name}: ${line}`),
  }
  const { problems, figures } = await outcomeOf(scenario, stage)
  // A load that goes on would keep this program from ending, and the next scenario from being alone.
  over.abort()
  if (problems.length > 0) {
    for (const cluster of clusters) terminal.printError(cluster.transcript())
  }
  const disposed = await Promise.allSettled(clusters.map((cluster) => cluster.dispose()))
  const left = disposed.flatMap((each) =>
    each.status === 'rejected' ? [inWords(each.reason)] : [],
  )
  return {
    scenario: scenario.name,
    tookMs: Math.round(terminal.now() - begunMs),
    problems: [...problems, ...left],
    figures,
  }
}

async function outcomeOf(scenario: Scenario, stage: Stage): Promise<Outcome> {
  try {
    return await scenario.run(stage)
  } catch (error) {
    return { problems: [inWords(error)], figures: {} }
  }
}

function inWords(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function summaryOf({ scenario, problems, figures, tookMs }: Ended): string {
  const words = Object.entries(figures).map(
    ([name, value]) => `${name} ${value.toLocaleString('en')}`,
  )
  const found = problems.length === 0 ? 'no problem' : `${problems.length} problems`
  return `${scenario}: ${[found, ...words].join(', ')}; took ${formatMs(tookMs)}`
}
