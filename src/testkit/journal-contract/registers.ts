/** The part of the contract about registers, for journals that have them. */
import assert from 'node:assert/strict'
import {
  hasRegisters,
  type Journal,
  type StoredRegister,
  type Registers,
  type RegisterWrite,
  type RegisterWriteResult,
} from '../../persistence/index.ts'
import type { AddTest } from './journal-contract.ts'
import { appendText, bytesOf, claimed, readTexts, textOf } from './journal-texts.ts'

const code = 'INVALID_JOURNAL_CALL'
const bytesMax = 65_536

function registersOf(journal: Journal): Registers {
  assert.ok(hasRegisters(journal))
  return journal
}

function write(
  journal: Journal,
  name: string,
  expectedRevision: number,
  text: string,
): Promise<RegisterWriteResult> {
  return registersOf(journal).writeRegister({ name, expectedRevision, bytes: bytesOf(text) })
}

/** `revision text`; undefined when nothing was ever written. */
async function read(journal: Journal, name: string): Promise<string | undefined> {
  const register = await registersOf(journal).readRegister(name)
  return register && inWords(register)
}

const inWords = ({ revision, bytes }: StoredRegister): string => `${revision} ${textOf(bytes)}`

export function registers(check: AddTest): void {
  kept(check)
  conditions(check)
  contended(check)
  apart(check)
  limits(check)
  closing(check)
}

function kept(check: AddTest): void {
  check('keeps what was written into a register, also when it is opened anew', async (on) => {
    assert.equal(await read(on.journal, 'r'), undefined)
    assert.deepEqual(await write(on.journal, 'r', 0, 'x'), { type: 'RegisterWritten', revision: 1 })
    assert.equal(await read(on.journal, 'r'), '1 x')
    await on.reopen()
    assert.equal(await read(on.journal, 'r'), '1 x')
    assert.deepEqual(await write(on.journal, 'r', 1, ''), { type: 'RegisterWritten', revision: 2 })
    await on.reopen()
    assert.equal(await read(on.journal, 'r'), '2 ')
  })

  check('keeps registers byte by byte, as large as they may be', async (on) => {
    const large = Uint8Array.from({ length: bytesMax }, (_, i) => (i * 7) % 256)
    for (const [expectedRevision, bytes] of [large, large.subarray(3, 5), large].entries()) {
      await registersOf(on.journal).writeRegister({ name: 'r', expectedRevision, bytes })
      await on.reopen()
      const found = await registersOf(on.journal).readRegister('r')
      assert.equal(found?.revision, expectedRevision + 1)
      assert.ok(found.bytes.length === bytes.length && Buffer.compare(found.bytes, bytes) === 0)
    }
  })

  check('hands out bytes of a register that nobody else has, and keeps none', async (on) => {
    const mine = bytesOf('text')
    const { journal } = on
    await registersOf(journal).writeRegister({ name: 'r', expectedRevision: 0, bytes: mine })
    mine.fill(0)
    const found = await registersOf(journal).readRegister('r')
    assert.equal(found && inWords(found), '1 text')
    found?.bytes.fill(0)
    assert.equal(await read(journal, 'r'), '1 text')
  })
}

function conditions(check: AddTest): void {
  check('writes no register that is not at the expected revision', async ({ journal }) => {
    assert.deepEqual(await write(journal, 'r', 1, 'x'), { type: 'RegisterChanged', revision: 0 })
    assert.equal(await read(journal, 'r'), undefined)
    await write(journal, 'r', 0, 'x')
    await write(journal, 'r', 1, 'y')
    const changed = { type: 'RegisterChanged', revision: 2 }
    for (const expected of [0, 1, 3, 99]) {
      assert.deepEqual(await write(journal, 'r', expected, 'stale'), changed)
    }
    assert.equal(await read(journal, 'r'), '2 y')
  })

  check('lets one of several writes through that expect the same', async ({ journal }) => {
    for (let revision = 0; revision < 5; revision++) {
      const texts = Array.from({ length: 20 }, (_, i) => `${revision}.${i}`)
      const results = await Promise.all(texts.map((text) => write(journal, 'r', revision, text)))
      const written = results.flatMap(({ type }, i) => (type === 'RegisterWritten' ? [i] : []))
      assert.equal(written.length, 1, `${written.length} of 20 writes came through`)
      assert.ok(results.every((result) => result.revision === revision + 1))
      assert.equal(await read(journal, 'r'), `${revision + 1} ${texts[written[0]!]}`)
    }
  })
}

function contended(check: AddTest): void {
  check('gives each revision to one writer, and no reader an older one later', async (on) => {
    const { journal } = on
    const each = 10
    const winners: string[] = []
    let answered = 0
    const look = async (): Promise<number> => {
      const least = answered
      const revision = (await registersOf(journal).readRegister('r'))?.revision ?? 0
      assert.ok(revision >= least, `read revision ${revision} after ${least} was answered`)
      answered = Math.max(answered, revision)
      return revision
    }
    const contend = async (name: string): Promise<void> => {
      for (let wins = 0; wins < each;) {
        const result = await write(journal, 'r', await look(), name)
        answered = Math.max(answered, result.revision)
        if (result.type === 'RegisterChanged') continue
        assert.equal(winners[result.revision], undefined, 'each revision is given out once')
        winners[result.revision] = name
        wins++
      }
    }
    const names = ['a', 'b', 'c', 'd', 'e']
    await Promise.all(names.map(contend))
    const last = names.length * each
    assert.equal(await read(journal, 'r'), `${last} ${winners[last]}`)
    assert.equal(winners.filter((name) => name !== undefined).length, last)
  })
}

function apart(check: AddTest): void {
  check('keeps registers apart from each other and from streams', async (on) => {
    const names = ['a', 'A', 'a/b', 'a|b', 'é', 'e\u0301', '\u{1f600}', 'x'.repeat(255)]
    await Promise.all(names.map((name) => write(on.journal, name, 0, `of ${name}`)))
    const writer = await claimed(on.journal, 'a')
    await appendText(on.journal, writer, 'event')
    await write(on.journal, 'a', 1, 'again')
    assert.equal((await appendText(on.journal, { ...writer, after: 1 }, 'more')).type, 'Appended')
    await on.reopen()
    assert.deepEqual(await readTexts(on.journal, 'a'), ['event', 'more'])
    assert.equal(await read(on.journal, 'a'), '2 again')
    for (const name of names.slice(1)) assert.equal(await read(on.journal, name), `1 of ${name}`)
  })
}

function limits(check: AddTest): void {
  check('refuses names, revisions and values that no register has', async ({ journal }) => {
    const good: RegisterWrite = { name: 'r', expectedRevision: 0, bytes: bytesOf('x') }
    const { readRegister, writeRegister } = registersOf(journal)
    for (const name of ['', 'a\0b', '\ud800', 'x'.repeat(256), 7 as unknown as string]) {
      await assert.rejects(writeRegister.call(journal, { ...good, name }), { code })
      await assert.rejects(readRegister.call(journal, name), { code })
    }
    for (const expectedRevision of [-1, 0.5, NaN, 2 ** 53]) {
      await assert.rejects(writeRegister.call(journal, { ...good, expectedRevision }), { code })
    }
    for (const bytes of [new Uint8Array(bytesMax + 1), 'x' as unknown as Uint8Array]) {
      await assert.rejects(writeRegister.call(journal, { ...good, bytes }), { code })
    }
    assert.equal(await read(journal, 'r'), undefined)
  })
}

function closing(check: AddTest): void {
  check(
    'settles writes of registers under way when it is closed, and takes no more',
    async (on) => {
      const { journal } = on
      const writing = ['a', 'b', 'c'].map((name) => write(journal, name, 0, 'x'))
      await journal.close()
      const results = await Promise.all(writing)
      assert.ok(results.every(({ type }) => type === 'RegisterWritten'))
      await assert.rejects(write(journal, 'a', 1, 'y'), { code: 'JOURNAL_CLOSED' })
      await assert.rejects(read(journal, 'a'), { code: 'JOURNAL_CLOSED' })
    },
  )
}
