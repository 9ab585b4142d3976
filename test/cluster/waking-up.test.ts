import { afterEach, expect, test, vi } from 'vitest'
import { type ClusterNode, ClusterNodes } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(async () => {
  await nodes.stop()
  vi.restoreAllMocks()
})

/** From now on the clock is that much ahead: as after a sleep of the whole process. */
function oversleep(ms: number): void {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
}

function thawOf({ cluster }: ClusterNode): Promise<void> {
  return new Promise((resolve) => {
    cluster.subscribe((event) => {
      if (event.type === 'Thawed') resolve()
    })
  })
}

test('after a long sleep nothing runs before the node has looked at the clock, and is frozen', async () => {
  const [sleeper] = (await nodes.cluster(3)) as [ClusterNode, ...ClusterNode[]]
  const thawed = thawOf(sleeper)
  const wasFrozen = await new Promise<boolean>((resolve) => {
    const ref = sleeper.system.spawn<string>(() => resolve(sleeper.cluster.isFrozen))
    // In the mailbox while the process sleeps.
    ref.tell('before')
    oversleep(1_000)
  })
  expect(wasFrozen).toBe(true)
  expect(sleeper.events.at(-1)).toEqual({ type: 'Frozen', reason: 'paused' })
  // The others still know it, and say so.
  await thawed
  expect(sleeper.cluster.isFrozen).toBe(false)
})

test('a listener that throws ends the node, after the others have heard', async () => {
  const node = await nodes.start()
  const heard: string[] = []
  node.cluster.subscribe(() => {
    throw new Error('a listener that throws')
  })
  node.cluster.subscribe(({ type }) => heard.push(type))
  node.cluster.join(node.address)
  await node.system.whenTerminated
  expect(heard.slice(0, 3)).toEqual(['MemberJoined', 'LeaderChanged', 'MemberUp'])
  expect(node.system.shutdown.reason).toEqual({ type: 'broken-invariant' })
})
