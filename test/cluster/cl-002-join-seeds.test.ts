import { afterEach, expect, test } from 'vitest'
import { areUp, ClusterNodes, until } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(() => nodes.stop())

test('CL-002 three seeds in reverse order of addresses: the first of the list is the oldest', async () => {
  const all = [await nodes.start(), await nodes.start(), await nodes.start()]
  const seeds = all.map(({ address }) => address).sort((a, b) => (a < b ? 1 : -1))
  for (const { cluster } of all) cluster.joinSeeds(seeds)
  await until(all, 'three members Up', () => all.every((node) => areUp(node, all)))
  for (const { cluster } of all) {
    const oldest = cluster.state.members.find(({ upNumber }) => upNumber === 1)
    expect(oldest?.node.startsWith(seeds[0]!)).toBe(true)
  }
})

test('CL-002 whoever is not first in the list waits for the others, and says why in the log', async () => {
  const first = await nodes.start()
  await nodes.kill(first)
  const second = await nodes.start({ seeds: [first.address, 'self'] })
  await second.logs.expect(
    new RegExp(`Still trying to join a cluster: ${first.address} refused the connection`),
    { within: '8s' },
  )
  expect(second.cluster.state.members).toEqual([])
  const again = await nodes.start({ port: first.port, seeds: ['self', second.address] })
  await second.cluster.whenUp
  await until([again], 'both Up', () => areUp(again, [again, second]))
})
