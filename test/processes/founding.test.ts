import { describe, expect, test } from 'vitest'
import { play } from './harness/scene.ts'
import { foundingRestart } from './scenarios/founding-restart.ts'
import { foundingSecond } from './scenarios/founding-second.ts'

/** More of these: `npm run chaos -- --only founding-restart`, `founding-pause`, `founding-second`. */
describe('processes on one store found one cluster', { timeout: 120_000 }, () => {
  test('the first seed, back while the other seed is down, joins the members that live on', async () => {
    const { problems, figures } = await play(foundingRestart, 1)
    expect(problems).toEqual([])
    expect(figures['acts']).toBeGreaterThan(100)
  })

  test('a second process without seeds is told where the cluster is, and does not start', async () => {
    const { problems, figures } = await play(foundingSecond, 2)
    expect(problems).toEqual([])
    expect(figures['acts']).toBeGreaterThan(20)
  })
})
