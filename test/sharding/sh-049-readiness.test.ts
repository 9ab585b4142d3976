import { expect, test } from 'vitest'
import { EntityTypeNotStarted } from '../../src/sharding/index.ts'
import { type RegionStanding, TypeReady } from '../../src/sharding/readiness.ts'
import { hostCounters } from './counter.ts'
import { play } from './scene.ts'

const registered: RegionStanding = { isRegistered: true, refusal: undefined, trouble: undefined }
const searching: RegionStanding = { ...registered, isRegistered: false }
const timeoutMs = 100

function looking() {
  const ready = new TypeReady('Cart')
  let asked = 0
  const look = (now: number, given: RegionStanding, status: 'Up' | 'Joining' | 'none' = 'Up') => {
    const standing = () => {
      asked++
      return given
    }
    const own = status === 'none' ? undefined : status
    return ready.look({ now, status: own, timeoutMs, standing }).isReady
  }
  return { look, ready, asked: () => asked }
}

test('SH-049 a type is ready when its region is registered, and is not asked again then', () => {
  const { look, asked } = looking()
  expect(look(0, searching)).toBe(false)
  expect(look(10, registered)).toBe(true)
  expect(asked()).toBe(2)
  // The coordinator moves: that must not take the node out of service.
  expect(look(20, searching)).toBe(true)
  expect(asked()).toBe(2)
})

test('SH-049 after the timeout it counts as ready; the time begins with the first look at a member', () => {
  const { look } = looking()
  expect(look(0, searching, 'Joining')).toBe(false)
  expect(look(10_000, searching, 'Joining')).toBe(false)
  expect(look(10_000, searching, 'none')).toBe(false)
  expect(look(20_000, searching)).toBe(false)
  expect(look(20_099, searching)).toBe(false)
  expect(look(20_100, searching)).toBe(true)
})

test('SH-049 a region that was refused is never ready, and says why', () => {
  const { ready } = looking()
  const refused = { ...searching, refusal: 'its numberOfShards is 3' }
  const look = (now: number) =>
    ready.look({ now, status: 'Up', timeoutMs, standing: () => refused })
  look(0)
  expect(look(1_000)).toEqual({
    ...{ entityType: 'Cart', isReady: false },
    reason: 'the region was refused: its numberOfShards is 3',
  })
})

test('SH-049 a node is ready when all its types are, or those that are named', async () => {
  await play(
    async (scene) => {
      const a = await scene.start('a')
      const b = await scene.start('b')
      expect(b.sharding.isReady()).toEqual({ isReady: true, types: [] })
      expect(() => b.sharding.isReady(['Counter'])).toThrow(EntityTypeNotStarted)
      hostCounters(b)
      const waiting = b.sharding.isReady()
      expect(waiting.isReady).toBe(false)
      expect(waiting.types[0]?.reason).toContain('no coordinator')
      expect(b.sharding.isReady([])).toEqual({ isReady: true, types: [] })
      hostCounters(a)
      await scene.simulation.runUntil(() => b.sharding.isReady().isReady, { what: 'b is ready' })
      expect(JSON.parse(JSON.stringify(b.sharding.isReady(['Counter'])))).toMatchObject({
        isReady: true,
        types: [{ entityType: 'Counter', isReady: true }],
      })
    },
    { seeds: 2 },
  )
})
