/** What can be said on the command line of `npm run chaos`. */
import { parseArgs } from 'node:util'
import type { Scenario } from '../../test/processes/scenarios/scenario.ts'

export interface ChaosOptions {
  readonly scenarios: readonly Scenario[]
  /** Undefined: as many as the scenario thinks right. */
  readonly rounds: number | undefined
  readonly isQuick: boolean
  readonly isJson: boolean
}

export type ChaosCommand =
  | { readonly type: 'Run'; readonly options: ChaosOptions }
  | { readonly type: 'Help' }
  | { readonly type: 'List' }
  | { readonly type: 'Mistake'; readonly problem: string }

export const usage = `Runs nodes as processes under load and hurts them.

  npm run chaos -- [--only NAME] [--rounds N] [--quick] [--json]
  npm run chaos -- --list

  --only NAME  runs this scenario alone; all when not given
  --rounds N   how often it hurts; as often as fits in a minute when not given
  --quick      settings under which nodes are replaced sooner, as in the tests
  --json       prints as the last line one object: scenario, problems, figures, tookMs per scenario
  --list       prints the scenarios
  --help       prints this

Those named net-... give each node a host of its own, a network namespace, with PostgreSQL on another, and hurt the
packets between them. They need Linux, root, and the programs ip, tc, nsenter and nft (on Debian: iproute2, util-linux,
nftables). Where something is missing they say so and fail; all others run without it. What they make is named
sherd-PID-..., is removed however the run ends, after kill -9 by the next run, and no packet of it leaves the machine.

Ends with code 1 when something acknowledged was lost or doubled, or a scenario did not end well or could not be played.`

type Scenarios = ReadonlyMap<string, Scenario>

export function listOf(scenarios: Scenarios): string {
  return [...scenarios].map(([name, { summary }]) => `  ${name.padEnd(17)} ${summary}`).join('\n')
}

export function parseChaos(words: readonly string[], scenarios: Scenarios): ChaosCommand {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        only: { type: 'string' },
        rounds: { type: 'string' },
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) return { type: 'Help' }
    if (values.list) return { type: 'List' }
    const { only, rounds, quick: isQuick, json: isJson } = values
    const options = {
      scenarios: named(only, scenarios),
      rounds: wholeNumber(rounds),
      isQuick,
      isJson,
    }
    return { type: 'Run', options }
  } catch (error) {
    return { type: 'Mistake', problem: (error as Error).message }
  }
}

function named(name: string | undefined, scenarios: Scenarios): readonly Scenario[] {
  if (name === undefined) return [...scenarios.values()]
  const scenario = scenarios.get(name)
  if (scenario !== undefined) return [scenario]
  throw new Error(`There is no scenario "${name}". There are:\n${listOf(scenarios)}`)
}

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,5}$/.test(text))
    return text === undefined ? text : Number(text)
  throw new Error(`--rounds takes a whole number from 1 on, not "${text}".`)
}
