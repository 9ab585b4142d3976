/** Compares the strategies of passivation on a trace: `npm run passivation -- TRACE`. */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { rehearse } from './passivation/rehearse.ts'
import { strategies } from './passivation/strategies.ts'
import { traces } from './passivation/traces.ts'

const list = traces
  .map(({ name, summary, limit }) => `  ${name.padEnd(14)}${summary} (limit ${limit})`)
  .join('\n')

const help = `Prints how many messages of a trace find their entity active, by each strategy of passivation.

  npm run passivation -- TRACE [--limit N] [--shards N] [--seed S] [--json]

TRACE is a file with one entity id per line, one line per message, or one of these:
${list}

  --limit N   entities that may be active (that of the trace; 1000 for a file)
  --shards N  shards that share the limit (1)
  --seed S    another trace of the same kind (1)
  --json      prints JSON
  --list      prints the traces
  --help      prints this`

function main(): void {
  const { values, positionals } = readArguments()
  if (values.help) return console.log(help)
  const [name, ...rest] = positionals
  const isAlone = name === undefined && Object.keys(values).length === 0
  if (values.list || isAlone) return console.log(list)
  if (name === undefined || rest.length > 0) refuse('Name one trace.')
  const seed = wholeNumber('--seed', values.seed ?? '1', 0)
  const { ids, limit: usual } = readTrace(name, seed)
  const limit = wholeNumber('--limit', values.limit ?? String(usual), 1)
  const shards = wholeNumber('--shards', values.shards ?? '1', 1)
  const rows = [...strategies].map(([strategy, given]) =>
    rehearse(strategy, { activeEntityLimit: limit, ...given }, ids, shards),
  )
  const entities = new Set(ids).size
  if (values.json) {
    return console.log(JSON.stringify({ trace: name, seed, limit, shards, entities, rows }))
  }
  console.log(`${name}: ${ids.length} messages for ${entities} entities, ${limit} may be active`)
  for (const { strategy, hitRate, activations, passivations } of rows) {
    const rate = `${(hitRate * 100).toFixed(2)} %`
    const counts = `${activations} activations, ${passivations} passivations`
    console.log(`  ${strategy.padEnd(26)}${rate.padStart(8)}   ${counts}`)
  }
}

function readTrace(name: string, seed: number): { readonly ids: string[]; readonly limit: number } {
  const known = traces.find((trace) => trace.name === name)
  if (known !== undefined) return { ids: Array.from(known.make(seed), String), limit: known.limit }
  try {
    const ids = readFileSync(name, 'utf8')
      .split(/\r?\n/)
      .filter((line) => line !== '')
    return { ids, limit: 1_000 }
  } catch (error) {
    return refuse(
      `There is no trace ${name}, and no such file: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

function readArguments() {
  const options = {
    limit: { type: 'string' },
    shards: { type: 'string' },
    seed: { type: 'string' },
    json: { type: 'boolean' },
    list: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

function wholeNumber(option: string, text: string, min: number): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < min) {
    refuse(`${option} takes a whole number of at least ${min}, not "${text}".`)
  }
  return value
}

function refuse(problem: string): never {
  console.error(`${problem}\nThere are:\n${list}`)
  process.exit(1)
}

main()
