/** The part of the contract about what is refused at the door. */
import { expect, test } from 'vitest'
import { appendText, claimed, type Opened, readTexts } from './journal-words.ts'

export function limits({ journal, reopen }: Opened): void {
  test('refuses ids that would change, collide or not fit', async () => {
    const bad = ['', 'a\0b', '\ud800', 'x'.repeat(1025), 'é'.repeat(513), 7 as unknown as string]
    for (const id of bad) {
      const code = 'INVALID_PERSISTENCE_ID'
      await expect(journal().claim(id, 'w')).rejects.toMatchObject({ code })
      await expect(journal().highestSequenceNr(id)).rejects.toMatchObject({ code })
      const refused = appendText(journal(), { id, epoch: 1, after: 0 }, 'x')
      await expect(refused).rejects.toMatchObject({ code })
    }
  })

  test('keeps ids apart that look alike', async () => {
    const ids = [
      'a',
      'A',
      'a ',
      'a|b',
      'é',
      'e\u0301',
      '\u{1f600}',
      'x'.repeat(1024),
      'x'.repeat(1023),
    ]
    for (const id of ids) await appendText(journal(), await claimed(journal(), id), `of ${id}`)
    for (const id of ids) expect(await readTexts(journal(), id)).toEqual([`of ${id}`])
  })

  test('refuses events that are too large, and appends of none or too many', async () => {
    await reopen({ eventBytesMax: 10, appendEventsMax: 2 })
    const writer = await claimed(journal(), 'a')
    const large = appendText(journal(), writer, 'ok', 'x'.repeat(11))
    await expect(large).rejects.toMatchObject({ code: 'EVENT_TOO_LARGE', bytes: 11 })
    const code = 'INVALID_JOURNAL_CALL'
    await expect(appendText(journal(), writer)).rejects.toMatchObject({ code })
    await expect(appendText(journal(), writer, '1', '2', '3')).rejects.toMatchObject({ code })
    expect(await journal().highestSequenceNr('a')).toBe(0)
  })

  test('refuses numbers that are not whole', async () => {
    const code = 'INVALID_JOURNAL_CALL'
    for (const after of [-1, 0.5, NaN, 2 ** 53]) {
      const refused = appendText(journal(), { id: 'a', epoch: 1, after }, 'x')
      await expect(refused).rejects.toMatchObject({ code })
    }
    await expect(journal().readGlobal(-1, 1)).rejects.toMatchObject({ code })
  })

  test('refuses settings it cannot work with, all problems at once', async () => {
    const wrong = reopen({ readEventsMax: 0, eventBytesMax: 10, waitingBytesMax: 5 })
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
    await reopen()
  })
}
