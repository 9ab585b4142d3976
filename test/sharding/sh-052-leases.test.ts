import { describe, expect, test } from 'vitest'
import type { LocalRef } from '../../src/actor/internals.ts'
import type { Lease } from '../../src/lease/index.ts'
import { type Journal, persistenceIdOf } from '../../src/persistence/index.ts'
import { TestLeases } from '../../src/testkit/index.ts'
import { add, answerOf, countOf } from './counter.ts'
import { remember, running, runningIds, same, until } from './remembering.ts'
import { play, type ShardingNode } from './scene.ts'

const ttl = { ttlMs: 6_000, renewIntervalMs: 1_000, operationTimeoutMs: 500 }

function leased(leases: TestLeases | undefined, rememberEntities = false) {
  return (node: ShardingNode): void =>
    remember(
      node,
      { leaseRetryIntervalMs: 200 },
      {
        rememberEntities,
        lease: {
          settings: ttl,
          ...(leases !== undefined && { implementation: leases.implementation }),
        },
      },
    )
}

describe.each([false, true])('SH-052 a shard waits for its lease, remembering: %s', (remembers) => {
  test('which has the name of the system, the type and the shard, and the node as its owner', async () => {
    await play(
      async (scene) => {
        const requests: string[] = []
        const leases = new TestLeases()
        const a = await scene.start('a', {
          init: (node) =>
            remember(
              node,
              {},
              {
                rememberEntities: remembers,
                lease: {
                  implementation: (request) => {
                    requests.push(`${request.name} ${request.owner}`)
                    return leases.implementation(request)
                  },
                },
              },
            ),
        })
        await scene.settle(countOf(a, '1'))
        expect(requests).toEqual([`shop-shard-Counter-1 ${a.id}`])
      },
      { seeds: 2 },
    )
  })

  test('asks again when it is refused, and what waited is delivered then', async () => {
    await play(async (scene) => {
      const leases = new TestLeases()
      const a = await scene.start('a', { init: leased(leases, remembers) })
      leases.steal('shop-shard-Counter-1')
      add(a, '1', 1)
      const answer = countOf(a, '1', '60s')
      await scene.simulation.run({ for: '3s' })
      expect(runningIds(a)).toEqual([])
      leases.lose('shop-shard-Counter-1')
      expect(await scene.settle(answer)).toMatchObject({ count: 1 })
    })
  })

  test('asks again when nobody can tell', async () => {
    await play(async (scene) => {
      const leases = new TestLeases()
      const a = await scene.start('a', { init: leased(leases, remembers) })
      leases.fail('before')
      const answer = countOf(a, '1', '60s')
      await scene.simulation.run({ for: '3s' })
      expect(runningIds(a)).toEqual([])
      leases.fail('none')
      expect(await scene.settle(answer)).toMatchObject({ count: 0 })
    })
  })

  test('B12 is handed off at once while it waits', async () => {
    await play(async (scene) => {
      const leases = new TestLeases()
      const a = await scene.start('a', { init: leased(leases, remembers) })
      leases.steal('shop-shard-Counter-1')
      add(a, '1', 1, 2)
      await scene.simulation.run({ for: '1s' })
      const b = await scene.start('b', { init: leased(leases, remembers) })
      const left = a.sharding.gracefulShutdown('Counter')
      await scene.simulation.runUntil(() => a.sharding.regionState('Counter').shards.length === 0, {
        what: 'the shard has left a',
        within: '2s',
      })
      leases.lose('shop-shard-Counter-1')
      await scene.settle(left)
      expect(await scene.settle(answerOf(b, '1'))).toMatchObject({ count: 3, node: b.id })
    })
  })
})

describe.each([false, true])('SH-053 a lost lease ends the shard, remembering: %s', (remembers) => {
  test('at once, and it comes back with the lease', async () => {
    await play(async (scene) => {
      const leases = new TestLeases()
      const a = await scene.start('a', { init: leased(leases, remembers) })
      add(a, '1', 1)
      await scene.settle(countOf(a, '1'))
      leases.steal('shop-shard-Counter-1')
      await until(scene, 'entity 1 has ended', () => runningIds(a).length === 0)
      await scene.simulation.run({ for: '2s' })
      expect(runningIds(a)).toEqual([])
      leases.lose('shop-shard-Counter-1')
      expect(await scene.settle(answerOf(a, '1'))).toMatchObject({ count: 1 })
    })
  })

  test('B19 a shard that moves gives its lease back first: its next home need not wait for it', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init: leased(undefined, remembers) })
      await scene.settle(countOf(a, '1'))
      const b = await scene.start('b', { init: leased(undefined, remembers) })
      await scene.settle(a.sharding.gracefulShutdown('Counter'))
      const began = scene.simulation.now
      expect(await scene.settle(countOf(b, '1'))).toMatchObject({ node: b.id })
      expect(scene.simulation.now - began).toBeLessThan(1_000)
    })
  })

  test('the shards of a node that crashed are served when their leases are over', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init: leased(undefined, remembers) })
      const b = await scene.start('b', { init: leased(undefined, remembers) })
      for (const id of ['1', '2', '3']) add(a, id, 1)
      await scene.settle(Promise.all(['1', '2', '3'].map((id) => countOf(a, id))))
      expect(running(b).length).toBeGreaterThan(0)
      scene.simulation.crash('b')
      for (const id of ['1', '2', '3']) {
        expect(await scene.settle(answerOf(a, id))).toMatchObject({ count: 1, node: a.id })
      }
    })
  })
})

describe('a node that slept beyond its lease', () => {
  test('handles no message of a leased shard, also before any timer has fired', async () => {
    await play(
      async (scene) => {
        const leases = new TestLeases()
        // The cluster itself does not notice: only the lease does.
        const a = await scene.start('a', { init: leased(leases, true) })
        await scene.settle(countOf(a, '1'))
        add(a, '1', 1)
        scene.simulation.pause('a', '20s')
        await scene.simulation.run({ for: '19500ms' })
        leases.steal('shop-shard-Counter-1')
        // Less than it takes until the thief, who renews nothing, counts as gone.
        await scene.simulation.run({ for: '3s' })
        expect(runningIds(a)).toEqual([])
        const { journal } = a
        const events: number[] = []
        await scene.settle(
          journal.read(
            {
              persistenceId: persistenceIdOf('Counter', '1'),
              fromSequenceNr: 1,
              toSequenceNr: 100,
            },
            ({ sequenceNr }) => void events.push(sequenceNr),
          ),
        )
        expect(events.length).toBeLessThanOrEqual(1)
        leases.lose('shop-shard-Counter-1')
        await until(scene, 'entity 1 is back', () => same(runningIds(a), ['1']))
      },
      { seeds: 10 },
    )
  })
})

/** A journal whose claims of one stream are on their way until they are let go. */
class LateClaims {
  readonly #persistenceId: string
  #letGo: (() => void) | undefined
  outcome: Promise<string> | undefined

  constructor(entityId: string) {
    this.#persistenceId = persistenceIdOf('Counter', entityId)
  }

  get areUnderWay(): boolean {
    return this.#letGo !== undefined
  }

  letGo(): void {
    this.#letGo?.()
  }

  readonly of = (journal: Journal): Journal =>
    new Proxy(journal, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return name === 'claim' ? this.#claim(target) : (value.bind(target) as unknown)
      },
    })

  #claim(journal: Journal): Journal['claim'] {
    return async (...given) => {
      if (given[0] !== this.#persistenceId) return journal.claim(...given)
      await new Promise<void>((resolve) => (this.#letGo = resolve))
      const claim = journal.claim(...given)
      this.outcome = claim.then(
        () => 'claimed',
        (error: unknown) => (error as { code?: string }).code ?? String(error),
      )
      return claim
    }
  }
}

describe('a claim of a former holder that comes late', () => {
  test.each([false, true])('is refused, and the present entity goes on: %s', async (remembers) => {
    await play(async (scene) => {
      const late = new LateClaims('x2')
      const a = await scene.start('a', { init: leased(undefined, remembers) })
      await scene.settle(countOf(a, '1'))
      const b = await scene.start('b', { init: leased(undefined, remembers), journal: late.of })
      expect(await scene.settle(countOf(a, '2'))).toMatchObject({ node: b.id })
      // In the same shard: b has its lease, and is about to claim.
      const before = countOf(a, 'x2', '60s').catch(() => undefined)
      await until(scene, 'the claim is on its way', () => late.areUnderWay)
      scene.simulation.network.partition(['a'], ['b'])
      await scene.simulation.run({ for: '3s' })
      a.cluster.down(b.id)
      add(a, 'x2', 1)
      const present = await scene.settle(answerOf(a, 'x2'))
      expect(present).toMatchObject({ node: a.id })
      late.letGo()
      await until(scene, 'the claim has come', () => late.outcome !== undefined)
      expect(await scene.settle(late.outcome as Promise<string>)).toBe('CLAIM_FENCED')
      add(a, 'x2', 1)
      const { life, count } = await scene.settle(countOf(a, 'x2'))
      expect({ life, count }).toEqual({ life: present.life, count: present.count + 1 })
      await scene.settle(before)
    })
  })
})

describe('a region whose actor is stopped before its shards were handed over', () => {
  test('gives their leases back all the same, and renews none', async () => {
    await play(
      async (scene) => {
        const leases = new TestLeases()
        const made: Lease[] = []
        const a = await scene.start('a', {
          init: (node) =>
            remember(
              node,
              {},
              {
                rememberEntities: false,
                lease: {
                  settings: ttl,
                  implementation: (request) => {
                    const lease = leases.implementation(request)
                    made.push(lease)
                    return lease
                  },
                },
              },
            ),
        })
        await scene.settle(countOf(a, '1'))
        expect(made.map((lease) => lease.checkLease())).toEqual([true])
        // Its own actor is the one that such a message is lost at.
        a.sharding.regionOf('Counter').tell(null as never)
        const region = a.lost.at(-1)?.recipient as LocalRef
        region.cell?.stop()
        await scene.simulation.run({ for: '10s' })
        expect(made.map((lease) => lease.checkLease())).toEqual([false])
      },
      { seeds: 2 },
    )
  })
})
