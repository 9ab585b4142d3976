import { expect, test } from 'vitest'
import { ActorSystem } from '../../actor/index.ts'
import { ValueCodec } from '../../serialization/internals.ts'
import { ManualTime } from '../../testkit/index.ts'
import { ShardStops } from '../coordinator/shard-stops.ts'
import { shardingProtocol } from '../sharding-wire.ts'
import { RegionQuestions } from './region-questions.ts'

test('a hundred thousand shards are stopped by messages that can travel, also when each is refused', async () => {
  const numberOfShards = 100_000
  const { toRegion, toCoordinator } = shardingProtocol(numberOfShards)
  const codec = new ValueCodec({ use: 'link' })
  const refusal =
    'its entities are remembered, so they would start again at once; and so on'.repeat(2)
  const stops = new ShardStops({ term: 1, refusal, isAtHome: () => true })
  const sizes: number[] = []
  const { environment } = new ManualTime()
  const { runtime } = new ActorSystem('stops', { environment })
  const questions: RegionQuestions = new RegionQuestions({
    ...{ entityType: 'Cart', runtime, retryIntervalMs: 2_000 },
    send: (question) => {
      if (question.type !== 'StopShards') return
      const asked = { ...question, region: 'a:1#0000000000000001' }
      sizes.push(codec.encode(toCoordinator.pack(asked)).byteLength)
      for (const { message } of stops.request(asked).effects) {
        sizes.push(codec.encode(toRegion.pack(message)).byteLength)
        if (message.type === 'ShardsStopped') questions.answered(message)
      }
    },
  })
  const all = Array.from({ length: numberOfShards }, (_, shard) => shard)
  const answer = await questions.stopShards(all, { timeout: '1s' })
  expect(answer.map(({ shard }) => shard)).toEqual(all)
  expect(Math.max(...sizes)).toBeLessThan(1_048_576)
})
