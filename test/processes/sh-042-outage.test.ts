import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { postgresForTests, type TestDatabases } from '../postgres/postgres-server.ts'
import { Members } from './harness/members.ts'
import type { NodeProcess } from './harness/node-process.ts'
import { clusterForTest } from './harness/scene.ts'
import { StoreProxy } from './harness/store-proxy.ts'
import type { TensNode, TensNodeOptions } from './nodes/tens-node.ts'

let server: TestDatabases
beforeAll(async () => {
  server = await postgresForTests()
})
afterAll(() => server.stop())

/** Two nodes on a database that only the proxy leads to. */
async function stage(): Promise<{
  readonly proxy: StoreProxy
  readonly first: NodeProcess<TensNode>
  readonly second: NodeProcess<TensNode>
}> {
  const url = new URL(await server.newDatabase())
  const proxy = await StoreProxy.before(Number(url.port))
  onTestFinished(() => proxy.close())
  url.port = `${proxy.port}`
  const postgres = url.href as `postgres://${string}`
  const nodes = new Members(clusterForTest<TensNode, TensNodeOptions>('tens'))
  const seeds = await nodes.addresses(['a'])
  const first = await nodes.start('a', { seeds, postgres })
  const second = await nodes.start('b', { seeds, postgres })
  await nodes.settle(['a', 'b'])
  return { proxy, first, second }
}

test('SH-042 while the store is away entities that run answer, a new shard waits, and nothing is lost afterwards', async () => {
  const { proxy, first, second } = await stage()
  const add = (node: NodeProcess<TensNode>, id: string, by: number) =>
    node.call('add', 'remembered', id, by)
  const get = (node: NodeProcess<TensNode>, id: string) => node.call('get', 'remembered', id)
  for (const [id, by] of [
    ['10', 1],
    ['20', 2],
    ['21', 3],
  ] as const)
    await add(first, id, by)
  expect(await get(first, '10')).toBe(1)
  expect(await get(first, '20')).toBe(2)
  expect(await get(first, '21')).toBe(3)

  proxy.stall()
  await add(first, '40', 4)
  let isAnswered = false
  const answer = get(first, '40').finally(() => (isAnswered = true))
  // Each of them is asked twice, from both nodes: nobody who runs needs the store for that.
  for (const node of [first, second, first, second]) {
    expect(await Promise.all(['10', '20', '21'].map((id) => get(node, id)))).toEqual([1, 2, 3])
  }
  expect(isAnswered).toBe(false)
  proxy.flow()
  expect(await answer).toBe(4)

  expect(await get(first, '21')).toBe(3)
  await add(first, '30', 3)
  expect(await get(first, '30')).toBe(3)
  await add(first, '11', 1)
  expect(await get(first, '11')).toBe(1)
  const lives = (): number =>
    [first, second].flatMap(({ news }) =>
      news.since().filter(({ type, entityId }) => type === 'EntityStarted' && entityId === '21'),
    ).length
  expect(lives()).toBe(1)
  await first.call('rest', 'remembered', '21')
  await Promise.any(
    [first, second].map(({ news }) => news.next('EntityStopped', { entityId: '21' })),
  )
  // In memory alone: its next life begins anew.
  expect(await get(first, '21')).toBe(0)
  expect(lives()).toBe(2)
  await add(first, '21', 1)
  expect(await get(first, '21')).toBe(1)

  for (const [id, by] of [
    ['10', 1],
    ['11', 4],
    ['20', 2],
    ['30', 3],
  ] as const) {
    await add(second, id, by)
  }
  expect(await Promise.all(['10', '11', '20', '30'].map((id) => get(second, id)))).toEqual([
    2, 5, 4, 6,
  ])
})
