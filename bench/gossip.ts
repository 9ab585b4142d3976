/**
 * `gossip`: what it costs to know of each other, by the number of members. The machines of the cluster room alone, on
 * simulated links, with every byte counted: all start together, rest, and lose one of them that falls silent. Time is
 * virtual; CPU is that of all members together.
 */
import { Crowd } from '../test/cluster/crowd.ts'
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
  const crowd = new Crowd({ size, countsBytes: true })
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
  crowd.crash(crowd.members.at(-1)!, { silent: true })
  const removal = timed(() => crowd.runUntil('removal', () => crowd.isWhole, limitMs))
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
    one('crash to convergence', 'virtual ms', removal.ms),
    one('a removal, per member', 'bytes', removalBytes / size),
    one('a removal, work per member', 'ms of CPU', removal.cpuMs / size),
  ]
}

function timed(run: () => number): { readonly ms: number; readonly cpuMs: number } {
  const before = process.cpuUsage()
  const ms = run()
  const { user, system } = process.cpuUsage(before)
  return { ms, cpuMs: (user + system) / 1000 }
}
