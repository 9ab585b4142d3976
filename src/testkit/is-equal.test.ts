import { describe, expect, test } from 'vitest'
import type { ActorRef } from '../actor/index.ts'
import { isEqual } from './is-equal.ts'
import { createInbox } from './kit/inbox.ts'

class Money {
  readonly amount: number

  constructor(amount: number) {
    this.amount = amount
  }
}

describe('isEqual', () => {
  test('compares content all the way down', () => {
    const order = { id: 1, lines: [{ sku: 'a', tags: new Set(['x', 'y']) }], at: new Date(5) }
    const alike = { at: new Date(5), lines: [{ tags: new Set(['y', 'x']), sku: 'a' }], id: 1 }
    expect(isEqual(order, alike)).toBe(true)
    expect(isEqual(order, { ...alike, at: new Date(6) })).toBe(false)
    expect(isEqual(order, { ...alike, lines: [] })).toBe(false)
  })

  test.each<[string, unknown, unknown]>([
    ['a class from a plain object', new Money(1), { amount: 1 }],
    ['a missing field from an undefined one', { a: undefined }, {}],
    ['a field from another of the same number', { a: undefined }, { b: undefined }],
    ['zero from minus zero', { a: 0 }, { a: -0 }],
    ['null from an object', null, {}],
    ['a hole from undefined', [undefined], new Array(1)],
    ['an array from a longer one', [1], [1, 2]],
    ['a hole from two', new Array(1), new Array(2)],
    ['a symbol field', { [Symbol.for('k')]: 1 }, { [Symbol.for('k')]: 2 }],
    ['maps by their keys', new Map([[{ k: 1 }, 1]]), new Map([[{ k: 2 }, 1]])],
    ['maps by their values', new Map([['k', 1]]), new Map([['k', 2]])],
    ['sets by how often a value is in them', new Set([{}, {}]), new Set([{}, { a: 1 }])],
    ['errors by their message', new Error('a'), new Error('b')],
    ['errors by their cause', new Error('a', { cause: 1 }), new Error('a', { cause: 2 })],
    ['patterns', /a/g, /a/i],
    ['bytes', Uint8Array.of(1, 2), Uint8Array.of(1, 3)],
    ['buffers', new ArrayBuffer(1), new ArrayBuffer(2)],
    ['functions', () => 1, () => 1],
  ])('tells %s', (_name, a, b) => {
    expect(isEqual(a, b)).toBe(false)
    expect(isEqual(b, a)).toBe(false)
  })

  test.each<[string, unknown, unknown]>([
    ['instances of one class', new Money(1), new Money(1)],
    ['not-a-number', { a: NaN }, { a: NaN }],
    [
      'maps in another order',
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
      new Map([
        ['b', 2],
        ['a', 1],
      ]),
    ],
    ['bytes in different buffers', Uint8Array.of(0, 7).subarray(1), Uint8Array.of(7)],
    ['buffers', new ArrayBuffer(2), new ArrayBuffer(2)],
    ['errors alike', new RangeError('a'), new RangeError('a')],
    ['objects without a prototype', Object.create(null), Object.create(null)],
  ])('finds equal: %s', (_name, a, b) => {
    expect(isEqual(a, b)).toBe(true)
  })

  test('comes to an end where a message leads back to itself', () => {
    const ring = (name: string): object => {
      const first: { name: string; next?: object } = { name }
      first.next = { name: 'second', next: first }
      return first
    }
    expect(isEqual(ring('a'), ring('a'))).toBe(true)
    expect(isEqual(ring('a'), ring('b'))).toBe(false)
  })

  test('holds two actors apart, even when their refs look alike', () => {
    const first = createInbox('x').ref
    const second = createInbox('x').ref
    expect(String(first)).toBe(String(second))
    expect(isEqual({ replyTo: first }, { replyTo: first })).toBe(true)
    const asked = createInbox<unknown>('asked')
    for (const count of [1, 2]) void asked.ref.ask((replyTo) => ({ count, replyTo }))
    const [one, two] = asked.receiveAll() as { readonly replyTo: ActorRef<string> }[]
    one?.replyTo.tell('answer')
    two?.replyTo.tell('answer')
    expect(isEqual(one?.replyTo, two?.replyTo)).toBe(false)
    expect(isEqual({ replyTo: first }, { replyTo: second })).toBe(false)
  })
})
