import { describe, expect, test } from 'vitest'
import { Network, type Node } from '../../test/cluster/network.ts'
import { explainConvergence, type ConvergenceExplanation } from './explain-convergence.ts'

const addresses = ['a:1', 'b:1', 'c:1']

function explained(network: Network, { id: self, machine }: Node): ConvergenceExplanation {
  const { settings, now } = network
  const explanation = explainConvergence({ self, settings, now, snapshot: machine.snapshot() })
  expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation)
  return explanation
}

function three(): { network: Network; nodes: [Node, Node, Node] } {
  const network = new Network()
  for (const address of addresses) network.start(address, addresses)
  network.runUntil('all are up', () => network.isWhole, 20_000)
  return { network, nodes: network.nodes as [Node, Node, Node] }
}

describe('why the members do not agree', () => {
  test('they do: nobody stands in the way', () => {
    const { network, nodes } = three()
    const [a, b] = nodes
    expect(explained(network, b)).toEqual({
      node: b.id,
      isConverged: true,
      leader: a.id,
      blockers: [],
      missing: [],
      isFrozen: false,
      decidesInMs: null,
      text: 'All members agree; a:1 leads.',
    })
  })

  test('nobody of its data center lives: only a person can say so', () => {
    const network = new Network({ settings: { crossDataCenterPauseMs: 4_000 } })
    const start = (address: string, dataCenter: string): Node =>
      network.start(address, ['a:1'], { dataCenter })
    start('a:1', 'one')
    const lost = start('b:1', 'two')
    network.runUntil('both are up', () => network.isWhole, 20_000)
    network.crash(lost, { silent: true })
    network.run(20_000)
    const next = start('c:1', 'two')
    network.run(20_000)
    const { blockers, text } = explained(network, next)
    expect(blockers).toMatchObject([{ node: lost.id, status: 'Up', reason: 'unreachable' }])
    expect(text).toContain('If they are dead, say so with `cluster.down`')
    network.give(next, { type: 'Down', nodes: [lost.id] })
    network.runUntil('c is up', () => network.isWhole, 20_000)
    expect(explained(network, next).text).toBe('All members agree; c:1 leads.')
  })

  test('one cannot be reached: by whom, and when it will be given up', () => {
    const { network, nodes } = three()
    const [a, b, c] = nodes
    network.crash(c)
    network.run(1_000)
    const explanation = explained(network, a)
    expect(explanation).toMatchObject({
      isConverged: false,
      blockers: [
        {
          ...{ node: c.id, address: 'c:1', status: 'Up', reason: 'unreachable' },
          unreachableFrom: [a.id, b.id],
        },
      ],
      isFrozen: false,
    })
    expect(explanation.decidesInMs).toBeGreaterThan(1_000)
    expect(explanation.decidesInMs).toBeLessThan(2_500)
    expect(explanation.text).toMatch(
      /^The members do not agree on one view yet, .* removed\. c:1 \(Up\) cannot be reached from a:1, b:1\. If nothing changes, c:1 will be given up in [\d.]+ m?s \(DownUnreachable\)\.$/,
    )
  })

  test('one has not confirmed: it is behind', () => {
    const { network, nodes } = three()
    const [a, , c] = nodes
    network.sleep(c, 1_500)
    network.start('d:1', addresses)
    network.run(1_000)
    const { blockers, text } = explained(network, a)
    expect(blockers).toEqual([
      {
        ...{ node: c.id, address: 'c:1', status: 'Up', reason: 'unseen', unreachableFrom: [] },
      },
    ])
    expect(text).toContain('c:1 (Up) has not confirmed the latest view: it is behind, or busy.')
    network.runUntil('all agree', () => network.isWhole, 20_000)
    expect(explained(network, a).isConverged).toBe(true)
  })

  test('a cluster that is being formed waits for others', () => {
    const network = new Network({ settings: { minMembers: 2, minMembersByRole: { web: 1 } } })
    const alone = network.start('a:1', ['a:1'])
    network.run(1_000)
    const { missing, text } = explained(network, alone)
    expect(missing).toEqual([
      { role: null, wanted: 2, there: 1 },
      { role: 'web', wanted: 1, there: 0 },
    ])
    expect(text).toContain(
      'The cluster is being formed: 1 of 2 members are there (minMembers); 0 of 1 members with the role web are there (minMembersByRole.web).',
    )
  })

  test('a node that is in no cluster says so, and why', () => {
    const network = new Network()
    const outside = network.start('b:1', addresses)
    network.run(3_000)
    expect(explained(network, outside)).toMatchObject({ isConverged: false, leader: null })
    expect(explained(network, outside).text).toMatch(
      /^This node is not in a cluster; a:1 refused the connection; c:1 refused the connection\.$/,
    )
  })

  test('a side that is frozen says so', () => {
    const { network, nodes } = three()
    const [a, b, c] = nodes
    network.cut([a, b], [c])
    network.run(4_000)
    expect(explained(network, c)).toMatchObject({ isFrozen: true })
    expect(explained(network, c).text).toContain('This node is frozen (')
  })
})
