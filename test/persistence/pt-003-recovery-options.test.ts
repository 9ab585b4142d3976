import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type Journal,
  JournalCorrupted,
  RefusedBySchema,
  type Retention,
} from '../../src/persistence/index.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { append, get, list, type Items, type ListOptions } from './list.ts'
import { manualScene, noFaults, type ManualScene } from './scene.ts'

describe('PT-003 recovery options', () => {
  let scene: ManualScene
  beforeEach(() => (scene = manualScene()))
  afterEach(() => scene.end())

  const eachEvent: Retention = { snapshotEvery: 1, keepSnapshots: 100 }
  const deleting: Retention = { snapshotEvery: 1, keepSnapshots: 1, deleteEvents: true }

  /** Lets this happen in one life, and ends it. */
  const live = async (items: string, options: ListOptions = {}): Promise<void> => {
    const actor = scene.system.spawn(list(scene.memory, { retention: eachEvent, ...options }))
    for (const item of items) {
      await actor.ask<unknown>((to) => append(item, to))
      await scene.time.settle()
    }
    actor.tell({ type: 'Stop' })
    await scene.system.whenStopped(actor)
  }
  /** The next life: what it replays, and what it is then. */
  const next = async (
    options: ListOptions = {},
    journal: Journal = scene.memory,
  ): Promise<{ items: unknown; replayed: string; told: string[] }> => {
    const replayed: string[] = []
    const told: string[] = []
    const actor = scene.system.spawn(
      list(journal, {
        retention: eachEvent,
        eventHandler: (items, { item }, context) => {
          if (context.isRecovering) replayed.push(`${context.lastSequenceNr}${item}`)
          return [...items, item]
        },
        signals: {
          RecoveryCompleted: (_items, _signal, { lastSequenceNr }) =>
            void told.push(`recovered ${lastSequenceNr}`),
          RecoveryFailed: (_items, { error }) => void told.push(error.message),
        },
        ...options,
      }),
    )
    const items = await actor.ask<unknown>(get).catch((error: unknown) => error)
    return { items, replayed: replayed.join(' '), told }
  }
  const warnings = (): string[] => scene.time.logs.lines.map(({ message }) => message)

  test('latest, the default, replays nothing behind a snapshot of the newest state', async () => {
    await live('abc')
    const { items, replayed, told } = await next()
    expect({ items, replayed, told }).toEqual({
      items: 'abc',
      replayed: '',
      told: ['recovered 3'],
    })
  })

  test('a snapshot and the events after it are the same as all events', async () => {
    await live('abcde', { retention: { snapshotEvery: 2, keepSnapshots: 2 } })
    const every2 = { retention: { snapshotEvery: 2, keepSnapshots: 2 } }
    expect(await next(every2)).toMatchObject({ items: 'abcde', replayed: '5e' })
    expect(await next({ ...every2, recovery: { snapshot: 'none' } })).toMatchObject({
      items: 'abcde',
      replayed: '1a 2b 3c 4d 5e',
    })
  })

  test('none replays all events', async () => {
    await live('abc')
    const { items, replayed } = await next({ recovery: { snapshot: 'none' } })
    expect({ items, replayed }).toEqual({ items: 'abc', replayed: '1a 2b 3c' })
  })

  test('up to a number, or a time, begins with an older one', async () => {
    await live('ab')
    const before = scene.time.environment.clock.wallMs()
    await scene.time.advance('1s')
    await live('cd')
    expect(await next({ recovery: { snapshot: { toSequenceNr: 3 } } })).toMatchObject({
      items: 'abcd',
      replayed: '4d',
    })
    expect(await next({ recovery: { snapshot: { savedUntilMs: before } } })).toMatchObject({
      items: 'abcd',
      replayed: '3c 4d',
    })
  })

  test('disabled begins empty, and numbers go on', async () => {
    await live('abc')
    const { items, replayed, told } = await next({ recovery: { disabled: true } })
    expect({ items, replayed, told }).toEqual({ items: '', replayed: '', told: ['recovered 3'] })
    await live('d', { recovery: { disabled: true } })
    expect(await scene.memory.highestSequenceNr('List|1')).toBe(4)
    // A state that is not that of all events is never kept.
    expect(await next()).toMatchObject({ items: 'abcd', replayed: '4d' })
  })

  test('a message that comes before recovery is handled once, after it', async () => {
    await live('abc')
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    journal.stall()
    const actor = system.spawn(list(journal, { retention: eachEvent }))
    actor.tell(append('d', probe.ref))
    await time.settle()
    journal.flow()
    await probe.expect('abcd')
    await probe.expectNo()
  })

  test('what cannot be is refused at once', () => {
    const make = (options: object) => () => list(scene.memory, options)
    expect(make({ recovery: { snapshot: 'newest' } })).toThrow(
      "recovery.snapshot must be 'latest', 'none' or { toSequenceNr: … }, not 'newest'",
    )
    expect(make({ recovery: { snapshot: { toSequenceNr: 0 } } })).toThrow(
      'recovery.snapshot.toSequenceNr must be a whole number of at least 1, not 0',
    )
    expect(make({ recovery: { disable: true } })).toThrow('did you mean `recovery.disabled`')
    expect(make({ snapshots: { every: 5 } })).toThrow('is `retention:')
    const { claim, append: store, read, highestSequenceNr, close } = scene.memory
    const bare = { claim, append: store, read, highestSequenceNr, close }
    expect(() => list(bare, { retention: eachEvent })).toThrow(
      'retention need a journal that keeps snapshots, and this one does not',
    )
    // One that keeps none can be used all the same.
    expect(() => list(bare)).not.toThrow()
  })

  test('a slow snapshot is not waited for without end', async () => {
    await live('abc')
    const { journal, memory, system, time } = scene
    memory.loadSnapshot = () => new Promise(() => {})
    const probe = createTestProbe<string>(system)
    const actor = system.spawn(
      list(journal, {
        retention: eachEvent,
        settings: { recoveryTimeoutMs: 1_000 },
        signals: { RecoveryFailed: (_items, { error }) => probe.ref.tell(error.message) },
      }),
    )
    await time.advance('2s')
    await probe.expect((text) => text.includes('Loading a snapshot took longer than'))
    await probe.expectTerminated(actor)
  })

  describe('a snapshot that cannot be used', () => {
    const refuseAbove = (sequenceNr: number) => ({
      snapshotAdapter: {
        toJournal: (items: Items) => items,
        fromJournal: (stored: unknown) => {
          if ((stored as Items).length > sequenceNr) throw new Error(`no ${String(stored)}`)
          return stored as Items
        },
      },
    })

    test('is passed over with one warning for the one before it', async () => {
      await live('abcd')
      expect(await next(refuseAbove(2))).toMatchObject({ items: 'abcd', replayed: '3c 4d' })
      expect(warnings()).toEqual([
        "2 snapshots of 'List|1' could not be used, and what came after an older one, or all events, were read instead: Snapshot 4: no a,b,c,d. Snapshot 3: no a,b,c.",
      ])
    })

    test('is passed over up to three times, then the events decide', async () => {
      await live('abcde')
      expect(await next(refuseAbove(2))).toMatchObject({
        items: 'abcde',
        replayed: '1a 2b 3c 4d 5e',
      })
    })

    test('may be damaged in the store, or be no bytes of ours', async () => {
      await live('abc')
      const { memory } = scene
      const load = memory.loadSnapshot.bind(memory)
      memory.loadSnapshot = async (query) => {
        const loaded = await load(query)
        if (loaded?.sequenceNr === 3) throw new JournalCorrupted('the store', 'a checksum')
        return loaded?.sequenceNr === 2 ? { ...loaded, bytes: Buffer.from([0xc1]) } : loaded
      }
      expect(await next()).toMatchObject({ items: 'abc', replayed: '2b 3c' })
      expect(warnings()).toHaveLength(1)
    })

    test('fails the recovery where its events were deleted: it never begins empty', async () => {
      await live('abcd', { retention: deleting })
      const { items, told } = await next({ ...refuseAbove(0), retention: deleting })
      expect(items).toMatchObject({
        code: 'RECOVERY_FAILED',
        mayPass: false,
        cause: { code: 'SNAPSHOT_MISSING' },
      })
      expect(told).toEqual([
        "'List|1' could not be recovered: Events 1 to 3 of 'List|1' were deleted because a snapshot has what they say, and no such snapshot can be used: Snapshot 4: no a,b,c,d. Snapshot 3: no a,b,c. It is not started without them. Run the version that wrote the snapshot, or give an upcaster for it (snapshotVersion, upcastSnapshot); if it is damaged, restore the store from a copy.",
      ])
      expect(await next({ recovery: { snapshot: 'none' } })).toMatchObject({
        items: { cause: { code: 'SNAPSHOT_MISSING' } },
      })
    })

    test('with older events deleted, one that is older than those is never begun with', async () => {
      await live('abcd', { retention: { ...deleting, deleteEvents: false, keepSnapshots: 9 } })
      const { memory } = scene
      const { epoch } = await memory.claim('List|1', 'test')
      await memory.deleteEventsTo({ persistenceId: 'List|1', epoch, toSequenceNr: 3 })
      expect(await next(refuseAbove(2))).toMatchObject({
        items: { cause: { code: 'SNAPSHOT_MISSING' } },
      })
      expect(await next(refuseAbove(3))).toMatchObject({ items: 'abcd', replayed: '4d' })
    })

    test('of an unreachable store is a failure that may pass', async () => {
      await live('abc')
      const { journal } = scene
      const loading = journal.loadSnapshot.bind(journal)
      journal.loadSnapshot = async (query) => {
        journal.setFaults({ ...noFaults, failsBefore: 1 })
        return loading(query)
      }
      const { items } = await next({}, journal)
      expect(items).toMatchObject({ code: 'RECOVERY_FAILED', mayPass: true })
    })
  })

  test('an adapter, a version and an upcaster stand between states and snapshots', async () => {
    const adapter = {
      toJournal: (items: Items) => items.join('-'),
      fromJournal: (stored: unknown) => (stored as string).split('-'),
    }
    await live('abc', { snapshotAdapter: adapter })
    const stored = await scene.memory.loadSnapshot({
      ...{ persistenceId: 'List|1', fromSequenceNr: 0, toSequenceNr: 9 },
    })
    expect(new ValueCodec({ use: 'stored' }).decode(stored!.bytes)).toEqual({
      version: 0,
      state: 'a-b-c',
    })
    expect(await next({ snapshotAdapter: adapter })).toMatchObject({ items: 'abc', replayed: '' })
    const upcast = { snapshotVersion: 1, upcastSnapshot: (old: unknown) => [String(old), '!'] }
    expect(await next(upcast)).toMatchObject({ items: 'a-b-c!', replayed: '' })
    expect(await next({ snapshotVersion: 1 })).toMatchObject({
      items: 'abc',
      replayed: '1a 2b 3c',
    })
    expect(warnings()).toEqual([
      expect.stringContaining('It is of version 0, and this is version 1'),
    ])
  })

  test('a snapshot that its schema refuses is passed over, and one that it refuses is not kept', async () => {
    const shorterThan = (length: number) => ({
      schemas: {
        state: {
          '~standard': {
            version: 1 as const,
            vendor: 'test',
            validate: (value: unknown) =>
              (value as Items).length < length
                ? { value }
                : { issues: [{ message: 'is too long', path: ['length'] }] },
          },
        },
      },
    })
    await live('abc')
    expect(await next(shorterThan(3))).toMatchObject({ items: 'abc', replayed: '3c' })
    const failures: unknown[] = []
    await live('d', {
      ...shorterThan(3),
      signals: { SnapshotFailed: (_, { error }) => void failures.push(error) },
    })
    // That of the state that was read, and that of the one after it.
    expect(failures).toEqual([expect.any(RefusedBySchema), expect.any(RefusedBySchema)])
  })

  test('a long replay is kept at once, so that the next start is short', async () => {
    await live('abcdef', { retention: undefined })
    const every3 = { retention: { snapshotEvery: 3, keepSnapshots: 2 } }
    expect(await next(every3)).toMatchObject({ replayed: '1a 2b 3c 4d 5e 6f' })
    await scene.time.settle()
    expect(await next(every3)).toMatchObject({ items: 'abcdef', replayed: '' })
  })

  test('a short stream is read without asking for a snapshot', async () => {
    await live('ab', { retention: undefined })
    const { memory } = scene
    let asked = 0
    memory.loadSnapshot = async () => {
      asked++
      return undefined
    }
    const every3 = { retention: { snapshotEvery: 3, keepSnapshots: 2 } }
    expect(await next(every3)).toMatchObject({ items: 'ab', replayed: '1a 2b' })
    expect(await next({ retention: undefined })).toMatchObject({ items: 'ab' })
    expect(asked).toBe(0)
  })

  test('whoever no longer keeps snapshots still begins with one where events are gone', async () => {
    await live('abcd', { retention: deleting })
    expect(await next({ retention: undefined })).toMatchObject({ items: 'abcd', replayed: '' })
  })
})
