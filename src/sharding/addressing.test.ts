import { describe, expect, test } from 'vitest'
import { Addressing, type AddressingOptions, reasonOf } from './addressing.ts'
import {
  type ExtractorFunctions,
  HashCodeMessageExtractor,
  HashCodeNoEnvelopeMessageExtractor,
  Murmur2MessageExtractor,
  Murmur2NoEnvelopeMessageExtractor,
  shardingEnvelope,
} from './message-extractor.ts'
import { shardOf } from './shard-id.ts'

interface Order {
  readonly customer: string
  readonly amount: number
}

function addressing(options: Partial<AddressingOptions> = {}): Addressing {
  return new Addressing({ entityType: 'Customer', numberOfShards: 12, ...options })
}

function byFunctions(functions: ExtractorFunctions<Order, unknown>): Addressing {
  return addressing({ functions })
}

/** The reason for which it becomes a dead letter. */
function reasonFor(act: () => unknown): string | undefined {
  try {
    act()
  } catch (error) {
    return reasonOf(error)
  }
  return undefined
}

const order: Order = { customer: 'ada', amount: 3 }

describe('which entity a message is for', () => {
  test('an envelope names it, and carries what it receives', () => {
    expect(addressing().read({ entityId: 'ada', message: order })).toEqual({
      entityId: 'ada',
      message: order,
    })
  })

  test('a function that answers an id gives the message as it is', () => {
    const customers = byFunctions({ extractEntityId: ({ customer }) => customer })
    expect(customers.read(order)).toEqual({ entityId: 'ada', message: order })
  })

  test('a function may take the message apart', () => {
    const customers = byFunctions({
      extractEntityId: ({ customer, amount }) => ({ entityId: customer, message: amount }),
    })
    expect(customers.read(order)).toEqual({ entityId: 'ada', message: 3 })
  })

  const noEnvelope = [
    new HashCodeNoEnvelopeMessageExtractor<Order>(12, ({ customer }) => customer),
    new Murmur2NoEnvelopeMessageExtractor<Order>(12, ({ customer }) => customer.slice()),
  ]
  test.each(noEnvelope)('SH-010 both forms are understood side by side', (extractor) => {
    const customers = addressing({ extractor })
    expect(customers.read(order)).toEqual({ entityId: 'ada', message: order })
    // The second extractor throws on it, and it is understood all the same.
    const envelope = { entityId: 'bob', message: order }
    expect(customers.read(envelope)).toEqual(envelope)
  })

  test('an envelope that was made as one is one, though the extractor answers for everything', () => {
    const everybody = byFunctions({ extractEntityId: ({ customer }) => `c-${customer}` })
    expect(everybody.read(shardingEnvelope('bob', 5))).toEqual({ entityId: 'bob', message: 5 })
  })

  test('a message of the extractor that looks like an envelope stays what it is', () => {
    const extractor = new HashCodeNoEnvelopeMessageExtractor<{ readonly entityId: string }>(
      ...([12, ({ entityId }: { readonly entityId: string }) => entityId] as const),
    )
    const note = { entityId: 'ada', message: 'hello' }
    expect(addressing({ extractor }).read(note)).toEqual({ entityId: 'ada', message: note })
  })

  test.each([null, 5, 'ada', {}, { entityId: 'ada' }, { message: 1 }, []])(
    '%j names none',
    (incoming) => {
      expect(reasonFor(() => addressing().read(incoming))).toBe('no-entity')
    },
  )

  test('an extractor that throws has a reason of its own, with the error', () => {
    const broken = byFunctions({
      extractEntityId: () => {
        throw new Error('boom')
      },
    })
    expect(reasonFor(() => broken.read(order))).toBe('extractor-failed')
    expect(() => broken.read(order)).toThrow('boom')
  })
})

describe('in which shard an entity lives', () => {
  test('by the stable hash, unless the type says otherwise', () => {
    const ids = ['ada', 'bob', 'user-42']
    const hashed = ids.map((id) => shardOf(id, 12))
    expect(ids.map((id) => addressing().shardOf(id))).toEqual(hashed)
    const functions = byFunctions({ extractEntityId: ({ customer }) => customer })
    expect(ids.map((id) => functions.shardOf(id))).toEqual(hashed)
  })

  test.each([
    ['1', 9, 3, 159],
    ['12345', 4, 8, 44],
    ['entity-1', 8, 8, 48],
    ['user-42', 0, 4, 460],
    ['日本', 7, 3, 627],
  ])("%s as Kafka's partitioner has it", (id, ten, twelve, thousand) => {
    const shardIn = (shards: number) => new Murmur2MessageExtractor(shards).shardId(id)
    expect([shardIn(10), shardIn(12), shardIn(1_000)]).toEqual([ten, twelve, thousand])
  })

  test('a text is mapped to a number by the stable hash', () => {
    const byCountry = byFunctions({
      extractEntityId: ({ customer }) => customer,
      extractShardId: (id) => id.slice(0, 2),
    })
    expect(byCountry.shardOf('de-17')).toBe(shardOf('de', 12))
    expect(byCountry.shardOf('de-18')).toBe(byCountry.shardOf('de-17'))
  })

  test.each([-1, 12, 1.5, NaN, '', 'x'.repeat(129), '\0', null, undefined, {}, 7n, true])(
    'what is no shard is refused: %o',
    (shard) => {
      const nonsense = byFunctions({ extractShardId: () => shard as never })
      expect(reasonFor(() => nonsense.shardOf('ada'))).toBe('invalid-shard-id')
    },
  )

  test.each(['', 5, null, undefined, 'x'.repeat(600), '\0', '\ud800'])(
    'what is no id is refused: %o',
    (id) => {
      expect(reasonFor(() => addressing().shardOf(id))).toBe('invalid-entity-id')
    },
  )

  test('an extractor that throws, or answers differently twice, has a reason of its own', () => {
    let calls = 0
    const fickle = byFunctions({ extractShardId: () => calls++ % 12 })
    expect(reasonFor(() => fickle.shardOf('ada'))).toBe('extractor-unstable')
    const broken = byFunctions({
      extractShardId: () => {
        throw new Error('boom')
      },
    })
    expect(reasonFor(() => broken.shardOf('ada'))).toBe('extractor-failed')
  })
})

test('extractors are told apart by how they place ids', () => {
  const idOf = (options: Partial<AddressingOptions>) => addressing(options).extractorId
  expect(idOf({})).toBe('stable-hash@1/12')
  expect(idOf({ extractor: new HashCodeMessageExtractor(12) })).toBe('stable-hash@1/12')
  expect(idOf({ extractor: new HashCodeNoEnvelopeMessageExtractor(12, () => 'x') })).toBe(
    'stable-hash@1/12',
  )
  expect(idOf({ extractor: new Murmur2MessageExtractor(10) })).toBe('murmur2@1/10')
  const place = { extractShardId: () => 1 }
  expect(idOf({ functions: place })).toBe('unnamed')
  expect(idOf({ functions: { ...place, extractorId: 'by-country@2' } })).toBe('by-country@2')
})
