import { expect, test } from 'vitest'
import { Behaviors } from '../../src/actor/index.ts'
import { EntityTypeKey, HashCodeMessageExtractor } from '../../src/sharding/index.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

interface Note {
  readonly type: 'Note'
  readonly number: number
  readonly text: string
}

const diaries = new EntityTypeKey<Note>('Diary')
const settings = { numberOfShards: 2 }
const ids = ['0', '1', '2', '3', '4', '5', '6', '7']
const extractor = new HashCodeMessageExtractor<Note>(settings.numberOfShards)
const idIn = (shard: number): string => ids.find((id) => extractor.shardId(id) === shard) ?? ''

/** A diary on `b`, whose writer is `a`. The oldest is `c`: it has the coordinator, and takes over from `b`. */
async function stage(scene: Scene) {
  const heard: string[] = []
  const proxy = ({ sharding }: ShardingNode): void =>
    void sharding.startProxy({ entityType: 'Diary', role: 'host', settings })
  const host = ({ sharding, name }: ShardingNode): void =>
    void sharding.init<Note>({
      ...{ key: diaries, role: 'host', settings },
      behavior: () =>
        Behaviors.receiveMessage<Note>(({ number }) => void heard.push(`${name} ${number}`)),
    })
  const roles = ['host']
  const c = await scene.start('c', { roles, init: host })
  c.sharding.entityRefFor(diaries, idIn(0)).tell({ type: 'Note', number: -1, text: '' })
  await scene.simulation.runUntil(() => heard.includes('c -1'), { what: 'c has a shard' })
  const b = await scene.start('b', { roles, init: host })
  const a = await scene.start('a', { init: proxy })
  const diary = a.sharding.entityRefFor(diaries, idIn(1))
  const write = (number: number, text = ''): void => diary.tell({ type: 'Note', number, text })
  write(0)
  await scene.simulation.runUntil(() => heard.includes('b 0'), { what: 'b has the other' })
  return { a, b, heard, write }
}

test('what waits for the next connection when one breaks is still delivered before the shard moves', async () => {
  await play(async (scene) => {
    const { simulation } = scene
    const { a, b, heard, write } = await stage(scene)
    const waiting = (): number => a.remoting.queuedFor(b.remoting.address)
    simulation.network.stall('a', 'b')
    // Too much for the network: what follows waits on this node.
    write(1, 'x'.repeat(1_000_000))
    await simulation.runUntil(() => waiting() === 0, { what: 'the first is handed over' })
    for (let number = 2; number < 10; number++) write(number)
    expect(waiting()).toBe(8)
    const left = b.system.terminate()
    await simulation.runUntil(() => waiting() === 9, { what: 'a flush waits behind them' })
    simulation.network.reset('a', 'b')
    write(10)
    await simulation.runUntil(() => heard.includes('c 10'), { what: 'c has heard the last' })
    const numbers = heard.map((each) => Number(each.split(' ')[1]))
    expect(numbers.filter((number) => number !== 1)).toEqual([-1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(a.lost.map(({ message }) => message)).toEqual([])
    await scene.settle(left)
  })
})
