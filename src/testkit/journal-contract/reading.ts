/** The part of the contract about reading a stream, and about closing. */
import assert from 'node:assert/strict'
import { isSliceReader } from '../../persistence/index.ts'
import type { AddTest } from './journal-contract.ts'
import { allSlices, appendText, claimed, readTexts } from './journal-texts.ts'

const ranges = [
  [1, 1000],
  [0, 9999],
  [32, 33],
  [33, 64],
  [64, 65],
  [200, 600],
  [256, 257],
  [1000, 1000],
  [1001, 2000],
  [5, 4],
] as const

export function reading(check: AddTest): void {
  check('reads any range, in order, however much is read in one go', async ({ journal }) => {
    const writer = await claimed(journal, 'a')
    const texts = Array.from({ length: 1000 }, (_, i) => `${i + 1}`)
    await appendText(journal, writer, ...texts)
    for (const [from, to] of ranges) {
      const expected = texts.filter((text) => Number(text) >= from && Number(text) <= to)
      assert.deepEqual(await readTexts(journal, 'a', from, to), expected)
    }
    assert.deepEqual(await readTexts(journal, 'nobody'), [])
    assert.equal(await journal.highestSequenceNr('nobody'), 0)
  })

  check('passes on what the reader throws', async ({ journal }) => {
    await appendText(journal, await claimed(journal, 'a'), 'x')
    const range = { persistenceId: 'a', fromSequenceNr: 1, toSequenceNr: 1 }
    const failing = journal.read(range, () => {
      throw new Error('no more')
    })
    await assert.rejects(failing, { message: 'no more' })
  })

  check('counts the appends under way when it is asked for the last number', async (on) => {
    const { journal } = on
    const writer = await claimed(journal, 'a')
    const appending = appendText(journal, writer, 'x', 'y')
    assert.equal(await journal.highestSequenceNr('a'), 2)
    await appending
  })
}

export function closing(check: AddTest): void {
  check('settles every append that was under way when it was closed', async ({ journal }) => {
    const writer = await claimed(journal, 'a')
    const appending = Array.from({ length: 50 }, (_, i) =>
      appendText(journal, { ...writer, after: i }, `${i}`),
    )
    await journal.close()
    const results = await Promise.all(appending)
    assert.ok(results.every(({ type }) => type === 'Appended'))
  })

  check('takes nothing more after it was closed, and can be closed twice', async ({ journal }) => {
    const writer = await claimed(journal, 'a')
    await Promise.all([journal.close(), journal.close()])
    const code = 'JOURNAL_CLOSED'
    await assert.rejects(journal.claim('a', 'w'), { code })
    await assert.rejects(appendText(journal, writer, 'x'), { code })
    await assert.rejects(readTexts(journal, 'a'), { code })
    await assert.rejects(journal.highestSequenceNr('a'), { code })
    if (isSliceReader(journal)) await assert.rejects(journal.readSlices(allSlices), { code })
  })
}
