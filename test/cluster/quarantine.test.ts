import { afterEach, expect, test } from 'vitest'
import { statusOfPair } from '../../src/cluster/gossip/reachability.ts'
import { type ClusterNode, ClusterNodes, until } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(() => nodes.stop())

const sees = ({ cluster, id }: ClusterNode, other: ClusterNode): string =>
  statusOfPair(cluster.snapshot().membership.gossip.reachability, id, other.id)

test('a member that this node has given up is terminated for it at once, and not only silent', async () => {
  const [first, second, third] = await nodes.cluster(3)
  // As when what watches its actors could not be told for too long.
  first!.remoting.quarantine(third!.id, 'a test gives it up')
  await until([first!], 'the third is not reachable', () => sees(first!, third!) !== 'Reachable')
  expect([sees(first!, third!), sees(first!, second!)]).toEqual(['Terminated', 'Reachable'])
})

test('a member that has given this node up is not accused in return', async () => {
  const [first, , third] = await nodes.cluster(3)
  first!.remoting.quarantine(third!.id, 'a test gives it up')
  await until([third!], 'the third is frozen for good', () => third!.cluster.isFrozen)
  expect(sees(third!, first!)).not.toBe('Terminated')
})
