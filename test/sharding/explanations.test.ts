/** What is said to somebody whose call has no answer: where it waits, and what to look at. */
import { describe, expect, test } from 'vitest'
import { Behaviors } from '../../src/actor/index.ts'
import { type Journal, JournalUnavailable } from '../../src/persistence/index.ts'
import { EntityTypeKey } from '../../src/sharding/index.ts'
import { add, ByNumber, countOf, hostCounters } from './counter.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

const twelve = { extractor: new ByNumber(12), settings: { numberOfShards: 12 } }
const hosts = (node: ShardingNode): void => hostCounters(node, { ...twelve, role: 'host' })
const proxies = ({ sharding }: ShardingNode): void =>
  void sharding.startProxy({ ...twelve, entityType: 'Counter', role: 'host' })

async function textOn(scene: Scene, node: ShardingNode, id: string): Promise<string> {
  return (await scene.settle(node.sharding.explain('Counter', id))).text
}

const reach = (id: string): string =>
  `${id} cannot be reached now: it goes on when that node is back, or elsewhere once that node was removed.`

/** The only host is `b`; the others call. */
async function oneHost(scene: Scene): Promise<readonly [a: ShardingNode, b: ShardingNode]> {
  const b = await scene.start('b', { init: hosts, roles: ['host'] })
  const a = await scene.start('a', { init: proxies })
  await scene.start('c', { init: proxies })
  return [a, b]
}

describe('a call waits', () => {
  test('for a node that cannot be reached, and then for any node that could host', async () => {
    await play(async (scene) => {
      const [a, b] = await oneHost(scene)
      await scene.settle(countOf(a, '3'))
      const place = 'Entity 3 of type Counter is in shard 3.'
      expect(await textOn(scene, a, '3')).toBe(
        `${place} It lives on ${b.id}; what it is doing is known there.`,
      )
      // Nobody can see that it has ended.
      scene.simulation.setEndsProved(false)
      scene.simulation.crash('b')
      await scene.simulation.runUntil(() => a.cluster.state.unreachable.has(b.id))
      expect(await textOn(scene, a, '3')).toBe(`${place} It lives on ${b.id}. ${reach(b.id)}`)
      await scene.simulation.runUntil(() => a.cluster.state.members.length === 2, {
        within: '60s',
      })
      add(a, '3', 1)
      expect(await textOn(scene, a, '3')).toBe(
        `${place} Its home is not known, and no coordinator has been found yet: is a node with the role up, and a majority reachable? One message of this node waits for that shard.`,
      )
    })
  })

  test('for a coordinator whose disk is full, and says so on every node', async () => {
    await play(async (scene) => {
      const disk = { isFull: false }
      const a = await scene.start('a', {
        journal: (real) => fullWhile(() => disk.isFull, real),
        init: (starting) => hostCounters(starting, { ...twelve, role: 'host' }),
        roles: ['host'],
      })
      const b = await scene.start('b', { init: proxies })
      await scene.settle(countOf(b, '3'))
      disk.isFull = true
      add(b, '5', 1)
      const isNamed = async (node: ShardingNode): Promise<boolean> =>
        (await textOn(scene, node, '5')).includes('the disk is full; free some space.')
      await scene.simulation.run({ for: '5s' })
      expect(await isNamed(a)).toBe(true)
      expect(await isNamed(b)).toBe(true)
      expect(await textOn(scene, b, '5')).toContain(
        `The coordinator of Counter on ${a.id} could not read or store: `,
      )
      disk.isFull = false
      expect((await scene.settle(countOf(b, '5'))).count).toBe(1)
      expect(await isNamed(a)).toBe(false)
      expect(await isNamed(b)).toBe(false)
    })
  })

  test('for a coordinator that does not answer', async () => {
    await play(async (scene) => {
      const isStored = { isStored: true }
      const node = await scene.start('a', {
        journal: (real) => onlyWhile(() => isStored.isStored, real),
        init: (starting) => hostCounters(starting, twelve),
      })
      isStored.isStored = false
      const place = 'Entity 5 of type Counter is in shard 5. Its home is not known yet;'
      expect(await textOn(scene, node, '5')).toBe(
        `${place} the coordinator on ${node.id} is asked when a message comes.`,
      )
      add(node, '5', 1)
      expect(await textOn(scene, node, '5')).toBe(
        `${place} the coordinator on ${node.id} was asked and has not answered. One message of this node waits for that shard.`,
      )
    })
  })

  test('for a coordinator that cannot be reached', async () => {
    await play(async (scene) => {
      const [a, b] = await oneHost(scene)
      // Nobody can see that it has ended.
      scene.simulation.setEndsProved(false)
      scene.simulation.crash('b')
      await scene.simulation.runUntil(() => a.cluster.state.unreachable.has(b.id))
      add(a, '3', 1)
      expect(await textOn(scene, a, '3')).toContain(
        `the coordinator on ${b.id} was asked and has not answered. ${reach(b.id)}`,
      )
    })
  })

  test('on a node that is frozen', async () => {
    await play(async (scene) => {
      const init = (node: ShardingNode): void => hostCounters(node, twelve)
      const [a, b, c] = [
        await scene.start('a', { init }),
        await scene.start('b', { init }),
        await scene.start('c', { init }),
      ]
      const counts = await scene.settle(Promise.all(['1', '2', '3'].map((id) => countOf(a, id))))
      const id = `${counts.findIndex(({ node }) => node === c.id) + 1}`
      scene.simulation.network.partition(['a', 'b'], ['c'])
      await scene.simulation.runUntil(() => c.cluster.isFrozen, { within: '30s' })
      const frozen =
        'It may have been cut off from the majority: look at the network, at the other nodes and at the store. It goes on when it sees them again.'
      expect(await textOn(scene, c, id)).toContain(
        `It lives on this node, which is frozen. ${frozen}`,
      )
      add(c, '9', 1)
      expect(await textOn(scene, c, '9')).toContain(`This node is frozen. ${frozen}`)
      expect(b.cluster.isFrozen).toBe(false)
    })
  })

  test('for a move to end', async () => {
    await play(async (scene) => {
      const init = (node: ShardingNode): void => hostSlow(node)
      const a = await scene.start('a', { init })
      a.sharding.entityRefFor(slow, 'x').tell({ type: 'Wake' })
      await scene.simulation.runUntil(() => a.sharding.regionState('Slow').shards.length === 1)
      const b = await scene.start('b', { init })
      b.sharding.entityRefFor(slow, 'x').tell({ type: 'Wake' })
      await scene.simulation.run({ for: '1s' })
      void a.sharding.gracefulShutdown('Slow')
      await scene.simulation.run({ for: '2s' })
      const on = async ({ sharding }: ShardingNode) =>
        (await scene.settle(sharding.explain('Slow', 'x'))).text
      expect(await on(a)).toContain(
        'It is being handed off by this node; its entities are stopping.',
      )
      expect(await on(b)).toContain(
        `It is moving to another home, which the coordinator on ${a.id} has not announced yet.`,
      )
    })
  })
})

interface Wake {
  readonly type: 'Wake' | 'Stop'
}

const slow = new EntityTypeKey<Wake>('Slow')

/** Entities that take five seconds to end. */
function hostSlow({ sharding }: ShardingNode): void {
  sharding.init<Wake>({
    ...{ key: slow, settings: { numberOfShards: 1 }, stopMessage: { type: 'Stop' } },
    behavior: () =>
      Behaviors.receive<Wake>(({ timers }, { type }) => {
        if (type === 'Stop') timers.startSingle('end', '5s', { type: 'Wake' })
        return type === 'Stop' ? Behaviors.receiveMessage(() => Behaviors.stopped()) : undefined
      }),
  })
}

/** Refuses what is written while it is full. */
function fullWhile(isFull: () => boolean, journal: Journal): Journal {
  const refused = () =>
    Promise.reject(
      new JournalUnavailable(
        'Nothing could be written in ./data: the disk is full; free some space.',
      ),
    )
  return {
    claim: (id, writer) => (isFull() ? refused() : journal.claim(id, writer)),
    append: (batch) => (isFull() ? refused() : journal.append(batch)),
    read: (range, onEvent) => journal.read(range, onEvent),
    highestSequenceNr: (id) => journal.highestSequenceNr(id),
    close: () => journal.close(),
  }
}

/** A store whose appends are not answered for a while. */
function onlyWhile(answers: () => boolean, journal: Journal): Journal {
  return {
    claim: (id, writer) => journal.claim(id, writer),
    append: (batch) => (answers() ? journal.append(batch) : new Promise(() => undefined)),
    read: (range, onEvent) => journal.read(range, onEvent),
    highestSequenceNr: (id) => journal.highestSequenceNr(id),
    close: () => journal.close(),
  }
}
