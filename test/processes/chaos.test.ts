import { describe, expect, test } from 'vitest'
import { cases } from '../how-long.ts'
import { play } from './harness/scene.ts'
import { killNine } from './scenarios/kill-9.ts'
import { remembered } from './scenarios/remembered.ts'

/** More of these, longer, and with the settings that users get: `npm run chaos`. */
describe('processes on one store, under load', { timeout: 120_000 }, () => {
  test('kill -9: nothing acknowledged is lost or doubled', async () => {
    const { problems, figures } = await play(killNine, cases({ short: 1, full: 3 }))
    expect(problems).toEqual([])
    expect(figures['acked']).toBeGreaterThan(100)
  })

  test('kill -9 of remembered entities: all run again without a message, with all that was acknowledged', async () => {
    const { problems, figures } = await play(remembered, cases({ short: 2, full: 5 }))
    expect(problems).toEqual([])
    expect(figures).toMatchObject({ losses: 0, doubles: 0 })
    expect(figures['acked']).toBeGreaterThan(100)
  })
})
