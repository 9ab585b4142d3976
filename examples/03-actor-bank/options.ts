/** What can be said on the command line. */
import { parseArgs } from 'node:util'

export interface DemoOptions {
  readonly seconds: number
  readonly seeds: number
}

export const usage = `A bank of actors that keeps its books through failures; then the same bank under simulation.

  node scripts/run.mjs examples/03-actor-bank/main.ts [--seconds N] [--seeds N]

  --seconds N   how long the bank is open; 8 when not given
  --seeds N     how many seeds are simulated; 5 when not given
  --help        prints this

Ctrl-C closes the bank in order. Ends with code 1 when the books do not balance.`

/** Undefined when help is wanted. Throws when something is not understood. */
export function parseOptions(words: readonly string[]): DemoOptions | undefined {
  const { values } = parseArgs({
    args: [...words],
    options: {
      seconds: { type: 'string', default: '8' },
      seeds: { type: 'string', default: '5' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return undefined
  return {
    seconds: wholeNumber('seconds', values.seconds),
    seeds: wholeNumber('seeds', values.seeds),
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text)
  throw new Error(`--${name} takes a whole number of at most five digits, not "${text}".`)
}
