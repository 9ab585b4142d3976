import { expect, test } from 'vitest'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { HostedShards } from './hosted-shards.ts'

test('never begins a life that was given and taken again while the one before it stopped', () => {
  const self = nodeIdOf('127.0.0.1:2552', 1n)
  const hosted = new HostedShards(self)
  const word = (epoch: number) => ({ shard: 7, home: self, epoch, term: 1, turn: epoch })
  hosted.host(word(5))
  hosted.handOff(word(5))
  hosted.host(word(6))
  expect(hosted.handOff(word(6))).toEqual([])
  const stopped = { type: 'ShardStopped', shard: 7, epoch: 6, region: self }
  expect(hosted.terminated(7)).toEqual([{ type: 'Tell', message: stopped }])
  // Were it to run now, this answer would let the coordinator start it elsewhere as well.
  expect(hosted.host(word(6))).toEqual([{ type: 'Tell', message: stopped }])
  expect(hosted.isEmpty).toBe(true)
})
