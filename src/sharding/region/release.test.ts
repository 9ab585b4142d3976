import { describe, expect, test } from 'vitest'
import { nodeIdOf, type NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import { RoutingTable } from './routing-table.ts'
import { ShardBuffers } from './shard-buffers.ts'
import type { RoutesEffect } from './region-inputs.ts'
import { ShardRoutes } from './shard-routes.ts'

const self = nodeIdOf('a:1', 1n)
const b = nodeIdOf('b:1', 1n)
const c = nodeIdOf('c:1', 1n)
const releasedMax = 10
const many = 3 * releasedMax + 1
const askForTurn = { type: 'StartTimer', timer: 'release', delayMs: 0 }

/** A region whose shard `n` has as many messages waiting as the n-th number says: `n-0`, `n-1` … */
function waiting(...counts: number[]) {
  const table = new RoutingTable(8)
  const buffers = new ShardBuffers<string>(100_000)
  const isServed = () => true
  const routes = new ShardRoutes<string>({ self, table, buffers, isServed, releasedMax })
  for (const [shard, count] of counts.entries()) {
    for (const parcel of parcels(shard, 0, count)) routes.route(shard, parcel)
  }
  let turn = 0
  const word = (shard: ShardId, home: NodeId) => ({ shard, home, epoch: 1, term: 1, turn: ++turn })
  return { table, buffers, routes, word }
}

function parcels(shard: ShardId, from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => `${shard}-${from + index}`)
}

function sent(effects: readonly RoutesEffect<string>[]): string[] {
  return effects.flatMap((effect) => {
    if (effect.type === 'Deliver') return [effect.parcel]
    const isSent = effect.type === 'SendToPeer' && effect.message.type === 'Forwarded'
    return isSent && 'parcel' in effect.message ? [effect.message.parcel] : []
  })
}

describe('what waited for another node', () => {
  test('is sent in growing parts, one per turn, and what is new goes behind it', () => {
    const { table, routes, word } = waiting(many)
    const first = routes.learn(word(0, b))
    expect(sent(first)).toEqual(parcels(0, 0, releasedMax))
    expect(first.at(-1)).toEqual(askForTurn)
    expect(table.homeOf(0)).toBeUndefined()
    expect(routes.route(0, 'new')).toEqual([])
    const second = routes.release()
    expect(sent(second)).toEqual(parcels(0, releasedMax, 3 * releasedMax))
    expect(second.at(-1)).toEqual(askForTurn)
    expect(routes.isEmpty).toBe(false)
    expect(sent(routes.release())).toEqual([`0-${many - 1}`, 'new'])
    expect(table.homeOf(0)).toMatchObject({ node: b })
    expect(sent(routes.route(0, 'newer'))).toEqual(['newer'])
    expect(routes.isEmpty).toBe(true)
  })

  test('is one part per turn for all shards together, however many homes are learnt in it', () => {
    const { table, routes, word } = waiting(releasedMax - 1, 3, 2)
    expect(sent(routes.learn(word(0, b)))).toHaveLength(releasedMax - 1)
    const second = routes.learn(word(1, c))
    expect(sent(second)).toEqual(['1-0'])
    expect(second.at(-1)).toEqual(askForTurn)
    expect(routes.learn(word(2, b))).toEqual([])
    expect([0, 1, 2].map((shard) => table.homeOf(shard)?.node)).toEqual([b, undefined, undefined])
    expect(sent(routes.release())).toEqual(['1-1', '1-2', '2-0', '2-1'])
    expect([0, 1, 2].map((shard) => table.homeOf(shard)?.node)).toEqual([b, c, b])
  })

  test('goes out also when more than a part comes in every turn, for this shard and for the others', () => {
    const { table, routes, word } = waiting(many, 1)
    routes.learn(word(0, b))
    routes.learn(word(1, b))
    let turns = 0
    while (table.homeOf(0) === undefined || table.homeOf(1) === undefined) {
      expect(++turns).toBeLessThan(10)
      for (const parcel of parcels(0, 0, 5 * releasedMax)) routes.route(0, parcel)
      routes.release()
    }
    expect(routes.isEmpty).toBe(true)
  })

  test('stays when the shard begins to move, behind a flush, and is asked for', () => {
    const { routes, table, word } = waiting(many)
    routes.learn(word(0, b))
    const stamp = table.routeOf(0)?.stamp ?? 0
    const flush = { type: 'SendToPeer', to: b, message: { type: 'Flush', shard: 0, stamp } }
    const getHome = { type: 'GetShardHome', shard: 0, region: self }
    expect(routes.begin({ type: 'BeginHandOff', ...word(0, b) })).toEqual([
      flush,
      { type: 'Tell', message: getHome },
    ])
    expect(routes.release()).toEqual([])
    routes.learn(word(0, c))
    const flushed = routes.fromRegion(b, { type: 'FlushAck', shard: 0, stamp })
    expect(sent(flushed)[0]).toBe(`0-${releasedMax}`)
  })

  test('stands behind what comes back, also when that comes back twice', () => {
    const { routes, table, word } = waiting(many)
    routes.learn(word(0, b))
    const comesBack = (from: NodeId, next: NodeId) => {
      const stamp = table.routeOf(0)?.stamp ?? 0
      const back = parcels(0, 0, releasedMax)
      const effects = routes.fromRegion(from, { type: 'Returned', shard: 0, stamp, parcels: back })
      expect(effects.at(-1)).toMatchObject({ type: 'Tell', message: { type: 'GetShardHome' } })
      routes.learn(word(0, next))
      return sent(routes.fromRegion(from, { type: 'FlushAck', shard: 0, stamp }))
    }
    // This turn has sent its part; what was returned is not parted all the same.
    expect(comesBack(b, c)).toEqual(parcels(0, 0, releasedMax))
    expect(comesBack(c, b)).toEqual(parcels(0, 0, releasedMax))
    const rest = [...routes.release(), ...routes.release(), ...routes.release()]
    expect(sent(rest)).toEqual(parcels(0, releasedMax, many))
  })

  test('waits for another home when its node is removed', () => {
    const { routes, buffers, word } = waiting(many)
    routes.learn(word(0, b))
    expect(routes.nodeRemoved(b)).toContainEqual({
      type: 'Tell',
      message: { type: 'GetShardHome', shard: 0, region: self },
    })
    expect(routes.release()).toEqual([])
    expect(buffers.sizeOf(0)).toBe(many - releasedMax)
  })

  test('is not given up with what has no home', () => {
    const { routes, word } = waiting(many, 1)
    routes.learn(word(0, b))
    expect(routes.giveUp('region-refused')).toEqual([
      { type: 'Drop', parcel: '1-0', reason: 'region-refused' },
    ])
    expect(sent(routes.release())).toHaveLength(2 * releasedMax)
  })
})

test('what waited for a shard on this node is delivered at once', () => {
  const { routes, word } = waiting(many)
  expect(sent(routes.learn(word(0, self)))).toEqual(parcels(0, 0, many))
})
