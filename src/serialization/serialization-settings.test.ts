import { expect, test } from 'vitest'
import {
  defaultSerializationSettings,
  serializationSettingsTable,
} from './serialization-settings.ts'

test('has no problem with the defaults', () => {
  expect(serializationSettingsTable.problemsWith(defaultSerializationSettings)).toEqual([])
})

test('names every problem at once', () => {
  expect(
    serializationSettingsTable.problemsWith({ bytesMax: 0, depthMax: 1_001, elementsMax: 1.5 }),
  ).toEqual([
    'bytesMax must be a whole number from 1 to 268435456, not 0',
    'depthMax must be a whole number from 1 to 1000, not 1001',
    'elementsMax must be a whole number from 1 to 268435456, not 1.5',
  ])
})
