import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { open } from 'lmdb'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appendText, claimed, readTexts } from '../../testkit/journal-contract/journal-texts.ts'
import { CodedError } from '../../foundation/coded-error.ts'
import type { Logger } from '../../foundation/logger.ts'
import { LmdbJournal } from './lmdb-journal.ts'

describe('the folder of an LmdbJournal', () => {
  let root: string
  let folder: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sherd-journal-'))
    folder = join(root, 'the.journal')
  })
  afterEach(() => rmSync(root, { recursive: true }))

  const refusal = async (): Promise<CodedError> => {
    try {
      await LmdbJournal.open({ folder })
    } catch (error) {
      if (error instanceof CodedError) return error
      throw error
    }
    throw new Error('the folder was accepted')
  }
  const filled = async (): Promise<void> => {
    const journal = await LmdbJournal.open({ folder })
    await appendText(journal, await claimed(journal, 'a'), 'x', 'y')
    await journal.close()
  }

  const setFormat = async (format: string): Promise<void> => {
    const store = open({ path: folder, noSubdir: false, overlappingSync: false })
    const meta = store.openDB('meta', { encoding: 'binary', keyEncoding: 'binary' })
    meta.putSync(Buffer.from('format'), Buffer.from(format))
    await store.close()
  }

  /** As another process does, while this one has the store open. */
  const setFormatElsewhere = (format: string): void => {
    const program = `import { open } from 'lmdb'
      const [path, format] = process.argv.slice(1)
      const store = open({ path, noSubdir: false, overlappingSync: false })
      const meta = store.openDB('meta', { encoding: 'binary', keyEncoding: 'binary' })
      meta.putSync(Buffer.from('format'), Buffer.from(format))
      await store.close()`
    const cwd = fileURLToPath(new URL('../../..', import.meta.url))
    const args = ['--input-type=module', '--eval', program, folder, format]
    expect(spawnSync(process.execPath, args, { cwd, timeout: 30_000 }).status).toBe(0)
  }

  test('is made when it is missing, also several levels of it', async () => {
    folder = join(root, 'one', 'two', 'three')
    await filled()
    const journal = await LmdbJournal.open({ folder })
    expect(await readTexts(journal, 'a')).toEqual(['x', 'y'])
    await journal.close()
  })

  test('is refused when it is a file, or lies below one', async () => {
    writeFileSync(folder, '')
    expect(await refusal()).toMatchObject({ code: 'JOURNAL_FOLDER_UNUSABLE' })
    folder = join(folder, 'sub')
    expect((await refusal()).message).toBe(
      `The journal cannot use the folder ${folder}: it, or something above it, is a file; choose another folder.`,
    )
  })

  test('is refused when it cannot be written', async () => {
    mkdirSync(folder, { mode: 0o500 })
    expect((await asNobody(refusal)).message).toContain('this user may not write there')
  })

  test('is refused when it holds the store of another version', async () => {
    await filled()
    await setFormat('sherd journal, format 9')
    expect(await refusal()).toMatchObject({ code: 'JOURNAL_FORMAT_MISMATCH' })
    expect((await refusal()).message).toBe(
      `The folder ${folder} holds "sherd journal, format 9", written by a newer version of Sherd; this version of Sherd reads "sherd journal, format 2", "sherd journal, format 3", "sherd journal, format 4", "sherd journal, format 5" and "sherd journal, format 6". Use the version that wrote it, or another folder.`,
    )
  })

  test('that a newer version takes over is not called damaged, and is neither read nor written any more', async () => {
    await filled()
    const journal = await LmdbJournal.open({ folder })
    const { epoch } = await journal.claim('a', 'w')
    setFormatElsewhere('sherd journal, format 7')
    const batch = { persistenceId: 'a', epoch, expectedSequenceNr: 2, events: [Buffer.from('z')] }
    const all = { persistenceId: 'a', fromSequenceNr: 1, toSequenceNr: 9 }
    const calls = [
      () => journal.append(batch),
      () => journal.claim('b', 'w'),
      () => journal.deleteEventsTo({ persistenceId: 'a', epoch, toSequenceNr: 1 }),
      () => journal.read(all, () => undefined),
      () => journal.readSlices({ fromSlice: 0, toSlice: 1023, eventsMax: 1 }),
      () => journal.loadSnapshot(all),
      () => journal.claimState('a', 'w'),
      () => journal.readState('a'),
      () => journal.readRegister('r'),
      () => journal.writeRegister({ name: 'r', expectedRevision: 0, bytes: Buffer.from('z') }),
      () => journal.listIds({ kind: 'events', prefix: '', idsMax: 1 }),
    ]
    const words = `${folder} holds "sherd journal, format 7", written by a newer version of Sherd; this version of Sherd reads`
    for (const call of calls) {
      const refused = call()
      await expect(refused).rejects.toMatchObject({ code: 'JOURNAL_FORMAT_MISMATCH' })
      await expect(refused).rejects.toThrow(words)
    }
    setFormatElsewhere('sherd journal, format 6')
    expect(await journal.append(batch)).toMatchObject({ type: 'Appended' })
    await journal.close()
  })

  test('gets another format with the first tag, so that versions without tags leave it alone', async () => {
    await filled()
    await setFormat('sherd journal, format 2')
    const formats = [await formatIn(folder)]
    const bytes = Buffer.from('z')
    for (const tags of [[], ['red'], []]) {
      const journal = await LmdbJournal.open({ folder })
      const { epoch, highestSequenceNr: expectedSequenceNr } = await journal.claim('a', 'w')
      const events = [bytes, { bytes, tags }]
      await journal.append({ persistenceId: 'a', epoch, expectedSequenceNr, events })
      await journal.close()
      formats.push(await formatIn(folder))
    }
    const [before, after] = ['sherd journal, format 2', 'sherd journal, format 3']
    expect(formats).toEqual([before, before, after, after])
    const journal = await LmdbJournal.open({ folder })
    expect(await readTexts(journal, 'a')).toEqual(['x', 'y', 'z', 'z', 'z', 'z', 'z', 'z'])
    await journal.close()
  })

  test.each([[['users']], [['meta', 'users']]])(
    'is refused when it holds an LMDB store of something else, with the tables %s',
    async (names) => {
      const store = open({ path: folder, noSubdir: false, overlappingSync: false })
      for (const name of names) store.openDB(name, {}).putSync('a', 'b')
      await store.close()
      expect((await refusal()).message).toContain('holds an LMDB store that is not a journal')
      expect((await refusal()).message).toContain('holds an LMDB store that is not a journal')
    },
  )

  test.each(['short', 'zeros', 'garbage', 'cut'])(
    'is refused when its file is damaged, and the process lives on: %s',
    async (kind) => {
      await filled()
      const file = join(folder, 'data.mdb')
      if (kind === 'short') writeFileSync(file, 'not a store')
      if (kind === 'zeros') writeFileSync(file, Buffer.alloc(20_000))
      if (kind === 'garbage') writeFileSync(file, Buffer.alloc(20_000, 5))
      if (kind === 'cut') truncateSync(file, 8192)
      expect(await refusal()).toMatchObject({ code: 'JOURNAL_CORRUPTED' })
      expect((await refusal()).message).toContain('Restore it from a copy')
    },
  )

  test('can be copied while nobody writes, and the copy is a journal', async () => {
    await filled()
    const copy = join(root, 'copy')
    cpSync(folder, copy, { recursive: true })
    folder = copy
    const journal = await LmdbJournal.open({ folder })
    expect(await readTexts(journal, 'a')).toEqual(['x', 'y'])
    await journal.close()
  })

  const lostBy: Record<string, () => void> = {
    'is deleted': () => rmSync(folder, { recursive: true }),
    'is moved away': () => renameSync(folder, join(root, 'elsewhere')),
    'is replaced by a copy': () => {
      cpSync(folder, join(root, 'copy'), { recursive: true })
      rmSync(folder, { recursive: true })
      renameSync(join(root, 'copy'), folder)
    },
    'loses its lock': () => rmSync(join(folder, 'lock.mdb')),
  }

  test.each(Object.keys(lostBy))(
    'acknowledges nothing more once it %s under a running process, and says so once',
    async (how) => {
      const errors: string[] = []
      let now = 0
      const clock = { monotonicMs: () => now, wallMs: () => 0 }
      const journal = await LmdbJournal.open({ folder, clock, logger: loggerInto(errors) })
      const writer = await claimed(journal, 'a')
      await appendText(journal, writer, 'x')
      lostBy[how]!()
      now += 100
      const file = how === 'loses its lock' ? 'lock.mdb' : 'data.mdb'
      const text = `${file} in ${folder} is no longer the file that this process has open`
      const inCommit = appendText(journal, { ...writer, after: 1 }, 'y')
      await expect(inCommit).rejects.toMatchObject({ code: 'JOURNAL_OUTCOME_UNKNOWN' })
      await expect(inCommit).rejects.toThrow(text)
      const code = 'JOURNAL_FOLDER_LOST'
      const later = appendText(journal, { ...writer, after: 2 }, 'z')
      await expect(later).rejects.toMatchObject({ code, folder })
      await expect(later).rejects.toThrow('restore it from a copy')
      await expect(journal.claim('b', 'w')).rejects.toMatchObject({ code })
      await expect(journal.highestSequenceNr('a')).rejects.toMatchObject({ code })
      expect(errors).toHaveLength(1)
      expect(errors[0]).toContain(text)
      await journal.close()
    },
  )

  test('shows no register of files that are lost, where it would stand still', async () => {
    const errors: string[] = []
    const journal = await LmdbJournal.open({ folder, logger: loggerInto(errors) })
    const write = { name: 'r', expectedRevision: 0, bytes: new Uint8Array([7]) }
    await journal.writeRegister(write)
    expect(await journal.readRegister('r')).toEqual({ revision: 1, bytes: new Uint8Array([7]) })
    rmSync(folder, { recursive: true })
    const code = 'JOURNAL_FOLDER_LOST'
    await expect(journal.readRegister('r')).rejects.toMatchObject({ code, folder })
    const next = { ...write, expectedRevision: 1 }
    await expect(journal.writeRegister(next)).rejects.toMatchObject({ code, folder })
    expect(errors).toHaveLength(1)
    await journal.close()
  })

  test('keeps its registers beside the tables of a version that knew of none', async () => {
    await filled()
    await setFormat('sherd journal, format 2')
    const store = open({ path: folder, noSubdir: false, overlappingSync: false })
    store.openDB('registers', {}).dropSync()
    expect([...store.getKeys()].map(String)).not.toContain('registers')
    await store.close()
    const journal = await LmdbJournal.open({ folder })
    expect(await journal.readRegister('r')).toBe(undefined)
    await journal.writeRegister({ name: 'r', expectedRevision: 0, bytes: new Uint8Array([7]) })
    await journal.close()
    expect(await formatIn(folder)).toBe('sherd journal, format 2')
    const again = await LmdbJournal.open({ folder })
    expect(await again.readRegister('r')).toEqual({ revision: 1, bytes: new Uint8Array([7]) })
    expect(await readTexts(again, 'a')).toEqual(['x', 'y'])
    await again.close()
  })

  test('is taken back when it is new and unused, and kept once a register was written', async () => {
    const unused = await LmdbJournal.open({ folder })
    await unused.takeBack()
    expect(existsSync(join(folder, 'data.mdb'))).toBe(false)
    const used = await LmdbJournal.open({ folder })
    await used.writeRegister({ name: 'r', expectedRevision: 0, bytes: new Uint8Array() })
    await used.takeBack()
    expect(existsSync(join(folder, 'data.mdb'))).toBe(true)
  })

  test('is called damaged when a register is none', async () => {
    await filled()
    const binary = { encoding: 'binary', keyEncoding: 'binary' } as const
    const store = open<Buffer, Buffer>({ path: folder, noSubdir: false, ...binary })
    store.openDB<Buffer, Buffer>('registers', binary).putSync(Buffer.from('r'), Buffer.from('abc'))
    await store.close()
    const journal = await LmdbJournal.open({ folder })
    const damaged = { code: 'JOURNAL_CORRUPTED' }
    await expect(journal.readRegister('r')).rejects.toMatchObject(damaged)
    const write = { name: 'r', expectedRevision: 0, bytes: new Uint8Array() }
    await expect(journal.writeRegister(write)).rejects.toMatchObject(damaged)
    expect(await journal.readRegister('s')).toBe(undefined)
    await journal.close()
  })

  test('is not taken for lost when only the link by which it was found leads elsewhere', async () => {
    await filled()
    const link = join(root, 'link')
    symlinkSync(folder, link)
    const journal = await LmdbJournal.open({ folder: link })
    rmSync(link)
    symlinkSync(root, link)
    expect(await journal.claim('a', 'w')).toMatchObject({ highestSequenceNr: 2 })
    await journal.close()
  })

  test('says so when it cannot grow any more, keeps what it has, and serves the next process', async () => {
    await filled()
    const script = fileURLToPath(
      new URL('../../../test/contracts/lmdb-glutton.ts', import.meta.url),
    )
    // A limit of the shell stands for a full disk; the signal that would come with it is ignored.
    const command = `trap '' XFSZ; ulimit -f 2000; exec "$0" --import tsx "$1" "$2"`
    const { stdout, stderr } = spawnSync(
      'bash',
      ['-c', command, process.execPath, script, folder],
      {
        encoding: 'utf8',
        timeout: 60_000,
      },
    )
    // A log of JSON lines goes there: errors with stacks do not. What LMDB itself writes cannot be kept from it.
    expect(stderr).not.toMatch(/Error|^ +at /m)
    const [stored, code, message] = stdout.trim().split('\n')
    expect(code).toBe('JOURNAL_OUTCOME_UNKNOWN')
    expect(message).toContain('the disk is full or fails; free some space')
    const journal = await LmdbJournal.open({ folder })
    expect(await journal.highestSequenceNr('glutton')).toBe(Number(stored))
    expect(Number(stored)).toBeGreaterThan(0)
    expect(await readTexts(journal, 'a')).toEqual(['x', 'y'])
    expect(readFileSync(join(folder, 'data.mdb')).length).toBeLessThan(2_100_000)
    await journal.close()
  })
})

function loggerInto(errors: string[]): Logger {
  const nothing = (): void => undefined
  const error: Logger['error'] = (_fields, text) => void errors.push(text)
  return { trace: nothing, debug: nothing, info: nothing, warn: nothing, error }
}

async function formatIn(folder: string): Promise<string | undefined> {
  const store = open({ path: folder, noSubdir: false, overlappingSync: false })
  const meta = store.openDB('meta', { encoding: 'binary', keyEncoding: 'binary' })
  const format = meta.getBinary(Buffer.from('format'))?.toString()
  await store.close()
  return format
}

/** Modes do not bind root, so root becomes somebody else for the time of the call. */
function asNobody<T>(act: () => T): T {
  if (process.getuid?.() !== 0) return act()
  process.seteuid?.(65_534)
  try {
    return act()
  } finally {
    process.seteuid?.(0)
  }
}
