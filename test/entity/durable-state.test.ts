import { describe, expect, expectTypeOf, test } from 'vitest'
import { type DeepReadonly, defineEntity, type HandleOf } from '../../src/entity/index.ts'
import { noFaults } from '../persistence/faulty-journal.ts'
import { outcome, Stage } from './stage.ts'

interface Profile {
  name: string
  visits: number
  tags: string[]
}

const Visitor = defineEntity('Visitor', {
  durable: true,
  state: (): Profile => ({ name: '', visits: 0, tags: [] }),
  commands: {
    visit: (self) => {
      self.state = { ...self.state, visits: self.state.visits + 1 }
      return self.state.visits
    },
    rename: async (self, name: string) => {
      await Promise.resolve()
      self.state = { ...self.state, name }
    },
    swell: (self, by: number) => {
      self.state = { ...self.state, name: 'x'.repeat(by) }
    },
    get: (self) => self.state,
    twice: (self) => {
      self.state = { ...self.state, name: 'first' }
      self.state = { ...self.state, name: 'second' }
    },
    fail: (self) => {
      self.state = { ...self.state, name: 'never' }
      throw new Error('on purpose')
    },
    meddle: (self) => {
      ;(self.state.tags as string[]).push('meddled')
    },
    store: (self, what: 'undefined' | 'promise' | 'function') => {
      const all = { undefined, promise: Promise.resolve(), function: () => 0 }
      const next = what === 'function' ? { ...self.state, name: all[what] } : all[what]
      self.state = next as never
    },
    persist: (self) => (self as unknown as { persist(name: string): void }).persist('Seen'),
    delete: (self) => self.delete(),
    deleteAndSet: (self) => {
      self.delete()
      self.state = { ...self.state, name: 'anew' }
    },
    setAndDelete: (self) => {
      self.state = { ...self.state, name: 'gone' }
      self.delete()
    },
  },
})

const empty = { name: '', visits: 0, tags: [] }

describe('an entity with a durable state', () => {
  test('keeps what its commands have set, over a restart', async () => {
    await using stage = new Stage()
    const handle = stage.call(Visitor, 'a')
    expect(await handle.get()).toEqual(empty)
    expect(await handle.visit()).toBe(1)
    await handle.rename('Ada')
    expect(await handle.visit()).toBe(2)
    await stage.passivate(Visitor, 'a')
    expect(await stage.call(Visitor, 'a').get()).toEqual({ ...empty, name: 'Ada', visits: 2 })
    expect(await stage.memory.readState('Visitor|a')).toMatchObject({ revision: 3 })
    expect(await stage.memory.highestSequenceNr('Visitor|a')).toBe(0)
  })

  test('stores what several assignments of one command come to, once', async () => {
    await using stage = new Stage()
    await stage.call(Visitor, 'a').twice()
    expect(await stage.call(Visitor, 'a').get()).toMatchObject({ name: 'second' })
    expect(await stage.memory.readState('Visitor|a')).toMatchObject({ revision: 1 })
  })

  test('answers nothing before it is stored, and handles the next command meanwhile', async () => {
    await using stage = new Stage()
    const handle = stage.call(Visitor, 'a')
    await handle.get()
    stage.journal.stall()
    const answers: number[] = []
    const calls = [1, 2, 3].map(async () => void answers.push(await handle.visit()))
    await stage.settle()
    expect(answers).toEqual([])
    stage.journal.flow()
    await Promise.all(calls)
    expect(answers).toEqual([1, 2, 3])
  })

  test('a command that fails leaves nothing behind', async () => {
    await using stage = new Stage()
    await stage.call(Visitor, 'a').visit()
    const failed = await outcome(stage.call(Visitor, 'a').fail())
    expect(failed).toMatchObject({ code: 'COMMAND_FAILED', mayHaveHappened: false })
    expect(await stage.call(Visitor, 'a').get()).toEqual({ ...empty, visits: 1 })
    const meddled = await outcome(stage.call(Visitor, 'a').meddle())
    expect(meddled).toMatchObject({ errorCode: 'COMMAND_CHANGED_STATE' })
    const nothing = await outcome(stage.call(Visitor, 'a').store('undefined'))
    expect(nothing).toMatchObject({ errorCode: 'STATE_NOT_SET' })
    const promised = await outcome(stage.call(Visitor, 'a').store('promise'))
    expect(promised).toMatchObject({ errorCode: 'STATE_NOT_SET' })
    const called = await outcome(stage.call(Visitor, 'a').store('function'))
    expect(called).toMatchObject({ code: 'VALUE_CANNOT_TRAVEL', mayHaveHappened: false })
    const persisted = await outcome(stage.call(Visitor, 'a').persist())
    expect((persisted as Error).message).toContain('its state is stored itself')
    expect(await stage.memory.readState('Visitor|a')).toMatchObject({ revision: 1 })
  })

  test('a state that is too large fails its command, and none of those beside it', async () => {
    await using stage = new Stage()
    const handle = stage.call(Visitor, 'a')
    await handle.visit()
    const calls = [handle.visit(), handle.swell(17_000_000), handle.visit()]
    const outcomes = await Promise.all(calls.map((call) => outcome<unknown>(call)))
    expect(outcomes).toMatchObject([2, { errorCode: 'STATE_TOO_LARGE', mayHaveHappened: false }, 3])
    expect(await handle.get()).toMatchObject({ name: '', visits: 3 })
    // More than may be sent, and not more than the store takes.
    await handle.swell(12_000_000)
    await stage.passivate(Visitor, 'a')
    expect(await stage.call(Visitor, 'a').visit()).toBe(4)
  })

  test('a write that fails is told to its caller, and is not the state', async () => {
    await using stage = new Stage()
    await stage.call(Visitor, 'a').visit()
    stage.journal.setFaults({ ...noFaults, failsBefore: 1 })
    const failed = await outcome(stage.call(Visitor, 'a').visit())
    expect(failed).toMatchObject({ code: 'NOT_STORED', mayHaveHappened: false })
    stage.journal.setFaults(noFaults)
    await stage.passivate(Visitor, 'a')
    expect(await stage.call(Visitor, 'a').get()).toMatchObject({ visits: 1 })
  })

  test('deletes itself, and may begin anew in the same command', async () => {
    await using stage = new Stage()
    await stage.call(Visitor, 'a').visit()
    await stage.call(Visitor, 'a').delete()
    expect(await stage.call(Visitor, 'a').get()).toEqual(empty)
    expect((await stage.memory.readState('Visitor|a'))?.bytes).toBeUndefined()
    await stage.passivate(Visitor, 'a')
    expect(await stage.call(Visitor, 'a').visit()).toBe(1)
    await stage.call(Visitor, 'a').deleteAndSet()
    await stage.passivate(Visitor, 'a')
    expect(await stage.call(Visitor, 'a').get()).toEqual({ ...empty, name: 'anew' })
    await stage.call(Visitor, 'a').setAndDelete()
    await stage.passivate(Visitor, 'a')
    expect(await stage.call(Visitor, 'a').get()).toEqual(empty)
  })

  test('a state of another version is upcast, or the entity does not start', async () => {
    await using stage = new Stage()
    await stage.call(Visitor, 'a').visit()
    await stage.passivate(Visitor, 'a')
    const without = defineEntity('Visitor', {
      durable: true,
      state: () => ({ total: 0 }),
      stateVersion: 1,
      commands: { get: (self) => self.state },
    })
    const failed = await outcome(stage.call(without, 'a').get())
    expect(failed).toMatchObject({ code: 'ENTITY_NOT_RECOVERED' })
    expect((failed as Error).message).toContain("The stored state of 'Visitor|a', revision 1")
    await stage.passivate(without, 'a')
    const upcasting = defineEntity('Visitor', {
      durable: true,
      state: () => ({ total: 0 }),
      stateVersion: 1,
      upcastState: (old: { visits: number }, version) => ({ total: old.visits * 10 + version }),
      commands: {
        get: (self) => self.state,
        add: (self) => {
          self.state = { total: self.state.total + 1 }
        },
      },
    })
    expect(await stage.call(upcasting, 'a').get()).toEqual({ total: 10 })
    await stage.call(upcasting, 'a').add()
    await stage.passivate(upcasting, 'a')
    // As in a rolling deploy: to the older one it must not look like one that is older still.
    const older = { ...upcasting, stateVersion: 0 }
    const newer = await outcome(stage.call(older, 'a').get())
    expect((newer as Error).message).toContain(
      'It is of version 1, and this is version 0, which is',
    )
  })

  test('what cannot be is refused where it is defined, or where it is hosted', async () => {
    const both = { durable: true, state: () => 0, events: { Seen: () => 1 }, commands: {} }
    expect(() => defineEntity('Mug', both)).toThrow('leave out one of them')
    const memory = { state: () => 0, stateVersion: 1, commands: {} }
    expect(() => defineEntity('Mug', memory)).toThrow('stateVersion is for an entity with')
    await using stage = new Stage()
    Object.defineProperty(stage.journal, 'claimState', { value: undefined })
    await expect(stage.call(Visitor, 'a').get()).rejects.toThrow('durable needs a store that keeps')
  })

  test('its types say what may be done', () => {
    type Handle = HandleOf<typeof Visitor>
    expectTypeOf<Handle['visit']>().toEqualTypeOf<() => Promise<number>>()
    expectTypeOf<Handle['rename']>().toEqualTypeOf<(name: string) => Promise<void>>()
    expectTypeOf<Handle['get']>().toEqualTypeOf<() => Promise<DeepReadonly<Profile>>>()
    defineEntity('Strict', {
      durable: true,
      state: () => ({ count: 0, tags: ['a'] }),
      commands: {
        good: (self, by: number) => {
          expectTypeOf(self.state.tags).toEqualTypeOf<readonly string[]>()
          self.state = { ...self.state, count: self.state.count + by }
        },
        changing: (self) => {
          // @ts-expect-error a state is a value
          self.state.count++
        },
        forgetting: (self) => {
          // @ts-expect-error the tags are missing
          self.state = { count: 1 }
        },
        persisting: (self) => {
          // @ts-expect-error it has no events
          void self.persist
        },
      },
    })
  })
})
