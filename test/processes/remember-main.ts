/**
 * A node in a process of its own with remembered entities on a LMDB folder. Says `started ID SHARD` for every entity that
 * starts, and `ready` when those that it was told to start have. The shard of an entity is its number and a shift, of 10.
 *
 *   node test/processes/remember-main.ts FOLDER SHIFT [ID ...]
 */
import { writeSync } from 'node:fs'
import { Behaviors } from '../../src/actor/index.ts'
import { startNode } from '../../src/index.ts'
import { EntityStarted, EntityTypeKey, type ShardingEnvelope } from '../../src/sharding/index.ts'

const [folder = '', shift = '0', ...ids] = process.argv.slice(2)
const say = (line: string): void => void writeSync(1, `${line}\n`)
const counters = new EntityTypeKey<string>('Counter')

const node = await startNode({
  store: { folder },
  environment: {
    logger: { ...console, trace: () => undefined, debug: () => undefined, info: () => undefined },
  },
  beforeJoin: ({ sharding, system }) => {
    system.eventStream.subscribe(EntityStarted, ({ entityId, shard }) =>
      say(`started ${entityId} ${shard}`),
    )
    sharding.init<string>({
      key: counters,
      rememberEntities: true,
      settings: { numberOfShards: 10 },
      extractor: {
        entityId: ({ entityId }: ShardingEnvelope<string>) => entityId,
        shardId: (entityId) => (Number(entityId) + Number(shift)) % 10,
        unwrapMessage: ({ message }) => message,
      },
      behavior: () => Behaviors.ignore,
    })
  },
})
for (const id of ids) await node.sharding.entityRefFor(counters, id).start({ timeout: '20s' })
say('ready')
