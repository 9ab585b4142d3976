import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { LmdbJournal, PostgresJournal } from '../../src/persistence/index.ts'
import { compareStores, wholeStore } from '../../src/persistence/internals.ts'
import { commandsIn } from '../cli/guide-commands.ts'
import { silentTerminal } from '../cli/silent-terminal.ts'
import { fillMixed } from '../persistence/mixed-store.ts'
import { postgresForTests, type TestDatabases } from './postgres-server.ts'

let servers: TestDatabases
let urls: string[]
let root: string
beforeAll(async () => {
  servers = await postgresForTests()
  urls = [await servers.newDatabase(), await servers.newDatabase()]
})
afterAll(() => servers.stop())
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'sherd-copy-'))))
afterEach(() => rmSync(root, { recursive: true }))

const folder = (name: string): string => join(root, name)

async function sherd(...words: string[]) {
  const terminal = silentTerminal()
  const code = await runCommandLine(words, terminal)
  return { code, out: terminal.printed, notes: terminal.noted.join('\n') }
}

test.each([1, 2])('a store moves from a folder to PostgreSQL on %i and back', async (count) => {
  const partitions = urls.slice(0, count)
  const schema = `copied_to_${count}`
  const address = partitions.map((url) => `${url}?schema=${schema}`).join(',')
  const old = await LmdbJournal.open({ folder: folder('old') })
  await fillMixed(wholeStore(old))
  await old.close()

  const there = await sherd('copy', '--from', folder('old'), '--to', address)
  expect([there.code, there.notes]).toEqual([0, ''])
  expect(there.out.at(-1)).toMatch(/equal$/)
  expect(there.out.join()).not.toMatch(/password/)
  const again = await sherd('copy', '--from', folder('old'), '--to', address, '--resume')
  expect([again.code, again.out[0]]).toEqual([0, expect.stringContaining('copied 0 streams')])

  const looks = [[], ['--ids', '--type', 'Counter'], ['--events', 'Counter|tagged']]
  for (const what of [...looks, ['--snapshots', 'Account|short'], ['--state', 'Cart|a']]) {
    const [here, other] = [
      await sherd('look', folder('old'), ...what),
      await sherd('look', address, ...what),
    ]
    expect(other.code).toBe(0)
    if (what.length > 0) expect(other.out).toEqual(here.out)
  }

  const back = await sherd('copy', '--from', address, '--to', folder('back'))
  expect([back.code, back.notes]).toEqual([0, ''])
  const [first, last, middle] = await Promise.all([
    LmdbJournal.open({ folder: folder('old') }),
    LmdbJournal.open({ folder: folder('back') }),
    PostgresJournal.open({ partitions, schema }),
  ])
  const compared = await compareStores({ source: wholeStore(first), target: wholeStore(last) })
  expect(compared).toMatchObject({ events: 712, differenceCount: 0 })
  const id = 'Counter|long'
  const claims = [await first.claim(id, 'next'), await middle.claim(id, 'next')]
  expect(claims).toEqual([claims[0], await last.claim(id, 'next')])
  expect(claims[1]).toMatchObject({ epoch: 3, highestSequenceNr: 700 })
  await Promise.all([first.close(), last.close(), middle.close()])
})

test('the commands of the guide move a folder', async () => {
  const old = await LmdbJournal.open({ folder: folder('old') })
  await fillMixed(wholeStore(old))
  await old.close()
  const page = 'docs/guide/15-growing-out-of-a-folder.md'
  const commands = commandsIn(page, readFileSync(page, 'utf8'))
  const url = await servers.newDatabase()
  for (const words of commands) {
    const told = words.map((word) =>
      word.replace('./sherd-data', folder('old')).replace('postgres://shop@db.example/shop', url),
    )
    expect(await sherd(...told)).toMatchObject({ code: 0, notes: '' })
  }
  expect(commands.map(([name]) => name)).toEqual(['schema', 'copy', 'copy', 'copy'])
})

test('a look or a copy makes no tables where there are none', async () => {
  const address = `${urls[0]!}?schema=nothing_here`
  for (const words of [
    ['look', address],
    ['copy', '--from', address, '--to', folder('new')],
  ]) {
    const { code, notes } = await sherd(...words)
    expect([code, notes]).toEqual([1, expect.stringMatching(/no table|does not exist/)])
  }
})
