/**
 * The first seed is started again while all others are asleep (SIGSTOP), or while it is cut off from them: whatever it does,
 * no two clusters are active at once, and in the end there is one. Who sleeps for longer than the record of a founding must
 * stand still was succeeded, ends, and is started again.
 */
import { type BeaconCluster, playRounds } from './beacon-cluster.ts'
import type { Scenario } from './scenario.ts'

export const foundingPause: Scenario = {
  name: 'founding-pause',
  summary: 'the first seed comes back while all others sleep, or while it is cut off from them',
  defaultRounds: 3,
  run: (stage) => playRounds(stage, play),
}

const first = 'a'
const others = ['b', 'c', 'd']
const all = [first, ...others]

/** In turn: so that sleepers may go on, so that they were succeeded, and a cut that would have the first seed found alone. */
const faults = [
  { what: 'the others sleep', lastsMs: 9_000, begin: sleep },
  { what: 'and is cut off', lastsMs: 15_000, begin: cutOff },
  { what: 'the others sleep too long', lastsMs: 16_000, begin: sleep },
] as const

async function play(cluster: BeaconCluster, round: number): Promise<string> {
  const { supervisor } = cluster
  const options = await cluster.seeds('a', 'b')
  await cluster.form(all, options)
  const isKilled = round % 2 === 0
  if (isKilled) await supervisor.kill(first)
  else await supervisor.terminate(first)
  const { what, lastsMs, begin } = faults[(round - 1) % faults.length]!
  const end = begin(cluster)
  supervisor.keep(first, options).catch(() => undefined)
  // Nothing is waited for: this is the fault.
  await new Promise((resolve) => setTimeout(resolve, lastsMs))
  end()
  await cluster.unite(all)
  return `the first seed ${isKilled ? 'was killed' : 'left'}, ${what}`
}

/** Answers how to end it. */
function sleep({ supervisor }: BeaconCluster): () => void {
  const sleepers = others.map((name) => supervisor.named(name))
  for (const sleeper of sleepers) sleeper.pause()
  return () => {
    for (const sleeper of sleepers) sleeper.resume()
  }
}

/** Answers how to end it. */
function cutOff({ processes }: BeaconCluster): () => void {
  processes.network?.partition([first], others)
  return () => processes.network?.heal()
}
