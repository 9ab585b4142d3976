/** What can be said on the command line of `npm run simulate`. */
import { parseArgs } from 'node:util'
import { scenarios } from '../../test/scenarios/index.ts'

export interface CommandOptions {
  readonly scenario: string
  readonly seeds: number
  readonly seed: number
  readonly isJson: boolean
  readonly isTwice: boolean
  /** Ends at the first seed that breaks an invariant with this in its name. */
  readonly until: string | undefined
  /** Processes side by side. */
  readonly jobs: number
  /** Set in each of those: the first seed of it, counted from the first of all, and how many lie between two. */
  readonly part: { readonly index: number; readonly of: number } | undefined
  /** Shows turns and bytes as well, where a violation has a story of entities. */
  readonly isTraced: boolean
  /** The planned faults that are carried out; all when not given. */
  readonly only: readonly number[] | undefined
  /** Leaves faults of the first failing seed out, as long as it fails. */
  readonly isShrunk: boolean
  /** The seeded bug that was applied when the modules were loaded. */
  readonly mutant: string | undefined
}

export type Command =
  | { readonly type: 'Run'; readonly options: CommandOptions }
  | { readonly type: 'Help' }
  | { readonly type: 'List' }
  | { readonly type: 'Mistake'; readonly problem: string }

export const usage = `Runs a scenario under many seeds, in virtual time.

  npm run simulate -- [--scenario NAME] [--seeds N] [--seed S] [--jobs N] [--twice] [--until TEXT]
                      [--only NUMBERS] [--no-shrink] [--mutant NAME] [--trace] [--json]
  npm run simulate -- --list

  --scenario NAME  what to run; workshop when not given
  --seeds N        how many seeds; enough for less than a minute when not given
  --seed S         the first seed (1); alone, it replays that one seed
  --jobs N         runs the seeds in N processes side by side (1); the result is the same
  --twice          runs every seed twice and compares what happened
  --until TEXT     ends at the first seed that breaks an invariant with TEXT in its name
  --only NUMBERS   carries out these planned faults and no others: 3,7-9, or none
  --no-shrink      does not look for the planned faults that the first failing seed needs; nor do --only
                   and --until
  --mutant NAME    seeds a known bug, from test/mutants: the run must find it
  --trace          shows what led to a violation turn by turn, below the commands, events and moves
                   of the entities concerned
  --json           prints as the last line one object: scenario, seeds, violations, hash,
                   events, faults, simulatedMs, excuses
  --list           prints the scenarios
  --help           prints this

Ends with code 1 when an invariant was broken.`

export function listOfScenarios(): string {
  return [...scenarios].map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`).join('\n')
}

export function parseCommand(words: readonly string[]): Command {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        scenario: { type: 'string', default: 'workshop' },
        seeds: { type: 'string' },
        seed: { type: 'string' },
        jobs: { type: 'string' },
        part: { type: 'string' },
        until: { type: 'string' },
        only: { type: 'string' },
        'no-shrink': { type: 'boolean', default: false },
        twice: { type: 'boolean', default: false },
        mutant: { type: 'string' },
        trace: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) return { type: 'Help' }
    if (values.list) return { type: 'List' }
    return { type: 'Run', options: toOptions(values) }
  } catch (error) {
    return { type: 'Mistake', problem: (error as Error).message }
  }
}

function toOptions(values: {
  readonly scenario: string
  readonly seeds?: string | undefined
  readonly seed?: string | undefined
  readonly jobs?: string | undefined
  readonly part?: string | undefined
  readonly until?: string | undefined
  readonly only?: string | undefined
  readonly 'no-shrink': boolean
  readonly twice: boolean
  readonly trace: boolean
  readonly json: boolean
  readonly mutant?: string | undefined
}): CommandOptions {
  const { scenario } = values
  const known = scenarios.get(scenario)
  if (known === undefined) {
    throw new Error(`There is no scenario "${scenario}". There are:\n${listOfScenarios()}`)
  }
  const seed = values.seed === undefined ? 1 : wholeNumber('--seed', values.seed, 0)
  const defaultSeeds = values.seed === undefined ? known.defaultSeeds : 1
  const seeds = values.seeds === undefined ? defaultSeeds : wholeNumber('--seeds', values.seeds, 1)
  if (!Number.isSafeInteger(seed + seeds))
    throw new Error('--seed and --seeds go too far together.')
  const { json: isJson, twice: isTwice, trace: isTraced, mutant, until } = values
  const jobs = values.jobs === undefined ? 1 : wholeNumber('--jobs', values.jobs, 1)
  const part = values.part === undefined ? undefined : partIn(values.part)
  const only = values.only === undefined ? undefined : numbersIn(values.only)
  const isShrunk = !values['no-shrink'] && only === undefined && until === undefined
  return {
    ...{ scenario, seed, seeds, jobs, part, until, isJson, isTwice, isTraced, mutant },
    ...{ only, isShrunk },
  }
}

/** `3,7-9`, and `none`. */
function numbersIn(text: string): readonly number[] {
  if (text === 'none') return []
  return text.split(',').flatMap((range) => {
    const [from = '', to = from] = range.split('-')
    const first = wholeNumber('--only', from, 1)
    const last = wholeNumber('--only', to, first)
    if (last - first > 100_000) throw new Error(`--only takes no range as long as ${range}.`)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}

/** `1/4`: what the second of four processes gets from the one that started it. */
function partIn(text: string): CommandOptions['part'] {
  const [index = '', of = ''] = text.split('/')
  return { index: wholeNumber('--part', index, 0), of: wholeNumber('--part', of, 1) }
}

/** Hexadecimal with 0x, too. */
function wholeNumber(option: string, text: string, min: number): number {
  const value = /^(\d+|0x[\da-f]+)$/i.test(text) ? Number(text) : NaN
  if (Number.isSafeInteger(value) && value >= min) return value
  throw new Error(`${option} takes a whole number of at least ${min}, not "${text}".`)
}
