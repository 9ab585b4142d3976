/**
 * Runs one benchmark: `npm run bench -- NAME [--json]`. Ours, bare loops of our own and the peers
 * of `bench/peers` do the same work in the same run, so that their ratios hold on any machine.
 * Words about progress go to standard error.
 */
import { parseArgs } from 'node:util'
import { ask } from './ask.ts'
import type { Benchmark } from './benchmark.ts'
import { detect } from './detect.ts'
import { entities } from './entities.ts'
import { entityLocal } from './entity-local.ts'
import { entityRemote } from './entity-remote.ts'
import { failover } from './failover.ts'
import { gossip } from './gossip.ts'
import { weigh } from './heap.ts'
import { memory } from './memory.ts'
import { passivation } from './passivation.ts'
import { installPeers, loadPeers } from './peer-libraries.ts'
import { rebalance } from './rebalance.ts'
import { remember } from './remember.ts'
import { remoteAsk } from './remote-ask.ts'
import { remoteTell } from './remote-tell.ts'
import { persist } from './persist.ts'
import { persistPostgres } from './persist-postgres.ts'
import { persistSizes } from './persist-sizes.ts'
import { replay } from './replay.ts'
import { printTable, toJson } from './report.ts'
import { shardedLocal } from './sharded-local.ts'
import { shardedRemote } from './sharded-remote.ts'
import { spawn } from './spawn.ts'
import { storeSize } from './store-size.ts'
import { tell } from './tell.ts'
import { tls } from './tls.ts'

const benchmarks: readonly Benchmark[] = [
  tell,
  ask,
  spawn,
  memory,
  remoteTell,
  remoteAsk,
  tls,
  shardedLocal,
  shardedRemote,
  entityLocal,
  entityRemote,
  passivation,
  entities,
  remember,
  persist,
  persistPostgres,
  persistSizes,
  replay,
  storeSize,
  failover,
  rebalance,
  gossip,
  detect,
]

const list = benchmarks.map(({ name, summary }) => `  ${name.padEnd(18)}${summary}`).join('\n')

const help = `Usage: npm run bench -- NAME [--json]

Benchmarks
${list}

Options
  --json   end with one line of JSON: {name, rows: [{case, ours, unit, baselines}]}
  --events N   of store-size: so many instead of a million
  --members N  of gossip: so many instead of 3, 10, 100 and 300; 1,000 take some minutes
  --list   list the benchmarks
  --help   show this text

Every benchmark takes less than a minute. Figures need a quiet machine; ratios mean most.`

async function main(): Promise<void> {
  const { values, positionals } = readArguments()
  if (values.heap !== undefined) return weigh(values.heap)
  if (values.help) return console.log(help)
  const [name, ...rest] = positionals
  const isAlone = name === undefined && !values.json
  if (values.list || isAlone) return console.log(`Benchmarks\n${list}`)
  if (name === undefined) return refuse('Name a benchmark.')

  const benchmark = benchmarks.find((candidate) => candidate.name === name)
  if (benchmark === undefined) return refuse(`There is no benchmark ${name}.`)
  if (rest.length > 0)
    return refuse(`One benchmark at a time, please, not also ${rest.join(', ')}.`)

  if (globalThis.gc === undefined) console.error('Without --expose-gc the figures spread wider.')
  installPeers()
  const options: Record<string, number> = {}
  for (const option of ['events', 'members'] as const) {
    if (values[option] === undefined) continue
    options[option] = Number(values[option])
    if (!(options[option] >= 1)) return refuse(`--${option} is a number of at least 1.`)
  }
  const cases = await benchmark.run(loadPeers(), options)
  printTable(benchmark, cases)
  if (values.json) console.log(toJson(benchmark, cases))
}

function readArguments() {
  const options = {
    json: { type: 'boolean' },
    list: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
    events: { type: 'string' },
    members: { type: 'string' },
    // Not for people: `memory` starts this program again for each contestant.
    heap: { type: 'string' },
  } as const
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    const [problem = ''] = String(error instanceof Error ? error.message : error).split('. ')
    return refuse(`${problem}.`)
  }
}

function refuse(problem: string): never {
  console.error(`${problem}\nThere are:\n${list}`)
  process.exit(1)
}

await main()
