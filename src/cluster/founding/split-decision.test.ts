import { describe, expect, test } from 'vitest'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import {
  bytesOfRecord,
  type FoundingRecord,
  recordOfBytes,
  withClaim,
  withGivenUp,
} from './founding-record.ts'
import { towardsDecision } from './split-decision.ts'

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => nodeIdOf(`${name}:1`, 1n)) as [
  NodeId,
  NodeId,
  NodeId,
  NodeId,
]
const claimMs = 1_750

const plain: FoundingRecord = {
  ...{ number: 1, founder: a, isPartial: false, counter: 7, stillMs: 10_000 },
  members: [a, b, c, d].map((node) => ({ node })),
  givenUp: [],
}

describe('a side that need not wait', () => {
  const wish = { nodes: [c, d], claimMs: 0 }

  test('decides at once, whatever another one claims', () => {
    const record = withClaim(plain, { by: c, nodes: [a, b] })
    const next = towardsDecision(wish, { record, self: a, claimStoodMs: 60_000 })
    expect(next).toEqual({ ...plain, givenUp: [c, d] })
  })

  test('has nothing to write when all of it was decided, and decides the rest', () => {
    const some = { ...plain, givenUp: [c] }
    const sight = { self: a, claimStoodMs: 0 }
    expect(towardsDecision(wish, { ...sight, record: some })?.givenUp).toEqual([c, d])
    const all = { ...plain, givenUp: [d, c] }
    expect(towardsDecision(wish, { ...sight, record: all })).toBeUndefined()
  })

  test('decides nothing when it was given up itself', () => {
    const record = { ...plain, givenUp: [a] }
    expect(towardsDecision(wish, { record, self: a, claimStoodMs: 0 })).toBeUndefined()
  })
})

describe('a side that lets others go first', () => {
  const wish = { nodes: [a, b], claimMs }
  const claimed = withClaim(plain, { by: c, nodes: [a, b] })

  test('claims, waits, and decides when its claim has stood', () => {
    const sight = { self: c, claimStoodMs: 0 }
    expect(towardsDecision(wish, { ...sight, record: plain })).toEqual(claimed)
    expect(towardsDecision(wish, { ...sight, record: claimed })).toBeUndefined()
    const stood = { self: c, claimStoodMs: claimMs, record: claimed }
    expect(towardsDecision(wish, stood)).toEqual({ ...plain, givenUp: [a, b] })
  })

  test('claims anew when it would give up others', () => {
    const other = { nodes: [a], claimMs }
    const next = towardsDecision(other, { record: claimed, self: c, claimStoodMs: claimMs })
    expect(next).toEqual({ ...plain, claim: { by: c, nodes: [a] } })
  })

  test('leaves the claim of another alone, until that has had the time to decide twice', () => {
    const theirs = withClaim(plain, { by: d, nodes: [a, b, c] })
    const at = (claimStoodMs: number) =>
      towardsDecision(wish, { record: theirs, self: c, claimStoodMs })
    expect(at(claimMs)).toBeUndefined()
    expect(at(2 * claimMs)).toEqual(claimed)
  })

  test('takes its claim back when all is well again, and only its own', () => {
    const none = (self: NodeId) =>
      towardsDecision(undefined, { record: claimed, self, claimStoodMs: 0 })
    expect(none(c)).toEqual(plain)
    expect(none(a)).toBeUndefined()
  })
})

describe('the record', () => {
  test('keeps who was given up and what is claimed, and reads a record from before there was such a thing', () => {
    const full = withClaim({ ...plain, givenUp: [d] }, { by: c, nodes: [a, b] })
    expect(recordOfBytes(bytesOfRecord(full))).toEqual(full)
    // Where nobody was given up, nothing is said of it.
    expect(Buffer.from(bytesOfRecord(plain)).includes('givenUp')).toBe(false)
    expect(recordOfBytes(bytesOfRecord(plain))).toEqual(plain)
  })

  test('has room for a few hundred, and forgets the oldest first', () => {
    const nodes = Array.from({ length: 700 }, (_, at) => nodeIdOf(`n${at}:1`, 1n))
    const first = withGivenUp(plain, nodes.slice(0, 400))
    expect(first.givenUp).toEqual(nodes.slice(0, 400))
    const second = withGivenUp(first, nodes.slice(400))
    expect(second.givenUp).toEqual(nodes.slice(200))
    expect(withGivenUp(plain, nodes).givenUp).toEqual(nodes.slice(0, 500))
    expect(withGivenUp(second, nodes.slice(600))).toEqual(second)
  })

  test('fits into a register however long the names are', () => {
    const long = Array.from({ length: 600 }, (_, at) =>
      nodeIdOf(`${'x'.repeat(240)}${at}:65535`, 2n ** 63n),
    )
    const full = withClaim(withGivenUp(plain, long), { by: a, nodes: long })
    expect(full.givenUp.length).toBeGreaterThan(50)
    expect(full.claim?.nodes).toEqual(full.givenUp)
    expect(bytesOfRecord(full).byteLength).toBeLessThan(50_000)
  })
})
