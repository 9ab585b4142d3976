import { describe, expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { outcome, Stage } from './stage.ts'

let handled = 0
const Bell = defineEntity('Bell', { state: () => 0, commands: { ring: () => ++handled } })

describe('the options of a call', () => {
  test('a signal that has fired: nothing is sent', async () => {
    await using stage = new Stage()
    const reason = new Error('not needed')
    const error = await outcome(stage.call(Bell, 'a', { signal: AbortSignal.abort(reason) }).ring())
    expect(error).toMatchObject({
      ...{ code: 'CALL_ABORTED', mayHaveHappened: false, cause: reason },
      message:
        "Bell 'a': ring was not called: its signal had fired before. Nothing of it has happened.",
    })
    await stage.settle()
    expect(handled).toBe(0)
  })

  test.each([
    [{ signal: 5 }, 'signal must be an AbortSignal (the signal of an AbortController, say), not 5'],
    [{ signal: null }, 'not null'],
    [{ signal: new AbortController() }, 'signal must be an AbortSignal'],
    [{ signal: { aborted: false } }, 'not { aborted: false }'],
    [5, "they must be an object such as { timeout: '5s' }, not 5"],
    [null, 'not null'],
  ])('%s is refused', async (options, words) => {
    await using stage = new Stage()
    expect(() => stage.call(Bell, 'a', options as object)).toThrow(words)
  })
})
