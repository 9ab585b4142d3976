import { describe, expect, test } from 'vitest'
import { printFigures } from '../figures.ts'
import { play } from './harness/scene.ts'
import { killNineServer } from './scenarios/kill-9-server.ts'
import { killNineDeleting, killNinePostgres } from './scenarios/kill-9.ts'

/** A hundred rounds: `npm run chaos -- --only kill-9-postgres --rounds 100 --quick`. */
describe('three processes under load', { timeout: 300_000 }, () => {
  test.each([
    ['that delete events before snapshots', killNineDeleting],
    ['on PostgreSQL', killNinePostgres],
    ['on a PostgreSQL server that is killed itself', killNineServer],
  ])(
    'lose and double nothing that was acknowledged, %s, and each state is that of its events',
    async (_, scenario) => {
      const { problems, figures } = await play(scenario, 4)
      expect(problems).toEqual([])
      expect(figures['acked']).toBeGreaterThan(100)
      printFigures(scenario.name, figures)
    },
  )
})
