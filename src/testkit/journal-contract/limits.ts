/** The part of the contract about what is refused. */
import assert from 'node:assert/strict'
import type { AddTest } from './journal-contract.ts'
import { appendText, claimed, readTexts } from './journal-texts.ts'

const code = 'INVALID_JOURNAL_CALL'

/** Each of them is an id of its own. */
const alike: readonly string[] = [
  ...['a', 'A', 'a ', 'a|b', 'é', 'e\u0301', '\u{1f600}'],
  ...['x'.repeat(1024), 'x'.repeat(1023)],
]

export function limits(check: AddTest): void {
  check('refuses ids that would change, collide or not fit', async ({ journal }) => {
    const bad = ['', 'a\0b', '\ud800', 'x'.repeat(1025), 'é'.repeat(513), 7 as unknown as string]
    for (const id of bad) {
      const invalid = { code: 'INVALID_PERSISTENCE_ID' }
      await assert.rejects(journal.claim(id, 'w'), invalid)
      await assert.rejects(journal.highestSequenceNr(id), invalid)
      await assert.rejects(readTexts(journal, id), invalid)
      await assert.rejects(appendText(journal, { id, epoch: 1, after: 0 }, 'x'), invalid)
    }
  })

  check('keeps ids apart that look alike', async ({ journal }) => {
    for (const id of alike) await appendText(journal, await claimed(journal, id), `of ${id}`)
    for (const id of alike) assert.deepEqual(await readTexts(journal, id), [`of ${id}`])
  })

  check('refuses events that are too large, and appends of none or too many', async (on) => {
    await on.reopen({ eventBytesMax: 10, appendEventsMax: 2 })
    const { journal } = on
    const writer = await claimed(journal, 'a')
    const large = appendText(journal, writer, 'ok', 'x'.repeat(11))
    await assert.rejects(large, { code: 'EVENT_TOO_LARGE', bytes: 11 })
    await assert.rejects(appendText(journal, writer), { code })
    await assert.rejects(appendText(journal, writer, '1', '2', '3'), { code })
    assert.equal(await journal.highestSequenceNr('a'), 0)
  })

  check('says how large an event may be, if it can tell', async (on) => {
    await on.reopen({ eventBytesMax: 10 })
    assert.ok([10, undefined].includes(on.journal.eventBytesMax))
  })

  check('refuses numbers that are not whole', async ({ journal }) => {
    for (const number of [-1, 0.5, NaN, 2 ** 53]) {
      const refused = appendText(journal, { id: 'a', epoch: 1, after: number }, 'x')
      await assert.rejects(refused, { code })
      await assert.rejects(readTexts(journal, 'a', number), { code })
    }
  })

  check('refuses settings it cannot work with', async (on) => {
    await assert.rejects(on.reopen({ eventBytesMax: 0 }), { code: 'INVALID_SETTINGS' })
    await on.reopen()
  })
}
