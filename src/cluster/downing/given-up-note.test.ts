import { describe, expect, test } from 'vitest'
import { id, names } from '../../../test/cluster/split-views.ts'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import type { LeaseNote } from '../../lease/index.ts'
import { giveUp } from './given-up-note.ts'

const [a, b, c] = [id('A'), id('B'), id('C')]

/** A note whose writers can be held up. */
class TestNote implements LeaseNote {
  bytes: Uint8Array | undefined
  revision = 0
  /** Happens before the next write arrives. */
  before: (() => Promise<unknown>) | undefined

  async read() {
    return this.bytes && { revision: String(this.revision), bytes: this.bytes }
  }

  async write(bytes: Uint8Array, over: number | string | undefined): Promise<boolean> {
    const { before } = this
    this.before = undefined
    await before?.()
    if (over !== (this.bytes && String(this.revision))) return false
    this.bytes = bytes
    this.revision++
    return true
  }
}

const by = (note: LeaseNote, self: NodeId, ...nodes: NodeId[]) =>
  giveUp(note, { self, nodes, isLate: () => false })

describe('the record of those who were given up', () => {
  test('has all who were ever put there, each in that one life', async () => {
    const note = new TestNote()
    expect(await by(note, a)).toEqual([])
    expect(note.revision).toBe(0)
    expect(await by(note, a, b)).toEqual([b])
    expect(await by(note, a, c, b)).toEqual([b, c])
    const next = nodeIdOf('b:1', 2n)
    expect(await by(note, next, c)).toEqual([b, c])
    expect(note.revision).toBe(2)
  })

  test('takes nothing from one that stands there', async () => {
    const note = new TestNote()
    await by(note, a, b)
    expect(await by(note, b, a)).toEqual([b])
    expect(await by(note, c)).toEqual([b])
  })

  test('of two that give each other up at once has one', async () => {
    const note = new TestNote()
    note.before = () => by(note, b, a)
    expect(names(await by(note, a, b))).toBe('A')
  })

  test('has the writes of two that do not concern each other', async () => {
    const note = new TestNote()
    note.before = () => by(note, b, c)
    expect(names(await by(note, a, id('D')))).toBe('CD')
  })

  test('is not written by one for which nobody waits any more', async () => {
    const note = new TestNote()
    await expect(giveUp(note, { self: a, nodes: [b], isLate: () => true })).rejects.toThrow('late')
    expect(note.revision).toBe(0)
  })

  test('that cannot be read takes nothing', async () => {
    const note = new TestNote()
    note.bytes = new Uint8Array([1, 2, 3])
    await expect(by(note, a, b)).rejects.toThrow('is damaged')
    expect(note.revision).toBe(0)
  })

  test('forgets the oldest when there is no more room', async () => {
    const note = new TestNote()
    const many = Array.from({ length: 600 }, (_, i) => nodeIdOf(`m${i}:1`, BigInt(i + 1)))
    await by(note, a, b)
    for (let from = 0; from < 600; from += 100) await by(note, a, ...many.slice(from, from + 100))
    const kept = await by(note, a)
    expect(kept.length).toBeLessThanOrEqual(500)
    expect(kept.at(-1)).toBe(many.at(-1))
    expect(kept).not.toContain(b)
    expect(note.bytes!.byteLength).toBeLessThan(65_536)
  })
})
