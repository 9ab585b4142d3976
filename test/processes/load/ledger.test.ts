import { expect, test } from 'vitest'
import { Ledger } from './ledger.ts'

function ledger(): Ledger {
  const made = new Ledger()
  for (const id of ['kept', 'maybe', 'open', 'no']) made.begin(id, 'tally')
  made.settle('kept', 'acked')
  made.settle('maybe', 'unknown')
  made.settle('no', 'refused')
  return made
}

const verdictOn = (...ids: readonly string[]) => ledger().check(new Map([['tally', ids]]))

test('what was acknowledged once, and what is unknown at most once, is well', () => {
  expect(verdictOn('kept')).toEqual({ acked: 1, unknown: 2, refused: 1, problems: [] })
  expect(verdictOn('maybe', 'kept', 'open').problems).toEqual([])
})

test('what was lost, doubled, refused, misplaced or never sent is found', () => {
  expect(verdictOn().problems).toEqual(['tally lost kept, acknowledged'])
  expect(verdictOn('kept', 'kept').problems).toEqual(['tally has kept 2 times'])
  expect(verdictOn('kept', 'maybe', 'maybe').problems).toEqual(['tally has maybe 2 times'])
  expect(verdictOn('kept', 'no').problems).toEqual(['tally has no, refused'])
  expect(verdictOn('kept', 'odd').problems).toEqual(['tally has odd, which nobody sent'])
  const other = ledger().check(new Map([['other', ['kept']]]))
  expect(other.problems).toEqual(['other has kept of tally'])
})
