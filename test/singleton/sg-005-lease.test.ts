import { describe, expect, test } from 'vitest'
import type { Lease, LeaseImplementation } from '../../src/lease/index.ts'
import { simulate, type Simulation } from '../../src/simulation/index.ts'
import { TestLeases } from '../../src/testkit/index.ts'
import { ClerkScene } from './clerk.ts'

/** What was asked of all leases, in order. */
type Asked = string[]

const settings = { ttlMs: 6_000, renewIntervalMs: 1_000, operationTimeoutMs: 500 }
const quick = { settings: { singleton: { leaseRetryIntervalMs: 200 } } }

/** Notes what is asked of leases that are made elsewhere, and answers as those do. */
function noted(asked: Asked, make: LeaseImplementation): LeaseImplementation {
  return (request) => {
    const lease = make(request)
    const host = request.owner.split(':')[0]
    const by = (what: string): void => void asked.push(`${host} ${what}`)
    return {
      name: lease.name,
      owner: lease.owner,
      settings: lease.settings,
      checkLease: () => lease.checkLease(),
      get fenceToken() {
        return lease.fenceToken
      },
      acquire: (onLost) => (by('acquire'), lease.acquire(onLost)),
      release: () => (by('release'), lease.release()),
    } satisfies Lease
  }
}

function play(scenario: (simulation: Simulation) => Promise<void>, seeds = 5): Promise<unknown> {
  return simulate('leased singleton', { seeds, scenario })
}

describe('SG-005 a singleton with a lease', () => {
  test('has one with the name of the system and its path, and the node as its owner', async () => {
    await play(async (simulation) => {
      const requests: string[] = []
      const leases = new TestLeases()
      const implementation: LeaseImplementation = (request) => {
        requests.push(`${request.name} ${request.owner}`)
        return leases.implementation(request)
      }
      const scene = new ClerkScene(simulation, ['a'])
      const a = await scene.start('a', { ...quick, lease: { implementation, settings } })
      expect(await scene.ask('a')).toBe('a')
      expect(requests).toEqual([`sherd-singleton-/system/singleton/clerk ${a.id}`])
    }, 2)
  })

  test('does not start while nobody has answered, while it is refused, or while that fails; it asks again', async () => {
    await play(async (simulation) => {
      const leases = new TestLeases()
      const asked: Asked = []
      const lease = { implementation: noted(asked, leases.implementation), settings }
      const scene = new ClerkScene(simulation, ['a'])
      leases.delay('200ms')
      await scene.start('a', { ...quick, lease })
      await simulation.runUntil(() => asked.length > 0)
      expect(scene.registered).toBeUndefined()
      await scene.whenStartedOn('a')

      // Refused: it is another's.
      leases.delay('0ms')
      leases.steal('sherd-singleton-/system/singleton/clerk')
      await simulation.runUntil(() => scene.registered === undefined)
      const count = (): number => asked.filter((line) => line === 'a acquire').length
      const refused = count()
      await simulation.runUntil(() => count() >= refused + 3)
      expect(scene.registered).toBeUndefined()

      // Nobody can tell.
      leases.fail('before')
      const failed = count()
      await simulation.runUntil(() => count() >= failed + 3)
      expect(scene.registered).toBeUndefined()

      leases.fail('none')
      leases.lose('sherd-singleton-/system/singleton/clerk')
      await scene.whenStartedOn('a')
      expect(await scene.ask('a')).toBe('a')
    })
  })

  test('a loss stops it at once, without its stop message; it is released, acquired anew, and started', async () => {
    await play(async (simulation) => {
      const leases = new TestLeases()
      const asked: Asked = []
      const lease = { implementation: noted(asked, leases.implementation), settings }
      const scene = new ClerkScene(simulation, ['a'])
      await scene.start('a', { ...quick, lease })
      await scene.whenStartedOn('a')
      leases.lose('sherd-singleton-/system/singleton/clerk')
      await simulation.runUntil(() => scene.registered === undefined)
      await scene.whenStartedOn('a')
      expect(scene.story).toEqual(['a registers', 'a unregisters', 'a registers'])
      expect(asked).toEqual(['a acquire', 'a release', 'a acquire'])
      expect(await scene.ask('a')).toBe('a')
    })
  })

  test('a node that leaves gives it back, so that the next need not wait', async () => {
    await play(async (simulation) => {
      const leases = new TestLeases()
      const asked: Asked = []
      const lease = {
        implementation: noted(asked, leases.implementation),
        settings: { ...settings, ttlMs: 600_000 },
      }
      const scene = new ClerkScene(simulation, ['a', 'b'])
      for (const name of ['a', 'b']) await scene.start(name, { ...quick, lease })
      await scene.whenStartedOn('a')
      await simulation.settle(scene.nodes.get('a')!.stop())
      await scene.whenStartedOn('b')
      expect(asked).toEqual(['a acquire', 'a release', 'b acquire'])
      expect(scene.story).toEqual([
        'a registers',
        'a is told to stop',
        'a unregisters',
        'b registers',
      ])
    })
  })

  test('of five nodes the oldest is downed: it releases, the next acquires, and starts only when it is granted', async () => {
    await play(async (simulation) => {
      const leases = new TestLeases()
      const asked: Asked = []
      const lease = { implementation: noted(asked, leases.implementation), settings }
      const scene = new ClerkScene(simulation, ['a', 'b', 'c'])
      for (const name of ['a', 'b', 'c', 'd', 'e']) await scene.start(name, { ...quick, lease })
      await scene.whenStartedOn('a')
      const { cluster } = scene.nodes.get('c')!
      cluster.down(scene.nodes.get('a')!.id)
      await simulation.runUntil(() => asked.includes('b acquire'), { within: '60s' })
      await simulation.runUntil(() => !simulation.isAlive('a'))
      await scene.whenMovedTo('b')
      expect(asked.slice(0, 2)).toEqual(['a acquire', 'a release'])
      expect(await scene.askFrom('b', 'e')).toEqual(['b', 'b'])
    })
  })

  test('a store of the node makes it where nothing else is said; who is killed is waited for as long as it could hold it', async () => {
    await play(async (simulation) => {
      simulation.setEndsProved(false)
      const scene = new ClerkScene(simulation, ['a', 'b'])
      const lease = { settings: { ...settings, ttlMs: 40_000 } }
      for (const name of ['a', 'b']) await scene.start(name, { ...quick, lease })
      await scene.whenStartedOn('a')
      scene.crash('a')
      const crashed = simulation.now
      await scene.whenStartedOn('b')
      expect(simulation.now - crashed).toBeGreaterThan(30_000)
    }, 3)
  })

  test('a lease that cannot be is refused at the door', async () => {
    await play(async (simulation) => {
      const scene = new ClerkScene(simulation, ['a'])
      const { singletons } = await scene.start('a')
      const startWith = (lease: unknown) => () =>
        singletons.start({ name: 'other', behavior: () => undefined as never, lease } as never)
      expect(startWith(7)).toThrow('lease must be true, false or an object, not 7')
      expect(startWith({ ttl: 5 })).toThrow('there are implementation and settings')
      expect(startWith({ settings: { ttlMs: -1 } })).toThrow('ttlMs must be a positive number')
    }, 1)
  })
})
