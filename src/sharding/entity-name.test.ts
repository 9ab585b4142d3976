import { describe, expect, test } from 'vitest'
import { decodeName, encodeName } from './entity-name.ts'

describe('entity names', () => {
  test.each(['plain-1', '$x', '.', '..', 'a/b', 'a%2Fb', 'é', ' ', '#1', '名前', 'a'.repeat(300)])(
    '%j comes back as it was, and is one name of a path',
    (id) => {
      const name = encodeName(id)
      expect(decodeName(name)).toBe(id)
      expect(name).toMatch(/^[^/#\s$]+$/)
      expect(name).not.toMatch(/^\.+$/)
    },
  )

  test('different ids have different names', () => {
    const ids = ['.', '%2E', '%252E', '..', 'a/b', 'a%2Fb']
    expect(new Set(ids.map(encodeName)).size).toBe(ids.length)
  })

  test('what nobody encoded is no name', () => {
    expect(decodeName('%')).toBeUndefined()
    expect(decodeName('%ff')).toBeUndefined()
  })
})
