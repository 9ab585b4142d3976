import { expect, test } from 'vitest'
import type { MemberStatus } from '../../cluster/index.ts'
import type { Register } from '../sharding-messages.ts'
import { shardingSettings } from '../sharding-settings.ts'
import type { CoordinatorEffect, CoordinatorInput } from './coordinator-inputs.ts'
import { CoordinatorMachine } from './coordinator-machine.ts'
import { CoordinatorState } from './coordinator-state.ts'

const settings = shardingSettings({ numberOfShards: 16, handOffsMax: 8 })
const nodes = ['a', 'b', 'p']

/** The next coordinator, on a: it knows a, which has two shards, b with two, and the proxy p, by those before it. */
function successor(isPreparing = false) {
  const regions = nodes.map((region) => ({ region, isProxy: region === 'p' }))
  const state = CoordinatorState.replay([
    ...regions.map((each) => ({ type: 'RegionRegistered', ...each }) as const),
    ...[1, 2, 3, 4].map((shard) => {
      const home = shard < 3 ? 'a' : 'b'
      return { type: 'ShardAllocated', shard, home, epoch: shard } as const
    }),
  ])
  const identity = { extractorId: 'by-country@2', rememberEntities: false }
  const machine = new CoordinatorMachine({ term: 2, state, settings, identity, isPreparing })
  const members = new Map<string, MemberStatus>(nodes.map((node) => [node, 'Up']))
  machine.step({ type: 'Started', cluster: { members, unreachable: new Set<string>() } })
  const step = (input: CoordinatorInput) => machine.step(input).map(word)
  return { machine, step }
}

function word(effect: CoordinatorEffect): string {
  if (effect.type === 'AskStrategy') return `asks for ${[...effect.question.allocations.keys()]}`
  if (effect.type !== 'Send') return effect.type
  const { to, message } = effect
  return `${to} ${message.type}${'shard' in message ? ` ${message.shard}` : ''}`
}

const register = (region: string, extractorId: string): Register => ({
  ...{ type: 'Register', region, isProxy: region === 'p', numberOfShards: 16, extractorId },
})

test('a host that those before it had let in is refused by its settings, and what it has is taken', () => {
  const { machine, step } = successor()
  expect(step(register('a', 'by-country@2'))).toEqual(['a RegisterAck'])
  const said = step(register('b', 'by-country@1'))
  expect(said[0]).toBe('b RegisterRefused')
  expect(said).toContain('a BeginHandOff 3')
  expect(said).toContain('a BeginHandOff 4')
  expect(said.some((text) => text.endsWith('HandOff 1'))).toBe(false)
  // It asks again and again, and is told the same.
  expect(step(register('b', 'by-country@1'))).toEqual(['b RegisterRefused'])
  step({ type: 'ShardStopped', shard: 3, epoch: 3, region: 'b' })
  const asked = step({ type: 'Stored' })
  expect(asked).toContain('asks for a')
  expect(machine.snapshot().handOffs.map(({ shard }) => shard)).toEqual([4])
})

test('a proxy is refused as well, and nothing has to move for it', () => {
  const { step } = successor()
  expect(step(register('p', 'by-country@1'))).toEqual(['p RegisterRefused'])
})

test('nothing moves for it before the stop of the whole cluster', () => {
  const { step } = successor(true)
  expect(step(register('b', 'by-country@1'))).toEqual(['b RegisterRefused'])
})
