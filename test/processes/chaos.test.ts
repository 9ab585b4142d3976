import { describe, expect, test } from 'vitest'
import { cases } from '../how-long.ts'
import { play } from './harness/scene.ts'
import { killNine } from './scenarios/kill-9.ts'
import { rollingRestart } from './scenarios/rolling-restart.ts'

/** More of these, longer, and with the settings that users get: `npm run chaos`. */
describe('three processes on one store, under load', { timeout: 120_000 }, () => {
  test('kill -9: nothing acknowledged is lost or doubled', async () => {
    const { problems, figures } = await play(killNine, cases({ short: 1, full: 3 }))
    expect(problems).toEqual([])
    expect(figures['acked']).toBeGreaterThan(100)
  })

  test('a rolling restart: no call fails after its retries', async () => {
    const { problems, figures } = await play(rollingRestart, 1)
    expect(problems).toEqual([])
    expect(figures['acked']).toBeGreaterThan(100)
  })
})
