import { describe, expect, test } from 'vitest'
import { simulate } from '../../src/simulation/index.ts'
import { ClerkScene } from './clerk.ts'

const workers = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']
const worker = { roles: ['worker'], role: 'worker' }

describe('SG-001 the life of a singleton on six workers, seen by all of them and an observer', () => {
  test('it is always on the oldest worker, and each numbered message is handled once, there', async () => {
    await simulate('life story', {
      seeds: 5,
      scenario: async (simulation) => {
        const scene = new ClerkScene(simulation, ['n1', 'n2', 'observer'])
        // The observer is the oldest member of all, and has not the role.
        const found: string[] = []
        await scene.start('n1', worker)
        await scene.start('observer', { role: 'worker' })
        for (const name of workers.slice(1)) {
          await scene.start(name, worker)
          found.push(...(await scene.askFrom(name, 'observer')))
        }
        expect(new Set(found)).toEqual(new Set(['n1']))

        await simulation.settle(scene.nodes.get('n1')!.stop())
        await scene.whenMovedTo('n2')
        // The stop message, the end, and only then the next one.
        expect(scene.story).toEqual([
          'n1 registers',
          'n1 is told to stop',
          'n1 unregisters',
          'n2 registers',
        ])
        const all = ['observer', ...workers]
        expect(await scene.askFrom(...without(all, 'n1'))).toEqual(Array(6).fill('n2'))

        scene.crash('n2')
        await scene.whenMovedTo('n3')
        expect(await scene.askFrom(...without(all, 'n1', 'n2'))).toEqual(Array(5).fill('n3'))

        scene.crash('n3', 'n4')
        await scene.whenMovedTo('n5')
        expect(await scene.askFrom('n5', 'n6', 'observer')).toEqual(Array(3).fill('n5'))

        scene.crash('n5')
        await scene.whenMovedTo('n6')
        expect(await scene.askFrom('n6', 'observer')).toEqual(['n6', 'n6'])

        expect(scene.story.filter((line) => line.endsWith(' registers'))).toEqual(
          ['n1', 'n2', 'n3', 'n5', 'n6'].map((name) => `${name} registers`),
        )
        const numbers = scene.handled.map((line) => line.split(' ')[0])
        expect(new Set(numbers).size).toBe(numbers.length)
      },
    })
  })

  test('several leave at once: it goes to the oldest that stays, and never lives twice', async () => {
    await simulate('several leave at once', {
      seeds: 20,
      scenario: async (simulation) => {
        const scene = new ClerkScene(simulation, ['n1', 'n2', 'n3'])
        for (const name of ['n1', 'n2', 'n3', 'n4', 'n5']) await scene.start(name)
        expect(await scene.ask('n5')).toBe('n1')
        const leaving = ['n2', 'n1', 'n3'].map((name) => scene.nodes.get(name)!.stop())
        await simulation.settle(Promise.all(leaving))
        await scene.whenMovedTo('n4')
        expect(await scene.askFrom('n4', 'n5')).toEqual(['n4', 'n4'])
        expect(simulation.violations).toEqual([])
      },
    })
  })
})

function without(names: readonly string[], ...gone: readonly string[]): string[] {
  return names.filter((name) => !gone.includes(name))
}
