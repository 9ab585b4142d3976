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

  test('keeps also those that come as a rejection', async () => {
    const escaped: unknown[] = []
    const note = (error: unknown): void => void escaped.push(error)
    process.on('unhandledRejection', note)
    const fail = (): Promise<void> => Promise.reject(new Error('disk full'))
    const logger = { trace: fail, debug: fail, info: fail, warn: fail, error: fail }
    safeLogger(logger).error({}, 'lost')
    // Rejections are reported after the microtasks of a turn of the event loop.
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    process.off('unhandledRejection', note)
    expect(escaped).toEqual([])
  })

  const children: Readonly<Record<string, () => unknown>> = {
    'that throws': () => {
      throw new Error('no children')
    },
    'that answers nothing': () => undefined,
    'that answers no logger': () => ({ info: () => undefined }),
  }
  for (const [what, child] of Object.entries(children)) {
    test(`does without a child ${what}`, () => {
      const lines: unknown[] = []
      const write = (fields: object): void => void lines.push(fields)
      const levels = { trace: write, debug: write, info: write, warn: write, error: write }
      const logger = safeLogger({ ...levels, child } as Logger)
      logger.child?.({ a: 1 }).child?.({ b: 2 }).error({ c: 3 }, 'hello')
      expect(lines).toEqual([{ a: 1, b: 2, c: 3 }])
    })
  }
})
