import { describe, expect, test } from 'vitest'
import { type NodeId, addressOfNode, nodeIdOf } from '../foundation/node-id.ts'
import { LeastShardAllocationStrategy } from './allocation/least-shard-allocation-strategy.ts'
import type { MemberStatus } from '../cluster/index.ts'
import { type StrategyAnswer, askStrategy } from './allocation/strategy-questions.ts'
import { CoordinatorMachine } from './coordinator/coordinator-machine.ts'
import type { CoordinatorEffect, CoordinatorInput } from './coordinator/coordinator-inputs.ts'
import { CoordinatorState } from './coordinator/coordinator-state.ts'
import { RegionMachine } from './region/region-machine.ts'
import type { RegionEffect, RegionInput } from './region/region-inputs.ts'
import { shardingSettings } from './sharding-settings.ts'

const settings = shardingSettings({ numberOfShards: 8 })
const [a, b, k] = ['a', 'b', 'k'].map((name) => nodeIdOf(`${name}:1`, 1n)) as [
  NodeId,
  NodeId,
  NodeId,
]

/** Two regions and a coordinator that hear each other at once, in one order; what is said is written down. */
class Dialogue {
  readonly regions = new Map([a, b].map((self) => [self, regionOf(self)]))
  readonly #strategy = new LeastShardAllocationStrategy({ shardsMax: 9, shareMax: 1 })
  readonly #turns: (() => void)[] = []
  #coordinator = new CoordinatorMachine({ term: 1, state: new CoordinatorState(), settings })
  #lines: string[] = []
  /** Stops shards that were told to stop; a test may do it later. */
  stopsAtOnce = true

  constructor() {
    const members = new Map([a, b].map((node): [NodeId, MemberStatus] => [node, 'Up']))
    this.coordinator({ type: 'Started', cluster: { members, unreachable: new Set() } })
    for (const region of this.regions.keys()) {
      this.region(region, { type: 'Started', candidates: [k] })
    }
    this.lines()
  }

  coordinator(input: CoordinatorInput): void {
    this.#turns.push(() => this.#coordinator.step(input).forEach((effect) => this.#perform(effect)))
  }

  region(node: NodeId, input: RegionInput<string>): void {
    const act = (effect: RegionEffect<string>) => this.#performFor(node, effect)
    this.#turns.push(() => this.regions.get(node)?.step(input).forEach(act))
  }

  /** Everything said since the last time. */
  lines(): string[] {
    for (let turn = this.#turns.shift(); turn !== undefined; turn = this.#turns.shift()) turn()
    return this.#lines.splice(0)
  }

  #say(from: NodeId, to: NodeId, { type, ...fields }: { type: string; shard?: number }): void {
    const name = (node: NodeId) => (node === k ? 'coordinator' : addressOfNode(node)[0])
    const shard = fields.shard === undefined ? '' : ` shard=${fields.shard}`
    this.#lines.push(`${name(from)} -> ${name(to)} ${type}${shard}`)
  }

  #perform(effect: CoordinatorEffect): void {
    if (effect.type === 'Send') {
      const { to, message } = effect
      this.#say(k, to, message)
      this.region(to, { type: 'FromCoordinator', coordinator: k, message })
    } else if (effect.type === 'Store') {
      this.#lines.push(`stored ${effect.events.map(({ type }) => type).join(', ')}`)
      this.coordinator({ type: 'Stored' })
    } else if (effect.type === 'AskStrategy') {
      const answer = askStrategy(this.#strategy, effect.question, () => {}) as StrategyAnswer
      this.coordinator({ type: 'StrategyAnswered', ask: effect.ask, answer })
    }
  }

  #performFor(node: NodeId, effect: RegionEffect<string>): void {
    if (effect.type === 'SendToCoordinator') {
      this.#say(node, k, effect.message)
      this.coordinator(effect.message)
    } else if (effect.type === 'SendToPeer') {
      this.#say(node, effect.to, effect.message)
      this.region(effect.to, { type: 'FromRegion', region: node, message: effect.message })
    } else if (effect.type === 'Deliver') {
      this.#lines.push(`${addressOfNode(node)[0]} delivers ${effect.parcel}`)
    } else if (effect.type === 'StopShard' && this.stopsAtOnce) {
      this.region(node, { type: 'ShardTerminated', shard: effect.shard })
    }
  }
}

function regionOf(self: NodeId): RegionMachine<string> {
  return new RegionMachine<string>({ self, isProxy: false, settings })
}

describe('dialogues', () => {
  /** Shard 7 lives on a, and both regions know. */
  function shardOnA(): Dialogue {
    const dialogue = new Dialogue()
    for (const region of [a, b]) {
      dialogue.region(region, { type: 'Message', shard: 7, parcel: `hello of ${region[0]}` })
    }
    dialogue.lines()
    return dialogue
  }

  test('SH-001 the first message brings a shard to life', () => {
    const dialogue = new Dialogue()
    dialogue.region(b, { type: 'Message', shard: 7, parcel: 'hello' })
    expect(dialogue.lines()).toEqual([
      'b -> coordinator GetShardHome shard=7',
      'stored ShardAllocated',
      'coordinator -> a HostShard shard=7',
      'coordinator -> b ShardHome shard=7',
      'a -> coordinator ShardStarted shard=7',
      'b -> a Forwarded shard=7',
      'a delivers hello',
    ])
  })

  test('a shard moves only after every region stopped routing', () => {
    const dialogue = shardOnA()
    dialogue.region(a, { type: 'GracefulShutdown' })
    expect(dialogue.lines()).toEqual([
      'a -> coordinator GracefulShutdownReq',
      'coordinator -> a BeginHandOff shard=7',
      'coordinator -> b BeginHandOff shard=7',
      'a -> coordinator BeginHandOffAck shard=7',
      'b -> a Flush shard=7',
      'a -> b FlushAck shard=7',
      'b -> coordinator BeginHandOffAck shard=7',
      'coordinator -> a HandOff shard=7',
      'a -> coordinator ShardStopped shard=7',
      'a -> coordinator RegionStopped',
      'stored ShardDeallocated',
      'stored RegionTerminated',
      'stored ShardAllocated',
      'coordinator -> b HostShard shard=7',
      'b -> coordinator ShardStarted shard=7',
    ])
  })

  test('messages sent while a shard moves wait where they were sent', () => {
    const dialogue = shardOnA()
    dialogue.stopsAtOnce = false
    dialogue.region(a, { type: 'GracefulShutdown' })
    dialogue.lines()
    dialogue.region(b, { type: 'Message', shard: 7, parcel: 'meanwhile' })
    expect(dialogue.lines()).toEqual(['b -> coordinator GetShardHome shard=7'])
    dialogue.region(a, { type: 'ShardTerminated', shard: 7 })
    expect(dialogue.lines().slice(-3)).toEqual([
      'coordinator -> b HostShard shard=7',
      'b -> coordinator ShardStarted shard=7',
      'b delivers meanwhile',
    ])
  })

  test('SH-005 the shards of a crashed node live again without being asked for', () => {
    const dialogue = shardOnA()
    dialogue.regions.delete(a)
    dialogue.region(b, { type: 'NodeRemoved', node: a })
    dialogue.region(b, { type: 'Message', shard: 7, parcel: 'are you there' })
    const members = new Map<NodeId, MemberStatus>([[b, 'Up']])
    dialogue.coordinator({ type: 'MembersChanged', cluster: { members, unreachable: new Set() } })
    expect(dialogue.lines()).toEqual([
      'b -> coordinator GetShardHome shard=7',
      'stored RegionTerminated',
      'stored ShardAllocated',
      'coordinator -> b HostShard shard=7',
      'b -> coordinator ShardStarted shard=7',
      'b delivers are you there',
    ])
  })
})
