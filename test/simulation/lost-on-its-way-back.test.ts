import { expect, test } from 'vitest'
import { Behaviors } from '../../src/actor/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { PeerDisconnected } from '../../src/remote/index.ts'
import {
  EntityTypeKey,
  LocalShardStarted,
  type ShardAllocationStrategy,
} from '../../src/sharding/index.ts'
import {
  ClusterChecks,
  simulate,
  type Simulation,
  startSimulatedNode,
} from '../../src/simulation/index.ts'
import { notesIn, type Note } from '../scenarios/spine/spine-entities.ts'

const inboxes = new EntityTypeKey<Note>('Inbox')
const settings = { sharding: { numberOfShards: 1 } }

/** Gives the only shard to `a` as soon as `a` is there, to `b` before; `chosen` is called when it is `a`. */
function preferring(chosen: () => void): ShardAllocationStrategy {
  const on = (name: string) => (region: string) => region.startsWith(`${name}:`)
  return {
    allocateShard: ({ allocations }) => {
      const regions = [...allocations.keys()]
      const a = regions.find(on('a'))
      if (a !== undefined) chosen()
      return a ?? regions.find(on('b'))
    },
    rebalance: ({ allocations }) => {
      const [a, b] = ['a', 'b'].map((name) => [...allocations.keys()].find(on(name)))
      return a === undefined || b === undefined ? [] : (allocations.get(b) ?? [])
    },
  }
}

/** The inbox is on `b`; then `a` is chosen as its home, and out of reach before it hears so. */
async function stage(simulation: Simulation) {
  const { network, store } = simulation
  const checks = new ClusterChecks(simulation, { idsIn: notesIn, store })
  const nodes = new Map<string, SherdNode>()
  const starts: string[] = []
  let isChosen = false
  const allocationStrategy = preferring(() => {
    isChosen = true
    network.partition(['a'], ['b', 'c'])
  })
  const write = (by: string, note: string): void => {
    checks.losses.sent(note, `${by}#1`, 'Inbox/i')
    const inbox = nodes.get(by)!.sharding.entityRefFor(inboxes, 'i')
    inbox.tell({ note, sender: by, number: 0 })
  }
  for (const name of ['b', 'c', 'a']) {
    const started = startSimulatedNode(simulation, name, {
      ...{ seeds: ['b:2552'], settings },
      beforeJoin: (node, life) => {
        checks.attach(node, life)
        node.system.eventStream.subscribe(LocalShardStarted, () => starts.push(name))
        node.sharding.init({
          ...{ key: inboxes, allocationStrategy },
          behavior: () =>
            Behaviors.receiveMessage<Note>(({ note }) => checks.losses.delivered(note)),
        })
      },
    })
    nodes.set(name, await simulation.settle(started))
    const note = `first of ${name}`
    write(name, note)
    await simulation.runUntil(() => checks.losses.isDelivered(note), { what: note })
  }
  await simulation.runUntil(() => isChosen, { within: '60s', what: 'a is chosen' })
  return { a: nodes.get('a')!, b: nodes.get('b')!, checks, starts, write }
}

/** How many messages the node counted as unconfirmed, each time a connection for them to the other broke. */
function unconfirmedOf({ system }: SherdNode, peer: SherdNode): readonly number[] {
  const counts: number[] = []
  system.eventStream.subscribe(PeerDisconnected, ({ node, lane, unconfirmed }) => {
    if (lane === 'data' && node === peer.id) counts.push(unconfirmed)
  })
  return counts
}

test.each([
  ['ends', 'S3: lost in a connection that broke'],
  ['dies', 'S3: lost when a home died'],
])(
  'what a node gave back that %s and never was a home is not lost in silence',
  async (end, excuse) => {
    await simulate('lost on its way back', {
      seeds: 3,
      scenario: async (simulation) => {
        const { network } = simulation
        const { a, b, checks, starts, write } = await stage(simulation)
        await simulation.runUntil(() => a.cluster.isFrozen, { what: 'a is frozen' })
        checks.losses.leaves('a#1')
        const stopped = a.stop()
        const isStopped = () => a.sharding.regionState('Inbox').phase === 'stopped'
        await simulation.runUntil(isStopped, { what: 'the region of a has stopped' })
        const [countedByA, countedByB] = [unconfirmedOf(a, b), unconfirmedOf(b, a)]
        // To a there is a new connection; in the old one from a nothing moves, and what is given back stays in it.
        network.stall('a', 'b')
        network.breakAt('b', 'a')
        await simulation.runUntil(() => countedByB.length === 1, { what: 'b is to connect anew' })
        network.join('a', 'b')
        network.join('b', 'a')
        write('b', 'given back')
        // Nobody publishes that a message was confirmed; that it was shows below, in what b counts.
        await simulation.run({ for: '1s' })
        network.partition(['a'], ['b'])
        await simulation.runUntil(() => starts.length > 1, { within: '60s', what: 'b hosts again' })
        if (end === 'ends') await simulation.settle(stopped)
        else {
          checks.crashed('a')
          simulation.crash('a')
        }
        network.heal()
        write('b', 'last')
        await simulation.runUntil(() => checks.losses.isDelivered('last'), { what: 'b goes on' })
        checks.losses.conclude()
        expect(starts).toEqual(['b', 'b'])
        // That it came to a was confirmed: only a can tell of it.
        expect(countedByB.slice(1)).toEqual([0])
        expect(countedByA.length).toBe(end === 'ends' ? 1 : 0)
        expect(countedByA.every((unconfirmed) => unconfirmed > 0)).toBe(true)
        expect(checks.losses.summary).toEqual({ sent: 5, delivered: 4, lost: 0 })
        expect(simulation.excuses).toEqual({ [excuse]: 1 })
      },
    })
  },
)
