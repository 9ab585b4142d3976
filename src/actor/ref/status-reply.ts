/** An answer that is either a value or an error, for `askWithStatus`. Plain data, so that it can travel. */
export type StatusReply<Value> =
  | { readonly status: 'success'; readonly value: Value }
  | { readonly status: 'error'; readonly error: Error | string }

export const StatusReply = {
  success<Value>(value: Value): StatusReply<Value> {
    return { status: 'success', value }
  },
  /** A text is enough for most callers; it arrives as the message of a `StatusError`. */
  error(error: Error | string): StatusReply<never> {
    return { status: 'error', error }
  },
} as const

export function isStatusReply(value: unknown): value is StatusReply<unknown> {
  if (typeof value !== 'object' || value === null || !('status' in value)) return false
  if (value.status === 'success') return 'value' in value
  return value.status === 'error' && 'error' in value
}
