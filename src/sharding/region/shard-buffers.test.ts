import { describe, expect, test } from 'vitest'
import { RoutingTable } from './routing-table.ts'
import { ShardBuffers } from './shard-buffers.ts'

describe('ShardBuffers', () => {
  const local = (parcel: string) => ({ parcel, origin: undefined })
  const from = (node: string, parcel: string) => ({ parcel, origin: { node, stamp: 1 } })

  test('keep the order of each shard, what came back first', () => {
    const buffers = new ShardBuffers<string>(10)
    buffers.add(1, local('c'))
    buffers.add(2, local('x'))
    buffers.addReturned(1, 'a')
    buffers.addReturned(1, 'b')
    buffers.add(1, local('d'))
    expect(buffers.take(1).map(({ parcel }) => parcel)).toEqual(['a', 'b', 'c', 'd'])
    expect(buffers.size).toBe(1)
    expect(buffers.shards).toEqual([2])
  })

  test('are bounded over all shards', () => {
    const buffers = new ShardBuffers<string>(2)
    expect(buffers.add(1, local('a'))).toBe(true)
    expect(buffers.addReturned(2, 'b')).toBe(true)
    expect(buffers.add(3, local('c'))).toBe(false)
    expect(buffers.addReturned(1, 'c')).toBe(false)
    expect(buffers.has(3)).toBe(false)
    buffers.take(1)
    expect(buffers.add(3, local('c'))).toBe(true)
  })

  test('give out one origin and keep the rest in place', () => {
    const buffers = new ShardBuffers<string>(10)
    for (const item of [from('a', '1'), local('2'), from('b', '3'), from('a', '4')]) {
      buffers.add(1, item)
    }
    const ofA = buffers.takeIf(1, ({ origin }) => origin?.node === 'a')
    expect(ofA.map(({ parcel }) => parcel)).toEqual(['1', '4'])
    expect(buffers.take(1).map(({ parcel }) => parcel)).toEqual(['2', '3'])
    expect(buffers.size).toBe(0)
  })
})

describe('RoutingTable', () => {
  test('names every route once', () => {
    const table = new RoutingTable(4)
    const first = table.begin(1, 'b')
    table.open(1, first)
    table.close(1)
    expect(table.homeOf(1)).toBeUndefined()
    expect(table.begin(1, 'b').stamp).toBeGreaterThan(first.stamp)
  })

  test('serves a route no more after something by it went back, until it was flushed', () => {
    const table = new RoutingTable(4)
    table.open(1, table.begin(1, undefined))
    expect(table.isServedTo(1, 'a', 7)).toBe(true)
    table.refuse(1, 'a', 7)
    expect(table.isServedTo(1, 'a', 7)).toBe(false)
    expect(table.isServedTo(1, 'a', 8)).toBe(true)
    expect(table.isServedTo(1, 'b', 7)).toBe(true)
    table.forgive(1, 'a', 6)
    expect(table.isServedTo(1, 'a', 7)).toBe(false)
    table.forgive(1, 'a', 7)
    expect(table.isServedTo(1, 'a', 7)).toBe(true)
  })
})
