/**
 * A program with counters, as users write one, that joins a cluster and says `up`. What keeps it from that is nobody's to catch.
 *
 *   node test/processes/join-main.ts FOLDER SEED SHARDS REMEMBERS
 */
import { writeSync } from 'node:fs'
import { defineEntity, startNode } from '../../src/index.ts'
import { quickCluster, quickRemote, quickSharding } from './nodes/quick-settings.ts'

const [folder = '', seed = '', shards = '', remembers = ''] = process.argv.slice(2)

const Counter = defineEntity('Counter', {
  state: () => ({ count: 0 }),
  events: { Added: (state, by: number) => ({ count: state.count + by }) },
  commands: { add: (self, by: number) => self.persist('Added', by).count },
  numberOfShards: Number(shards),
  rememberEntities: remembers === 'true',
})

await startNode({
  entities: [Counter],
  ...{ name: 'processes', seeds: [seed], store: { folder } },
  settings: { remote: quickRemote, cluster: quickCluster, sharding: quickSharding },
})
writeSync(1, 'up\n')
