import { describe, expect, test } from 'vitest'
import { play } from './harness/scene.ts'
import { foundingPause } from './scenarios/founding-pause.ts'

describe('processes on one store found one cluster', { timeout: 240_000 }, () => {
  test('the first seed, back while the others sleep or are out of reach, founds none beside theirs', async () => {
    const { problems, figures } = await play(foundingPause, 3)
    expect(problems).toEqual([])
    expect(figures['acts']).toBeGreaterThan(100)
  })
})
