import { afterEach, expect, test } from 'vitest'
import { compareNodes } from '../../src/foundation/node-id.ts'
import { areUp, type ClusterNode, ClusterNodes, story, until } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(() => nodes.stop())

const byAddress = (a: ClusterNode, b: ClusterNode) => compareNodes(a.id, b.id)

test('CL-007 the leader has the lowest address, after crash upon crash and after a leave', async () => {
  let alive = (await nodes.cluster(4)).sort(byAddress)
  const leaders = () => new Set(alive.map(({ cluster }) => cluster.state.leader))
  const expectLeader = async () => {
    await until(alive, 'all see the same', () => alive.every((node) => areUp(node, alive)))
    expect([...leaders()]).toEqual([alive[0]!.id])
  }
  await expectLeader()

  for (let crash = 1; crash <= 2; crash++) {
    const [crashed, ...survivors] = alive
    await nodes.kill(crashed!)
    survivors[1]!.cluster.down(crashed!.id)
    alive = survivors
    await expectLeader()
  }

  const [leaving, ...rest] = alive
  leaving!.cluster.leave()
  await leaving!.cluster.whenRemoved
  alive = rest
  await expectLeader()
  expect(story(alive[0]!, leaving!.id).slice(-3)).toEqual([
    'MemberLeft',
    'MemberExited',
    'MemberRemoved(Exiting)',
  ])
  await leaving!.system.whenTerminated
})
