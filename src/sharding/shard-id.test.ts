import { describe, expect, test } from 'vitest'
import {
  HashCodeMessageExtractor,
  HashCodeNoEnvelopeMessageExtractor,
} from './message-extractor.ts'
import { checkEntityId, entityIdBytesMax, isShardId, shardOf } from './shard-id.ts'
import { InvalidEntityId } from './sharding-errors.ts'

describe('shards of entities', () => {
  test('are the same for ever', () => {
    const ids = ['', 'a', 'visits', 'cart-17', 'ü', '🎲']
    expect(ids.map((id) => shardOf(id, 128))).toEqual([0, 50, 13, 117, 42, 88])
  })

  test('are spread evenly', () => {
    const counts = new Array<number>(16).fill(0)
    for (let index = 0; index < 16_000; index++) counts[shardOf(`entity-${index}`, 16)]!++
    expect(Math.min(...counts)).toBeGreaterThan(850)
    expect(Math.max(...counts)).toBeLessThan(1_150)
  })

  test.each([-1, 4, 1.5, NaN])('never is %d of four', (shard) => {
    expect(isShardId(shard, 4)).toBe(false)
  })
})

describe('entity ids', () => {
  test.each(['a', ' ', 'ü/🎲', '__proto__', 'x'.repeat(entityIdBytesMax)])('may be %j', (id) => {
    expect(() => checkEntityId(id)).not.toThrow()
  })

  test.each([
    [7, 'not a string'],
    ['', 'empty'],
    ['a\0b', 'NUL'],
    ['\ud800', 'well-formed'],
    ['ü'.repeat(257), '514 bytes'],
  ])('may not be %j', (id, reason) => {
    expect(() => checkEntityId(id)).toThrow(InvalidEntityId)
    expect(() => checkEntityId(id)).toThrow(reason)
  })
})

describe('message extractors', () => {
  test('unwrap an envelope', () => {
    const extractor = new HashCodeMessageExtractor<string>(10)
    const envelope = { entityId: 'a', message: 'hello' }
    expect(extractor.entityId(envelope)).toBe('a')
    expect(extractor.unwrapMessage(envelope)).toBe('hello')
    expect(extractor.shardId('a')).toBe(shardOf('a', 10))
  })

  test('read the id from the message itself', () => {
    const extractor = new HashCodeNoEnvelopeMessageExtractor<{ id?: string }>(10, ({ id }) => id)
    expect(extractor.entityId({ id: 'a' })).toBe('a')
    expect(extractor.entityId({})).toBeUndefined()
    expect(extractor.unwrapMessage({ id: 'a' })).toEqual({ id: 'a' })
    expect(extractor.shardId('a')).toBe(shardOf('a', 10))
  })
})
