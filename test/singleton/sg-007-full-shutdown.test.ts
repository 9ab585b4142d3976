import { describe, expect, test } from 'vitest'
import { simulate } from '../../src/simulation/index.ts'
import { ClerkScene } from './clerk.ts'

describe('SG-007 the whole cluster is about to be stopped', () => {
  test('the host leaves and no other starts the singleton; all are gone in time', async () => {
    await simulate('no hand-over', {
      seeds: 5,
      scenario: async (simulation) => {
        const scene = new ClerkScene(simulation, ['first', 'second', 'third'])
        const names = ['first', 'second', 'third']
        for (const name of names) await scene.start(name)
        expect(await scene.askFrom(...names)).toEqual(Array(3).fill('first'))
        const [first, second, third] = names.map((name) => scene.nodes.get(name)!)
        await simulation.settle(first!.prepareForShutdown())
        await simulation.runUntil(() => third!.cluster.shutdownPhase === 'ready')

        const begun = simulation.now
        await simulation.settle(first!.stop())
        const isGone = (): boolean => second!.cluster.state.members.length === 2
        await simulation.runUntil(isGone, { within: '8s' })
        expect(simulation.now - begun).toBeLessThan(8_000)
        // For five seconds, from a node that would be next.
        const unanswered = scene.proxies
          .get('second')!
          .ask<string>((replyTo) => ({ type: 'Ask', number: 99, replyTo }), { timeout: '5s' })
        const answer = await simulation.settle(unanswered.catch((error: unknown) => error))
        expect(answer).toMatchObject({ code: 'ASK_TIMEOUT' })

        const others = simulation.now
        await simulation.settle(Promise.all([second!.stop(), third!.stop()]))
        expect(simulation.now - others).toBeLessThan(10_000)
        expect(scene.story).toEqual([
          'first registers',
          'first is told to stop',
          'first unregisters',
        ])
      },
    })
  })

  test('one that ends by itself is started again where it was: that moves nothing', async () => {
    await simulate('restart while preparing', {
      seeds: 3,
      scenario: async (simulation) => {
        const scene = new ClerkScene(simulation, ['first', 'second'])
        for (const name of ['first', 'second']) await scene.start(name)
        await scene.whenStartedOn('first')
        await simulation.settle(scene.nodes.get('second')!.prepareForShutdown())
        scene.proxies.get('second')!.tell({ type: 'Stop' })
        await simulation.runUntil(() => scene.story.length === 4)
        expect(scene.story.at(-1)).toBe('first registers')
      },
    })
  })
})
