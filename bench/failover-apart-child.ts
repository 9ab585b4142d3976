/** The client of `failover` on a host of its own: `node failover-apart-child.js SEATS`. Plays the scenes, and tells what they took. */
import type { Noted } from './failover-apart.ts'
import type { Seats } from './failover-cluster.ts'
import { playApart } from './failover-scenes.ts'

process.on('disconnect', () => process.exit(1))
const seats = JSON.parse(process.argv[2] ?? '') as Seats
await playApart((row, ms) => process.send?.({ row, ms } satisfies Noted), seats)
process.exit(0)
