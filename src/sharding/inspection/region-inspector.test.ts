import { describe, expect, test } from 'vitest'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { codecOfStore } from '../../serialization/internals.ts'
import { ManualTime } from '../../testkit/index.ts'
import { HostedShards } from '../region/hosted-shards.ts'
import type { Region } from '../region/region.ts'
import type { InspectionMessage } from '../sharding-messages.ts'
import { shardingProtocol } from '../sharding-wire.ts'
import { RegionInspector } from './region-inspector.ts'

const [near, far] = [nodeIdOf('near:1', 1n), nodeIdOf('far:1', 2n)]

/** As much of a region as is looked at: the even shards live here, with three entities each. */
function regionOf(numberOfShards: number): Region {
  const hosted = new HostedShards(far)
  for (let shard = numberOfShards - 2; shard >= 0; shard -= 2) {
    hosted.host({ shard, home: far, epoch: shard + 1, term: 1, turn: 1 })
  }
  const status = { phase: 'serving', isFrozen: false, buffered: 0 }
  const ids = (shard: number) => ['a', 'b', 'c'].map((name) => `${name}${shard}`)
  return {
    isProxy: false,
    snapshot: (page?: Parameters<Region['snapshot']>[0]) => ({
      ...status,
      hosted: page === undefined ? hosted.all : hosted.page(page),
    }),
    entityCountOf: () => 3,
    entityIdsOf: ids,
  } as unknown as Region
}

/** Two inspectors, and what they say to each other. */
function stage(numberOfShards: number, change = (message: InspectionMessage) => message) {
  const time = new ManualTime()
  const { timers, clock } = time.environment
  const protocol = shardingProtocol(numberOfShards).inspection
  const codec = codecOfStore()
  const said: { readonly type: string; readonly bytes: number }[] = []
  const region = regionOf(numberOfShards)
  const inspectors = new Map<string, RegionInspector>()
  for (const self of [near, far]) {
    const send = (to: string, message: InspectionMessage): void => {
      const bytes = codec.encode(protocol.pack(change(message)), 'a message')
      said.push({ type: message.type, bytes: bytes.byteLength })
      const heard = protocol.unpack(codec.decode(bytes)) as InspectionMessage
      timers.after(1, () => inspectors.get(to)?.receive(self, heard))
    }
    const parts = { self, region, timers, clock, numberOfShards, send }
    inspectors.set(self, new RegionInspector(parts))
  }
  const look = (node: string, withIds = false) =>
    inspectors.get(near)!.regionAt(node, { withIds, timeoutMs: 5_000 })
  return { time, said, look }
}

const evenOnes = (numberOfShards: number): number[] =>
  Array.from({ length: numberOfShards / 2 }, (_, index) => 2 * index)

describe('a region with very many shards', () => {
  test.each([near, far])('is told of in parts, none of them large (%s)', async (node) => {
    const { time, said, look } = stage(40_000)
    const looked = look(node)
    await time.advance('1s')
    const report = await looked
    expect(report?.shards.map(({ shard }) => shard)).toEqual(evenOnes(40_000))
    expect(report?.shards[7]).toEqual({ shard: 14, epoch: 15, phase: 'running', entities: 3 })
    expect(report).not.toHaveProperty('next')
    if (node === near) expect(said).toEqual([])
    // The last one has nothing to tell but that.
    else expect(said.filter(({ type }) => type === 'RegionReported')).toHaveLength(11)
    expect(Math.max(0, ...said.map(({ bytes }) => bytes))).toBeLessThan(200_000)
  })

  test('is told of with the first ids alone, and with the number of all', async () => {
    const { time, look } = stage(10_000)
    const looked = look(far, true)
    await time.advance('1s')
    const shards = (await looked)?.shards ?? []
    expect(shards).toHaveLength(5_000)
    expect(shards[1]).toMatchObject({ shard: 2, entities: 3, entityIds: ['a2', 'b2', 'c2'] })
    expect(shards.flatMap(({ entityIds }) => entityIds)).toHaveLength(1_000)
    expect(shards.at(-1)).toMatchObject({ entities: 3, entityIds: [] })
  })

  test('counts as silent when the time is over before the last part', async () => {
    const { time, look } = stage(400_000, (message) => {
      const isLate = message.type === 'RegionReported' && (message.shards[0]?.shard ?? 0) > 8_000
      return isLate ? { ...message, ask: 0 } : message
    })
    const looked = look(far)
    await time.advance('6s')
    expect(await looked).toBeUndefined()
  })
})

describe('nodes of an older release', () => {
  test('answer all at once', async () => {
    const { time, said, look } = stage(8_000, (message) =>
      message.type === 'GetRegionReport' ? { ...message, from: undefined } : message,
    )
    const looked = look(far)
    await time.advance('1s')
    expect((await looked)?.shards).toHaveLength(4_000)
    expect(said).toHaveLength(2)
  })

  test('that say the same again and again are not asked for ever', async () => {
    const { time, said, look } = stage(8_000, (message) =>
      message.type === 'GetRegionReport' ? { ...message, from: 0 } : message,
    )
    const looked = look(far)
    await time.advance('1s')
    expect((await looked)?.shards).toHaveLength(4_000)
    expect(said).toHaveLength(4)
  })
})
