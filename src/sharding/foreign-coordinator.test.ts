import { expect, test } from 'vitest'
import { CoordinatorMachine } from './coordinator/coordinator-machine.ts'
import type { CoordinatorEffect, CoordinatorInput } from './coordinator/coordinator-inputs.ts'
import { type CoordinatorEvent, CoordinatorState } from './coordinator/coordinator-state.ts'
import { RegionMachine } from './region/region-machine.ts'
import { shardingSettings } from './sharding-settings.ts'

const settings = shardingSettings({ numberOfShards: 16 })
const shard = 7

/** A coordinator that starts from what all before it have stored, and sees these members. */
function coordinator(stored: CoordinatorEvent[], term: number, members: readonly string[]) {
  const state = new CoordinatorState()
  for (const event of stored) state.apply(event)
  const machine = new CoordinatorMachine({ term, state, settings })
  const step = (input: CoordinatorInput): CoordinatorEffect[] =>
    machine.step(input).flatMap((effect): CoordinatorEffect[] => {
      if (effect.type === 'Store') {
        stored.push(...effect.events)
        return step({ type: 'Stored' })
      }
      if (effect.type !== 'AskStrategy' || effect.question.type !== 'Allocate') return [effect]
      const [home = ''] = effect.question.allocations.keys()
      const homes = new Map(effect.question.shards.map((wanted) => [wanted.shard, home]))
      return step({
        type: 'StrategyAnswered',
        ask: effect.ask,
        answer: { type: 'Allocate', homes },
      })
    })
  const statuses = new Map(members.map((node) => [node, 'Up'] as const))
  step({ type: 'Started', cluster: { members: statuses, unreachable: new Set() } })
  const register = (region: string) =>
    step({ type: 'Register', region, isProxy: false, numberOfShards: 16 })
  return { step, register }
}

/** What a coordinator on `k` says to `a`, said to the region of `a`; its effects. */
function hear(region: RegionMachine<string>, effects: readonly CoordinatorEffect[]) {
  return effects.flatMap((effect) =>
    effect.type === 'Send' && effect.to === 'a'
      ? region.step({ type: 'FromCoordinator', coordinator: 'k', message: effect.message })
      : [],
  )
}

test('a home whose shard was given away in the name of a coordinator outside of the cluster stops it', () => {
  const stored: CoordinatorEvent[] = []
  const region = new RegionMachine<string>({ self: 'a', isProxy: false, settings })
  region.step({ type: 'Started', candidates: ['k'] })
  const first = coordinator(stored, 1, ['a', 'b'])
  hear(region, first.register('a'))
  first.register('b')
  hear(region, first.step({ type: 'GetShardHome', shard, region: 'a' }))
  expect(region.explain(shard)).toMatchObject({ home: 'a', here: 'running', isRouted: true })
  // It shares the store and not the cluster: to it, both regions are gone.
  coordinator(stored, 2, ['x'])
  const second = coordinator(stored, 3, ['a', 'b'])
  second.register('b')
  expect(hear(region, second.register('a'))).toContainEqual({
    ...{ type: 'StopShard', shard, isForced: true },
  })
  expect(region.explain(shard)).toMatchObject({ home: 'b', here: 'stopping' })
})
