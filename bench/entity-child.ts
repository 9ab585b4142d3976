/** The other process of `entity-remote`: `node entity-child.js FOLDER`. Forms the cluster and hosts all shops. Ends with its parent. */
import { startShops } from './entity-shape.ts'

// Not by an exit, which would wait for a commit under way, which waits for this thread.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
const node = await startShops(process.argv[2] ?? '')
process.send?.(node.address)
