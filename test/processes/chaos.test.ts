import { describe, expect, test } from 'vitest'
import { play } from './harness/scene.ts'
import { killNine } from './scenarios/kill-9.ts'
import { rollingRestart } from './scenarios/rolling-restart.ts'
import { sigstop } from './scenarios/sigstop.ts'

/** More of these, longer, and with the settings that users get: `npm run chaos`. */
describe('three processes on one store, under load', { timeout: 60_000 }, () => {
  test('kill -9 three times: nothing acknowledged is lost or doubled', async () => {
    const { problems, figures } = await play(killNine, 3)
    expect(problems).toEqual([])
    expect(figures['acked']).toBeGreaterThan(100)
  })

  test('a rolling restart: no call fails after its retries', async () => {
    const { problems, figures } = await play(rollingRestart, 1)
    expect(problems).toEqual([])
    expect(figures['acked']).toBeGreaterThan(100)
  })

  test('a node that slept through its replacement writes nothing any more', async () => {
    const { problems, figures } = await play(sigstop, 1)
    expect(problems).toEqual([])
    expect(figures['movedStreams']).toBeGreaterThan(0)
  })
})
