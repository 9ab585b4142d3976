/** The scenarios that `npm run simulate` knows by name. */
import type { Scenario, SimulationReport } from '../../src/simulation/index.ts'
import { canary } from './canary.ts'
import { finding, findingPlaces } from './finding.ts'
import { foundingPlaces } from './founding/founding-places.ts'
import { founding } from './founding.ts'
import { handOffPlaces, handOffs } from './hand-offs.ts'
import { leasePlaces } from './leases/lease-ledger.ts'
import { leaseSplits, leaseSplitsPlaces } from './lease-splits.ts'
import { leases } from './leases.ts'
import { nestingPlaces } from './nesting/nesting-ledger.ts'
import { nesting } from './nesting.ts'
import { pingPong } from './ping-pong.ts'
import { projectionPlaces, projections } from './projections.ts'
import { remembering, rememberingPlaces } from './remembering.ts'
import { sharding, shardingPlaces } from './sharding.ts'
import { guestPlaces } from './sharding/sharding-guests.ts'
import { shardingCalm, spineCalm } from './spine-calm.ts'
import { spineMoves } from './spine-moves.ts'
import { spineWrites } from './spine-writes.ts'
import { spine, spineFlaps, spineHardships } from './spine.ts'
import { hardshipPlaces, places, spinePlaces } from './spine/spine-places.ts'
import { splits } from './splits.ts'
import { splitsPlaces } from './splits/splits-places.ts'
import { stores, storesPlaces } from './stores.ts'
import { strategies, strategiesPlaces } from './strategies.ts'
import { tangled, tangledPlaces, tangledTable } from './tangled.ts'
import { workshop } from './workshop.ts'

export interface KnownScenario {
  readonly scenario: Scenario
  readonly summary: string
  /** What runs when no number is given: well under a minute on one core. */
  readonly defaultSeeds: number
  /** What it must reach; named when it does not. */
  readonly places?: readonly string[]
  /** Under so many seeds a place that is not reached is a failure: the scenario does not test what it says it does. */
  readonly placesWithin?: number
  /** Excuses that begin so are rare: more than one per hundred seeds is a failure, and so is one where fewer run. */
  readonly rareExcuses?: readonly string[]
  /** What it counted under all seeds, in lines. */
  readonly tableOf?: (report: SimulationReport) => readonly string[]
}

export const scenarios: ReadonlyMap<string, KnownScenario> = new Map([
  [
    'workshop',
    {
      scenario: workshop,
      summary:
        'async handlers, timers, stash, supervision, asks, watching and crashes on two nodes',
      defaultSeeds: 1_000,
    },
  ],
  [
    'ping-pong',
    {
      scenario: pingPong,
      summary: 'one message back and forth between two nodes',
      defaultSeeds: 1_000,
    },
  ],
  [
    'nesting',
    {
      scenario: nesting,
      summary:
        'supervision, interceptors, stashes and timers inside each other, with ends that are slow or fail',
      defaultSeeds: 1_000,
      places: nestingPlaces,
      placesWithin: 1_000,
    },
  ],
  [
    'spine',
    {
      scenario: spine,
      summary:
        'whole nodes with durable entities under load, and faults of network, nodes and store',
      defaultSeeds: 200,
      places: spinePlaces,
      placesWithin: 300,
      // Two instances at once, and what was read from the older one.
      rareExcuses: ['S1', 'D4'],
    },
  ],
  [
    'spine-calm',
    {
      scenario: spineCalm,
      summary: 'the same without faults: nodes join and leave, nothing is lost, no call fails',
      defaultSeeds: 100,
      places: [places.balanced, places.restarted, places.returned],
      placesWithin: 60,
    },
  ],
  [
    'spine-moves',
    {
      scenario: spineMoves,
      summary: 'no faults, but shards that never rest: every note arrives in order and once',
      defaultSeeds: 100,
      places: [places.balanced, places.returned, places.restarted, places.handOffOver],
      placesWithin: 60,
    },
  ],
  [
    'spine-flaps',
    {
      scenario: spineFlaps,
      summary: 'the spine with one kind of fault: a side is cut off again and again',
      defaultSeeds: 100,
      places: ['a node freezes: minority', 'a node thaws'],
      placesWithin: 60,
    },
  ],
  [
    'spine-hardships',
    {
      scenario: spineHardships,
      summary:
        'the spine with more kinds: slow CPUs, clocks that err and are set, half-open connections, bytes of former lives',
      defaultSeeds: 100,
      places: hardshipPlaces,
      placesWithin: 200,
      rareExcuses: ['S1', 'D4'],
    },
  ],
  [
    'spine-writes',
    {
      scenario: spineWrites,
      summary: 'a few entities that are asked much at once, and a store that fails for moments',
      defaultSeeds: 100,
      places: [places.failedWrite, places.failedAmidBatch],
      placesWithin: 60,
    },
  ],
  [
    'hand-offs',
    {
      scenario: handOffs,
      summary:
        'homes, regions and coordinators die in the midst of hand-offs: nobody waits for the dead',
      defaultSeeds: 60,
      places: handOffPlaces,
      placesWithin: 60,
    },
  ],
  [
    'sharding',
    {
      scenario: sharding,
      summary:
        'three to seven nodes whose shards remember, hold leases and limit entities, under all faults of the spine',
      defaultSeeds: 100,
      places: [...shardingPlaces, ...guestPlaces],
      placesWithin: 60,
    },
  ],
  [
    'sharding-calm',
    {
      scenario: shardingCalm,
      summary:
        'the same shards without faults: nodes join and leave, nothing is lost, no call fails',
      defaultSeeds: 60,
      places: [places.balanced, places.returned],
      placesWithin: 60,
    },
  ],
  [
    'stores',
    {
      scenario: stores,
      summary:
        'events with snapshots and deletion, durable states, and a store that stalls, fails, runs full and crashes',
      defaultSeeds: 100,
      places: storesPlaces,
      placesWithin: 60,
    },
  ],
  [
    'founding',
    {
      scenario: founding,
      summary:
        'restarts, deaths, pauses and cuts of seeds and others: one founding of the cluster lives',
      defaultSeeds: 100,
      places: foundingPlaces,
    },
  ],
  [
    'finding',
    {
      scenario: finding,
      summary:
        'nodes that find each other by answers that differ, under all faults of founding: one founding lives',
      defaultSeeds: 100,
      places: findingPlaces,
      placesWithin: 100,
    },
  ],
  [
    'splits',
    {
      scenario: splits,
      summary:
        'splits, deaths, pauses and a store that is away, where the store decides: one side goes on',
      defaultSeeds: 100,
      places: splitsPlaces,
      placesWithin: 100,
    },
  ],
  [
    'lease-splits',
    {
      scenario: leaseSplits,
      summary:
        'splits that a lease decides, of nodes that share nothing else: one side goes on, also when the loser was never told',
      defaultSeeds: 100,
      places: leaseSplitsPlaces,
      placesWithin: 60,
    },
  ],
  [
    'strategies',
    {
      scenario: strategies,
      summary:
        'splits under every strategy, in one data center or two, with slow CPUs, clocks that err and half-open connections',
      defaultSeeds: 60,
      places: strategiesPlaces,
      placesWithin: 100,
    },
  ],
  [
    'tangled',
    {
      scenario: tangled,
      summary:
        'ways that are cut one by one and change again and again, for every strategy: how often two sides live on',
      defaultSeeds: 20,
      places: tangledPlaces,
      placesWithin: 200,
      tableOf: tangledTable,
    },
  ],
  [
    'projections',
    {
      scenario: projections,
      summary:
        'a projection on nodes that come, go and fail: each event at least once, in order, by one worker',
      defaultSeeds: 200,
      places: projectionPlaces,
      placesWithin: 100,
    },
  ],
  [
    'remembering',
    {
      scenario: remembering,
      summary:
        'remembered counters on nodes that come, go and fail, with leases and without: all run again by themselves',
      defaultSeeds: 100,
      places: rememberingPlaces,
      placesWithin: 60,
    },
  ],
  [
    'leases',
    {
      scenario: leases,
      summary:
        'leases on a store that fails, wanted by nodes that sleep and die, on clocks that err',
      defaultSeeds: 300,
      places: leasePlaces,
      placesWithin: 60,
    },
  ],
  [
    'canary',
    { scenario: canary, summary: 'must always fail: a test of the alarm', defaultSeeds: 10 },
  ],
])

/**
 * What is wrong with many seeds together although nothing is with each of them: places that were never reached, and what
 * was excused too often.
 */
export function problemsOver(
  { seeds, places: reached, excuses }: SimulationReport,
  known: KnownScenario,
): string[] {
  const { places: wanted = [], placesWithin = Infinity, rareExcuses = [] } = known
  const missed = wanted.filter((place) => reached[place] === undefined)
  const rare = Object.entries(excuses).filter(([name]) =>
    rareExcuses.some((prefix) => name.startsWith(prefix)),
  )
  const times = rare.reduce((sum, [, count]) => sum + count, 0)
  return [
    ...(seeds >= placesWithin ? missed.map((place) => `never reached: ${place}`) : []),
    ...(times > seeds / 100 ? rare.map(([name, count]) => `excused ${count} times: ${name}`) : []),
  ]
}
