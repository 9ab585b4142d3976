import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareTexts, findInSorted, indexInSorted, walkSorted } from './sorted-list.ts'

const sets = fc
  .uniqueArray(fc.string({ maxLength: 3 }))
  .map((texts) => [...texts].sort(compareTexts))

test('finds what is there, and nothing else', () => {
  fc.assert(
    fc.property(sets, fc.string({ maxLength: 3 }), (list, text) => {
      const order = (item: string) => compareTexts(item, text)
      expect(indexInSorted(list, order)).toBe(list.indexOf(text))
      expect(findInSorted(list, order)).toBe(list.includes(text) ? text : undefined)
    }),
  )
})

test('walks over two lists in order, and tells what each of them has', () => {
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      const visited: (readonly [string | undefined, string | undefined])[] = []
      walkSorted(a, b, compareTexts, (inA, inB) => visited.push([inA, inB]))
      const all = [...new Set([...a, ...b])].sort(compareTexts)
      const pick = (list: readonly string[], text: string) =>
        list.includes(text) ? text : undefined
      expect(visited).toEqual(all.map((text) => [pick(a, text), pick(b, text)]))
    }),
  )
})
