import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { open } from 'lmdb'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LmdbJournal, MemoryJournal, MemoryStore } from '../../src/persistence/index.ts'
import { compiledFile } from '../processes/harness/compiled.ts'

const openerFile = compiledFile(new URL('./lmdb-store-id.ts', import.meta.url))

/** Resolves when the process is ready; `open` lets it open the folder and resolves with the id it found. */
async function opener(folder: string): Promise<{ open(): Promise<string> }> {
  const child = spawn(process.execPath, [openerFile, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async (): Promise<string> => String((await lines.next()).value)
  expect(await next()).toBe('ready')
  return {
    open: () => {
      child.stdin.write('go\n')
      return next()
    },
  }
}

describe('the id of a store', { timeout: 60_000 }, () => {
  let folder: string
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'sherd-journal-'))))
  afterEach(() => rmSync(folder, { recursive: true }))

  async function idIn(path: string): Promise<string> {
    const journal = await LmdbJournal.open({ folder: path })
    await journal.close()
    return journal.storeId
  }

  test('is the same for all processes, also when they make the store at once', async () => {
    const openers = await Promise.all(['a', 'b', 'c'].map(() => opener(folder)))
    const ids = await Promise.all(openers.map((process) => process.open()))
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set([...ids, await idIn(folder)]).size).toBe(1)
  })

  test('differs between folders, and is given to a store that is older than ids', async () => {
    const first = await idIn(folder)
    const environment = open({ path: folder, noSubdir: false, encoding: 'binary' })
    const meta = environment.openDB('meta', { encoding: 'binary', keyEncoding: 'binary' })
    await meta.remove(Buffer.from('store id'))
    await environment.close()
    const second = await idIn(folder)
    expect(second).not.toBe(first)
    expect(await idIn(folder)).toBe(second)
  })

  test('is shared by journals on one memory, and by no others', () => {
    const store = new MemoryStore()
    const [left, right] = [new MemoryJournal({ store }), new MemoryJournal({ store })]
    expect(left.storeId).toBe(right.storeId)
    expect(new MemoryJournal().storeId).not.toBe(left.storeId)
    const named = new MemoryJournal({ store: new MemoryStore({ storeId: 'named' }) })
    expect(named.storeId).toBe('named')
  })
})
