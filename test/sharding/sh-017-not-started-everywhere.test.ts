import { expect, test } from 'vitest'
import { countOf, hostCounters } from './counter.ts'
import { play, type Scene } from './scene.ts'

const hints = ({ simulation }: Scene): string[] =>
  simulation
    .lastEvents(5_000)
    .filter(({ kind }) => kind === 'log')
    .map((event) => ('text' in event ? String(event.text) : ''))
    .filter((text) => text.startsWith('error') && text.includes('Has ClusterSharding been started'))

test('SH-017 a node says once what to look at when the oldest has not started the type', async () => {
  await play(
    async (scene) => {
      const a = await scene.start('a')
      const b = await scene.start('b')
      hostCounters(b)
      const early = countOf(b, 'x', '60s')
      await scene.simulation.run({ for: '25s' })
      const [hint, ...more] = hints(scene)
      expect(hint).toContain('on all nodes, with the type Counter?')
      expect(hint).toContain(a.id)
      expect(more).toEqual([])
      hostCounters(a)
      expect((await scene.settle(early)).count).toBe(0)
    },
    { seeds: 2 },
  )
})

test('SH-017 nothing is said where it is started everywhere', async () => {
  await play(
    async (scene) => {
      await scene.start('a', { init: hostCounters })
      const b = await scene.start('b', { init: hostCounters })
      await scene.settle(countOf(b, 'x'))
      await scene.simulation.run({ for: '25s' })
      expect(hints(scene)).toEqual([])
    },
    { seeds: 1 },
  )
})
