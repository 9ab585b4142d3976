import { describe, expect, test } from 'vitest'
import type { Logger } from './logger.ts'
import { safeLogger } from './safe-logger.ts'

describe('safeLogger', () => {
  test('hands lines on, with the fields of a child', () => {
    const lines: unknown[] = []
    const write = (fields: object, message: string): void => void lines.push([fields, message])
    const logger: Logger = { trace: write, debug: write, info: write, warn: write, error: write }
    safeLogger(logger).warn({ a: 1 }, 'hello')
    safeLogger(logger).child?.({ b: 2 }).error({ c: 3 }, 'again')
    expect(lines).toEqual([
      [{ a: 1 }, 'hello'],
      [{ b: 2, c: 3 }, 'again'],
    ])
  })

  test('keeps the failures of the logger from whoever logs', () => {
    const fail = (): never => {
      throw new Error('disk full')
    }
    const logger: Logger = { trace: fail, debug: fail, info: fail, warn: fail, error: fail }
    expect(() => safeLogger(logger).error({}, 'lost')).not.toThrow()
    expect(() => safeLogger(logger).child?.({ a: 1 }).error({}, 'lost')).not.toThrow()
  })

  test('says the fields itself when the logger cannot make a child', () => {
    const lines: unknown[] = []
    const write = (fields: object, message: string): void => void lines.push([fields, message])
    const levels = { trace: write, debug: write, info: write, warn: write, error: write }
    const child = (): never => {
      throw new Error('no children')
    }
    safeLogger({ ...levels, child })
      .child?.({ a: 1 })
      .child?.({ b: 2 })
      .info({ c: 3 }, 'hello')
    expect(lines).toEqual([[{ a: 1, b: 2, c: 3 }, 'hello']])
  })
})
