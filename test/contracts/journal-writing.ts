/** The part of the contract about claims and appends. */
import { expect, test } from 'vitest'
import {
  appendText,
  bytesOf,
  claimed,
  globalTexts,
  type Opened,
  readTexts,
  textOf,
} from './journal-words.ts'

export function claims({ journal, reopen }: Opened): void {
  test('gives every claim of an id a greater epoch, also after it was opened anew', async () => {
    expect(await journal().claim('a', 'one')).toEqual({ epoch: 1, highestSequenceNr: 0 })
    expect(await journal().claim('a', 'two')).toEqual({ epoch: 2, highestSequenceNr: 0 })
    await appendText(journal(), { id: 'a', epoch: 2, after: 0 }, 'x', 'y')
    await reopen()
    expect(await journal().claim('a', 'three')).toEqual({ epoch: 3, highestSequenceNr: 2 })
    expect(await journal().claim('b', 'one')).toEqual({ epoch: 1, highestSequenceNr: 0 })
  })

  test('gives claims made at once different epochs', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => journal().claim('a', 'w')))
    expect(all.map((claim) => claim.epoch)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1))
  })

  test('refuses a writer whose stream was claimed by another, and says by whom', async () => {
    const old = await claimed(journal(), 'a')
    await appendText(journal(), old, 'mine')
    await journal().claim('a', 'the new one')
    const fenced = { type: 'Fenced', byEpoch: 2, byWriter: 'the new one' }
    expect(await appendText(journal(), { ...old, after: 1 }, 'late')).toEqual(fenced)
    await reopen()
    expect(await appendText(journal(), { ...old, after: 1 }, 'later')).toEqual(fenced)
    expect(await readTexts(journal(), 'a')).toEqual(['mine'])
  })

  test('keeps the young events of a stream when the writer changes', async () => {
    for (let round = 0; round < 40; round++) {
      const { epoch, highestSequenceNr } = await journal().claim('a', 'w'.repeat(round * 3))
      await appendText(journal(), { id: 'a', epoch, after: highestSequenceNr }, `${round}`)
    }
    expect(await readTexts(journal(), 'a')).toEqual(Array.from({ length: 40 }, (_, i) => `${i}`))
  })
}

export function conditions({ journal }: Opened): void {
  test('refuses an append that expects another last event', async () => {
    const writer = await claimed(journal(), 'a')
    expect(await appendText(journal(), writer, 'x', 'y')).toEqual({
      type: 'Appended',
      highestSequenceNr: 2,
    })
    const conflict = { type: 'SequenceConflict', highestSequenceNr: 2 }
    expect(await appendText(journal(), writer, 'again')).toEqual(conflict)
    expect(await appendText(journal(), { ...writer, after: 3 }, 'gap')).toEqual(conflict)
    expect(await journal().highestSequenceNr('a')).toBe(2)
  })

  test('takes appends of one stream in the order of the calls, without waiting in between', async () => {
    const writer = await claimed(journal(), 'a')
    const results = await Promise.all(
      Array.from({ length: 300 }, (_, i) => appendText(journal(), { ...writer, after: i }, `${i}`)),
    )
    expect(results.every((result) => result.type === 'Appended')).toBe(true)
    expect(await readTexts(journal(), 'a')).toEqual(results.map((_, i) => `${i}`))
  })

  test('a refused append refuses those that were sent behind it', async () => {
    const writer = await claimed(journal(), 'a')
    const types = await Promise.all([
      appendText(journal(), writer, 'x'),
      appendText(journal(), { ...writer, after: 7 }, 'wrong'),
      appendText(journal(), { ...writer, after: 8 }, 'behind'),
      appendText(journal(), { ...writer, after: 1 }, 'y'),
    ])
    expect(types.map(({ type }) => type)).toEqual([
      'Appended',
      'SequenceConflict',
      'SequenceConflict',
      'Appended',
    ])
  })

  test('refuses an epoch that was never given out', async () => {
    const code = 'INVALID_JOURNAL_CALL'
    const writer = await claimed(journal(), 'a')
    const bad = appendText(journal(), { ...writer, epoch: 9 }, 'x')
    const good = appendText(journal(), writer, 'y')
    await expect(bad).rejects.toMatchObject({ code })
    expect(await good).toMatchObject({ type: 'Appended' })
    const unclaimed = appendText(journal(), { id: 'b', epoch: 1, after: 0 }, 'x')
    await expect(unclaimed).rejects.toMatchObject({ code })
  })
}

export function storing({ journal, reopen }: Opened): void {
  test('stores all events of a batch or none', async () => {
    const writer = await claimed(journal(), 'a')
    const texts = Array.from({ length: 100 }, (_, i) => `event ${i}`)
    await appendText(journal(), writer, ...texts)
    await appendText(journal(), writer, ...texts)
    expect(await readTexts(journal(), 'a')).toEqual(texts)
    expect(await globalTexts(journal())).toEqual(texts.map((text) => `a:${text}`))
  })

  test('keeps what it stored when it is opened anew, byte by byte', async () => {
    const writer = await claimed(journal(), 'a')
    const every = Uint8Array.from({ length: 256 }, (_, i) => i)
    const events = [every, new Uint8Array(), every.subarray(7, 9), new Uint8Array(100_000).fill(9)]
    const { epoch } = writer
    const batch = { persistenceId: 'a', epoch, expectedSequenceNr: 0, events }
    await journal().append(batch)
    await reopen()
    const found: string[] = []
    const range = { persistenceId: 'a', fromSequenceNr: 1, toSequenceNr: 9 }
    await journal().read(range, (event) => found.push(hexOf(event.bytes)))
    expect(found).toEqual(events.map(hexOf))
  })

  test('hands out bytes that nobody else has', async () => {
    const writer = await claimed(journal(), 'a')
    const mine = bytesOf('text')
    await appendText(journal(), writer, 'text')
    const [first] = await journal().readGlobal(1, 1)
    first?.bytes.fill(0)
    mine.fill(0)
    const [second] = await journal().readGlobal(1, 1)
    expect(second && textOf(second.bytes)).toBe('text')
  })
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
