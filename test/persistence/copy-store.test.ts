import { describe, expect, test } from 'vitest'
import { JournalCorrupted, MemoryJournal, type SnapshotQuery } from '../../src/persistence/index.ts'
import {
  compareStores,
  CopyRefused,
  copyStore,
  lookAtSnapshots,
  SameStore,
  TargetNotEmpty,
  type WholeStore,
  wholeStore,
} from '../../src/persistence/internals.ts'
import { fillMixed, live, snapshot, stored } from './mixed-store.ts'

async function filled(): Promise<WholeStore> {
  const store = wholeStore(new MemoryJournal())
  await fillMixed(store)
  return store
}

/** A method of a class with private fields works on itself only. */
function method(store: WholeStore, name: string | symbol): unknown {
  const found = Reflect.get(store, name) as unknown
  return typeof found === 'function' ? (found.bind(store) as unknown) : found
}

/** A target that fails at its n-th write, and has stored nothing of it or all. */
function failingAt(target: WholeStore, write: number, isStored: boolean): WholeStore {
  let writes = 0
  const names = new Set(['append', 'placeStream', 'placeState', 'placeRegister', 'saveSnapshot'])
  return new Proxy(target, {
    get(store, name) {
      const method = Reflect.get(store, name) as unknown
      if (typeof method !== 'function') return method
      return async (...args: unknown[]) => {
        const isFailing = names.has(String(name)) && ++writes === write
        if (isFailing && !isStored) throw new Error('the target failed')
        const result: unknown = await method.apply(store, args)
        if (isFailing) throw new Error('the target failed')
        return result
      }
    },
  })
}

const whole = { streams: 11, events: 712, snapshots: 3, states: 3, registers: 2 }
const equal = { differences: [], differenceCount: 0 }

describe('copyStore', () => {
  test('copies streams, snapshots, states and registers with all their numbers', async () => {
    const source = await filled()
    const target = wholeStore(new MemoryJournal())
    const progress = await copyStore({ source, target, mayResume: false })
    expect(progress).toMatchObject({ ...whole, passedOver: 0 })
    expect(await compareStores({ source, target })).toEqual({ ...whole, ...equal })
    expect(await target.readStream('Counter|long')).toEqual(await source.readStream('Counter|long'))
    expect(await target.readStream('Account|ended')).toEqual(
      await source.readStream('Account|ended'),
    )
  })

  test('carries epochs on, so that the next claim is the next one', async () => {
    const source = await filled()
    const target = wholeStore(new MemoryJournal())
    await copyStore({ source, target, mayResume: false })
    for (const id of [
      'Counter|long',
      'Counter|claimed',
      'Account|short',
      'Account|claimed since',
    ]) {
      expect(await target.claim(id, 'next')).toEqual(await source.claim(id, 'next'))
    }
    expect(await target.claimState('Cart|gone', 'a')).toEqual(
      await source.claimState('Cart|gone', 'a'),
    )
  })

  test('leaves the places of projections behind and says so', async () => {
    const source = await filled()
    const target = wholeStore(new MemoryJournal())
    const { leftOut } = await copyStore({ source, target, mayResume: false })
    expect(leftOut).toEqual(['projection/list/0-1023'])
    expect(await target.readRegister('projection/list/0-1023')).toBeUndefined()
  })

  test.each([false, true])(
    'goes on after a failure at every single write, stored then: %s',
    async (isStored) => {
      const source = wholeStore(new MemoryJournal())
      await fillMixed(source, 300)
      let failures = 0
      for (let write = 1; ; write++) {
        const target = wholeStore(new MemoryJournal())
        const failing = failingAt(target, write, isStored)
        const first = await copyStore({ source, target: failing, mayResume: false }).catch(String)
        if (typeof first !== 'string') break
        expect(first).toBe('Error: the target failed')
        failures++
        await copyStore({ source, target, mayResume: true })
        expect(await compareStores({ source, target })).toMatchObject(equal)
      }
      expect(failures).toBeGreaterThan(30)
    },
  )

  test('passes over all of it when it is there', async () => {
    const source = await filled()
    const target = wholeStore(new MemoryJournal())
    await copyStore({ source, target, mayResume: false })
    const again = await copyStore({ source, target, mayResume: true })
    expect(again).toMatchObject({ streams: 0, events: 0, snapshots: 0, states: 0, registers: 0 })
    expect(again.passedOver).toBe(whole.streams + whole.states + whole.registers)
  })

  test('begins in an empty store only, and never in the source', async () => {
    const source = await filled()
    for (const fill of [
      (store: WholeStore) => store.claim('a', 'a'),
      (store: WholeStore) => store.claimState('a', 'a'),
      (store: WholeStore) =>
        store.writeRegister({ name: 'a', expectedRevision: 0, bytes: stored(1) }),
    ]) {
      const target = wholeStore(new MemoryJournal())
      await fill(target)
      const copy = copyStore({ source, target, mayResume: false })
      await expect(copy).rejects.toBeInstanceOf(TargetNotEmpty)
    }
    const copy = copyStore({ source, target: source, mayResume: true })
    await expect(copy).rejects.toBeInstanceOf(SameStore)
  })

  test.each<[string, string, (target: WholeStore) => Promise<unknown>]>([
    ['a claim', 'Counter|long', (target) => target.claim('Counter|long', 'x')],
    ['events of its own', 'Counter|long', (target) => live(target, 'Counter|long', [stored(9)])],
    ['a claimed begin', 'Account|ended', (target) => target.claim('Account|ended', 'x')],
    ['another state', 'Cart|a', (target) => target.claimState('Cart|a', 'x')],
    [
      'another register',
      'lease/one',
      (target) =>
        target.writeRegister({ name: 'lease/one', expectedRevision: 3, bytes: stored(1) }),
    ],
    [
      'another snapshot',
      'Account|short',
      (target) =>
        target.saveSnapshot({
          ...{ persistenceId: 'Account|short', epoch: 1, sequenceNr: 4, savedAtMs: 1004 },
          bytes: stored('tampered'),
        }),
    ],
  ])('refuses %s in the target, with the id, and changes nothing', async (_, id, tamper) => {
    const source = await filled()
    const target = wholeStore(new MemoryJournal())
    await copyStore({ source, target, mayResume: false })
    await tamper(target)
    const before = [
      await target.readStream(id),
      await target.readState(id),
      await target.readRegister(id),
    ]
    const error: unknown = await copyStore({ source, target, mayResume: true }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(CopyRefused)
    expect((error as CopyRefused).id).toBe(id)
    const after = [
      await target.readStream(id),
      await target.readState(id),
      await target.readRegister(id),
    ]
    expect(after).toEqual(before)
  })

  test('refuses a stream whose events are others in the target', async () => {
    const [source, target] = [new MemoryJournal(), new MemoryJournal()].map(wholeStore) as [
      WholeStore,
      WholeStore,
    ]
    await live(source, 'a', [stored(1), stored(2), stored(3)])
    await live(target, 'a', [stored(1), stored('two')])
    const copy = copyStore({ source, target, mayResume: true })
    await expect(copy).rejects.toThrow(/event 2 is another one/)
    expect(await target.highestSequenceNr('a')).toBe(2)
  })

  test('ends when it is aborted, and can be resumed', async () => {
    const source = await filled()
    const target = wholeStore(new MemoryJournal())
    const abort = new AbortController()
    const onProgress = ({ events }: { events: number }): void => {
      if (events > 300) abort.abort(new Error('enough'))
    }
    const copy = copyStore({ source, target, mayResume: false, onProgress, signal: abort.signal })
    await expect(copy).rejects.toThrow('enough')
    expect((await compareStores({ source, target })).differenceCount).toBeGreaterThan(0)
    await copyStore({ source, target, mayResume: true })
    expect(await compareStores({ source, target })).toMatchObject(equal)
  })
})

describe('a damaged snapshot', () => {
  test('hides no other one, is not copied, and is named', async () => {
    const source = new Proxy(await filled(), {
      get(store, name) {
        if (name !== 'loadSnapshot') return method(store, name)
        return async (query: SnapshotQuery) => {
          const found = await store.loadSnapshot(query)
          if (found?.sequenceNr !== 4) return found
          throw new JournalCorrupted('the store', 'a snapshot has another checksum')
        }
      },
    })
    const target = wholeStore(new MemoryJournal())
    expect(await copyStore({ source, target, mayResume: false })).toMatchObject({ snapshots: 2 })
    const { differences } = await compareStores({ source, target })
    expect(differences).toEqual([
      `the snapshot 4 of 'Account|short' is damaged in the source, and was not copied`,
    ])
    const seen: unknown[] = []
    for await (const sight of lookAtSnapshots(source, 'Account|short')) seen.push(sight)
    expect(seen).toMatchObject([
      { sequenceNr: 6, value: { total: 6 } },
      { sequenceNr: 4, problem: expect.stringMatching(/checksum/) as string },
      { sequenceNr: 2, value: { total: 2 } },
    ])
  })
})

describe('compareStores', () => {
  test.each<[RegExp, (target: WholeStore) => Promise<unknown>]>([
    [
      /stream 'Counter\|long' differs: epoch 2 and 3/,
      (target) => target.claim('Counter|long', 'x'),
    ],
    [/stream 'New\|1' is in the target only/, (target) => target.claim('New|1', 'x')],
    [/state 'New\|1' is in the target only/, (target) => target.claimState('New|1', 'x')],
    [/state 'Cart\|a' differs: epoch 1 and 2/, (target) => target.claimState('Cart|a', 'x')],
    [
      /register 'lease\/one' differs: revision 3 and 4; value/,
      (target) =>
        target.writeRegister({ name: 'lease/one', expectedRevision: 3, bytes: stored(1) }),
    ],
    [
      /stream 'Account\|short' differs: snapshots 3 and 4; hash of snapshots/,
      (target) => snapshot(target, { persistenceId: 'Account|short', epoch: 1, sequenceNr: 5 }),
    ],
    [
      /stream 'Account\|short' differs: hash of snapshots/,
      (target) =>
        target.saveSnapshot({
          ...{ persistenceId: 'Account|short', epoch: 1, sequenceNr: 4, savedAtMs: 1004 },
          bytes: stored('tampered'),
        }),
    ],
  ])('names what differs: %s', async (difference, tamper) => {
    const source = await filled()
    const target = wholeStore(new MemoryJournal())
    await copyStore({ source, target, mayResume: false })
    await tamper(target)
    const { differences } = await compareStores({ source, target })
    expect(differences).toEqual([expect.stringMatching(difference)])
  })

  test('finds one tag, one epoch or one byte of an event that is another', async () => {
    const event = { bytes: stored(1), tags: ['red'] }
    const one = wholeStore(new MemoryJournal())
    await live(one, 'a', [event])
    for (const other of [{ ...event, tags: ['blue'] }, stored(1), { ...event, bytes: stored(2) }]) {
      const target = wholeStore(new MemoryJournal())
      await live(target, 'a', [other])
      await target.placeStream((await one.readStream('a'))!)
      const { differences } = await compareStores({ source: one, target })
      expect(differences).toEqual([expect.stringMatching(/'a' differs: hash of events/)])
    }
    const later = wholeStore(new MemoryJournal())
    await later.claim('a', 'before')
    await live(later, 'a', [event])
    await one.placeStream({ ...(await later.readStream('a'))! })
    const { differences } = await compareStores({ source: one, target: later })
    expect(differences).toEqual([expect.stringMatching(/'a' differs: hash of events/)])
  })
})
