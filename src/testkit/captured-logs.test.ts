import { describe, expect, test } from 'vitest'
import { CapturedLogs } from './captured-logs.ts'
import { ProbeFailure } from './probe-failure.ts'

describe('CapturedLogs', () => {
  test('keeps level, message and fields, those of child loggers included', () => {
    const logs = new CapturedLogs()
    logs.trace({}, 'one')
    logs.debug({ a: 1 }, 'two')
    const child = logs.child({ actor: 'x', a: 0 })
    child.info({ a: 1 }, 'three')
    child.child?.({ b: 2 }).warn({}, 'four')
    child.error({}, 'five')
    expect(logs.lines).toEqual([
      { level: 'trace', message: 'one', fields: {} },
      { level: 'debug', message: 'two', fields: { a: 1 } },
      { level: 'info', message: 'three', fields: { actor: 'x', a: 1 } },
      { level: 'warn', message: 'four', fields: { actor: 'x', a: 0, b: 2 } },
      { level: 'error', message: 'five', fields: { actor: 'x', a: 0 } },
    ])
    logs.clear()
    expect(logs.lines).toEqual([])
  })

  test('finds lines by text, pattern, level and the message of their error', () => {
    const logs = new CapturedLogs()
    logs.info({}, 'shard 7 moved')
    logs.warn({}, 'shard 8 moved')
    logs.error({ err: new Error('disk full') }, 'actor failed')
    const found = (pattern: string | RegExp, level?: 'warn'): string[] =>
      logs.matching(pattern, level).map(({ message }) => message)
    expect(found('moved')).toEqual(['shard 7 moved', 'shard 8 moved'])
    expect(found(/^shard \d moved$/g, 'warn')).toEqual(['shard 8 moved'])
    expect(found('disk full')).toEqual(['actor failed'])
    expect(found(/Disk/)).toEqual([])
  })

  test('keeps the newest ten thousand lines', () => {
    const logs = new CapturedLogs()
    for (let number = 0; number < 10_005; number++) logs.info({ number }, 'line')
    expect(logs.lines).toHaveLength(10_000)
    expect(logs.lines[0]?.fields).toEqual({ number: 5 })
  })

  test('waits for a line, and finds one that is there already', async () => {
    const logs = new CapturedLogs()
    const startMs = performance.now()
    const coming = logs.expect(/late/, { level: 'warn' })
    logs.info({}, 'late, but not a warning')
    logs.warn({}, 'too late')
    expect(await coming).toMatchObject({ message: 'too late' })
    expect(await logs.expect('late')).toMatchObject({ level: 'info' })
    expect(performance.now() - startMs).toBeLessThan(2_000)
  })

  test('says which line did not come, and which did', async () => {
    const logs = new CapturedLogs()
    const failure = await logs.expect(/boom/, { within: 1 }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ProbeFailure)
    expect(failure).toMatchObject({
      code: 'PROBE_FAILURE',
      message: 'Expected a log line with /boom/ within 1 ms, but none came.',
    })
    logs.info({ err: new Error('why') }, 'something')
    logs.warn({}, 'else')
    await expect(logs.expect('boom', { level: 'error', within: 1 })).rejects.toThrow(
      "Expected a log line at level error with 'boom' within 1 ms, " +
        "but these came: info 'something: why', warn 'else'.",
    )
  })
})
