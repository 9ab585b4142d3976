import { expect, test } from 'vitest'
import { printFigures } from '../figures.ts'
import { play } from './harness/scene.ts'
import { remembered } from './scenarios/remembered.ts'

/** The same with the settings that users get: `npm run chaos -- --only remembered --rounds 100`. */
test('a hundred times kill -9: remembered entities run again without a message, and have exactly what was acknowledged', async () => {
  const { problems, figures } = await play(remembered, 100)
  expect(problems).toEqual([])
  expect(figures).toMatchObject({ rounds: 100, losses: 0, doubles: 0 })
  printFigures(remembered.name, figures)
}, 1_500_000)
