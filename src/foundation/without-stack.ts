/**
 * Makes an error without a stack: for those that are made for whoever waits for something, in bulk when much is lost at
 * once. Whoever waits is not on the stack, which would show our own code only, and to take it costs more than the rest.
 */
export function withoutStack<E extends Error>(make: () => E): E {
  const { stackTraceLimit } = Error
  // It does not throw where it may not be set.
  Reflect.set(Error, 'stackTraceLimit', 0)
  try {
    return make()
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
  }
}
