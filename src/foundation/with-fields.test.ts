import { describe, expect, test } from 'vitest'
import type { LogFields, Logger } from './logger.ts'
import { withFields } from './with-fields.ts'

const recorder = () => {
  const lines: [string, LogFields, string][] = []
  const logger: Logger = {
    trace: (fields, message) => lines.push(['trace', fields, message]),
    debug: (fields, message) => lines.push(['debug', fields, message]),
    info: (fields, message) => lines.push(['info', fields, message]),
    warn: (fields, message) => lines.push(['warn', fields, message]),
    error: (fields, message) => lines.push(['error', fields, message]),
  }
  return { lines, logger }
}

describe('withFields', () => {
  test('adds its fields to every line of a logger without children', () => {
    const { lines, logger } = recorder()
    const prefixed = withFields(logger, { node: 'a' })
    for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) {
      prefixed[level]({ shard: 7 }, level)
    }
    expect(lines).toEqual(
      ['trace', 'debug', 'info', 'warn', 'error'].map((level) => [
        level,
        { node: 'a', shard: 7 },
        level,
      ]),
    )
  })

  test('lets a field of the line win', () => {
    const { lines, logger } = recorder()
    withFields(logger, { node: 'a', room: 'cluster' }).info({ node: 'b' }, 'joined')
    expect(lines).toEqual([['info', { node: 'b', room: 'cluster' }, 'joined']])
  })

  test('can be given further fields', () => {
    const { lines, logger } = recorder()
    withFields(withFields(logger, { node: 'a' }), { actor: '/user/x' }).warn({}, 'slow')
    expect(lines).toEqual([['warn', { node: 'a', actor: '/user/x' }, 'slow']])
  })

  test('leaves the work to the logger when it knows children', () => {
    const { logger } = recorder()
    const child = recorder().logger
    const given: LogFields[] = []
    const parent: Logger = {
      ...logger,
      child: (fields) => {
        given.push(fields)
        return child
      },
    }
    expect(withFields(parent, { node: 'a' })).toBe(child)
    expect(given).toEqual([{ node: 'a' }])
  })
})
