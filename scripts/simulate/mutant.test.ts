import { expect, test } from 'vitest'
import { mutants } from '../../test/mutants/index.ts'
import { mutantIn, seedMutant } from './mutant.ts'

test('the mutant is found among the words, however it is written', () => {
  expect(mutantIn(['--scenario', 'spine', '--mutant', 'B02'])).toBe('B02')
  expect(mutantIn(['--mutant=B02', '--json'])).toBe('B02')
  expect(mutantIn(['--scenario', 'spine'])).toBeUndefined()
})

test('an unknown mutant is answered with those there are', () => {
  const problem = seedMutant('B99')
  expect(problem).toContain('There is no mutant "B99". There are: ')
  for (const name of mutants.keys()) expect(problem).toContain(name)
})

test('a mutant that would not be loaded is refused', () => {
  expect(seedMutant('B02')).toContain('Only compiled code can be edited')
})
