import { expect, test } from 'vitest'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { RoutingTable } from './routing-table.ts'
import { ShardBuffers } from './shard-buffers.ts'
import { ShardRoutes } from './shard-routes.ts'

const self = nodeIdOf('a:1', 1n)
const home = nodeIdOf('b:1', 1n)
const stranger = nodeIdOf('c:1', 1n)

test('takes messages back only from the node to which they were sent', () => {
  const table = new RoutingTable(8)
  const buffers = new ShardBuffers<string>(10)
  const routes = new ShardRoutes<string>({ self, table, buffers, isServed: () => false })
  routes.learn({ shard: 7, home, epoch: 1, term: 1, turn: 1 })
  const stamp = table.homeOf(7)?.stamp ?? 0
  const returned = (parcel: string) =>
    ({ type: 'Returned', shard: 7, stamp, parcels: [parcel] }) as const
  expect(routes.fromRegion(stranger, returned('forged'))).toEqual([
    { type: 'Drop', parcel: 'forged', reason: 'overtaken' },
  ])
  expect(table.homeOf(7)).toEqual({ node: home, stamp })
  const flush = { type: 'SendToPeer', to: home, message: { type: 'Flush', shard: 7, stamp } }
  expect(routes.fromRegion(home, returned('mine'))).toContainEqual(flush)
  // Also when the stream was lost meanwhile, as long as nothing went ahead.
  routes.associationLost(home)
  routes.fromRegion(home, returned('late'))
  routes.fromRegion(stranger, returned('forged'))
  expect(buffers.take(7).map(({ parcel }) => parcel)).toEqual(['mine', 'late'])
})
