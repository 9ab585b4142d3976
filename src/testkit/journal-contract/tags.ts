/** The part of the contract about tags. */
import assert from 'node:assert/strict'
import type { AppendResult, Journal, NewEvent, StoredEvent } from '../../persistence/index.ts'
import type { AddTest } from './journal-contract.ts'
import { appendText, bytesOf, claimed, readEvents, textOf, type Writer } from './journal-texts.ts'

const tagged = (text: string, ...names: string[]): NewEvent => ({
  bytes: bytesOf(text),
  tags: names,
})

/** `number text [tags]` */
const inWords = ({ sequenceNr, bytes, tags: names }: StoredEvent): string =>
  `${sequenceNr} ${textOf(bytes)} [${names.join()}]`

const append = (
  journal: Journal,
  { id, epoch, after }: Writer,
  ...events: NewEvent[]
): Promise<AppendResult> =>
  journal.append({ persistenceId: id, epoch, expectedSequenceNr: after, events })

export function tags(check: AddTest): void {
  stored(check)
  ofMany(check)
  refused(check)
}

function stored(check: AddTest): void {
  check('hands out the tags of every event, also after it was opened anew', async (on) => {
    const writer = await claimed(on.journal, 'a')
    const first = [tagged('x', 'red', 'größer'), bytesOf('y'), tagged('z', '\u{1f600}')]
    await append(on.journal, writer, ...first)
    await append(on.journal, { ...writer, after: 3 }, tagged('', 'of nothing'), tagged('none'))
    const expected = [
      ...['1 x [red,größer]', '2 y []', '3 z [\u{1f600}]', '4  [of nothing]', '5 none []'],
    ]
    assert.deepEqual((await readEvents(on.journal, 'a')).map(inWords), expected)
    await on.reopen()
    // A claim may move them to another place.
    for (let round = 0; round < 2; round++) {
      assert.deepEqual((await readEvents(on.journal, 'a')).map(inWords), expected)
      await on.journal.claim('a', 'the next one')
    }
  })

  check(
    'has one empty list for all events without tags, and lists nobody can change',
    async (on) => {
      const mine = ['red']
      const writer = await claimed(on.journal, 'a')
      const events = [{ bytes: bytesOf('x'), tags: mine }, bytesOf('y'), tagged('z')]
      await append(on.journal, writer, ...events)
      mine[0] = 'blue'
      const [first, second, third] = await readEvents(on.journal, 'a')
      assert.deepEqual(first?.tags, ['red'])
      assert.deepEqual(second?.tags, [])
      assert.equal(second?.tags, third?.tags)
      assert.ok([first, second].every((event) => Object.isFrozen(event?.tags)))
    },
  )
}

function ofMany(check: AddTest): void {
  check('keeps tags with their events when many streams write at once', async ({ journal }) => {
    const ids = Array.from({ length: 60 }, (_, i) => `Thing|${i}`)
    const eventOf = (id: string, i: number): NewEvent =>
      (i + id.length) % 2 === 0 ? bytesOf(`${i}`) : tagged(`${i}`, id, `odd ${i}`)
    const writers = await Promise.all(ids.map((id) => claimed(journal, id)))
    await Promise.all(
      writers.flatMap((writer) =>
        Array.from({ length: 8 }, (_, i) =>
          append(journal, { ...writer, after: i }, eventOf(writer.id, i)),
        ),
      ),
    )
    for (const id of ids) {
      const events = await readEvents(journal, id)
      assert.equal(events.length, 8)
      for (const { sequenceNr, tags: found, bytes } of events) {
        const expected = eventOf(id, sequenceNr - 1)
        assert.equal(textOf(bytes), `${sequenceNr - 1}`)
        assert.deepEqual(found, expected instanceof Uint8Array ? [] : expected.tags)
      }
    }
  })

  check('keeps large events, long ids and as many tags as there may be', async (on) => {
    const most = Array.from(
      { length: 16 },
      (_, i) => `${i}`.padStart(2, '0') + 'é'.repeat(126) + 'x',
    )
    const id = 'i'.repeat(1024)
    const writer = await claimed(on.journal, id)
    await append(on.journal, writer, tagged('x'.repeat(100_000), ...most), tagged('y', ...most))
    await append(on.journal, { ...writer, after: 2 }, bytesOf('z'))
    await on.reopen()
    const found = await readEvents(on.journal, id)
    assert.deepEqual(
      found.map((event) => event.tags),
      [most, most, []],
    )
    assert.deepEqual(
      found.map((event) => event.bytes.byteLength),
      [100_000, 1, 1],
    )
  })
}

function refused(check: AddTest): void {
  check('refuses what cannot be tags, and stores nothing then', async ({ journal }) => {
    const code = 'INVALID_JOURNAL_CALL'
    const writer = await claimed(journal, 'a')
    const tooMany = Array.from({ length: 17 }, (_, i) => `${i}`)
    const tooLong = ['é'.repeat(128)]
    const odd = [['ok', ''], ['ok', 'ok'], ['a\0b'], ['\ud800'], [7], 'red', undefined]
    for (const bad of [tooMany, tooLong, ...odd]) {
      const event = { bytes: bytesOf('x'), tags: bad } as NewEvent
      await assert.rejects(append(journal, writer, bytesOf('fine'), event), { code })
    }
    const noBytes = append(journal, writer, { bytes: 'x', tags: [] } as unknown as NewEvent)
    await assert.rejects(noBytes, { code })
    assert.equal(await journal.highestSequenceNr('a'), 0)
    const appended = { type: 'Appended', highestSequenceNr: 1 }
    assert.deepEqual(await appendText(journal, writer, 'x'), appended)
  })
}
