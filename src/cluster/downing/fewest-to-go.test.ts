import { expect, test } from 'vitest'
import { tangle } from '../../../test/cluster/split-views.ts'
import { fewestToGo } from './fewest-to-go.ts'

test.each([
  ['A>B B>A', 'B'],
  ['B>A', 'B'],
  ['A>B A>C', 'A'],
  ['A>B B>C C>A', 'BC'],
  ['B>C C>B E>F F>E', 'CF'],
  ['A>B A>C A>D B>A', 'A'],
  // As a clean cut between A, B and C, D would be.
  ['A>C A>D B>C B>D', 'CD'],
  ['A>D B>D C>D D>A', 'D'],
])('where %s, there go %s', (records, expected) => {
  const going = fewestToGo(tangle('ABCDEF', records).records)
  const names = [...going].map((node) => node[0]!.toUpperCase()).sort()
  expect(names.join('')).toBe(expected)
})

test('nobody has to go where all reach each other', () => {
  expect(fewestToGo([]).size).toBe(0)
})
