/** The part of the contract about listing ids, for journals that can. */
import assert from 'node:assert/strict'
import { deletesEvents, type IdQuery, type Journal, keepsStates } from '../../persistence/index.ts'
import type { AddTest } from './journal-contract.ts'
import { appendText, claimed } from './journal-texts.ts'
import { deleterOf, idsOf, statesOf } from './ports.ts'

/** Page by page, in the order in which they came. */
async function list(
  journal: Journal,
  { kind = 'events', idsMax = 100, ...rest }: Partial<IdQuery> = {},
): Promise<string[]> {
  const ids: string[] = []
  for (let { after } = rest; ;) {
    const page = await idsOf(journal).listIds({ kind, idsMax, ...rest, after })
    assert.ok(page.ids.length <= idsMax, `${page.ids.length} ids, and ${idsMax} were asked for`)
    assert.ok(page.isLast || page.ids.length > 0, 'a page that is not the last has an id')
    ids.push(...page.ids)
    if (page.isLast) return ids
    after = page.ids.at(-1)
  }
}

const claimAll = (journal: Journal, ids: readonly string[]): Promise<unknown> =>
  Promise.all(ids.map((id) => journal.claim(id, 'w')))

/** In the order of their bytes, which is not that of their units in UTF-16. */
const inOrder: readonly string[] = [
  'A|1',
  'a',
  'ab',
  'a|1',
  'a|10',
  'a|2',
  'é',
  '～',
  '\u{1f600}',
  '\u{1f600}a',
]

export function listingIds(check: AddTest): void {
  known(check)
  pages(check)
  prefixes(check)
  refused(check)
}

function known(check: AddTest): void {
  check('lists the ids that it knows, in the order of their bytes', async (on) => {
    assert.deepEqual(await list(on.journal), [])
    await claimAll(on.journal, inOrder.toReversed())
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await list(on.journal), inOrder)
      assert.deepEqual(await list(on.journal, { kind: 'states' }), [])
      await on.reopen()
    }
    await on.journal.claim('a', 'again')
    assert.deepEqual(await list(on.journal), inOrder)
  })

  check('lists ids that were only claimed, and those that have nothing left', async (on) => {
    const written = await claimed(on.journal, 'written')
    await appendText(on.journal, written, 'x')
    await on.journal.claim('claimed', 'w')
    await on.journal.highestSequenceNr('asked for')
    const expected = ['claimed', 'written']
    if (deletesEvents(on.journal)) {
      const { epoch } = await on.journal.claim('ended', 'w')
      const batch = { persistenceId: 'ended', epoch, expectedSequenceNr: 0, events: [] }
      await deleterOf(on.journal).deleteEvents(batch)
      expected.splice(1, 0, 'ended')
    }
    await on.reopen()
    assert.deepEqual(await list(on.journal), expected)
  })

  check('lists the ids of states apart from those of streams', async (on) => {
    if (!keepsStates(on.journal)) return
    await on.journal.claim('stream', 'w')
    await on.journal.claim('both', 'w')
    for (const id of ['both', 'state']) await statesOf(on.journal).claimState(id, 'w')
    const { epoch } = await statesOf(on.journal).claimState('deleted', 'w')
    const numbers = { epoch, expectedRevision: 0, revision: 1 }
    const write = { persistenceId: 'deleted', ...numbers, bytes: undefined }
    await statesOf(on.journal).writeState(write)
    await statesOf(on.journal).readState('asked for')
    await on.reopen()
    assert.deepEqual(await list(on.journal), ['both', 'stream'])
    assert.deepEqual(await list(on.journal, { kind: 'states' }), ['both', 'deleted', 'state'])
  })
}

function pages(check: AddTest): void {
  check('lists no more ids than were asked for, and goes on behind any of them', async (on) => {
    const many = Array.from({ length: 300 }, (_, i) => `Thing|${`${i}`.padStart(3, '0')}`)
    await claimAll(on.journal, many)
    for (const idsMax of [1, 7, 299, 300, 301]) {
      assert.deepEqual(await list(on.journal, { idsMax }), many)
    }
    assert.deepEqual(await list(on.journal, { after: many[297]! }), many.slice(298))
    assert.deepEqual(await list(on.journal, { after: many[299]! }), [])
    // It need not be there, nor need anything behind it.
    assert.deepEqual(await list(on.journal, { after: 'Thing|2975' }), many.slice(298))
    assert.deepEqual(await list(on.journal, { after: '\u{10ffff}' }), [])
    assert.deepEqual(await list(on.journal, { after: 'A' }), many)
  })
}

function prefixes(check: AddTest): void {
  check('lists the ids that begin as asked for, and no others', async (on) => {
    await claimAll(on.journal, [...inOrder, 'a_1', 'a%1', 'a\\1', "a'1", 'x%y', 'xxy', 'é|1'])
    for (const [prefix, expected] of [
      ['a|', ['a|1', 'a|10', 'a|2']],
      ['a|1', ['a|1', 'a|10']],
      ['A', ['A|1']],
      ['a%', ['a%1']],
      ['a_', ['a_1']],
      ['a\\', ['a\\1']],
      ["a'", ["a'1"]],
      ['é', ['é', 'é|1']],
      ['\u{1f600}', ['\u{1f600}', '\u{1f600}a']],
      ['nothing', []],
      ['\u{10ffff}', []],
    ] as const) {
      assert.deepEqual(await list(on.journal, { prefix }), expected, prefix)
      assert.deepEqual(await list(on.journal, { prefix, idsMax: 1 }), expected, prefix)
    }
    const prefix = 'a|'
    assert.deepEqual(await list(on.journal, { prefix, after: 'a|1' }), ['a|10', 'a|2'])
    assert.deepEqual(await list(on.journal, { prefix, after: 'A' }), ['a|1', 'a|10', 'a|2'])
    assert.deepEqual(await list(on.journal, { prefix, after: 'b' }), [])
  })
}

function refused(check: AddTest): void {
  check('lists no ids when the question makes no sense, or it is closed', async ({ journal }) => {
    const good: IdQuery = { kind: 'events', idsMax: 1 }
    for (const part of [
      ...[0, -1, 0.5, NaN].map((idsMax) => ({ idsMax })),
      ...['a\0b', '\ud800', 'x'.repeat(1025)].flatMap((text) => [
        { prefix: text },
        { after: text },
      ]),
      { kind: 'all' as 'events' },
      { prefix: 7 as unknown as string },
    ]) {
      const refusal = { code: 'INVALID_JOURNAL_CALL' }
      await assert.rejects(idsOf(journal).listIds({ ...good, ...part }), refusal)
    }
    await journal.close()
    await assert.rejects(list(journal), { code: 'JOURNAL_CLOSED' })
  })
}
