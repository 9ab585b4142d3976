import { expect, test } from 'vitest'
import { LatelyIdle } from './lately-idle.ts'

class Entity {
  isKept = false
  letGoCount = 0

  letGo(): void {
    this.letGoCount++
  }
}

const many = (count: number): Entity[] => Array.from({ length: count }, () => new Entity())

test('those that rested last keep what they have, the one before them lets go', () => {
  const idle = new LatelyIdle()
  const [first, ...others] = many(1024)
  for (const entity of [first!, ...others]) idle.rests(entity)
  // Again, which changes nothing.
  idle.rests(first!)
  expect(first!.letGoCount).toBe(0)
  idle.rests(new Entity())
  expect(first!.letGoCount).toBe(1)
  expect(others.every(({ letGoCount }) => letGoCount === 0)).toBe(true)
  // It works, and rests once more.
  idle.rests(first!)
  expect(others[0]!.letGoCount).toBe(1)
})

test('one that has ended is not held any more', () => {
  const idle = new LatelyIdle()
  const entities = many(1024)
  for (const entity of entities) idle.rests(entity)
  idle.ended(entities[0]!)
  idle.rests(new Entity())
  expect(entities.every(({ letGoCount }) => letGoCount === 0)).toBe(true)
})
