import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { silentTerminal } from '../cli/silent-terminal.ts'
import { postgresForTests, type TestDatabases } from '../postgres/postgres-server.ts'
import { nodesForTest } from './harness/scene.ts'

let server: TestDatabases
beforeAll(async () => {
  server = await postgresForTests()
})
afterAll(() => server.stop())

async function removeFrom(store: string) {
  const terminal = silentTerminal()
  const code = await runCommandLine(['remove-sharding-data', 'Counter', '--store', store], terminal)
  return { code, printed: terminal.printed, noted: terminal.noted.join('\n') }
}

test.each(['a folder', 'a database'])(
  'sharding data is not removed from %s that a running node uses, and is when it has stopped',
  async (kind) => {
    const nodes = nodesForTest()
    const seeds = await nodes.addresses(['a'])
    const postgres = (await server.newDatabase()) as `postgres://${string}`
    const { folder } = nodes.processes
    const [options, store] =
      kind === 'a folder' ? [{ seeds }, folder] : ([{ seeds, postgres }, postgres] as const)
    const a = await nodes.start('a', options)
    expect(await a.call('add', '1', 5)).toEqual([5])
    const { shard } = await a.call('homeOf', '1')

    const refused = await removeFrom(store)
    expect(refused).toMatchObject({ code: 1, printed: [] })
    expect(refused.noted).toMatch(
      kind === 'a folder'
        ? new RegExp(`open in other processes.*${a.pid}`)
        : /'processes'.*it lives/,
    )
    expect(await a.call('add', '1', 1)).toEqual([6])
    expect((await a.call('homeOf', '1')).shard).toBe(shard)

    expect(await a.terminate()).toMatchObject({ code: 0 })
    const removed = await removeFrom(store)
    expect(removed.printed.at(-1)).toMatch(/^removed 1 streams with \d+ events$/)
    const again = await nodes.start('a', options)
    expect(await again.call('get', '1')).toBe(6)
  },
)
