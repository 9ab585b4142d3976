import { expect, test } from 'vitest'
import { withoutStack } from './without-stack.ts'

test('makes an error that says what it is, and not where', () => {
  const error = withoutStack(() => new RangeError('too many'))
  expect(error).toBeInstanceOf(RangeError)
  expect(error.stack).toBe('RangeError: too many')
})

test('leaves the stacks of others alone', () => {
  const failing = (): RangeError => {
    throw new Error('cannot be made')
  }
  expect(() => withoutStack(failing)).toThrow('cannot be made')
  expect(new Error('mine').stack).toContain('without-stack.test.ts')
})
