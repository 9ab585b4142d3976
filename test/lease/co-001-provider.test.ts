import { describe, expect, test } from 'vitest'
import { InvalidSettings } from '../../src/actor/index.ts'
import {
  defaultLeaseSettings,
  type LeaseImplementation,
  leaseHealth,
  Leases,
  leaseSettings,
  type LeaseSettings,
  type LeasesOptions,
  registerLeases,
  renewIntervalMsOf,
} from '../../src/lease/index.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { ManualTime, TestLeases } from '../../src/testkit/index.ts'

function leasesOf(options: Partial<LeasesOptions> = {}): Leases {
  const implementations = {
    first: registerLeases(new MemoryJournal()),
    second: registerLeases(new MemoryJournal()),
  }
  return new Leases({ owner: 'a:2552#1', implementations, ...options })
}

const intervalOf = (chosen: Partial<LeaseSettings>) => renewIntervalMsOf(leaseSettings('x', chosen))

describe('CO-001 timeouts', () => {
  test('are 120 s, 12 s and 5 s when nothing is set', () => {
    expect(defaultLeaseSettings).toMatchObject({ ttlMs: 120_000, operationTimeoutMs: 5_000 })
    expect(intervalOf({})).toBe(12_000)
  })

  test('give an interval of a tenth, at least 5 s, and keep one that was set', () => {
    expect(intervalOf({ ttlMs: 100_000 })).toBe(10_000)
    expect(intervalOf({ ttlMs: 40_000 })).toBe(5_000)
    expect(intervalOf({ ttlMs: 100_000, renewIntervalMs: 20_000 })).toBe(20_000)
  })

  test('leave time for a second try where the least interval would not', () => {
    expect(intervalOf({ ttlMs: 12_000 })).toBe(4_000)
  })

  test('are refused when an interval is not below half, with every other problem', () => {
    const refused = () =>
      leaseSettings('x', { ttlMs: 100_000, renewIntervalMs: 50_000, clockDriftMax: 2 })
    expect(refused).toThrow(InvalidSettings)
    expect(refused).toThrow('renewIntervalMs (50000) must be less than half of ttlMs (100000)')
    expect(refused).toThrow('clockDriftMax must be from 0 to 0.4, not 2')
    expect(() => leaseSettings('x', { ttlMs: 8_000 })).toThrow(
      'operationTimeoutMs (5000) must be less than half of ttlMs (8000)',
    )
    expect(() => leasesOf({ settings: { ttlMs: -1 } })).toThrow('ttlMs must be a positive number')
  })
})

describe('CO-001 leases by name', () => {
  test('are the same for the same name, owner, implementation and settings', () => {
    const leases = leasesOf()
    const implementation = 'first'
    const lease = leases.lease('x', { implementation })
    expect(leases.lease('x', { implementation, owner: 'a:2552#1' })).toBe(lease)
    expect(leases.lease('x', { implementation, settings: { ttlMs: 120_000 } })).toBe(lease)
    const others = [
      leases.lease('y', { implementation }),
      leases.lease('x', { implementation, owner: 'b:2552#2' }),
      leases.lease('x', { implementation, settings: { ttlMs: 60_000 } }),
      leases.lease('x', { implementation: 'second' }),
    ]
    expect(new Set([lease, ...others]).size).toBe(5)
    expect(lease).toMatchObject({ name: 'x', owner: 'a:2552#1', settings: defaultLeaseSettings })
  })

  test('come from the only implementation when none is named', () => {
    const made = registerLeases(new MemoryJournal())
    const leases = leasesOf({ implementations: { only: made } })
    expect(leases.lease('x')).toBe(leases.lease('x', { implementation: 'only' }))
  })

  test('say which implementations there are when one is missing or unknown', () => {
    const code = 'UNKNOWN_LEASE_IMPLEMENTATION'
    const leases = leasesOf()
    expect(() => leases.lease('x')).toThrow(
      "No implementation of leases is named. There are: 'first', 'second'.",
    )
    expect(() => leases.lease('x', { implementation: 'etcd' })).toThrow(
      expect.objectContaining({ code, implementation: 'etcd' }),
    )
    expect(() => leases.lease('x', { implementation: 'toString' })).toThrow(
      expect.objectContaining({ code }),
    )
    expect(() => leasesOf({ implementations: {} }).lease('x')).toThrow('None were given')
  })

  test('refuse options, stores, names and owners that cannot be', () => {
    expect(() => leasesOf({ owner: '' })).toThrow('owner must be a text')
    const none = { broken: undefined as unknown as LeaseImplementation }
    expect(() => leasesOf({ implementations: none })).toThrow('implementations.broken must be')
    const code = 'INVALID_LEASE'
    expect(() => registerLeases({} as MemoryJournal)).toThrow(expect.objectContaining({ code }))
    const leases = leasesOf()
    for (const name of ['', 'a\0b', '\ud800', 'x'.repeat(201)]) {
      expect(() => leases.lease(name, { implementation: 'first' })).toThrow(
        expect.objectContaining({ code }),
      )
      expect(() => leases.lease('x', { implementation: 'first', owner: name })).toThrow(
        expect.objectContaining({ code }),
      )
    }
  })
})

describe('CO-001 health', () => {
  const scene = () => {
    const time = new ManualTime()
    const store = new TestLeases()
    const implementations = { test: store.implementation }
    const leases = (owner: string): Leases =>
      new Leases({ owner, implementations, environment: time.environment })
    return { time, store, leases }
  }

  test('is good when a lease could be had, which is given back, and is not tried again', async () => {
    const { store, leases } = scene()
    const mine = leases('a')
    const isHealthy = leaseHealth(mine)
    expect(await isHealthy()).toBe(true)
    expect(mine.lease('health').checkLease()).toBe(false)
    expect(await leases('b').lease('health').acquire()).toBe(true)
    store.fail('before')
    expect(await isHealthy()).toBe(true)
  })

  test('is good when another has the lease', async () => {
    const { leases } = scene()
    await leases('b').lease('ready').acquire()
    expect(await leaseHealth(leases('a'), { name: 'ready' })()).toBe(true)
  })

  test('is bad as long as it fails or takes too long, and is tried again', async () => {
    const { time, store, leases } = scene()
    const isHealthy = leaseHealth(leases('a'), { timeoutMs: 3_000 })
    store.fail('before')
    expect(await isHealthy()).toBe(false)
    store.fail('silent')
    const both = Promise.all([isHealthy(), isHealthy()])
    await time.advance('3s')
    expect(await both).toEqual([false, false])
    store.fail('none')
    await time.advance('10s')
    expect(await isHealthy()).toBe(true)
  })

  test('is bad when there is no such implementation', async () => {
    const { leases } = scene()
    expect(await leaseHealth(leases('a'), { implementation: 'etcd' })()).toBe(false)
  })
})
