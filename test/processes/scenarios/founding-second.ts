/**
 * A process without seeds comes to a store on which a cluster lives, or two come to an empty one at once: it is told where the
 * cluster is and does not start; with that for its seeds it joins.
 */
import { refusalOf } from '../harness/supervisor.ts'
import { type BeaconCluster, playRounds } from './beacon-cluster.ts'
import type { Scenario } from './scenario.ts'

export const foundingSecond: Scenario = {
  name: 'founding-second',
  summary: 'a second process without seeds on the same store, later or at the same time',
  defaultRounds: 4,
  run: (stage) => playRounds(stage, play),
}

async function play(cluster: BeaconCluster, round: number): Promise<string> {
  return round % 2 === 0 ? atOnce(cluster) : later(cluster)
}

async function later(cluster: BeaconCluster): Promise<string> {
  const { supervisor } = cluster
  const withSeeds = await cluster.seeds('a')
  await supervisor.keep('a', cluster.options())
  await supervisor.keep('b', withSeeds)
  await supervisor.united(['a', 'b'], 30_000)
  await cluster.allAnswer(['a', 'b'])
  await second(cluster, 'c', 'a')
  await supervisor.keep('c', withSeeds)
  await cluster.unite(['a', 'b', 'c'])
  return 'later'
}

/** Starts it without seeds, and sees to it that it is refused with the address of the other. */
async function second(cluster: BeaconCluster, name: string, other: string): Promise<void> {
  const launched = await cluster.processes.launch(name, cluster.options())
  const refusal = await refusalOf(launched)
  judge(cluster, refusal, await cluster.processes.addressOf(other))
  if (refusal === undefined) await launched.node.callWithin(5_000, 'allAnswer')
  await launched.node.kill()
}

async function atOnce(cluster: BeaconCluster): Promise<string> {
  const { supervisor, processes } = cluster
  const names = ['a', 'b']
  const launched = await Promise.all(names.map((name) => processes.launch(name, cluster.options())))
  const refusals = await Promise.all(launched.map(refusalOf))
  const winner = refusals.indexOf(undefined)
  const loser = 1 - winner
  if (winner < 0) throw new Error(`none of the two started: ${refusals.join(' ')}`)
  judge(cluster, refusals[loser], await processes.addressOf(names[winner] ?? ''))
  if (refusals[loser] === undefined) {
    await Promise.all(launched.map(({ node }) => node.callWithin(5_000, 'allAnswer')))
    return 'at once'
  }
  const withSeeds = await cluster.seeds(names[winner] ?? '')
  supervisor.adopt(names[winner] ?? '', launched[winner]!.node)
  await supervisor.keep(names[loser] ?? '', withSeeds)
  await cluster.unite(names)
  return 'at once'
}

function judge({ problems }: BeaconCluster, refusal: string | undefined, address: string): void {
  if (refusal === undefined) problems.push('a second process without seeds started')
  else if (!/without seeds.*seeds: \[/s.test(refusal) || !refusal.includes(`'${address}'`)) {
    problems.push(`refused without saying that the cluster is at ${address}: ${refusal}`)
  }
}
