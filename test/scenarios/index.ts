/** The scenarios that `npm run simulate` knows by name. */
import type { Scenario } from '../../src/simulation/index.ts'
import { canary } from './canary.ts'
import { foundingPlaces } from './founding/founding-places.ts'
import { founding } from './founding.ts'
import { nestingPlaces } from './nesting/nesting-ledger.ts'
import { nesting } from './nesting.ts'
import { pingPong } from './ping-pong.ts'
import { spineCalm } from './spine-calm.ts'
import { spine } from './spine.ts'
import { places, spinePlaces } from './spine/spine-places.ts'
import { workshop } from './workshop.ts'

export interface KnownScenario {
  readonly scenario: Scenario
  readonly summary: string
  /** What runs when no number is given: well under a minute on one core. */
  readonly defaultSeeds: number
  /** What it must reach under a few hundred seeds; named when it does not. */
  readonly places?: readonly string[]
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
    },
  ],
  [
    'spine-calm',
    {
      scenario: spineCalm,
      summary: 'the same without faults: nodes join and leave, nothing is lost, no call fails',
      defaultSeeds: 100,
      places: [places.balanced],
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
    'canary',
    { scenario: canary, summary: 'must always fail: a test of the alarm', defaultSeeds: 10 },
  ],
])
