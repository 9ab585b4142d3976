/**
 * `instanceof` for values of the user's. A proxy may throw when it is asked for its class, one that was revoked always
 * does; such a value is of no class of ours.
 */
export function isInstance<T>(
  value: unknown,
  maker: abstract new (...args: never[]) => T,
): value is T {
  try {
    return value instanceof maker
  } catch {
    return false
  }
}
