import { describe, expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { outcome, Stage } from './stage.ts'

const definition = {
  state: () => ({ count: 0 }),
  events: {
    Incremented: (state: { readonly count: number }, by: number) => ({ count: state.count + by }),
  },
}

/** Counts what is replayed. */
const counter = (options: object = {}) => {
  let replayed = 0
  const Counter = defineEntity('Counter', {
    ...definition,
    events: {
      Incremented: (state, by: number) => {
        replayed++
        return { count: state.count + by }
      },
    },
    commands: {
      increment: (self, by: number, times = 1) => {
        for (let n = 0; n < times; n++) self.persist('Incremented', by)
        return self.state.count
      },
      get: (self) => self.state.count,
      delete: (self) => self.delete(),
    },
    ...options,
  })
  const took = (): number => {
    const count = replayed
    replayed = 0
    return count
  }
  return { Counter, took }
}

const snapshotOf = async ({ memory }: Stage) => {
  const query = { persistenceId: 'Counter|a', fromSequenceNr: 0, toSequenceNr: 1e9 }
  const found = await memory.loadSnapshot(query)
  if (found === undefined) return undefined
  const value = new ValueCodec({ use: 'stored' }).decode(found.bytes)
  return { at: found.sequenceNr, ...(value as object) }
}

describe('snapshots of entities', () => {
  test('are kept every 100 events if asked for, and a start reads what came after', async () => {
    await using stage = new Stage()
    const { Counter, took } = counter({ snapshots: {} })
    const handle = stage.call(Counter, 'a')
    for (let n = 0; n < 25; n++) await handle.increment(1, 10)
    await stage.settle()
    expect(await snapshotOf(stage)).toMatchObject({ at: 200, state: { count: 200 } })
    await stage.passivate(Counter, 'a')
    took()
    expect(await stage.call(Counter, 'a').get()).toBe(250)
    expect(took()).toBe(50)
  })

  test.each([{}, { snapshots: false }])('are not kept with %o', async (options) => {
    await using stage = new Stage()
    const { Counter } = counter(options)
    for (let n = 0; n < 25; n++) await stage.call(Counter, 'a').increment(1, 10)
    await stage.settle()
    expect(await snapshotOf(stage)).toBeUndefined()
  })

  test('of another version are passed over, or upcast', async () => {
    await using stage = new Stage()
    const first = counter({ snapshots: { every: 2 }, snapshotVersion: 1 })
    await stage.call(first.Counter, 'a').increment(5, 4)
    await stage.settle()
    await stage.passivate(first.Counter, 'a')
    const second = counter({ snapshots: { every: 2 }, snapshotVersion: 2 })
    expect(await stage.call(second.Counter, 'a').get()).toBe(20)
    expect(second.took()).toBe(4)
    await stage.settle()
    await stage.passivate(second.Counter, 'a')
    const third = counter({
      snapshots: { every: 2 },
      snapshotVersion: 3,
      upcastSnapshot: ({ count }: { count: number }, version: number) => ({
        count: count * 100 + version,
      }),
    })
    expect(await stage.call(third.Counter, 'a').get()).toBe(2002)
    expect(third.took()).toBe(0)
  })

  test('of a state with other fields are passed over where no version is given', async () => {
    await using stage = new Stage()
    const { Counter } = counter({ snapshots: { every: 2 } })
    await stage.call(Counter, 'a').increment(5, 4)
    await stage.settle()
    await stage.passivate(Counter, 'a')
    const Richer = defineEntity('Counter', {
      state: () => ({ count: 0, steps: 0 }),
      events: {
        Incremented: (state, by: number) => ({ count: state.count + by, steps: state.steps + 1 }),
      },
      commands: { get: (self) => self.state },
      snapshots: { every: 2 },
    })
    expect(await stage.call(Richer, 'a').get()).toEqual({ count: 20, steps: 4 })
  })

  test('in the place of deleted events: another version without an upcaster does not start', async () => {
    await using stage = new Stage()
    const snapshots = { every: 1, keep: 1, deleteEvents: true }
    const first = counter({ snapshots, snapshotVersion: 1 })
    for (let n = 0; n < 5; n++) {
      await stage.call(first.Counter, 'a').increment(1)
      await stage.settle()
    }
    expect(await stage.memory.highestSequenceNr('Counter|a')).toBe(5)
    await stage.passivate(first.Counter, 'a')
    const second = counter({ snapshots, snapshotVersion: 2 })
    const failed = await outcome(stage.call(second.Counter, 'a').get())
    expect(failed).toMatchObject({ code: 'ENTITY_NOT_RECOVERED' })
    expect((failed as Error).message).toContain('Events 1 to 4 of')
    expect((failed as Error).message).toContain('It is of version 1, and this is version 2')
    await stage.passivate(second.Counter, 'a')
    expect(await stage.call(first.Counter, 'a').get()).toBe(5)
  })

  test('go with the entity when it deletes itself, and its next life begins empty', async () => {
    await using stage = new Stage()
    const { Counter } = counter({ snapshots: { every: 2, deleteEvents: true }, snapshotVersion: 1 })
    await stage.call(Counter, 'a').increment(5, 8)
    await stage.settle()
    await stage.call(Counter, 'a').delete()
    expect(await snapshotOf(stage)).toBeUndefined()
    await stage.passivate(Counter, 'a')
    expect(await stage.call(Counter, 'a').get()).toBe(0)
    await stage.call(Counter, 'a').increment(1, 3)
    await stage.settle()
    expect(await snapshotOf(stage)).toMatchObject({ at: 11, state: { count: 3 } })
    await stage.passivate(Counter, 'a')
    expect(await stage.call(Counter, 'a').get()).toBe(3)
    expect(stage.time.logs.lines).toEqual([])
  })

  test('are no news where the state is deleted before it is known to be stored', async () => {
    await using stage = new Stage()
    const { Counter } = counter({ snapshots: { every: 2 } })
    const handle = stage.call(Counter, 'a')
    await handle.get()
    await Promise.all([handle.increment(5, 2), handle.delete(), handle.increment(1)])
    await stage.settle()
    expect(await snapshotOf(stage)).toBeUndefined()
    expect(stage.time.logs.lines).toEqual([])
    await handle.increment(1)
    await stage.settle()
    expect(await snapshotOf(stage)).toMatchObject({ at: 4, state: { count: 2 } })
  })

  test('are never made of a state that does not know all its events', async () => {
    await using stage = new Stage()
    const newer = defineEntity('Counter', {
      ...definition,
      events: { ...definition.events, Doubled: ({ count }) => ({ count: count * 2 }) },
      commands: { act: (self) => void (self.persist('Incremented', 1), self.persist('Doubled')) },
      snapshots: false,
    })
    for (let n = 0; n < 3; n++) await stage.call(newer, 'a').act()
    await stage.passivate(newer, 'a')
    const older = defineEntity('Counter', {
      ...definition,
      commands: { get: (self) => self.state.count },
      snapshots: { every: 1 },
      unknownEvents: 'read-only',
    })
    expect(await stage.call(older, 'a').get()).toBe(1)
    await stage.settle()
    expect(await snapshotOf(stage)).toBeUndefined()
  })

  test('that cannot be are refused where they are defined', () => {
    const make = (options: object) => () => counter(options)
    expect(make({ snapshots: { every: 0 } })).toThrow(
      'snapshots.every must be a whole number of at least 1, not 0',
    )
    expect(make({ snapshots: { deleteEvents: true } })).toThrow(
      'snapshots.deleteEvents needs a snapshotVersion',
    )
    const plain = { state: () => 0, commands: {}, snapshots: { every: 5 } }
    expect(() => defineEntity('Mug', plain)).toThrow('snapshots is about events')
  })

  test('need a store that keeps them, if they were asked for', async () => {
    await using stage = new Stage()
    const { journal } = stage
    for (const name of ['saveSnapshot', 'loadSnapshot', 'deleteSnapshots'] as const) {
      Object.defineProperty(journal, name, { value: undefined })
    }
    await expect(
      stage.call(counter({ snapshots: { every: 5 } }).Counter, 'a').get(),
    ).rejects.toThrow('snapshots need a store that keeps them, and the one of this node does not')
    expect(await stage.call(counter().Counter, 'b').increment(1)).toBe(1)
  })

  test('a refused event is not stored, and says why', async () => {
    await using stage = new Stage()
    const positive = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (value: unknown) =>
          (value as number[])[0]! > 0
            ? { value }
            : { issues: [{ message: 'must be positive', path: [0] }] },
      },
    }
    const { Counter } = counter({ schema: { events: { Incremented: positive } } })
    expect(await stage.call(Counter, 'a').increment(1)).toBe(1)
    const failed = await outcome(stage.call(Counter, 'a').increment(-1))
    expect(failed).toMatchObject({ code: 'COMMAND_FAILED', errorCode: 'REFUSED_BY_SCHEMA' })
    expect((failed as Error).message).toContain(
      'The event Incremented is refused by its schema: 0: must be positive. Nothing was stored.',
    )
    expect(await stage.call(Counter, 'a').get()).toBe(1)
    const later = {
      '~standard': { ...positive['~standard'], validate: async () => ({ value: 1 }) },
    }
    const slow = counter({ schema: { events: { Incremented: later } } })
    const refused = await outcome(stage.call(slow.Counter, 'b').increment(1))
    expect(refused).toMatchObject({ errorCode: 'ASYNC_SCHEMA' })
    expect(await stage.memory.highestSequenceNr('Counter|b')).toBe(0)
    expect(() => counter({ schema: { events: { Incrementd: positive } } })).toThrow(
      'did you mean `schema.events.Incremented`',
    )
  })
})
