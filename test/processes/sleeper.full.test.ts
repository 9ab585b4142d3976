import { describe, expect, test } from 'vitest'
import { play } from './harness/scene.ts'
import { sigstop } from './scenarios/sigstop.ts'

describe('three processes on one store, under load', { timeout: 120_000 }, () => {
  test('a node that slept through its replacement writes nothing any more', async () => {
    const { problems, figures } = await play(sigstop, 1)
    expect(problems).toEqual([])
    expect(figures['movedStreams']).toBeGreaterThan(0)
  })
})
