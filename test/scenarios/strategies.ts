/**
 * Splits under every strategy, in one data center or two: who goes on is not only the store's to say. To the faults of `splits` come
 * slow CPUs, clocks that err and are set, half-open connections and former lives. Two sides never go on where the strategy promises
 * it, and elsewhere only after what no side can see through, which is excused and counted. In the end everybody is in one
 * cluster and answers.
 */
import type { ChosenDowningSettings } from '../../src/cluster/index.ts'
import {
  ClusterChecks,
  GoalNotReached,
  type SeededRandom,
  type Simulation,
} from '../../src/simulation/index.ts'
import { FoundingCluster } from './founding/founding-cluster.ts'
import { planClocks } from './planned-faults.ts'
import { spineSettings } from './spine/spine-settings.ts'
import { OneSide } from './splits/one-side.ts'
import { hardships, SplitsFaults } from './splits/splits-faults.ts'
import { TwoSides } from './tangled/two-sides.ts'
import { viewsConverge } from './views-converge.ts'

const CHAOS_MS = 35_000
/** All restarts, deadlines, leases and waits one after the other, and then some. */
const RECOVERY = '150s'
/** As the nodes of `FoundingCluster` have it. */
const NAME = 'founding'

const all = [
  'store-majority',
  'lease-majority',
  'static-quorum',
  'keep-majority',
  'keep-oldest',
  'down-all',
] as const
type Strategy = (typeof all)[number]

/** By these two sides never go on, however the network breaks. */
const promising: readonly Strategy[] = [
  'store-majority',
  'lease-majority',
  'static-quorum',
  'down-all',
]

/** What these have decided stands in a store, and of that nothing is excused. */
const remembering: readonly Strategy[] = ['store-majority', 'lease-majority']

export const strategiesPlaces: readonly string[] = [
  ...all.map((strategy) => `the strategy is ${strategy}`),
  'there are two data centers',
  'a node freezes: minority',
  'a node freezes: paused',
  'a node freezes: store',
  'a node ends: downing',
]

export async function strategies(simulation: Simulation): Promise<void> {
  const swarm = simulation.random.fork('strategies')
  const strategy = swarm.pick(all)
  simulation.reached(`the strategy is ${strategy}`)
  simulation.setEndsProved(swarm.chance(0.3))
  const trouble: { now?: SplitsFaults } = {}
  const excuse = (): string | undefined =>
    remembering.includes(strategy) ? undefined : trouble.now?.excuseForTwo
  const checks = new ClusterChecks(simulation, { store: simulation.store, excuseForTwo: excuse })
  const oneSide = new OneSide(simulation, NAME, excuse)
  const twoSides = new TwoSides((one, other) => {
    const mayBe = !promising.includes(strategy) && excuse() !== undefined
    simulation.check('at most one side goes on', mayBe, `${strategy}: ${one} and ${other} go on`)
    simulation.excuse(`B1: two sides under ${strategy}`)
  })
  const cluster = clusterBy(swarm, {
    ...{ simulation, checks, strategy },
    watch: {
      attach: (node, life) => {
        oneSide.attach(node, life)
        twoSides.attach(node, life)
      },
      acted: (label) => oneSide.acted(label),
    },
  })
  await simulation.runUntil(() => cluster.isWhole, { within: '30s', what: 'the cluster forms' })
  const faults = new SplitsFaults({ simulation, checks, cluster, more: hardships })
  trouble.now = faults
  await simulation.run({ for: CHAOS_MS })
  faults.end()
  try {
    await simulation.runUntil(() => cluster.isWhole, { within: RECOVERY })
    await simulation.settle(cluster.allAnswer(), { within: '40s', what: 'an answer of everybody' })
  } catch (error) {
    if (!(error instanceof GoalNotReached)) throw error
    const how = `${strategy}: ${cluster.state}`
    simulation.check('the survivors are one cluster and answer', false, how)
  }
  await viewsConverge(simulation, checks)
}

type Parts = Pick<
  ConstructorParameters<typeof FoundingCluster>[0],
  'simulation' | 'checks' | 'watch'
> & { readonly strategy: Strategy }

function clusterBy(swarm: SeededRandom, { strategy, ...parts }: Parts): FoundingCluster {
  const { simulation } = parts
  const areTwo = swarm.chance(0.4)
  if (areTwo) simulation.reached('there are two data centers')
  const seeds = ['a', 'b', 'c', 'd', 'e'].slice(
    0,
    areTwo ? swarm.pick([4, 5]) : swarm.pick([2, 3, 4, 5]),
  )
  const isEast = (name: string): boolean => areTwo && ['b', 'd'].includes(name)
  const largest = seeds.filter((name) => !isEast(name)).length
  const { cluster: timing, ...settings } = spineSettings(swarm)
  return new FoundingCluster({
    ...{ ...parts, seeds, others: [] },
    settings: { ...settings, cluster: { ...timing, downing: downingBy(strategy, largest) } },
    clockOf: planClocks(simulation, seeds),
    ...(areTwo && { dataCenterOf: (name: string) => (isEast(name) ? 'east' : 'west') }),
  })
}

/** For so many members of a data center at most. */
function downingBy(strategy: Strategy, members: number): ChosenDowningSettings {
  if (strategy === 'static-quorum') return { strategy, quorumSize: Math.floor(members / 2) + 1 }
  if (strategy === 'lease-majority') return { strategy, releaseAfterMs: 15_000 }
  return { strategy }
}
