import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ActorRef, type Behavior, PoisonPill } from '../../src/actor/index.ts'
import {
  Effect,
  EventSourcedBehavior,
  type EventSourcedSignalHandlers,
  MemoryJournal,
  type NewSnapshot,
  type Retention,
} from '../../src/persistence/index.ts'
import { deletable } from '../../src/persistence/event-sourcing/retention.ts'
import {
  append,
  effect,
  get,
  list,
  type Items,
  type ListCommand,
  type ListOptions,
} from './list.ts'
import { manualScene, noFaults, type ManualScene } from './scene.ts'

/** Keeps the newest snapshot of each stream only, as some stores do. */
class OneSnapshotJournal extends MemoryJournal {
  readonly keepsNewestSnapshotOnly = true

  override async saveSnapshot(snapshot: NewSnapshot) {
    const result = await super.saveSnapshot(snapshot)
    const { persistenceId, epoch, sequenceNr } = snapshot
    const older = { persistenceId, epoch, fromSequenceNr: 0, toSequenceNr: sequenceNr - 1 }
    await super.deleteSnapshots(older)
    return result
  }
}

const signalsInto = (told: string[]): EventSourcedSignalHandlers<ListCommand, Items> => ({
  SnapshotSaved: (_, { sequenceNr }) => void told.push(`snap ${sequenceNr}`),
  SnapshotFailed: (_, { sequenceNr }) => void told.push(`snap ${sequenceNr} failed`),
  EventsDeleted: (_, { toSequenceNr }) => void told.push(`events ≤${toSequenceNr}`),
  EventDeletionFailed: (_, { toSequenceNr }) => void told.push(`events ≤${toSequenceNr} failed`),
  SnapshotsDeleted: (_, { toSequenceNr }) => void told.push(`snapshots ≤${toSequenceNr}`),
  SnapshotDeletionFailed: (_, { toSequenceNr }) =>
    void told.push(`snapshots ≤${toSequenceNr} failed`),
})

describe('PT-004 retention', () => {
  let scene: ManualScene
  beforeEach(() => (scene = manualScene()))
  afterEach(() => scene.end())

  const start = (options: ListOptions, journal = scene.memory) => {
    const told: string[] = []
    const actor = scene.system.spawn(list(journal, { signals: signalsInto(told), ...options }))
    const increment = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n++) {
        await actor.ask<unknown>((to) => append('x', to))
        await scene.time.settle()
      }
    }
    return { actor, told, increment }
  }
  const batch = async (actor: ActorRef<ListCommand>, items: string): Promise<void> => {
    await actor.ask<unknown>((to) => append(items, to))
    await scene.time.settle()
  }
  const numbersOf = async (journal = scene.memory): Promise<number[]> => {
    const numbers: number[] = []
    for (let to = 1_000; to > 0;) {
      const query = { persistenceId: 'List|1', fromSequenceNr: 0, toSequenceNr: to }
      const found = await journal.loadSnapshot(query)
      if (found === undefined) break
      numbers.unshift(found.sequenceNr)
      to = found.sequenceNr - 1
    }
    return numbers
  }

  const every3: Retention = { snapshotEvery: 3, keepSnapshots: 2 }

  test.each([
    ...[1, 3, 4, 6].map((at) => [at, 0] as const),
    ...([
      [7, 1],
      [9, 3],
      [10, 4],
      [12, 6],
      [13, 7],
      [15, 9],
      [18, 12],
      [20, 14],
    ] as const),
  ])('V-25: with every 3 and keep 2, at %i what is up to %i may go', (at, upTo) => {
    expect(deletable(every3, [at], false)).toEqual({ eventsTo: 0, snapshotsTo: upTo })
    expect(deletable({ ...every3, deleteEvents: true }, [at], false)).toEqual({
      eventsTo: upTo,
      snapshotsTo: Math.max(0, upTo - 1),
    })
  })

  test('V-25: every 3 keep 2 saves at multiples of 3 and deletes older snapshots', async () => {
    const { told, increment } = start({ retention: every3 })
    await increment(20)
    expect(told).toEqual([
      ...['snap 3', 'snap 6', 'snap 9', 'snapshots ≤3', 'snap 12', 'snapshots ≤6'],
      ...['snap 15', 'snapshots ≤9', 'snap 18', 'snapshots ≤12'],
    ])
    expect(await numbersOf()).toEqual([15, 18])
  })

  test('V-25: with deletion of events, the snapshot at the boundary stays', async () => {
    const { told, increment } = start({ retention: { ...every3, deleteEvents: true } })
    await increment(20)
    expect(told).toEqual([
      ...['snap 3', 'snap 6', 'snap 9', 'events ≤3', 'snapshots ≤2'],
      ...['snap 12', 'events ≤6', 'snapshots ≤5', 'snap 15', 'events ≤9', 'snapshots ≤8'],
      ...['snap 18', 'events ≤12', 'snapshots ≤11'],
    ])
    expect(await numbersOf()).toEqual([12, 15, 18])
    expect(await scene.memory.highestSequenceNr('List|1')).toBe(20)
  })

  test('V-25: every 1 keep 3 deletes from the fourth on, and with events snapshots from the fifth', async () => {
    const retention = { snapshotEvery: 1, keepSnapshots: 3 }
    const plain = start({ retention, persistenceId: 'List|plain' })
    await plain.increment(5)
    expect(plain.told).toEqual([
      ...['snap 1', 'snap 2', 'snap 3', 'snap 4', 'snapshots ≤1', 'snap 5', 'snapshots ≤2'],
    ])
    const deleting = start({ retention: { ...retention, deleteEvents: true } })
    await deleting.increment(6)
    expect(deleting.told).toEqual([
      ...['snap 1', 'snap 2', 'snap 3', 'snap 4', 'events ≤1'],
      ...['snap 5', 'events ≤2', 'snapshots ≤1', 'snap 6', 'events ≤3', 'snapshots ≤2'],
    ])
  })

  test('V-25: a store that keeps the newest only has no snapshots deleted, and events up to it', async () => {
    const journal = new OneSnapshotJournal()
    const plain = start({ retention: every3, persistenceId: 'List|plain' }, journal)
    await plain.increment(9)
    expect(plain.told).toEqual(['snap 3', 'snap 6', 'snap 9'])
    const deleting = start({ retention: { ...every3, deleteEvents: true } }, journal)
    await deleting.increment(9)
    expect(deleting.told).toEqual([
      ...['snap 3', 'events ≤3', 'snap 6', 'events ≤6', 'snap 9', 'events ≤9'],
    ])
    const again = scene.system.spawn(list(journal))
    expect(await again.ask(get)).toBe('x'.repeat(9))
  })

  test('events of one command make one snapshot, at their end', async () => {
    const every2 = start({ retention: { snapshotEvery: 2, keepSnapshots: 2 } })
    await batch(every2.actor, 'abc')
    expect(every2.told).toEqual(['snap 3'])
  })

  test('snapshotWhen in the middle of a command keeps the state at its end, and deletes nothing', async () => {
    const { actor, told } = start({
      persistenceId: 'List|when',
      snapshotWhen: (_, { item }, sequenceNr) => item === 'b' && sequenceNr > 1,
      retention: { snapshotEvery: 100, keepSnapshots: 1, deleteEvents: true },
    })
    await batch(actor, 'abc')
    await batch(actor, 'd')
    expect(told).toEqual(['snap 3'])
  })

  test.each([0, -1, 1.5, '3'])('counts must be at least 1, not %o', (count) => {
    const make = (retention: object) => () =>
      list(scene.memory, { retention: retention as Retention })
    expect(make({ snapshotEvery: count, keepSnapshots: 1 })).toThrow(
      'retention.snapshotEvery must be a whole number of at least 1',
    )
    expect(make({ snapshotEvery: 1, keepSnapshots: count })).toThrow(
      'retention.keepSnapshots must be a whole number of at least 1',
    )
  })

  test('PT-004 a snapshot has what its events say, also where a handler changes the state in place', async () => {
    const changing = (): Behavior<string> =>
      EventSourcedBehavior<string, string, string[]>({
        persistenceId: 'Changing|1',
        emptyState: [],
        commandHandler: (_, command) => Effect.persist(command),
        eventHandler: (state, event) => {
          state.push(event)
          return state
        },
        signals: { RecoveryCompleted: (state) => void recovered.push([...state]) },
        retention: { snapshotEvery: 2, keepSnapshots: 1 },
        journal: scene.memory,
      })
    const recovered: string[][] = []
    const actor = scene.system.spawn(changing())
    // The third is handled before the second is stored.
    for (const command of ['a', 'b', 'c']) actor.tell(command)
    await scene.time.settle()
    actor.tell(PoisonPill)
    await scene.time.settle()
    scene.system.spawn(changing())
    await scene.time.settle()
    expect(recovered).toEqual([[], ['a', 'b', 'c']])
  })

  test('commands go on while a snapshot is saved, and only the newest state is saved next', async () => {
    const { actor, told, increment } = start(
      { retention: { snapshotEvery: 1, keepSnapshots: 9 } },
      scene.journal as never,
    )
    await increment(1)
    const save = scene.memory.saveSnapshot.bind(scene.memory)
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    scene.memory.saveSnapshot = async (snapshot) => {
      await gate
      return save(snapshot)
    }
    for (let n = 0; n < 5; n++) await batch(actor, 'y')
    expect(await actor.ask(get)).toBe('xyyyyy')
    expect(told).toEqual(['snap 1'])
    release()
    await scene.time.settle()
    expect(told).toEqual(['snap 1', 'snap 2', 'snap 6'])
  })

  test('never keeps a state whose events are not stored', async () => {
    const { journal, memory, time } = scene
    const saved: string[] = []
    const save = memory.saveSnapshot.bind(memory)
    memory.saveSnapshot = async (snapshot) => {
      saved.push(`${snapshot.sequenceNr} of ${await memory.highestSequenceNr('List|1')}`)
      return save(snapshot)
    }
    const retention = { snapshotEvery: 1, keepSnapshots: 3 }
    const { actor } = start({ retention }, journal as never)
    await time.settle()
    journal.stall()
    for (const item of 'abc') actor.tell(append(item))
    await time.settle()
    expect(saved).toEqual([])
    journal.flow()
    await time.settle()
    expect(saved).toEqual(['3 of 3'])
    journal.setFaults({ ...noFaults, failsBefore: 1 })
    actor.tell(append('d'))
    await time.settle()
    expect(saved).toEqual(['3 of 3'])
  })

  test('a snapshot that fails is told, logged once, and nothing is deleted for it', async () => {
    const { memory, time } = scene
    const { told, increment } = start({
      retention: { snapshotEvery: 1, keepSnapshots: 1, deleteEvents: true },
    })
    memory.saveSnapshot = async () => {
      throw new Error('no room')
    }
    await increment(3)
    expect(told).toEqual(['snap 1 failed', 'snap 2 failed', 'snap 3 failed'])
    const lines = time.logs.lines.map(({ message }) => message)
    expect(lines).toEqual([
      "No snapshot of 'List|1' was kept at number 1: no room. Its events are stored, and the next snapshot is tried in time.",
    ])
    const again = scene.system.spawn(list(memory))
    expect(await again.ask(get)).toBe('xxx')
  })

  test('a deletion that fails is told, and the next run covers it', async () => {
    const { memory } = scene
    const { told, increment } = start({
      retention: { snapshotEvery: 1, keepSnapshots: 1, deleteEvents: true },
    })
    const deleteTo = memory.deleteEventsTo.bind(memory)
    memory.deleteEventsTo = async () => {
      throw new Error('not now')
    }
    await increment(2)
    memory.deleteEventsTo = deleteTo
    await increment(1)
    expect(told).toEqual([
      ...['snap 1', 'snap 2', 'events ≤1 failed', 'snap 3', 'events ≤2', 'snapshots ≤1'],
    ])
  })

  test('as many usable snapshots as wanted stay, also when some were left out', () => {
    const retention = { snapshotEvery: 10, keepSnapshots: 2, deleteEvents: true }
    expect(deletable(retention, [10, 200, 300], false)).toEqual({ eventsTo: 10, snapshotsTo: 9 })
  })

  test('events never go on the word of one snapshot alone, where several are wanted', async () => {
    const without = start({})
    await without.increment(10)
    without.actor.tell(PoisonPill)
    await scene.system.whenStopped(without.actor)
    const { told, increment } = start({ retention: { ...every3, deleteEvents: true } })
    await scene.time.settle()
    expect(told).toEqual(['snap 10'])
    await increment(2)
    expect(told).toEqual(['snap 10', 'snap 12', 'events ≤6', 'snapshots ≤5'])
    expect(await numbersOf()).toEqual([10, 12])
  })

  test('a state that is null is not kept', async () => {
    const told: string[] = []
    const actor = scene.system.spawn(
      list(scene.memory, {
        emptyState: null as never,
        eventHandler: () => null as never,
        commandHandler: () => effect.persist({ item: 'x' }),
        retention: { snapshotEvery: 1, keepSnapshots: 1 },
        signals: signalsInto(told),
      }),
    )
    actor.tell(append('x'))
    await scene.time.settle()
    expect(await scene.memory.highestSequenceNr('List|1')).toBe(1)
    expect(told).toEqual([])
  })
})
