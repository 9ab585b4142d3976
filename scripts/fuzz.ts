/** Feeds mutated input to one part of Sherd: `npm run fuzz -- NAME [--rounds N] [--seed S]`. */
import { parseArgs } from 'node:util'
import { fuzzers } from '../test/fuzz/index.ts'

const list = fuzzers
  .map(
    ({ name, summary, defaultRounds }) =>
      `  ${name.padEnd(10)}${summary} (${defaultRounds} rounds)`,
  )
  .join('\n')

const help = `Feeds mutated input to one part of Sherd: it may be refused, and nothing else may happen.

  npm run fuzz -- NAME [--rounds N] [--seed S]

${list}

  --rounds N  how many inputs; enough for less than a minute when not given
  --seed S    other inputs (1)
  --list      prints the names
  --help      prints this

Ends with code 1 when something crashed, hung, or used too much memory.`

async function main(): Promise<void> {
  const { values, positionals } = readArguments()
  if (values.help) return console.log(help)
  const [name, ...rest] = positionals
  const isAlone = name === undefined && Object.keys(values).length === 0
  if (values.list || isAlone) return console.log(list)
  if (name === undefined) refuse('Name a fuzzer.')
  const fuzz = fuzzers.find((each) => each.name === name)
  if (fuzz === undefined || rest.length > 0) refuse(`There is no fuzzer ${positionals.join(' ')}.`)
  const rounds = wholeNumber('--rounds', values.rounds ?? `${fuzz.defaultRounds}`, 1)
  const seed = wholeNumber('--seed', values.seed ?? '1', 0)
  const startMs = performance.now()
  const progress = (done: number): void =>
    void process.stderr.write(`\r${name}: ${done} of ${rounds}`)
  try {
    const figures = await fuzz.run({ rounds, seed, ...(process.stderr.isTTY && { progress }) })
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
    console.log(`${name}: ${rounds} rounds with seed ${seed} in ${seconds} s: nothing amiss`)
    for (const [what, count] of Object.entries(figures)) console.log(`  ${what}: ${count}`)
  } catch (error) {
    console.error(error)
    console.error(`Again: npm run fuzz -- ${name} --rounds ${rounds} --seed ${seed}`)
    process.exitCode = 1
  }
}

function readArguments() {
  const options = {
    rounds: { type: 'string' },
    seed: { type: 'string' },
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

await main()
