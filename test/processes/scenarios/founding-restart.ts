/**
 * The first seed is started again while the other seed is down, and members that are no seeds live on: it joins them instead
 * of founding a second cluster beside them.
 */
import { type BeaconCluster, playRounds } from './beacon-cluster.ts'
import type { Scenario } from './scenario.ts'

export const foundingRestart: Scenario = {
  name: 'founding-restart',
  summary: 'the first seed comes back while the other seed is down and other members live on',
  defaultRounds: 3,
  run: (stage) => playRounds(stage, play),
}

const seedNames = ['a', 'b']
const others = ['c', 'd']

async function play(cluster: BeaconCluster, round: number): Promise<string> {
  const { supervisor } = cluster
  const options = await cluster.seeds(...seedNames)
  const all = [...seedNames, ...others]
  await cluster.form(all, options)
  const what = await endSeeds(cluster, round)
  await cluster.allAnswer(others)
  const backMs = performance.now()
  // The other seed comes only when it has founded or joined one.
  await supervisor.keep('a', options)
  await Promise.all([supervisor.keep('b', options), cluster.allAnswer(['a'])])
  await cluster.unite(all, backMs)
  return what
}

async function endSeeds({ supervisor }: BeaconCluster, round: number): Promise<string> {
  switch (round % 3) {
    case 1:
      await Promise.all(seedNames.map((name) => supervisor.terminate(name)))
      return 'both seeds left at once'
    case 2:
      await supervisor.terminate('a')
      await supervisor.terminate('b')
      return 'the seeds left one by one'
    default:
      await supervisor.terminate('b')
      await supervisor.kill('a')
      return 'one seed left, the first was killed'
  }
}
