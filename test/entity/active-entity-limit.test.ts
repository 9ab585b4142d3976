import { expect, test } from 'vitest'
import { defineEntity } from '../../src/index.ts'

const parts = {
  state: () => ({ count: 0 }),
  commands: { get: (self: { state: unknown }) => String(self.state) },
}

test('a definition keeps what was said about passivation', () => {
  const { passivation } = defineEntity('Guest', { ...parts, passivation: { activeEntityLimit: 5 } })
  expect(passivation).toEqual({ activeEntityLimit: 5 })
})

test.each([
  [
    { passivation: 'off', passivateAfter: '1m' },
    "passivation is 'off', so passivateAfter can mean nothing: leave one out",
  ],
  [
    { passivation: { idleAfterMs: 5 }, passivateAfter: '1m' },
    'passivateAfter and passivation.idleAfterMs say the same: leave one out',
  ],
  [
    { passivation: { activeEntityLimit: -1 } },
    'passivation.activeEntityLimit must be a whole number of at least 1, not -1',
  ],
])('refuses %j', (options, problem) => {
  expect(() => defineEntity('Guest', { ...parts, ...(options as object) })).toThrow(problem)
})
