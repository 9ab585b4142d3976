import { expect, test } from 'vitest'
import {
  defaultSerializationSettings,
  problemsWithSerializationSettings,
} from './serialization-settings.ts'

test('has no problem with the defaults', () => {
  expect(problemsWithSerializationSettings(defaultSerializationSettings)).toEqual([])
})

test('names every problem at once', () => {
  expect(
    problemsWithSerializationSettings({ bytesMax: 0, depthMax: 1_001, elementsMax: 1.5 }),
  ).toEqual([
    'bytesMax must be a whole number from 1 to 268435456',
    'depthMax must be a whole number from 1 to 1000',
    'elementsMax must be a whole number from 1 to 268435456',
  ])
})
