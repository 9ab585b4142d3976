import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { wholeStore } from '../../src/persistence/internals.ts'
import { live, stored } from '../persistence/mixed-store.ts'
import { silentTerminal } from './silent-terminal.ts'

let folder: string
const events = (count: number) => Array.from({ length: count }, (_, i) => stored({ i }))

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sherd-remove-'))
  const journal = await LmdbJournal.open({ folder })
  const store = wholeStore(journal)
  await live(store, 'Cart|a', events(3))
  await live(store, '$coordinator|Cart', events(5))
  await live(store, '$remembered|Cart/7', events(2))
  await live(store, '$coordinator|Order', events(4))
  await journal.close()
})
afterEach(() => rmSync(folder, { recursive: true }))

async function run(...words: string[]) {
  const terminal = silentTerminal()
  const code = await runCommandLine(['remove-sharding-data', ...words, '--store', folder], terminal)
  return { code, printed: terminal.printed, noted: terminal.noted.join('\n') }
}

async function countOf(id: string): Promise<number> {
  const journal = await LmdbJournal.open({ folder })
  let count = 0
  const range = { persistenceId: id, fromSequenceNr: 1, toSequenceNr: 100 }
  await journal.read(range, () => void count++)
  await journal.close()
  return count
}

test('removes what is named, says what, and leaves the entities', async () => {
  const { code, printed } = await run('Cart', '--json')
  expect(code).toBe(0)
  expect(printed.slice(0, 3)).toEqual([
    "removed '$coordinator|Cart': 5 events",
    "removed '$remembered|Cart/7': 2 events",
    'removed 2 streams with 7 events',
  ])
  expect(JSON.parse(printed[3] ?? '')).toMatchObject({ isDone: true, types: ['Cart'] })
  const ids = ['$coordinator|Cart', '$remembered|Cart/7', 'Cart|a', '$coordinator|Order']
  expect([await countOf(ids[0]!), await countOf(ids[1]!)]).toEqual([0, 0])
  expect([await countOf(ids[2]!), await countOf(ids[3]!)]).toEqual([3, 4])
})

test('forgets the tokens of the leases of their shards, and of no others', async () => {
  const names = ['shop-shard-Cart-7', 'shop-shard-Cart-x-7', 'shop-shard-Order-7', 'Cart-7']
  const journal = await LmdbJournal.open({ folder })
  for (const name of names) await journal.claim('Cart|a', 'w', { name, token: 3 })
  await journal.close()
  const dry = await run('Cart', '--dry-run')
  expect(dry.printed.at(-2)).toBe("would forget the lease 'shop-shard-Cart-7': token 3")
  const { printed } = await run('Cart', '--json')
  expect(printed.at(-3)).toBe("forgot the lease 'shop-shard-Cart-7': token 3")
  expect(JSON.parse(printed.at(-1) ?? '')).toMatchObject({
    grants: [{ name: 'shop-shard-Cart-7', token: 3 }],
  })
  const after = await LmdbJournal.open({ folder })
  const left = (await after.listGrants()).map(({ name }) => name)
  await after.close()
  expect(left.toSorted()).toEqual(names.slice(1).toSorted())
})

test('removes nothing with --dry-run', async () => {
  const { code, printed } = await run('Cart', '--dry-run')
  expect(code).toBe(0)
  expect(printed.at(-1)).toBe('would remove 2 streams with 7 events; nothing was removed')
  expect(await countOf('$coordinator|Cart')).toBe(5)
})

test('names the types that there are when one is unknown, and removes nothing', async () => {
  const { code, noted } = await run('Cart', 'Kart')
  expect(code).toBe(1)
  expect(noted).toContain("no sharding data of 'Kart'; it has that of 'Cart', 'Order'")
  expect(await countOf('$coordinator|Cart')).toBe(5)
})

test('needs types and a store', async () => {
  expect(await run()).toMatchObject({ code: 2 })
  const terminal = silentTerminal()
  expect(await runCommandLine(['remove-sharding-data', 'Cart'], terminal)).toBe(2)
})
