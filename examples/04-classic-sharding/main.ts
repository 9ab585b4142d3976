/**
 * Cluster sharding of the classic kind: actors by id, a parent above each, messages by envelope and without, a proxy, rest and a
 * graceful leave. In a program of your own, write 'sherd' instead of '../../src'.
 */
import { type ActorRef, AskTimeout } from '../../src/index.ts'
import { MemoryStore } from '../../src/persistence/index.ts'
import { EntityStopped } from '../../src/sharding/index.ts'
import { startCountingNode, startProxyNode } from './region.ts'
import type { ToRegion } from './messages.ts'

const store = new MemoryStore()
const east = await startCountingNode(store, [])
const west = await startCountingNode(store, [east.address])
const door = await startProxyNode(store, [east.address])

// A node without the role: it knows where counters are, and hosts none.
const counters = door.sharding.regionOf('Counter') as ActorRef<ToRegion>
const get = async (counter: string, attempts = 5): Promise<number> => {
  try {
    return await counters.ask<number>((replyTo) => ({ type: 'Get', counter, replyTo }), {
      timeout: '1s',
    })
  } catch (error) {
    // A message reaches its counter once or not at all. Whoever asks can ask again.
    if (!(error instanceof AskTimeout) || attempts === 1) throw error
    return get(counter, attempts - 1)
  }
}
const resting = new Promise<string>((resolve) => {
  for (const { system } of [east, west]) {
    system.eventStream.subscribe(EntityStopped, ({ entityId }) => resolve(entityId))
  }
})

console.log('By envelope and without:')
counters.tell({ entityId: 'apples', message: { type: 'Increment', by: 3 } })
counters.tell({ type: 'Increment', by: 2, counter: 'apples' })
counters.tell({ type: 'Decrement', by: 1, counter: 'apples' })
console.log(`  ${await get('apples')} apples`)

console.log('Too low, so it resumes:')
counters.tell({ type: 'Decrement', by: 9, counter: 'apples' })
console.log(`  ${await get('apples')} apples`)

console.log('Not whole, so it restarts:')
counters.tell({ type: 'Increment', by: 0.5, counter: 'apples' })
console.log(`  ${await get('apples')} apples`)

console.log('Anything else, so it stops, and its parent makes another:')
counters.tell({ type: 'Increment', by: -1, counter: 'apples' })
console.log(`  ${await get('apples')} apples`)

console.log('Nobody says anything, so it rests:')
console.log(`  ${await resting} rests`)
console.log(`  ${await get('apples')} apples`)

console.log('Its node leaves, and hands it over:')
const { homeAddress } = await door.sharding.explain('Counter', 'apples')
const [leaving, staying] = east.address === homeAddress ? [east, west] : [west, east]
await leaving.stop()
console.log(`  ${await get('apples')} apples`)
const { homeAddress: next } = await door.sharding.explain('Counter', 'apples')
console.log(`  it lives on the other node: ${next === staying.address}`)

await staying.stop()
await door.stop()
