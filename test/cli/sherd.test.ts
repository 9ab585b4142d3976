import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
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

  test('ends in peace when nobody reads any more', async () => {
    const child = startSherd('look', folder('old'), '--events', 'Counter|a')
    child.stdout?.once('data', () => child.stdout?.destroy())
    expect(await endOf(child)).toMatchObject({ code: 0, notes: '' })
  })
})
