import { afterEach, expect, test } from 'vitest'
import type { MemberStatus } from '../../src/cluster/index.ts'
import type { NodeId } from '../../src/foundation/node-id.ts'
import { areUp, type ClusterNode, ClusterNodes, story, until } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(() => nodes.stop())

/** As this node showed it in that moment. */
function statusWhenDowned({ events }: ClusterNode, downed: NodeId): MemberStatus | undefined {
  for (const event of events) {
    if (event.type === 'MemberDowned' && event.member.node === downed) return event.member.status
  }
  return undefined
}

// Tick by tick, with the sets of those who have seen each version: `membership-steps.test.ts`.
test('CL-003 members go from Joining to Up; a downed one hears of it at once and ends', async () => {
  const [first, second, third] = await nodes.cluster(3)
  expect(story(first!, second!.id)).toEqual(['MemberJoined', 'MemberUp'])
  expect(story(first!, third!.id)).toEqual(['MemberJoined', 'MemberUp'])
  first!.cluster.down(second!.id)
  await second!.cluster.whenRemoved
  expect(second!.system.shutdown.reason).toEqual({ type: 'downing' })
  expect(second!.cluster.isFrozen).toBe(true)
  const others = [first!, third!]
  await until(others, 'two members', () => others.every((node) => areUp(node, others)))
  for (const node of others) {
    const told = story(node, second!.id).filter((event) => event !== 'UnreachableMember')
    expect(told.slice(-2)).toEqual(['MemberDowned', 'MemberRemoved(Down)'])
    expect(statusWhenDowned(node, second!.id)).toBe('Down')
  }
  await second!.system.whenTerminated
})
