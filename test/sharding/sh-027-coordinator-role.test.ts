import { expect, test } from 'vitest'
import { CoordinatorStarted, EntityStarted } from '../../src/sharding/index.ts'
import { answerOf, ByNumber, countOf, hostCounters } from './counter.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

const definition = {
  ...{ role: 'shard', coordinatorRole: 'coordinator', extractor: new ByNumber(12) },
  settings: { numberOfShards: 12 },
}

interface Noted {
  readonly coordinators: string[]
  readonly hosts: Set<string>
}

function startIn(scene: Scene, noted: Noted) {
  return (name: string, role: string): Promise<ShardingNode> =>
    scene.start(name, {
      roles: [role],
      init: (node) => {
        const { eventStream } = node.system
        eventStream.subscribe(CoordinatorStarted, () => void noted.coordinators.push(name))
        eventStream.subscribe(EntityStarted, () => void noted.hosts.add(name))
        hostCounters(node, definition)
      },
    })
}

test('SH-027 the coordinator runs on a node with its own role, and entities on those with theirs', async () => {
  await play(async (scene) => {
    const noted: Noted = { coordinators: [], hosts: new Set() }
    const start = startIn(scene, noted)
    const one = await start('one', 'coordinator')
    const two = await start('two', 'coordinator')
    const three = await start('three', 'shard')
    expect((await scene.settle(countOf(three, '1'))).node).toBe(three.id)
    const four = await start('four', 'shard')
    for (const node of [one, two, four]) {
      expect((await scene.settle(countOf(node, '1'))).node).toBe(three.id)
    }
    expect(noted.coordinators).toEqual(['one'])
    expect(four.sharding.regionState('Counter').coordinator).toBe(one.id)
    expect([...noted.hosts]).toEqual(['three'])
    expect(one.sharding.regionState('Counter').isProxy).toBe(true)
  })
})

test('SH-039 with a role of its own, the coordinator and the entities move when their nodes leave', async () => {
  await play(async (scene) => {
    const noted: Noted = { coordinators: [], hosts: new Set() }
    const start = startIn(scene, noted)
    const one = await start('one', 'coordinator')
    const two = await start('two', 'coordinator')
    const three = await start('three', 'shard')
    expect((await scene.settle(countOf(two, '2'))).node).toBe(three.id)
    const four = await start('four', 'shard')
    await scene.settle(Promise.all([three.system.terminate(), one.system.terminate()]))
    expect((await scene.settle(answerOf(two, '2'))).node).toBe(four.id)
    expect(noted.coordinators).toEqual(['one', 'two'])
    expect([...noted.hosts].toSorted()).toEqual(['four', 'three'])
  })
})
