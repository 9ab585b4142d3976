/** Assertions stay on in production: a broken invariant is our mistake, and a confused node does harm. */
import { CodedError } from './coded-error.ts'

/** An invariant of ours does not hold. Please report it with the stack. */
export class AssertionFailed extends CodedError {
  readonly code = 'ASSERTION_FAILED'
}

export function assert(condition: unknown, invariant: string): asserts condition {
  if (!condition) throw new AssertionFailed(`Invariant broken: ${invariant}`)
}

/** Ends a switch over a union: a new member is a compile error here. */
export function unreachable(value: never): never {
  throw new AssertionFailed(`Invariant broken: no case for ${JSON.stringify(value)}`)
}
