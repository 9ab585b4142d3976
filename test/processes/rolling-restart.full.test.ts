import { expect, test } from 'vitest'
import { play } from './harness/scene.ts'
import { rollingRestart } from './scenarios/rolling-restart.ts'

test(
  'a rolling restart of five: no call fails after its retries, and no tell is lost',
  { timeout: 240_000 },
  async () => {
    const { problems, figures } = await play(rollingRestart, 3)
    expect(problems).toEqual([])
    expect(figures['acked']).toBeGreaterThan(100)
  },
)
