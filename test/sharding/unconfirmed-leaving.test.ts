/**
 * A node that leaves while something on it does not end: the others must not start it anew before it has ended, however
 * long that takes.
 */
import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import { EntityStopped, EntityTypeKey } from '../../src/sharding/index.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

type ToJob =
  | { readonly type: 'Where'; readonly replyTo: ActorRef<string> }
  /** Works for twenty seconds and does not listen to the signal. */
  | { readonly type: 'Work' }

const jobs = new EntityTypeKey<ToJob>('Job')

interface Stubbornness {
  /** Also after its handler was given up, its PostStop takes as long. */
  readonly hasLongGoodbye: boolean
}

function hostJobs(node: ShardingNode, { hasLongGoodbye }: Stubbornness): void {
  const { sharding, system, name } = node
  const work = (): Promise<void> =>
    new Promise((resolve) => void system.environment.timers.after(20_000, resolve))
  sharding.init<ToJob>({
    key: jobs,
    settings: { numberOfShards: 4 },
    behavior: () =>
      Behaviors.receiveMessage<ToJob>((message) => {
        if (message.type === 'Work') return work()
        return message.replyTo.tell(name)
      }).receiveSignal({ PostStop: () => (hasLongGoodbye ? work() : undefined) }),
  })
}

const where = ({ sharding }: ShardingNode): Promise<string> =>
  sharding
    .entityRefFor(jobs, 'x')
    .ask<string>((replyTo) => ({ type: 'Where', replyTo }), { timeout: '100s' })

/** Three nodes; the job works on the oldest, where the coordinator is as well. Answers that one and another. */
async function busy(
  scene: Scene,
  stubbornness: Stubbornness,
): Promise<readonly [leaving: ShardingNode, staying: ShardingNode]> {
  const init = (node: ShardingNode): void => hostJobs(node, stubbornness)
  const oldest = await scene.start('a', { init })
  expect(await scene.settle(where(oldest))).toBe('a')
  const next = await scene.start('b', { init })
  await scene.start('c', { init })
  oldest.sharding.entityRefFor(jobs, 'x').tell({ type: 'Work' })
  await scene.simulation.run({ for: '500ms' })
  return [oldest, next]
}

const timeOf = (scene: Scene, happened: (note: () => void) => void): (() => number) => {
  let atMs = Infinity
  happened(() => (atMs = Math.min(atMs, scene.simulation.now)))
  return () => atMs
}

const removalSeenBy = (scene: Scene, { cluster }: ShardingNode): (() => number) =>
  timeOf(scene, (note) => {
    cluster.subscribe(({ type }) => void (type === 'MemberRemoved' && note()))
  })

const endOfJobOn = (scene: Scene, { system }: ShardingNode): (() => number) =>
  timeOf(scene, (note) => void system.eventStream.subscribe(EntityStopped, note))

describe('a node leaves while a command runs for 20 s', () => {
  test('it ends first, within the time that the phase has', async () => {
    await play(async (scene) => {
      const [leaving, staying] = await busy(scene, { hasLongGoodbye: false })
      const stoppedAt = endOfJobOn(scene, leaving)
      const begunMs = scene.simulation.now
      void leaving.system.terminate()
      expect(await scene.settle(where(staying))).not.toBe(leaving.name)
      expect(stoppedAt() - begunMs).toBeLessThan(10_000)
    })
  })

  test('one that takes longer than its phase keeps the node from saying that it is done', async () => {
    await play(async (scene) => {
      const [leaving, staying] = await busy(scene, { hasLongGoodbye: true })
      const stoppedAt = endOfJobOn(scene, leaving)
      const removedAt = removalSeenBy(scene, staying)
      const begunMs = scene.simulation.now
      const ended = leaving.system.terminate()
      expect(await scene.settle(where(staying))).not.toBe(leaving.name)
      await scene.settle(ended)
      await scene.simulation.runUntil(() => removedAt() < Infinity, { within: '60s' })
      expect(stoppedAt() - begunMs).toBeGreaterThan(10_000)
      expect(removedAt()).toBeGreaterThan(stoppedAt())
    })
  })

  test('the same when another node asks it to leave', async () => {
    await play(async (scene) => {
      const [leaving, staying] = await busy(scene, { hasLongGoodbye: true })
      const stoppedAt = endOfJobOn(scene, leaving)
      const removedAt = removalSeenBy(scene, staying)
      staying.cluster.leave(leaving.id)
      // What comes before it hands over waits behind the command, and is dropped with it: whoever asked asks again.
      const asked = where(staying).catch(() => where(staying))
      expect(await scene.settle(asked)).not.toBe(leaving.name)
      await scene.simulation.runUntil(() => removedAt() < Infinity, { within: '60s' })
      expect(removedAt()).toBeGreaterThan(stoppedAt())
    })
  })
})

describe('a node that never says that it is done', () => {
  test('is removed only when its system has ended', async () => {
    await play(async (scene) => {
      const [leaving, staying] = await busy(scene, { hasLongGoodbye: false })
      leaving.cluster.holdExit(() => new Promise(() => undefined))
      const removedAt = removalSeenBy(scene, staying)
      await scene.settle(leaving.system.terminate())
      const endedMs = scene.simulation.now
      expect(removedAt()).toBe(Infinity)
      await scene.simulation.runUntil(() => removedAt() < Infinity, { within: '60s' })
      expect(removedAt()).toBeGreaterThan(endedMs)
      expect(staying.cluster.state.members.map(({ node }) => node)).not.toContain(leaving.id)
    })
  })
})

describe('an Exiting node that is out of reach before it is done', () => {
  test.each([
    ['of everybody', [['b', 'c']]],
    ['of one other', [['b']]],
    ['of the other one', [['c']]],
  ])('%s is frozen before it is removed', async (_, [others]) => {
    await play(async (scene) => {
      const [leaving] = await busy(scene, { hasLongGoodbye: true })
      const removedAt = scene.nodes.slice(1).map((node) => removalSeenBy(scene, node))
      const frozenAt = timeOf(scene, (note) => {
        leaving.cluster.subscribe(({ type }) => void (type === 'Frozen' && note()))
      })
      leaving.cluster.leave()
      await scene.simulation.runUntil(() => leaving.cluster.selfMember?.status === 'Exiting')
      for (const other of others ?? []) {
        scene.simulation.network.cut('a', other)
        scene.simulation.network.cut(other, 'a')
      }
      await scene.simulation.runUntil(() => removedAt.some((at) => at() < Infinity), {
        within: '60s',
      })
      expect(frozenAt()).toBeLessThan(Math.min(...removedAt.map((at) => at())))
      await scene.simulation.run({ for: '20s' })
    })
  })
})
