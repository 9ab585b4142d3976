import { expect, test } from 'vitest'
import { problemWithTags } from './tags.ts'

test.each<[tags: unknown, problem: string | undefined]>([
  [['red', 'größer'], undefined],
  [[], undefined],
  [Array.from({ length: 17 }, (_, i) => `${i}`), 'there are 17, and 16 are allowed'],
  [['é'.repeat(128)], 'it has 256 bytes in UTF-8 and 255 are allowed'],
  [['ok', ''], 'it is empty'],
  [['ok', 'ok'], 'is there twice'],
  [['a\0b'], 'NUL'],
  [['\ud800'], 'not well-formed'],
  [[7], 'it is not a string'],
  ['red', 'is not an array'],
  [undefined, 'is not an array'],
])('says what keeps %j from being tags: %s', (tags, problem) => {
  const found = problemWithTags(tags)
  if (problem === undefined) expect(found).toBeUndefined()
  else expect(found).toContain(problem)
})
