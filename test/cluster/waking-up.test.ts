import { afterEach, expect, test, vi } from 'vitest'
import { type ClusterNode, ClusterNodes } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(async () => {
  await nodes.stop()
  vi.restoreAllMocks()
})

type Sleep = 'a stopped process' | 'a suspended machine'

/**
 * From now on the clocks are that much ahead: as after a sleep of the whole process. Where the machine was suspended the
 * monotonic clock stood still, as it does on Linux.
 */
function oversleep(ms: number, how: Sleep): void {
  const realWall = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => realWall() + ms)
  if (how === 'a suspended machine') return
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
}

/** A long sleep by slow heartbeats: what a busy machine holds up by itself must not look like one. */
const sleepMs = 25_000
const slow = { cluster: { heartbeatIntervalMs: 5_000, acceptableHeartbeatPauseMs: 25_000 } }

const sleeps: readonly Sleep[] = ['a stopped process', 'a suspended machine']

function thawOf({ cluster }: ClusterNode): Promise<void> {
  return new Promise((resolve) => {
    cluster.subscribe((event) => {
      if (event.type === 'Thawed') resolve()
    })
  })
}

test.each(sleeps)('nothing runs in %s that wakes before the node is frozen', async (how) => {
  const [sleeper] = (await nodes.cluster(3, slow)) as [ClusterNode, ...ClusterNode[]]
  const thawed = thawOf(sleeper)
  const wasFrozen = await new Promise<boolean>((resolve) => {
    const ref = sleeper.system.spawn<string>(() => resolve(sleeper.cluster.isFrozen))
    // In the mailbox while the process sleeps.
    ref.tell('before')
    oversleep(sleepMs, how)
  })
  expect(wasFrozen).toBe(true)
  expect(sleeper.events.at(-1)).toEqual({ type: 'Frozen', reason: 'paused' })
  // The others still know it, and say so.
  await thawed
  expect(sleeper.cluster.isFrozen).toBe(false)
})

test.each(sleeps)(
  'whoever is first in %s that wakes can have the clocks looked at',
  async (how) => {
    const [sleeper] = (await nodes.cluster(3, slow)) as [ClusterNode, ...ClusterNode[]]
    const thawed = thawOf(sleeper)
    expect(sleeper.cluster.lookForFreeze()).toBe(false)
    oversleep(sleepMs, how)
    expect(sleeper.cluster.isFrozen).toBe(false)
    expect(sleeper.cluster.lookForFreeze()).toBe(true)
    expect(sleeper.cluster.isFrozen).toBe(true)
    await thawed
  },
)

test('the clock may be looked at by who is just told of an event', async () => {
  const node = await nodes.start()
  const seen: boolean[] = []
  node.cluster.follow(() => seen.push(node.cluster.lookForFreeze()))
  node.cluster.join(node.address)
  await node.cluster.whenUp
  expect(new Set(seen)).toEqual(new Set([false]))
})

test('a listener of a user that throws or rejects is logged, and all goes on', async () => {
  const node = await nodes.start()
  const heard: string[] = []
  node.cluster.subscribe(() => {
    throw new Error('a listener that throws')
  })
  node.cluster.subscribe(() => Promise.reject(new Error('a listener that rejects')) as unknown)
  node.cluster.subscribe(({ type }) => heard.push(type))
  node.cluster.join(node.address)
  await node.cluster.whenUp
  expect(heard.slice(0, 3)).toEqual(['MemberJoined', 'LeaderChanged', 'MemberUp'])
  expect(node.system.shutdown.reason).toBeUndefined()
  const told = node.logs.matching(/A listener for cluster events threw/, 'error')
  const reasons = told.map(({ fields }) => String(fields?.['err']))
  expect(new Set(reasons)).toEqual(
    new Set(['Error: a listener that throws', 'Error: a listener that rejects']),
  )
})

test('a part of the node that throws ends it, after the others have heard', async () => {
  const node = await nodes.start()
  const heard: string[] = []
  node.cluster.follow(() => {
    throw new Error('a part that throws')
  })
  node.cluster.subscribe(({ type }) => heard.push(type))
  node.cluster.join(node.address)
  await node.system.whenTerminated
  expect(heard.slice(0, 3)).toEqual(['MemberJoined', 'LeaderChanged', 'MemberUp'])
  expect(node.system.shutdown.reason).toEqual({ type: 'broken-invariant' })
})
