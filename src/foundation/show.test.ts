import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { show } from './show.ts'

class Order {
  readonly id = 7
}

class Path {
  toString(): string {
    return 'sherd://shop/user/a'
  }
}

describe('show', () => {
  test.each<[unknown, string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    [true, 'true'],
    [-0, '-0'],
    [1.5, '1.5'],
    [12n, '12n'],
    ['it’s', "'it’s'"],
    ["it's", "'it\\'s'"],
    [Symbol('home'), 'Symbol(home)'],
    [function route() {}, '[function route]'],
    [() => {}, '[function (anonymous)]'],
    [[], '[]'],
    [[1, 'a', [null]], "[1, 'a', [null]]"],
    [{}, '{}'],
    [{ type: 'BeginHandOff', shard: 7 }, "{ type: 'BeginHandOff', shard: 7 }"],
    [{ 'a b': 1, größe: 2 }, "{ 'a b': 1, größe: 2 }"],
    [new Order(), 'Order { id: 7 }'],
    [Object.create(null), '{}'],
    [new Map([['a', { b: 1 }]]), "Map(1) {'a' => { b: 1 }}"],
    [new Set([1, 2]), 'Set(2) {1, 2}'],
    [new TypeError('no home'), 'TypeError: no home'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Date(NaN), 'Invalid Date'],
    [/a+/g, '/a+/g'],
    [new Uint8Array(3), 'Uint8Array(3 bytes)'],
    [Promise.resolve(), 'Promise {}'],
  ])('renders values of every kind (%#)', (value, text) => {
    expect(show(value)).toBe(text)
  })

  test('uses the toString that a value brings along, at any depth', () => {
    expect(show(new Path())).toBe('sherd://shop/user/a')
    expect(show({ to: new Path() })).toBe('{ to: sherd://shop/user/a }')
    expect(show({ toString: 'only data' })).toBe("{ toString: 'only data' }")
  })

  test('marks cycles and shows a value that merely occurs twice', () => {
    const node: Record<string, unknown> = { name: 'a' }
    node['self'] = node
    expect(show(node)).toBe("{ name: 'a', self: [circular] }")
    const shared = { x: 1 }
    expect(show([shared, shared])).toBe('[{ x: 1 }, { x: 1 }]')
  })

  test('does not call getters', () => {
    let calls = 0
    const value = {
      get price(): number {
        return ++calls
      },
    }
    expect([show(value), calls]).toEqual(['{ price: [getter] }', 0])
  })

  test('says where it could not read and goes on', () => {
    const throwing = {
      toString(): string {
        throw new Error('no')
      },
    }
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(show([1, throwing, proxy, 2])).toBe('[1, [unreadable], [unreadable], 2]')
    expect(show({ toString: () => Object.create(null) as string })).toBe('[unreadable]')
  })

  test('escapes control characters wherever they hide', () => {
    const evil = 'a\n\u001b[31m\u202e'
    const visible = 'a\\n\\u001b[31m\\u202e'
    expect(show(evil)).toBe(`'${visible}'`)
    expect(show({ [evil]: 1 })).toBe(`{ '${visible}': 1 }`)
    expect(show(Symbol(evil))).toBe(`Symbol(${visible})`)
    expect(show(new Error(evil))).toBe(`Error: ${visible}`)
    expect(show({ toString: () => evil })).toBe(visible)
  })

  test('cuts what is long', () => {
    expect(show('x'.repeat(1_000), 10)).toBe("'xxxxxxxx…")
    expect(show([1, 2, 3], 5)).toBe('[1, …')
    expect(show({ deep: [[[[[1]]]]] })).toBe('{ deep: [[[[…]]]] }')
    expect(show(Array.from({ length: 30 }, () => 0))).toBe(`[${'0, '.repeat(20)}…]`)
    expect(show(1n << 100_000n)).toBe('[bigint of more than 512 bits]')
    expect(show('🛒'.repeat(100), 10)).toBe("'🛒🛒🛒🛒…")
  })

  test('does a bounded amount of work for a huge value', () => {
    let reads = 0
    const counted = new Proxy([] as unknown[], {
      get: (_, key) => (key === 'length' ? 1e9 : [reads++]),
    })
    show(counted, 1_000_000)
    expect(reads).toBeLessThan(1_000)
    const wide = (depth: number): unknown =>
      depth === 0 ? 'leaf' : new Array(1_000).fill(wide(depth - 1))
    expect(show(wide(4), 1e9).length).toBeLessThan(10_000)
    expect(show(new Set(new Array(10_000).keys()), 1e9).length).toBeLessThan(1_000)
  })

  test('gives one bounded printable line for anything and never throws', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    })
    fc.assert(
      fc.property(anything, fc.integer({ min: 0, max: 200 }), (value, maxLength) => {
        const text = show(value, maxLength)
        expect(text.length).toBeLessThanOrEqual(maxLength)
        expect(text).not.toMatch(/\p{Control}/u)
      }),
      { numRuns: 500 },
    )
  })

  test('goes on behind a value that cannot be read, as if it had not been there', () => {
    const bad = new Proxy({}, { ownKeys: () => expect.unreachable() })
    expect(show([bad, bad, [[[1]]]])).toBe('[[unreadable], [unreadable], [[[1]]]]')
  })
})
