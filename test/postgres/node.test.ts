import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { Counter, nodeFor, refusalOf, whenAll } from '../node/nodes.ts'
import { postgresForTests, query, type TestDatabases } from './postgres-server.ts'

let servers: TestDatabases
beforeAll(async () => {
  servers = await postgresForTests()
})
afterAll(() => servers.stop())

const entities = [Counter]

async function storeUrl(): Promise<`postgres://${string}`> {
  return (await servers.newDatabase()) as `postgres://${string}`
}

describe('nodes on PostgreSQL', () => {
  test('share entities, which go on where they were when a node leaves', async () => {
    const store = await storeUrl()
    const first = await nodeFor({ entities, store })
    const second = await nodeFor({ entities, store, seeds: [first.address] })
    const ids = Array.from({ length: 12 }, (_, i) => `counter-${i}`)
    for (const id of ids) expect(await first.entity(Counter, id).increment(2)).toBe(2)
    await first.stop()
    await whenAll([second], ({ cluster }) => cluster.state.members.length === 1)
    for (const id of ids) expect(await second.entity(Counter, id).increment(1)).toBe(3)
    await second.stop()
    const third = await nodeFor({ entities, store: { postgres: { url: store } } })
    for (const id of ids) expect(await third.entity(Counter, id).get()).toBe(3)
  })

  test('can spread them over two servers', async () => {
    const partitions = [await storeUrl(), await storeUrl()]
    const store = { postgres: { partitions, schema: 'counters' } }
    const node = await nodeFor({ entities, store, settings: { journal: { readEventsMax: 3 } } })
    const ids = Array.from({ length: 12 }, (_, i) => `counter-${i}`)
    for (const id of ids) {
      for (let count = 1; count <= 5; count++) await node.entity(Counter, id).increment(1)
    }
    for (const url of partitions) {
      const [row] = await query(url, 'SELECT count(*)::int AS count FROM counters.sherd_events')
      expect(Number(row?.['count'])).toBeGreaterThan(0)
    }
    await node.stop()
    const again = await nodeFor({ entities, store })
    for (const id of ids) expect(await again.entity(Counter, id).get()).toBe(5)
  })

  test('found one cluster, and no second one beside it', async () => {
    const store = await storeUrl()
    const logger = new CapturedLogs()
    const first = await nodeFor({ entities, store })
    const error = await refusalOf({ entities, store, environment: { logger } })
    expect(error).toMatchObject({ code: 'CLUSTER_ELSEWHERE', addresses: [first.address] })
    const [row] = await query(store, 'SELECT name FROM sherd_registers')
    expect(String(row?.['name'])).toBe('founding/sherd')
  })

  test('do not start beside nodes of another store', async () => {
    const first = await nodeFor({ entities, store: await storeUrl() })
    const other = { entities, store: await storeUrl(), seeds: [first.address] }
    expect((await refusalOf(other)).message).toContain('PostgreSQL at')
  })

  test('say what is wrong with the store before anything else happens', async () => {
    const gone = 'postgres://sherd:secret@127.0.0.1:1/nowhere'
    const error = await refusalOf({ entities, store: gone })
    expect(error).toMatchObject({ code: 'POSTGRES_UNUSABLE' })
    expect(error.message).not.toContain('secret')
    expect(await refusalOf({ entities, store: { postgres: {} } })).toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })
})
