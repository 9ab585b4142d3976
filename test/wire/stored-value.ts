/** What the sample `value-stored.hex` means: one of everything that an event may hold. */
export const storedValue = {
  type: 'Ordered',
  at: new Date(1_700_000_000_000),
  lines: [
    { item: 'tea', count: 2, price: 3.5 },
    { item: 'ü\u{1f600}', count: -0, price: 2n ** 90n },
  ],
  tags: new Set(['a', 1]),
  byName: new Map<unknown, unknown>([['x', { y: null }]]),
  bytes: new Uint8Array([1, 2, 3]),
  nothing: undefined,
  failure: new Error('no stock', { cause: new TypeError('deeper') }),
}
