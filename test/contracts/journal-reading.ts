/** The part of the contract about reading, many writers and closing. */
import { expect, test } from 'vitest'
import { sliceOf } from '../../src/persistence/index.ts'
import { appendText, claimed, type Opened, readTexts } from './journal-words.ts'

export function manyWriters({ journal }: Opened): void {
  test('serves 256 writers at once, each with its own order, all in one order without gaps', async () => {
    const ids = Array.from({ length: 256 }, (_, i) => `Account|${i}`)
    await Promise.all(
      ids.map(async (id) => {
        const writer = await claimed(journal(), id)
        for (let i = 0; i < 10; i++) await appendText(journal(), { ...writer, after: i }, `${i}`)
      }),
    )
    const last = new Map<string, number>()
    let order = 0
    for (let events = await journal().readGlobal(1, 100); events.length > 0;) {
      for (const event of events) {
        expect(event.order).toBe(++order)
        expect(event.sequenceNr).toBe((last.get(event.persistenceId) ?? 0) + 1)
        expect(event.slice).toBe(sliceOf(event.persistenceId))
        last.set(event.persistenceId, event.sequenceNr)
      }
      events = await journal().readGlobal(order + 1, 100)
    }
    expect(order).toBe(2560)
    expect(last.size).toBe(256)
  })
}

export function reading({ journal, reopen }: Opened): void {
  test('reads any range, in order, across chunks', async () => {
    await reopen({ readEventsMax: 7 })
    const writer = await claimed(journal(), 'a')
    const texts = Array.from({ length: 100 }, (_, i) => `${i + 1}`)
    await appendText(journal(), writer, ...texts)
    for (const [from, to] of [
      [1, 100],
      [0, 1000],
      [32, 33],
      [33, 64],
      [64, 65],
      [96, 100],
      [100, 100],
      [101, 200],
      [5, 4],
    ] as const) {
      const expected = texts.filter((text) => Number(text) >= from && Number(text) <= to)
      expect(await readTexts(journal(), 'a', from, to)).toEqual(expected)
    }
    expect(await readTexts(journal(), 'nobody')).toEqual([])
    expect(await journal().highestSequenceNr('nobody')).toBe(0)
  })

  test('has nothing behind the end of the log, however far behind', async () => {
    expect(await journal().readGlobal(1, 9)).toEqual([])
    await appendText(journal(), await claimed(journal(), 'a'), 'x')
    for (const fromOrder of [2, 2 ** 48, Number.MAX_SAFE_INTEGER]) {
      expect(await journal().readGlobal(fromOrder, 9)).toEqual([])
    }
  })

  test('lets others have a turn between chunks', async () => {
    await reopen({ readBytesMax: 1 })
    await appendText(journal(), await claimed(journal(), 'a'), 'x', 'y', 'z')
    const seen: string[] = []
    const going = readTexts(journal(), 'a').then((texts) => seen.push(...texts))
    await Promise.resolve()
    expect(seen).toEqual([])
    await going
    expect(seen).toEqual(['x', 'y', 'z'])
  })

  test('passes on what the reader throws', async () => {
    await appendText(journal(), await claimed(journal(), 'a'), 'x')
    const range = { persistenceId: 'a', fromSequenceNr: 1, toSequenceNr: 1 }
    const failing = journal().read(range, () => {
      throw new Error('no more')
    })
    await expect(failing).rejects.toThrow('no more')
  })
}

export function closing({ journal }: Opened): void {
  test('settles every append that was under way when it was closed', async () => {
    const writer = await claimed(journal(), 'a')
    const appending = Array.from({ length: 50 }, (_, i) =>
      appendText(journal(), { ...writer, after: i }, `${i}`),
    )
    await journal().close()
    const results = await Promise.all(appending)
    expect(results.every(({ type }) => type === 'Appended')).toBe(true)
  })

  test('takes nothing more after it was closed, and can be closed twice', async () => {
    const writer = await claimed(journal(), 'a')
    await Promise.all([journal().close(), journal().close()])
    const code = 'JOURNAL_CLOSED'
    await expect(journal().claim('a', 'w')).rejects.toMatchObject({ code })
    await expect(appendText(journal(), writer, 'x')).rejects.toMatchObject({ code })
    await expect(readTexts(journal(), 'a')).rejects.toMatchObject({ code })
    await expect(journal().readGlobal(1, 1)).rejects.toMatchObject({ code })
    await expect(journal().highestSequenceNr('a')).rejects.toMatchObject({ code })
  })
}
