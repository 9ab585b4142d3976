import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { consoleLogger, type ConsoleLoggerOptions } from './console-logger.ts'

const noonMs = new Date(2024, 0, 2, 12, 3, 4, 567).getTime()
const clock = { monotonicMs: () => 0, wallMs: () => noonMs }

const setUp = (options: ConsoleLoggerOptions = {}) => {
  const lines: string[] = []
  const logger = consoleLogger({ clock, write: (line) => lines.push(line), ...options })
  return { lines, logger }
}

describe('consoleLogger', () => {
  test('writes for people when told to, in the time of the host', () => {
    const { lines, logger } = setUp({ json: false })
    logger.warn({ shard: 7 }, 'shard moved')
    logger.error({}, 'lost')
    expect(lines).toEqual(['12:03:04.567 WARN  shard moved shard=7', '12:03:04.567 ERROR lost'])
  })

  test('writes JSON where there is no terminal', () => {
    const { lines, logger } = setUp()
    logger.info({ shard: 7 }, 'shard moved')
    expect(lines).toEqual([`{"level":"info","time":${noonMs},"msg":"shard moved","shard":7}`])
  })

  test('leaves out what is below its level', () => {
    const say = (options: ConsoleLoggerOptions): number => {
      const { lines, logger } = setUp(options)
      for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const)
        logger[level]({}, '')
      return lines.length
    }
    expect([say({}), say({ level: 'trace' }), say({ level: 'error' })]).toEqual([3, 5, 1])
  })

  test('gives its children their fields, which a line can override', () => {
    const { lines, logger } = setUp({ json: false })
    const child = logger.child?.({ node: 'a' }).child?.({ room: 'cluster' })
    child?.info({ node: 'b' }, 'joined')
    child?.info({}, 'left')
    logger.info({}, 'plain')
    expect(lines.map((line) => line.slice(19))).toEqual([
      'joined node=b room=cluster',
      'left node=a room=cluster',
      'plain',
    ])
  })

  test('does not throw for a field that throws', () => {
    const { lines, logger } = setUp()
    const fields = {
      get bad(): never {
        throw new Error('no')
      },
    }
    logger.child?.(fields).info(fields, 'still here')
    expect(lines[0]).toContain('"msg":"still here","bad":"[unreadable]"')
  })

  test('writes to standard error unless told otherwise', () => {
    const script = `
      import { consoleLogger } from ${JSON.stringify(new URL('console-logger.ts', import.meta.url))}
      consoleLogger().info({ a: 1 }, 'hello')`
    const child = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module'], {
      input: script,
      encoding: 'utf8',
    })
    expect(child.stdout).toBe('')
    expect(child.stderr).toMatch(/^\{"level":"info","time":\d+,"msg":"hello","a":1\}\n$/)
  })
})
