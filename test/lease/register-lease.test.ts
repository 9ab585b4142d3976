import { describe, expect, test } from 'vitest'
import type { HostProcess } from '../../src/foundation/host-process.ts'
import { type LeaseLoss, Leases, registerLeases } from '../../src/lease/index.ts'
import { MemoryJournal, MemoryStore } from '../../src/persistence/index.ts'
import { CapturedLogs, ManualTime, TestLeases } from '../../src/testkit/index.ts'

/** Owners that share a store which can be made to fail, in manual time; by default settings: 120 s, 12 s, 5 s. */
class Scene {
  readonly time = new ManualTime()
  readonly store = new TestLeases()
  readonly logs = new CapturedLogs()
  readonly losses: string[] = []
  wallAheadMs = 0

  leases(owner: string): Leases {
    const { clock, ...rest } = this.time.environment
    const wallMs = (): number => clock.wallMs() + this.wallAheadMs
    const environment = { ...rest, clock: { monotonicMs: () => clock.monotonicMs(), wallMs } }
    return new Leases({
      owner,
      implementations: { test: this.store.implementation },
      environment: { ...environment, logger: this.logs },
    })
  }

  /** Notes that it was lost. */
  note(owner: string): (loss: LeaseLoss) => void {
    return ({ reason }) => void this.losses.push(`${owner} ${reason}`)
  }
}

describe('a lease', () => {
  test('is renewed for as long as it is held, and taken by nobody meanwhile', async () => {
    const { time, leases } = bound(new Scene())
    const [a, b] = [leases('a').lease('x'), leases('b').lease('x')]
    expect(await a.acquire()).toBe(true)
    for (let minute = 0; minute < 10; minute++) {
      await time.advance('1m')
      expect(await b.acquire()).toBe(false)
      expect([a.checkLease(), a.fenceToken]).toEqual([true, 1])
    }
  })

  test('is granted once to an owner that asks several times at once', async () => {
    const { leases } = bound(new Scene())
    const a = leases('a').lease('x')
    expect(await Promise.all([a.acquire(), a.acquire(), a.acquire()])).toEqual([true, true, true])
    expect(a.fenceToken).toBe(1)
  })

  test('survives a store that is away for less than it lasts', async () => {
    const { time, store, losses, note, leases } = bound(new Scene())
    const a = leases('a').lease('x')
    await a.acquire(note('a'))
    for (const fault of ['before', 'unknown', 'silent'] as const) {
      store.fail(fault)
      await time.advance('90s')
      expect([fault, a.checkLease()]).toEqual([fault, true])
      store.fail('none')
      await time.advance('15s')
    }
    await time.advance('110s')
    expect([a.checkLease(), a.fenceToken, losses]).toEqual([true, 1, []])
  })

  test('is lost when the store is away for longer, which is told once', async () => {
    const { time, store, losses, logs, note, leases } = bound(new Scene())
    const a = leases('a').lease('x')
    await a.acquire(note('a'))
    store.fail('before')
    await time.advance('113s')
    expect(a.checkLease()).toBe(true)
    await time.advance('1s')
    expect([a.checkLease(), a.fenceToken]).toEqual([false, undefined])
    expect(losses).toEqual(['a expired'])
    await time.advance('10m')
    expect(losses).toEqual(['a expired'])
    expect(logs.lines.map(({ message }) => message)).toEqual([
      "The lease 'x' was lost: it could not be renewed in time (A test has made the store fail)",
    ])
  })

  test('is lost at once when it is stolen, or taken away', async () => {
    const { time, store, losses, note, leases } = bound(new Scene())
    const a = leases('a').lease('x')
    await a.acquire(note('a'))
    store.steal('x')
    await time.settle()
    expect([a.checkLease(), losses]).toEqual([false, ['a taken']])
    expect(await a.acquire(note('a'))).toBe(false)
    store.lose('x')
    expect(await a.acquire(note('again'))).toBe(true)
    store.lose('x')
    await time.settle()
    expect([a.checkLease(), losses]).toEqual([false, ['a taken', 'again taken']])
  })

  test('tells the last callback alone, and none after it was given back', async () => {
    const { time, store, losses, note, leases } = bound(new Scene())
    const a = leases('a').lease('x')
    await a.acquire(note('first'))
    await a.acquire(note('second'))
    store.steal('x')
    await time.settle()
    expect(losses).toEqual(['second taken'])
    store.lose('x')
    await a.acquire(note('third'))
    store.fail('before')
    await expect(a.release()).rejects.toMatchObject({ code: 'LEASE_UNAVAILABLE', lease: 'x' })
    await time.advance('1h')
    expect(losses).toEqual(['second taken'])
  })

  test('tells of a loss only when it was told that it was held', async () => {
    const { time, store, leases } = bound(new Scene())
    const told: string[] = []
    const a = leases('a').lease('x')
    store.delay('1s')
    const acquiring = a
      .acquire(() => void told.push('lost'))
      .then((isHeld) => told.push(`${isHeld}`))
    await time.advance('1s')
    store.steal('x')
    await time.advance('1m')
    expect(told).toEqual(['false'])
    store.lose('x')
    const again = a.acquire(() => void told.push('lost')).then((isHeld) => told.push(`${isHeld}`))
    await time.advance('2s')
    store.steal('x')
    await time.advance('1m')
    await Promise.all([acquiring, again])
    expect(told).toEqual(['false', 'true', 'lost'])
  })

  test('goes on when a callback throws or rejects, and says so', async () => {
    const { time, store, logs, leases } = bound(new Scene())
    const a = leases('a').lease('x')
    for (const onLost of [
      (): never => {
        throw new Error('thrown')
      },
      async (): Promise<never> => Promise.reject(new Error('rejected')),
    ]) {
      await a.acquire(onLost)
      store.lose('x')
      await time.settle()
      expect(await a.acquire()).toBe(true)
    }
    const message = 'What was to be done about a lost lease has failed'
    expect(logs.lines.filter((line) => line.message === message).length).toBe(2)
  })

  test('cannot be had while the store does not answer, and nobody is told that it is held', async () => {
    const { time, store, leases } = bound(new Scene())
    const a = leases('a').lease('x')
    store.fail('silent')
    const refused = a.acquire().catch((error: unknown) => error)
    await time.advance('5s')
    expect(await refused).toMatchObject({ code: 'LEASE_TIMED_OUT' })
    expect(a.checkLease()).toBe(false)
    store.fail('none')
    expect(await a.acquire()).toBe(true)
  })

  test('does not trust a monotonic clock that stood still while the machine was suspended', async () => {
    const scene = new Scene()
    const { time, store, leases } = bound(scene)
    const a = leases('a').lease('x')
    await a.acquire()
    scene.wallAheadMs = 3_600_000
    expect([a.checkLease(), a.fenceToken]).toEqual([false, undefined])
    // Nobody has taken it: the next renewal shows that.
    await time.advance('12s')
    expect([a.checkLease(), a.fenceToken]).toEqual([true, 1])
    scene.wallAheadMs *= 2
    store.steal('x')
    expect(await a.acquire()).toBe(false)
  })
})

test('a process that is proven to have ended is not waited for, and one of another host is', async () => {
  const store = new MemoryStore()
  const gone = new Set<string>()
  const process = (identity: string): HostProcess => ({
    ...{ onTerminationSignal: () => ({ remove: () => {} }), exit: () => {}, identity },
    ...{ onEscapedError: () => ({ remove: () => {} }), isGone: (of: string) => gone.has(of) },
    isRunning: (of) => !gone.has(of),
  })
  const leaseOf = (owner: string, identity: string) => {
    const environment = { ...new ManualTime().environment, process: process(identity) }
    const implementations = { memory: registerLeases(new MemoryJournal({ store })) }
    return new Leases({ owner, implementations, environment }).lease('x')
  }
  const former = leaseOf('a:1#1', 'former')
  expect(await former.acquire()).toBe(true)
  // The same address, a later life: that alone proves nothing.
  const later = leaseOf('a:1#2', 'later')
  expect(await later.acquire()).toBe(false)
  gone.add('former')
  expect(await later.acquire()).toBe(true)
  expect(later.fenceToken).toBe(2)
})

test('what cannot be read is left alone', async () => {
  const journal = new MemoryJournal()
  const bytes = new Uint8Array([1, 2, 3])
  await journal.writeRegister({ name: 'lease/x', expectedRevision: 0, bytes })
  const implementations = { memory: registerLeases(journal) }
  const lease = new Leases({ owner: 'a', implementations }).lease('x')
  await expect(lease.acquire()).rejects.toThrow('another version of Sherd wrote it')
  expect((await journal.readRegister('lease/x'))?.revision).toBe(1)
})

/** Its parts, to be taken out. */
function bound(scene: Scene) {
  const { time, store, logs, losses } = scene
  const leases = (owner: string): Leases => scene.leases(owner)
  const note = (owner: string) => scene.note(owner)
  return { time, store, logs, losses, leases, note }
}
