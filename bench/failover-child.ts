/**
 * A host of `failover`: `node failover-child.js PLACE`. A node as anybody would start it, at its defaults. Says when it is
 * loaded, when it is ready and when it runs the coordinator; SIGTERM lets it leave. Ends with its parent.
 */
import { startNode } from '../src/node/index.ts'
import { CoordinatorStarted } from '../src/sharding/index.ts'
import { optionsAt, type Place } from './failover-place.ts'
import { Counter, hostRole } from './failover-counter.ts'

// Not by an exit, which would wait for a commit under way, which waits for this thread.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.send?.('loaded')
const place = JSON.parse(process.argv[2] ?? '') as Place & { readonly folder: string }
const node = await startNode({
  entities: [Counter],
  roles: [hostRole],
  store: { folder: place.folder },
  ...optionsAt(place),
  beforeJoin: ({ system }) => {
    system.eventStream.subscribe(CoordinatorStarted, () => process.send?.('coordinator started'))
  },
})
process.send?.('ready')
await node.whenStopped
process.exit(0)
