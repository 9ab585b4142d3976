import { afterEach, describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import { MemoryJournal, MemoryStore } from '../../src/persistence/index.ts'
import { EntityTypeKey } from '../../src/sharding/index.ts'
import { ClusterSharding } from '../../src/sharding/internals.ts'
import { Singletons } from '../../src/singleton/internals.ts'
import { type ClusterNode, ClusterNodes } from '../cluster/cluster-nodes.ts'

type ToCounter =
  | { readonly type: 'Add'; readonly by: number }
  | { readonly type: 'Get'; readonly replyTo: ActorRef<Answer> }

interface Answer {
  readonly count: number
  readonly node: string
}

const counters = new EntityTypeKey<ToCounter>('Counter')
const ids = Array.from({ length: 40 }, (_, index) => `id-${index}`)

function shardingOn({ system, remoting, cluster, id }: ClusterNode, store: MemoryStore) {
  const singletons = new Singletons({ system, remoting, cluster })
  const journal = new MemoryJournal({ store })
  const sharding = new ClusterSharding({ system, remoting, cluster, singletons, journal })
  sharding.init<ToCounter>({
    key: counters,
    settings: { numberOfShards: 20 },
    behavior: () => {
      let count = 0
      return Behaviors.receiveMessage<ToCounter>((message) => {
        if (message.type === 'Add') count += message.by
        else message.replyTo.tell({ count, node: id })
      })
    },
  })
  return sharding
}

const askAll = (sharding: ClusterSharding): Promise<Answer[]> =>
  Promise.all(
    ids.map((id) =>
      sharding
        .entityRefFor(counters, id)
        .ask<Answer>((replyTo) => ({ type: 'Get', replyTo }), { timeout: '10s' }),
    ),
  )

describe('sharding over TCP', () => {
  const nodes = new ClusterNodes()
  afterEach(() => nodes.stop())

  test('two nodes share the entities, agree about them, and one takes them over', async () => {
    const store = new MemoryStore()
    const [a, b] = await nodes.cluster(2)
    const [onA, onB] = [shardingOn(a!, store), shardingOn(b!, store)]
    // Both regions are registered when both have found the coordinator.
    await Promise.all([askAll(onA), askAll(onB)])
    for (const id of ids) onB.entityRefFor(counters, id).tell({ type: 'Add', by: 1 })
    const fromB = await askAll(onB)
    expect(fromB.every(({ count }) => count === 1)).toBe(true)
    expect(await askAll(onA)).toEqual(fromB)
    await b!.system.terminate()
    const left = await askAll(onA)
    expect(left.every(({ node }) => node === a!.id)).toBe(true)
  })
})
