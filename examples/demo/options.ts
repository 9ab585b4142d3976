/** What can be said on the command line. */
import { parseArgs } from 'node:util'

export interface DemoOptions {
  /** Undefined: somebody is at the keys. */
  readonly seconds: number | undefined
  /** Undefined: a folder that is removed in the end. */
  readonly store: string | undefined
}

export const usage = `A bank on three processes and one store. Kill its nodes: no coin is lost, none is doubled.

  npm start                    a live view with keys to kill, pause, drain and add nodes
  npm start -- --seconds N     runs by itself for N seconds, with kills and a join; N is 5 or more

  --store FOLDER   keeps the accounts in this folder, and opens again with what is in it
  --help           prints this

In the end the books are checked: the exit code is 0 when every coin is where it belongs, and 1 otherwise.
Without a terminal it prints a line per second. Ctrl-C closes the bank in order; a second one ends it at once.`

/** Undefined when help is wanted. Throws when something is not understood. */
export function parseOptions(words: readonly string[]): DemoOptions | undefined {
  const { values } = parseArgs({
    args: [...words],
    options: {
      seconds: { type: 'string' },
      store: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return undefined
  return { seconds: secondsOf(values.seconds), store: values.store }
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,5}$/.test(text) && Number(text) >= 5) return Number(text)
  throw new Error(`--seconds takes a whole number from 5 to 99999, not "${text}".`)
}
