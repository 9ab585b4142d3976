/**
 * Runs a function in a world without a present: whoever asks `Date` what time it is meanwhile is refused. Dates of given
 * times can be made. For event handlers, which must make the same of the same events at any time.
 */

/** `refuse` throws; it is told what was called. */
export function withoutPresent<Result>(
  refuse: (called: string) => never,
  run: () => Result,
): Result {
  const date = globalThis.Date
  globalThis.Date = new Proxy(date, {
    construct: (target, args, newTarget) =>
      args.length === 0
        ? refuse('new Date()')
        : (Reflect.construct(target, args, newTarget) as object),
    apply: () => refuse('Date()'),
    get: (target, name) =>
      name === 'now' ? () => refuse('Date.now()') : (Reflect.get(target, name) as unknown),
  })
  try {
    return run()
  } finally {
    globalThis.Date = date
  }
}
