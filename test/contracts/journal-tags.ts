/** The part of the contract about tags. */
import { expect, test } from 'vitest'
import type { NewEvent, StoredEvent } from '../../src/persistence/index.ts'
import { noTags } from '../../src/persistence/index.ts'
import { appendText, bytesOf, claimed, type Opened, textOf, type Writer } from './journal-words.ts'

const tagged = (text: string, ...tags: string[]): NewEvent => ({ bytes: bytesOf(text), tags })

/** `id:number text [tags]` */
const inWords = ({ persistenceId, sequenceNr, bytes, tags }: StoredEvent): string =>
  `${persistenceId}:${sequenceNr} ${textOf(bytes)} [${tags.join()}]`

export function tagging(open: Opened): void {
  tagsStored(open)
  tagsOfMany(open)
  tagsRefused(open)
}

const append = (
  { journal }: Opened,
  { id, epoch, after }: Writer,
  ...events: NewEvent[]
): Promise<unknown> =>
  journal().append({ persistenceId: id, epoch, expectedSequenceNr: after, events })

async function read({ journal }: Opened, persistenceId: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  const range = { persistenceId, fromSequenceNr: 1, toSequenceNr: 1e9 }
  await journal().read(range, (event) => void events.push(event))
  return events
}

async function readAll({ journal }: Opened): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (;;) {
    const more = await journal().readGlobal(events.length + 1, 100)
    if (more.length === 0) return events
    events.push(...more)
  }
}

function tagsStored(open: Opened): void {
  const { journal, reopen } = open

  test('hands out the tags of every event, also after it was opened anew', async () => {
    const writer = await claimed(journal(), 'a')
    await append(open, writer, tagged('x', 'red', 'größer'), bytesOf('y'), tagged('z', '\u{1f600}'))
    await append(open, { ...writer, after: 3 }, tagged('', 'of nothing'), tagged('none'))
    const expected = [
      'a:1 x [red,größer]',
      'a:2 y []',
      'a:3 z [\u{1f600}]',
      'a:4  [of nothing]',
      'a:5 none []',
    ]
    expect((await read(open, 'a')).map(inWords)).toEqual(expected)
    expect((await readAll(open)).map(inWords)).toEqual(expected)
    await reopen()
    // In the index as well as behind it.
    for (let round = 0; round < 2; round++) {
      expect((await read(open, 'a')).map(inWords)).toEqual(expected)
      expect((await readAll(open)).map(inWords)).toEqual(expected)
      await journal().claim('a', 'the next one')
    }
  })

  test('has one empty list for all events without tags, and lists that nobody can change', async () => {
    const mine = ['red']
    const writer = await claimed(journal(), 'a')
    await append(open, writer, { bytes: bytesOf('x'), tags: mine }, bytesOf('y'), tagged('z'))
    mine[0] = 'blue'
    const [first, second, third] = await read(open, 'a')
    expect(second?.tags).toBe(noTags)
    expect(third?.tags).toBe(noTags)
    expect([first, second].every((event) => Object.isFrozen(event?.tags))).toBe(true)
    expect(first?.tags).toEqual(['red'])
  })
}

function tagsOfMany(open: Opened): void {
  const { journal, reopen } = open

  test('keeps tags with their events when many streams write at once, some with tags', async () => {
    const ids = Array.from({ length: 60 }, (_, i) => `Thing|${i}`)
    const eventOf = (id: string, i: number): NewEvent =>
      (i + id.length) % 2 === 0 ? bytesOf(`${i}`) : tagged(`${i}`, id, `odd ${i}`)
    const writers = await Promise.all(ids.map((id) => claimed(journal(), id)))
    await Promise.all(
      writers.flatMap((writer) =>
        Array.from({ length: 8 }, (_, i) =>
          append(open, { ...writer, after: i }, eventOf(writer.id, i)),
        ),
      ),
    )
    const all = await readAll(open)
    expect(all.map(({ order }) => order)).toEqual(all.map((_, index) => index + 1))
    expect(all.length).toBe(480)
    for (const event of [...all, ...(await read(open, 'Thing|7'))]) {
      const { persistenceId, sequenceNr, tags: found, bytes } = event
      const expected = eventOf(persistenceId, sequenceNr - 1)
      expect(textOf(bytes)).toBe(`${sequenceNr - 1}`)
      expect(found).toEqual(expected instanceof Uint8Array ? [] : expected.tags)
    }
  })

  test('keeps large events, long ids and as many tags as there may be', async () => {
    const most = Array.from(
      { length: 16 },
      (_, i) => `${i}`.padStart(2, '0') + 'é'.repeat(126) + 'x',
    )
    const id = 'i'.repeat(1024)
    const writer = await claimed(journal(), id)
    await append(open, writer, tagged('x'.repeat(100_000), ...most), tagged('y', ...most))
    await append(open, { ...writer, after: 2 }, bytesOf('z'))
    await reopen()
    const found = await read(open, id)
    expect(found.map((event) => event.tags)).toEqual([most, most, []])
    expect(found.map((event) => event.bytes.byteLength)).toEqual([100_000, 1, 1])
  })
}

function tagsRefused(open: Opened): void {
  const { journal } = open

  test('refuses tags that are too many, too long, empty, doubled or no tags, and stores nothing', async () => {
    const writer = await claimed(journal(), 'a')
    const bad: readonly (readonly [tags: unknown, problem: string])[] = [
      [Array.from({ length: 17 }, (_, i) => `${i}`), 'there are 17, and 16 are allowed'],
      [['é'.repeat(128)], 'it has 256 bytes in UTF-8 and 255 are allowed'],
      [['ok', ''], 'it is empty'],
      [['ok', 'ok'], 'is there twice'],
      [['a\0b'], 'NUL'],
      [['\ud800'], 'not well-formed'],
      [[7], 'it is not a string'],
      ['red', 'is no array'],
      [undefined, 'is no array'],
    ]
    for (const [tags, problem] of bad) {
      const event = { bytes: bytesOf('x'), tags } as NewEvent
      const refused = append(open, writer, bytesOf('fine'), event)
      await expect(refused).rejects.toMatchObject({
        code: 'INVALID_JOURNAL_CALL',
        message: expect.stringContaining(problem) as string,
      })
    }
    const noBytes = append(open, writer, { bytes: 'x', tags: [] } as unknown as NewEvent)
    await expect(noBytes).rejects.toMatchObject({ code: 'INVALID_JOURNAL_CALL' })
    expect(await journal().highestSequenceNr('a')).toBe(0)
    expect(await appendText(journal(), writer, 'x')).toMatchObject({ highestSequenceNr: 1 })
  })
}
