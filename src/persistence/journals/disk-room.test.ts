import { describe, expect, test } from 'vitest'
import { DiskRoom } from './disk-room.ts'

describe('DiskRoom', () => {
  const gigabyte = 1024 ** 3
  const roomWith = (free: { bytes: number | undefined }) => {
    let looks = 0
    const freeBytes = (): number | undefined => (looks++, free.bytes)
    return { room: new DiskRoom({ folder: 'folder', freeBytes }), looks: () => looks }
  }

  test('looks at every commit when little is free', () => {
    const free: { bytes: number | undefined } = { bytes: gigabyte - 1 }
    const { room, looks } = roomWith(free)
    for (let commit = 0; commit < 5; commit++) room.check(100)
    expect(looks()).toBe(5)
    free.bytes = 100_000
    expect(() => room.check(100)).toThrow('the disk is full (97 kB are free)')
  })

  test('looks at few of them when there is plenty, and notices soon when there is not', () => {
    const free: { bytes: number | undefined } = { bytes: 2 * gigabyte }
    const { room, looks } = roomWith(free)
    for (let commit = 0; commit < 32; commit++) room.check(100)
    expect(looks()).toBe(2)
    free.bytes = 0
    expect(() => {
      for (let commit = 0; commit < 16; commit++) room.check(100)
    }).toThrow('the disk is full')
  })

  test('looks before a commit that is large itself', () => {
    const free: { bytes: number | undefined } = { bytes: 2 * gigabyte }
    const { room } = roomWith(free)
    room.check(100)
    free.bytes = gigabyte / 8
    expect(() => room.check(gigabyte / 4)).toThrow('the disk is full')
  })

  test('lets everything through where nobody can tell', () => {
    const { room } = roomWith({ bytes: undefined })
    expect(() => room.check(gigabyte)).not.toThrow()
  })
})
