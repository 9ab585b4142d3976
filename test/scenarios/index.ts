/** The scenarios that `npm run simulate` knows by name. */
import type { Scenario } from '../../src/simulation/index.ts'
import { canary } from './canary.ts'
import { pingPong } from './ping-pong.ts'
import { spine } from './spine.ts'
import { workshop } from './workshop.ts'

export interface KnownScenario {
  readonly scenario: Scenario
  readonly summary: string
  /** What runs when no number is given: well under a minute on one core. */
  readonly defaultSeeds: number
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
    'spine',
    {
      scenario: spine,
      summary:
        'whole nodes with durable entities under load, and faults of network, nodes and store',
      defaultSeeds: 200,
    },
  ],
  [
    'canary',
    { scenario: canary, summary: 'must always fail: a test of the alarm', defaultSeeds: 10 },
  ],
])
