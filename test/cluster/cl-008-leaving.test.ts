import { afterEach, describe, expect, test } from 'vitest'
import { NeverUp } from '../../src/cluster/index.ts'
import { within } from '../processes/harness/patience.ts'
import { type ClusterNode, ClusterNodes, story, until } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(() => nodes.stop())

/** Whatever it was that ends it. */
const ended = ({ id, system }: ClusterNode) => within(system.whenTerminated, `the end of ${id}`)

const leave = ['MemberLeft', 'MemberExited', 'MemberRemoved(Exiting)']

describe('CL-008', () => {
  test('leave() of the only member ends its system with the reason', async () => {
    const [node] = await nodes.cluster(1)
    node!.cluster.leave()
    await ended(node!)
    expect(story(node!, node!.id).slice(-3)).toEqual(leave)
    expect(node!.system.shutdown.reason).toEqual({ type: 'leaving' })
  })

  test('the coordinated shutdown leaves first, and keeps its own reason', async () => {
    const [first, second, third] = await nodes.cluster(3)
    void third!.system.shutdown.run({ type: 'signal', signal: 'SIGTERM' })
    await ended(third!)
    expect(third!.system.shutdown.reason).toEqual({ type: 'signal', signal: 'SIGTERM' })
    expect(story(third!, third!.id).slice(-3)).toEqual(leave)
    const others = [first!, second!]
    const isGone = () => others.every(({ cluster }) => cluster.state.members.length === 2)
    await until(others, 'removal', isGone)
    for (const node of others) expect(story(node, third!.id).slice(-3)).toEqual(leave)
    expect(third!.logs.matching(/within|timed out|took longer/i, 'warn')).toEqual([])
  })

  test('another node asks it to leave', async () => {
    const [first, second] = await nodes.cluster(2)
    first!.cluster.leave(second!.id)
    await ended(second!)
    expect(second!.system.shutdown.reason).toEqual({ type: 'leaving' })
    expect(story(second!, second!.id).slice(-3)).toEqual(leave)
  })

  test('down(self) ends it as downed', async () => {
    const [node] = await nodes.cluster(1)
    node!.cluster.down(node!.id)
    await ended(node!)
    expect(story(node!, node!.id).slice(-2)).toEqual(['MemberDowned', 'MemberRemoved(Down)'])
    expect(node!.system.shutdown.reason).toEqual({ type: 'downing' })
  })

  test('the same while it is still joining, since more members are needed', async () => {
    const cluster = { minMembers: 2 }
    for (const what of ['leave', 'down', 'shutdown'] as const) {
      const node = await nodes.start({ seeds: ['self'], cluster })
      await until([node], 'Joining', () => node.cluster.state.members[0]?.status === 'Joining')
      if (what === 'leave') node.cluster.leave()
      else if (what === 'down') node.cluster.down(node.id)
      else void node.system.terminate()
      await expect(node.cluster.whenUp).rejects.toThrow(NeverUp)
      await ended(node)
      const end = what === 'down' ? ['MemberDowned', 'MemberRemoved(Down)'] : leave
      expect(story(node, node.id)).toEqual(['MemberJoined', ...end])
      const reasons = { leave: 'leaving', down: 'downing', shutdown: 'actor-system-terminate' }
      expect(node.system.shutdown.reason).toEqual({ type: reasons[what] })
    }
  })

  test('a node that never joined ends at once', async () => {
    const node = await nodes.start()
    void node.system.terminate()
    await ended(node)
    await node.cluster.whenRemoved
    await expect(node.cluster.whenUp).rejects.toThrow(NeverUp)
  })
})
