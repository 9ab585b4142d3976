/**
 * What a store must do so that it can decide a split: every side reads and writes the record of the founding through a
 * handle of its own, and exactly one of them is first. Run on every store with registers.
 */
import { describe, expect, test } from 'vitest'
import type { FoundingAnswer } from '../../src/cluster/founding/founding-inputs.ts'
import {
  type FoundingRecord,
  isGivenUp,
  nextFounding,
} from '../../src/cluster/founding/founding-record.ts'
import {
  type FoundingStore,
  readFounding,
  writeFounding,
} from '../../src/cluster/founding/founding-store.ts'
import { type SplitWish, towardsDecision } from '../../src/cluster/founding/split-decision.ts'
import { type NodeId, nodeIdOf } from '../../src/foundation/node-id.ts'
import type { Registers } from '../../src/persistence/index.ts'

export interface SplitStore {
  readonly name: string
  /** An empty store; each `open` is the handle of another process, or might be. */
  newStore(): Promise<{ open(): Promise<Registers>; remove(): Promise<void> }>
}

const [a, b, c] = ['a', 'b', 'c'].map((name) => nodeIdOf(`${name}:1`, 1n)) as [
  NodeId,
  NodeId,
  NodeId,
]
const claimMs = 1_750

/** One node and its handle. */
class Side {
  readonly self: NodeId
  readonly #store: FoundingStore

  constructor(self: NodeId, registers: Registers) {
    const name = 'founding/contract'
    this.self = self
    this.#store = {
      identity: undefined,
      read: () => registers.readRegister(name),
      write: (expectedRevision, bytes) =>
        registers.writeRegister({ name, expectedRevision, bytes }),
      isGone: () => false,
    }
  }

  async look(): Promise<{ revision: number; record: FoundingRecord }> {
    const answer = await readFounding(this.#store, { type: 'ReadFounding', number: 1 })
    if (answer.type !== 'FoundingRead' || answer.record === undefined) throw new Error(answer.type)
    return { revision: answer.revision, record: answer.record }
  }

  write(expectedRevision: number, record: FoundingRecord): Promise<FoundingAnswer> {
    return writeFounding(this.#store, {
      ...{ type: 'WriteFounding', number: 2, expectedRevision, record },
    })
  }

  /** Asks until there is nothing more to write. Answers whether it may go on. */
  async decide(wish: SplitWish, claimStoodMs = 0): Promise<boolean> {
    for (;;) {
      const { revision, record } = await this.look()
      const next = towardsDecision(wish, { record, self: this.self, claimStoodMs })
      if (next === undefined) return !isGivenUp(record, this.self)
      await this.write(revision, { ...next, counter: next.counter + 1 })
    }
  }
}

export function splitDecisions({ name, newStore }: SplitStore): void {
  describe(`splits are decided by ${name}`, () => {
    async function sides(play: (all: [Side, Side, Side]) => Promise<void>): Promise<void> {
      const { open, remove } = await newStore()
      try {
        const all = [
          new Side(a, await open()),
          new Side(b, await open()),
          new Side(c, await open()),
        ] as const
        const founded = nextFounding(undefined, { founder: a, member: { node: a }, stillMs: 9 })
        const members = [a, b, c].map((node) => ({ node }))
        await all[0].write(0, { ...founded, members })
        await play([...all])
      } finally {
        await remove()
      }
    }

    test('of three sides that would give each other up at once, one goes on', () =>
      sides(async (all) => {
        const goOn = await Promise.all(
          all.map((side) => {
            const nodes = [a, b, c].filter((node) => node !== side.self)
            return side.decide({ nodes, claimMs: 0 })
          }),
        )
        expect(goOn.filter(Boolean)).toHaveLength(1)
        const winner = all[goOn.indexOf(true)]?.self
        const { record } = await all[0].look()
        expect([...record.givenUp].sort()).toEqual([a, b, c].filter((node) => node !== winner))
      }))

    test('a decision that comes late takes nobody’s place', () =>
      sides(async ([one, other]) => {
        const seen = await other.look()
        const late = towardsDecision(
          { nodes: [a], claimMs: 0 },
          { ...seen, self: b, claimStoodMs: 0 },
        ) as FoundingRecord
        expect(await one.decide({ nodes: [b], claimMs: 0 })).toBe(true)
        expect(await other.write(seen.revision, late)).toMatchObject({ type: 'FoundingChanged' })
        expect((await other.look()).record.givenUp).toEqual([b])
      }))

    test('a claim gives nobody up, and is gone when another side decides', () =>
      sides(async ([one, other, third]) => {
        expect(await other.decide({ nodes: [a], claimMs })).toBe(true)
        expect((await third.look()).record).toMatchObject({
          ...{ givenUp: [], claim: { by: b, nodes: [a] } },
        })
        expect(await one.decide({ nodes: [b], claimMs: 0 })).toBe(true)
        expect(await other.decide({ nodes: [a], claimMs }, claimMs)).toBe(false)
        const { record } = await third.look()
        expect(record.givenUp).toEqual([b])
        expect(record).not.toHaveProperty('claim')
      }))

    test('a claim that has stood becomes a decision, which all handles read', () =>
      sides(async ([one, other, third]) => {
        await other.decide({ nodes: [a], claimMs })
        expect(await other.decide({ nodes: [a], claimMs }, claimMs)).toBe(true)
        for (const side of [one, other, third]) {
          expect((await side.look()).record.givenUp).toEqual([a])
        }
        expect(await one.decide({ nodes: [b], claimMs: 0 })).toBe(false)
      }))
  })
}
