/**
 * `gossip`: what it costs to know of each other, by the number of members. The machines of the cluster room alone, on
 * simulated links, with every byte counted: all start together, rest, and lose one of them that falls silent. They share a
 * store that decides splits, as by default; `no store` is how long the loss takes without one. Time is virtual; CPU is that of all members together.
 */
import { Crowd, type CrowdOptions } from '../test/cluster/crowd.ts'
import { SharedRegister } from '../test/cluster/shared-register.ts'
import type { Benchmark, MeasuredCase } from './benchmark.ts'

const sizes = [3, 10, 100, 300]
const restMs = 10_000
const limitMs = 300_000

export const gossip: Benchmark = {
  name: 'gossip',
  summary: 'members that start together, rest and lose one: time, bytes and CPU by their number',
  smallerIsBetter: true,
  run: (_peers, { members } = {}) =>
    Promise.resolve((members === undefined ? sizes : [members]).flatMap(measure)),
}

function measure(size: number): MeasuredCase[] {
  console.error(`measuring ${size} members`)
  const crowd = new Crowd({ size, countsBytes: true, register: new SharedRegister() })
  const start = timed(() => {
    crowd.start()
    return crowd.runUntil('convergence', () => crowd.isWhole, limitMs)
  })
  const startBytes = crowd.takeTraffic().bytes
  const rest = timed(() => {
    crowd.run(restMs)
    return restMs
  })
  const atRest = crowd.takeTraffic()
  const dead = crowd.members.at(-1)!
  crowd.crash(dead, { silent: true })
  const crashedAt = crowd.now
  const removal = timed(() => crowd.runUntil('removal', () => crowd.isWhole, limitMs))
  const removedAt = removedBySomebody(crowd)
  // Heartbeats are what they are at rest; what goes beyond that is for the removal.
  const removalBytes = crowd.takeTraffic().gossipBytes - atRest.gossipBytes * (removal.ms / restMs)
  const one = (name: string, unit: string, sample: number): MeasuredCase => ({
    name: `${size} members, ${name}`,
    unit,
    contestants: [{ name: 'ours', samples: [sample] }],
  })
  return [
    one('start to convergence', 'virtual ms', start.ms),
    one('a start, per pair', 'bytes', startBytes / size ** 2),
    one('a start, work', 'ms of CPU', start.cpuMs),
    one('at rest, per member', 'bytes/s', atRest.bytes / size / (restMs / 1000)),
    one('at rest, work per member', 'us of CPU/s', (1000 * rest.cpuMs) / size / (restMs / 1000)),
    one('crash to the first who removes it', 'virtual ms', removedAt - crashedAt),
    one('crash to convergence', 'virtual ms', removal.ms),
    one('crash to convergence, no store', 'virtual ms', removalMs({ size })),
    one('a removal, per member', 'bytes', removalBytes / size),
    one('a removal, work per member', 'ms of CPU', removal.cpuMs / size),
  ]
}

/** From then on shards of the dead get another home. */
function removedBySomebody({ alive }: Crowd): number {
  const removals = alive.flatMap(({ events }) =>
    events.filter(({ event }) => event.type === 'MemberRemoved'),
  )
  return Math.min(...removals.map(({ at }) => at))
}

function removalMs(options: CrowdOptions): number {
  const crowd = new Crowd(options)
  crowd.start()
  crowd.runUntil('convergence', () => crowd.isWhole, limitMs)
  crowd.run(restMs)
  crowd.crash(crowd.members.at(-1)!, { silent: true })
  return crowd.runUntil('removal', () => crowd.isWhole, limitMs)
}

function timed(run: () => number): { readonly ms: number; readonly cpuMs: number } {
  const before = process.cpuUsage()
  const ms = run()
  const { user, system } = process.cpuUsage(before)
  return { ms, cpuMs: (user + system) / 1000 }
}
