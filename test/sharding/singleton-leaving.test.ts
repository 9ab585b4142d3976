/** A node leaves while its singleton does not end: nowhere is it started again before it has ended. */
import { expect, test } from 'vitest'
import { Behaviors } from '../../src/actor/index.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

/** The names of the nodes on which it lives now, and on which it ever did, in order. */
interface Lives {
  readonly now: Set<string>
  readonly ever: string[]
  most: number
}

/** A singleton that works for twenty seconds, whatever the signal says, and perhaps as long when it ends. */
function host(node: ShardingNode, lives: Lives, hasLongGoodbye: boolean): void {
  const { system, singletons, name } = node
  const work = (): Promise<void> =>
    new Promise((resolve) => void system.environment.timers.after(20_000, resolve))
  const proxy = singletons.start<'work'>({
    name: 'worker',
    behavior: () =>
      Behaviors.setup<'work'>((context) => {
        lives.now.add(name)
        lives.ever.push(name)
        lives.most = Math.max(lives.most, lives.now.size)
        void system.whenStopped(context.self).then(() => lives.now.delete(name))
        return Behaviors.receiveMessage<'work'>(() => work()).receiveSignal({
          PostStop: () => (hasLongGoodbye ? work() : undefined),
        })
      }),
  })
  proxy.tell('work')
}

async function leaveWhileItWorks(scene: Scene, hasLongGoodbye: boolean): Promise<Lives> {
  const lives: Lives = { now: new Set(), ever: [], most: 0 }
  const init = (node: ShardingNode): void => host(node, lives, hasLongGoodbye)
  for (const name of ['a', 'b', 'c']) await scene.start(name, { init })
  await scene.simulation.run({ for: '500ms' })
  expect(lives.ever).toEqual(['a'])
  void scene.nodes[0]!.system.terminate()
  await scene.simulation.runUntil(() => lives.ever.length > 1, { within: '60s' })
  return lives
}

test.each([
  ['within the time of the phase', false],
  ['and takes longer than the phase', true],
])('never two live when the oldest leaves %s', async (_, hasLongGoodbye) => {
  await play(async (scene) => {
    const { ever, most } = await leaveWhileItWorks(scene, hasLongGoodbye)
    expect(ever).toEqual(['a', 'b'])
    expect(most).toBe(1)
  })
})
