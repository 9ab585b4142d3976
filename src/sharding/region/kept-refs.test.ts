import { expect, test } from 'vitest'
import { KeptRefs } from './kept-refs.ts'

test('gives the same ref for the same id, and always one of that id', () => {
  let made = 0
  const refs = new KeptRefs((entityId) => ({ entityId, number: ++made }))
  expect(refs.of('a')).toBe(refs.of('a'))
  for (let index = 0; index < 50_000; index++) {
    expect(refs.of(`id-${index}`).entityId).toBe(`id-${index}`)
  }
  expect(refs.of('id-7').entityId).toBe('id-7')
  expect(made).toBeGreaterThan(50_000)
})
