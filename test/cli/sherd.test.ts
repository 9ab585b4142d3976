import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { wholeStore } from '../../src/persistence/internals.ts'
import { live, stored } from '../persistence/mixed-store.ts'
import { endOf, startSherd } from './programs.ts'

describe('the program sherd', () => {
  let root: string
  const folder = (name: string): string => join(root, name)
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'sherd-cli-'))
    const journal = await LmdbJournal.open({ folder: folder('old') })
    const many = Array.from({ length: 5000 }, (_, i) => stored({ i, text: 'x'.repeat(100) }))
    await live(wholeStore(journal), 'Counter|a', many)
    await journal.close()
  })
  afterEach(() => rmSync(root, { recursive: true }))

  test('copies, prints and ends with its code', async () => {
    const copied = await endOf(startSherd('copy', '--from', folder('old'), '--to', folder('new')))
    expect(copied).toMatchObject({ code: 0, notes: '' })
    expect(copied.out).toMatch(/^copied 1 streams with 5000 events.*\ncompared .*: equal\n$/s)
    const looked = await endOf(startSherd('look', folder('new'), '--events', 'Counter|a'))
    expect(looked.code).toBe(0)
    expect(looked.out.trimEnd().split('\n')).toHaveLength(5000)
    expect(await endOf(startSherd('look', folder('new'), '--evens'))).toMatchObject({ code: 2 })
    expect(await endOf(startSherd('look', folder('none')))).toMatchObject({ code: 1, out: '' })
  })

  test('goes on with a copy that was killed in the middle', async () => {
    const journal = await LmdbJournal.open({ folder: folder('old') })
    const events = Array.from({ length: 40 }, (_, i) => stored({ i, text: 'x'.repeat(200) }))
    const ids = Array.from({ length: 600 }, (_, i) => `Counter|${i}`)
    await Promise.all(ids.map((id) => live(wholeStore(journal), id, events)))
    await journal.close()
    const words = ['copy', '--from', folder('old'), '--to', folder('new')]
    const first = startSherd(...words)
    const end = endOf(first)
    const file = join(folder('new'), 'data.mdb')
    const sizeOf = (): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
    await vi.waitUntil(() => sizeOf() > 2_000_000, { timeout: 30_000, interval: 1 })
    first.kill('SIGKILL')
    expect(await end).toMatchObject({ code: null, out: '' })
    const refused = await endOf(startSherd(...words))
    expect(refused).toMatchObject({ code: 1, notes: expect.stringContaining('--resume') as string })
    const { code, out } = await endOf(startSherd(...words, '--resume'))
    expect(code).toBe(0)
    expect(out).toMatch(
      /[1-9]\d* things were there\ncompared 601 streams with 29000 events.*: equal/,
    )
  })

  test('ends in peace when nobody reads any more', async () => {
    const child = startSherd('look', folder('old'), '--events', 'Counter|a')
    child.stdout?.once('data', () => child.stdout?.destroy())
    expect(await endOf(child)).toMatchObject({ code: 0, notes: '' })
  })
})
