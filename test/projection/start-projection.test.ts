import { afterEach, expect, test } from 'vitest'
import { MemoryJournal, type Journal } from '../../src/persistence/index.ts'
import {
  type AnyEntityEvent,
  type RunningProjection,
  startProjection,
} from '../../src/projection/index.ts'
import { ManualTime } from '../../src/testkit/index.ts'
import { Cart, Order, Shop } from './shop.ts'

const running: { readonly projection: RunningProjection; readonly time: ManualTime }[] = []

afterEach(async () => {
  for (const { projection, time } of running.splice(0)) await ended(projection, time)
})

/** A system whose handlers wait ends when time moves on. */
async function ended(projection: RunningProjection, time: ManualTime): Promise<void> {
  const stopped = projection.stop()
  await time.advance('20s')
  await stopped
}

function inWords({ entityType, id, name, args }: AnyEntityEvent): string {
  return `${entityType} ${id} ${name} ${args.join(' ')}`.trim()
}

type Options = Omit<Parameters<typeof startProjection<typeof Cart>>[0], 'name' | 'from' | 'journal'>

function scene() {
  const shop = new Shop()
  const time = new ManualTime()
  const { environment } = time
  const seen: string[] = []
  const handle = (event: AnyEntityEvent): void => void seen.push(inWords(event))
  const start = async (options: Partial<Options> = {}, name = 'carts') => {
    const projection = await startProjection<typeof Cart>({
      ...{ journal: new MemoryJournal({ store: shop.store }), environment, name, from: Cart },
      ...('handleMany' in options ? {} : { handle }),
      ...options,
    } as Parameters<typeof startProjection<typeof Cart>>[0])
    running.push({ projection, time })
    await time.advance(1)
    return projection
  }
  return { shop, time, seen, start, environment }
}

test('handles what is stored, those of one entity in their order, and then what comes', async () => {
  const { shop, time, seen, start } = scene()
  await shop.added('ann', 'tea')
  await shop.added('bob', 'milk', 2)
  await shop.did('Order', '7', [['Paid', 10]])
  await shop.did('Cart', 'ann', [['Ordered']])
  await start()
  expect(seen.filter((each) => each.includes('ann'))).toEqual([
    'Cart ann Added tea 1',
    'Cart ann Ordered',
  ])
  expect(seen).toHaveLength(3)
  await shop.added('bob', 'rum')
  await time.advance('1s')
  expect(seen.at(-1)).toBe('Cart bob Added rum 1')
})

test('goes on where the one before stopped, and handles nothing twice', async () => {
  const { shop, time, seen, start } = scene()
  await shop.added('ann', 'tea')
  await ended(await start(), time)
  await shop.added('ann', 'milk')
  await start()
  expect(seen).toEqual(['Cart ann Added tea 1', 'Cart ann Added milk 1'])
})

test('one that is stopped in the middle of its work goes on there, and no message is lost', async () => {
  const { shop, time, seen, start } = scene()
  for (let count = 1; count <= 9; count++) await shop.added('ann', `item ${count}`)
  let stop = (): Promise<void> | undefined => undefined
  const first = startProjection({
    ...{ journal: shop.journal, environment: time.environment, name: 'carts', from: Cart },
    handle: (event) => {
      seen.push(inWords(event))
      if (seen.length === 4) void stop()
    },
  })
  stop = () => void first.then((projection) => projection.stop())
  await first
  await time.advance('20s')
  const stoppedAt = seen.length
  expect(stoppedAt).toBeLessThan(9)
  await start()
  expect(seen).toEqual([...new Set(seen)])
  expect(seen).toHaveLength(9)
  expect(time.logs.matching('lost')).toEqual([])
})

test('events of earlier versions come as what they are now', async () => {
  const { shop, seen, start } = scene()
  await shop.did('Cart', 'ann', [
    ['Put', 'tea'],
    ['Forgotten', 1],
    ['Twice', 'milk'],
    ['Added', 'rum', 3],
  ])
  const projection = await start()
  expect(seen).toEqual([
    'Cart ann Added tea 1',
    'Cart ann Added milk 1',
    'Cart ann Added milk 1',
    'Cart ann Added rum 3',
  ])
  const { ranges } = await projection.status()
  expect(ranges.reduce((sum, { handled }) => sum + handled, 0)).toBe(4)
})

test('several entities, and only events with a tag', async () => {
  const { shop, time, seen, environment } = scene()
  await shop.did('Cart', 'ann', [['Ordered']], ['vip'])
  await shop.did('Cart', 'bob', [['Ordered']])
  await shop.did('Order', '7', [['Paid', 10]], ['vip', 'big'])
  const projection = await startProjection({
    ...{ journal: shop.journal, environment, name: 'vips' },
    from: { entities: [Cart, Order], tag: 'vip' },
    handle: (event) => void seen.push(inWords(event)),
  })
  running.push({ projection, time })
  await time.advance(1)
  expect(seen.sort()).toEqual(['Cart ann Ordered', 'Order 7 Paid 10'])
})

test('batches are as large as they may be, and wait no longer than they may', async () => {
  const { shop, time, start } = scene()
  const batches: number[] = []
  for (let count = 0; count < 25; count++) await shop.added('ann', `item ${count}`)
  await start({
    handleMany: (events) => void batches.push(events.length),
    settings: { batchEventsMax: 10, batchAfterMs: 200 },
  })
  expect(batches).toEqual([10, 10])
  await time.advance(250)
  expect(batches).toEqual([10, 10, 5])
})

test('a handler that fails is tried again with growing waits, and nothing overtakes it', async () => {
  const { shop, time, seen, start } = scene()
  await shop.added('ann', 'tea')
  await shop.added('ann', 'milk')
  const triedMs: number[] = []
  const projection = await start({
    handle: (event) => {
      if (event.name === 'Added' && event.args[0] === 'tea' && triedMs.push(time.now) < 5) {
        throw new Error('no table')
      }
      seen.push(inWords(event))
    },
    settings: { backOffMinMs: 100, backOffMaxMs: 400, backOffJitter: 0 },
  })
  const failing = (await projection.status()).ranges.flatMap((range) => range.failing ?? [])
  expect(failing).toEqual([
    expect.stringMatching(/projection 'carts' could not handle event 1 of Cart 'ann'.*no table/),
  ])
  await time.advance('2s')
  expect(seen).toEqual(['Cart ann Added tea 1', 'Cart ann Added milk 1'])
  const waits = triedMs.slice(1).map((each, index) => Math.round(each - (triedMs[index] ?? 0)))
  expect(waits).toEqual([100, 200, 400, 400])
  expect((await projection.status()).ranges.every(({ failing: now }) => now === undefined)).toBe(
    true,
  )
})

test('an event that fails for good is skipped, and told', async () => {
  const { shop, time, seen, start } = scene()
  const skipped: string[] = []
  await shop.added('ann', 'tea')
  await shop.did('Cart', 'ann', [['Mystery', 1]])
  await shop.added('ann', 'milk')
  const projection = await start({
    handle: (event) => {
      if (event.name === 'Added' && event.args[0] === 'tea') throw new Error('never')
      seen.push(inWords(event))
    },
    // oxlint-disable-next-line unicorn/no-thenable
    onFailure: { retries: 2, then: 'skip' },
    onSkipped: (event, error) =>
      skipped.push(`${event?.name} ${error.sequenceNr}: ${String((error.cause as Error).name)}`),
  })
  await time.advance('10s')
  expect(seen).toEqual(['Cart ann Added milk 1'])
  expect(skipped).toEqual(['Added 1: Error', 'undefined 2: UnreadableEvent'])
  const { ranges } = await projection.status()
  expect(ranges.reduce((sum, each) => sum + each.skipped, 0)).toBe(2)
})

test('an event that fails for good stops its range and no other, until a reset', async () => {
  const { shop, time, seen, start } = scene()
  await shop.added('ann', 'tea')
  await shop.added('bob', 'milk')
  let isBroken = true
  const projection = await start({
    handle: (event) => {
      if (isBroken && event.id === 'ann') throw new Error('never')
      seen.push(inWords(event))
    },
    // oxlint-disable-next-line unicorn/no-thenable
    onFailure: { retries: 0, then: 'stop' },
  })
  await time.advance('10s')
  expect(seen).toEqual(['Cart bob Added milk 1'])
  const stopped = (await projection.status()).ranges.filter(({ isStopped }) => isStopped)
  expect(stopped).toHaveLength(1)
  expect(stopped[0]?.behindMs).toBeGreaterThan(9_000)
  isBroken = false
  await projection.reset()
  await time.advance('1s')
  expect(seen.sort()).toEqual([
    'Cart ann Added tea 1',
    'Cart bob Added milk 1',
    'Cart bob Added milk 1',
  ])
})

test('what was stored of another definition is refused, with what differs', async () => {
  const { shop, time, start } = scene()
  await shop.added('ann', 'tea')
  await ended(await start(), time)
  await expect(start({ ranges: 8 })).rejects.toThrow(/ranges was 16 and is 8/)
})

test('an offset in a copy of the store is refused: its places are those of the other', async () => {
  const { shop, time, start, environment } = scene()
  await shop.added('ann', 'tea')
  await ended(await start(), time)
  const copy = new MemoryJournal()
  for (const name of await shop.journal.listRegisters({ namesMax: 100 })) {
    const register = await shop.journal.readRegister(name)
    if (register !== undefined) await copy.placeRegister({ name, ...register })
  }
  const options = { name: 'carts', from: Cart, handle: () => undefined, environment } as const
  await expect(startProjection({ ...options, journal: copy })).rejects.toThrow(
    /store was 'shop' and is/,
  )
})

test('a second process takes the ranges over, and the first stores and handles no more', async () => {
  const { shop, time, seen, start } = scene()
  const first = await start()
  const second = await start()
  await shop.added('ann', 'tea')
  await time.advance('30s')
  await shop.added('ann', 'milk')
  await time.advance('30s')
  const taken = (await first.status()).ranges.filter(({ isStopped }) => isStopped)
  expect(taken.map(({ failing }) => failing)).toContainEqual(
    expect.stringContaining('two processes run a projection of this name'),
  )
  expect((await second.status()).ranges.every(({ isStopped }) => !isStopped)).toBe(true)
  expect(seen.filter((each) => each.includes('milk'))).toHaveLength(1)
})

test('a store without the ports is refused with what it lacks', async () => {
  const { shop, time } = scene()
  const { environment } = time
  const { journal } = shop
  const bare = {
    claim: journal.claim.bind(journal),
    append: journal.append.bind(journal),
    read: journal.read.bind(journal),
    highestSequenceNr: journal.highestSequenceNr.bind(journal),
    close: () => journal.close(),
  } satisfies Journal
  const options = { name: 'carts', from: Cart, handle: () => undefined, environment } as const
  await expect(startProjection({ ...options, journal: bare })).rejects.toMatchObject({
    code: 'STORE_CANNOT',
    lacks: 'readSlices',
  })
})
