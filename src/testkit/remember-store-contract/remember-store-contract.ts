/**
 * What every store of remembered entities promises, whatever it keeps them in, as tests for any runner that has `describe`
 * and `test`:
 *
 *   import { describe, test } from 'node:test' // or from 'vitest'
 *   rememberStoreContract({ describe, test }, {
 *     name: 'MyRememberStore',
 *     newStore: async () => {
 *       const database = await newDatabase()
 *       return { open: (options) => new MyRememberStore(database, options), remove: () => database.drop() }
 *     },
 *   })
 */
import assert from 'node:assert/strict'
import type { NodeId } from '../../foundation/node-id.ts'
import {
  type OpenRememberStore,
  type RememberedChange,
  RememberStoreFenced,
  type RememberStore,
} from '../../sharding/index.ts'
import type { TestFunctions } from '../journal-contract/journal-contract.ts'
import { comesWithin, hop } from '../patience.ts'

/** A kind of stores, and how the tests come to them. */
export interface RememberStoreUnderTest {
  readonly name: string
  /** An empty store, for one test. */
  readonly newStore: () => RememberedPlaceUnderTest | Promise<RememberedPlaceUnderTest>
}

/** What outlives the lives of shards. */
export interface RememberedPlaceUnderTest {
  readonly open: OpenRememberStore
  readonly remove?: () => Promise<void>
}

/** Of one test. A store that never answers fails it, also where the runner would wait forever. */
const patienceMs = 60_000

type AddRememberTest = (name: string, body: (open: OpenLife) => Promise<void>) => void
type OpenLife = (shard?: number, entityType?: string) => Life

/** Registers the tests; the runner runs them. */
export function rememberStoreContract(
  { describe, test }: TestFunctions,
  { name: ofStore, newStore }: RememberStoreUnderTest,
): void {
  const check: AddRememberTest = (name, body) => {
    test(name, async () => {
      const place = await newStore()
      let writers = 0
      const open: OpenLife = (shard = 1, entityType = 'Counter') => {
        const writer = `10.0.0.${++writers}:2552#0000000000000001` satisfies NodeId
        return new Life(place.open({ entityType, shard, writer }))
      }
      const work = bodyOn(place, () => body(open))
      const settled = work.catch(() => undefined)
      const isOver = await comesWithin(patienceMs, settled)
      assert.ok(isOver, `the store has not answered within ${patienceMs} ms`)
      await work
    })
  }
  describe(`${ofStore} keeps the promises of a store of remembered entities`, () => {
    remembering(check)
    lives(check)
    size(check)
  })
}

async function bodyOn(
  { remove }: RememberedPlaceUnderTest,
  body: () => Promise<void>,
): Promise<void> {
  try {
    await body()
  } finally {
    await remove?.()
  }
}

function remembering(check: AddRememberTest): void {
  check(
    'SH-035 is empty at first, and remembers what was started and not stopped',
    async (open) => {
      const life = open()
      assert.deepEqual(await life.load(), [])
      await life.update({ started: ['1', '2', '3'], stopped: [] })
      await life.update({ started: ['4', '5', '6'], stopped: ['2', '3'] })
      await life.update({ started: [], stopped: ['6'] })
      await life.update({ started: ['2'], stopped: [] })
      life.close()
      const next = open()
      assert.deepEqual(await next.load(), ['1', '2', '4', '5'])
      next.close()
    },
  )

  check(
    'takes an id that is started twice, and one that is stopped but was not there',
    async (open) => {
      const life = open()
      await life.load()
      await life.update({ started: ['a', 'b'], stopped: ['stranger'] })
      await life.update({ started: ['a'], stopped: [] })
      await life.update({ started: [], stopped: ['a'] })
      life.close()
      assert.deepEqual(await open().load(), ['b'])
    },
  )

  check('keeps shards and entity types apart', async (open) => {
    const [one, two, other] = [open(1), open(2), open(1, 'Cart')]
    for (const life of [one, two, other]) assert.deepEqual(await life.load(), [])
    await one.update({ started: ['in 1'], stopped: [] })
    await two.update({ started: ['in 2'], stopped: [] })
    await other.update({ started: ['a cart'], stopped: [] })
    for (const life of [one, two, other]) life.close()
    assert.deepEqual(await open(2).load(), ['in 2'])
    assert.deepEqual(await open(1).load(), ['in 1'])
    assert.deepEqual(await open(1, 'Cart').load(), ['a cart'])
  })

  check('keeps ids as they are, long and strange ones too', async (open) => {
    const ids = ['ü/|#% ', 'constructor', '__proto__', '0', '🐚', 'x'.repeat(512), 'é'.repeat(256)]
    const life = open()
    await life.load()
    await life.update({ started: ids, stopped: [] })
    life.close()
    assert.deepEqual(await open().load(), [...ids].sort())
  })
}

function lives(check: AddRememberTest): void {
  check('lets no former life store anything once a later one has loaded', async (open) => {
    const [former, later] = [open(), open()]
    await former.load()
    await former.update({ started: ['a'], stopped: [] })
    assert.deepEqual(await later.load(), ['a'])
    await assert.rejects(
      former.update({ started: ['b'], stopped: ['a'] }),
      (error) => error instanceof RememberStoreFenced,
    )
    await later.update({ started: ['c'], stopped: [] })
    later.close()
    assert.deepEqual(await open().load(), ['a', 'c'])
  })

  check('lets a life go on after one of another shard has loaded', async (open) => {
    const [here, there] = [open(1), open(2)]
    await here.load()
    await there.load()
    await here.update({ started: ['a'], stopped: [] })
    here.close()
    assert.deepEqual(await open(1).load(), ['a'])
  })
}

function size(check: AddRememberTest): void {
  check('SH-035 takes a thousand starts and a thousand stops at once', async (open) => {
    const life = open()
    await life.load()
    const first = idsOf(0, 1_000)
    await life.update({ started: first, stopped: [] })
    await life.update({ started: idsOf(1_000, 1_000), stopped: first })
    life.close()
    assert.deepEqual(await open().load(), idsOf(1_000, 1_000).sort())
  })

  check('remembers the same set however often entities come and go', async (open) => {
    const life = open()
    await life.load()
    const stays = idsOf(1_000_000, 2_500)
    await life.update({ started: stays, stopped: [] })
    let last: string[] = []
    for (let round = 0; round < 60; round++) {
      const next = idsOf(round * 1_000, 1_000)
      await life.update({ started: next, stopped: last })
      last = next
    }
    life.close()
    const later = open()
    assert.deepEqual(await later.load(), [...stays, ...last].sort())
    await later.update({ started: [], stopped: stays })
    await later.update({ started: ['end'], stopped: last })
    later.close()
    assert.deepEqual(await open().load(), ['end'])
  })

  check('serves the event loop while it hands over many', async (open) => {
    const life = open()
    await life.load()
    const ids = idsOf(0, 50_000)
    await life.update({ started: ids, stopped: [] })
    life.close()
    const counted = { turns: 0, isOver: false }
    const count = async (): Promise<void> => {
      for (; !counted.isOver; counted.turns++) await hop()
    }
    const counting = count()
    assert.equal((await open().load()).length, ids.length)
    counted.isOver = true
    await counting
    assert.ok(counted.turns > 1, `the loop had ${counted.turns} turns meanwhile`)
  })
}

function idsOf(first: number, length: number): string[] {
  return Array.from({ length }, (_, index) => `entity-${first + index}`)
}

/** One life of a shard, with the set that it has in memory. */
class Life {
  readonly #store: RememberStore
  readonly #ids = new Set<string>()

  constructor(store: RememberStore) {
    this.#store = store
  }

  /** What it remembers, sorted. */
  async load(): Promise<string[]> {
    await this.#store.load((change) => this.#apply(change))
    return [...this.#ids].sort()
  }

  async update(change: RememberedChange): Promise<void> {
    await this.#store.update(change, this.#ids)
    this.#apply(change)
  }

  close(): void {
    this.#store.close()
  }

  #apply({ started, stopped }: RememberedChange): void {
    for (const id of started) this.#ids.add(id)
    for (const id of stopped) this.#ids.delete(id)
  }
}
