/** What people do wrong when they begin, above all without types. Each is told what to do, in these words. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defineEntity, entityType } from '../../src/entity/index.ts'
import { InvalidSettings } from '../../src/foundation/invalid-settings.ts'
import { nodeFor, refusalOf } from '../node/nodes.ts'
import { outcome, Stage } from './stage.ts'

/** As written without types. */
type Loose = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>
interface LooseSelf {
  readonly persist: (name: string) => unknown
}

const persisting =
  (name: string) =>
  (self: unknown): void =>
    void (self as LooseSelf).persist(name)

const Cup = defineEntity('Cup', {
  state: () => ({ drops: 0, at: new Date(0), cells: new Map([['a', 1]]) }),
  events: {
    // A promise that no compiler shows.
    Promised: ((state: object) => Promise.resolve(state)) as never,
    Forgotten: (() => undefined) as never,
    Broken: () => {
      throw new RangeError('the cup is broken')
    },
    Filled: (state) => ({ ...state, drops: state.drops + 1 }),
  },
  commands: {
    promise: persisting('Promised'),
    forget: persisting('Forgotten'),
    break: persisting('Broken'),
    misspell: persisting('Filed'),
    fill: (self) => self.persist('Filled').drops,
    look: (self) => self.state,
    say: () => {
      throw 'just a text'
    },
    vanish: (): Promise<void> => Promise.reject(undefined),
    take: (_self, _value: unknown) => 'taken',
  },
})
const Plate = defineEntity('Plate', { state: () => 0, commands: { keep: persisting('Kept') } })

let stage: Stage
beforeEach(() => void (stage = new Stage()))
afterEach(() => stage[Symbol.asyncDispose]())

const messageOf = async (call: Promise<unknown>): Promise<unknown> =>
  ((await outcome(call)) as Error).message

describe('an event handler', () => {
  const shouldReturn =
    'It must return the next state, such as { ...state, count: state.count + 1 }, and cannot be async.'

  test('that gives a promise, or nothing, fails its command, and nothing is stored', async () => {
    const cup = stage.call(Cup, 'a')
    expect(await messageOf(cup.promise())).toBe(
      `Cup 'a': promise failed: The handler of the event Promised of Cup gave a promise. ${shouldReturn}`,
    )
    expect(await messageOf(cup.forget())).toBe(
      `Cup 'a': forget failed: The handler of the event Forgotten of Cup gave nothing. ${shouldReturn}`,
    )
    expect(await outcome(cup.forget())).toMatchObject({
      errorCode: 'EVENT_HANDLER_GAVE_NO_STATE',
      mayHaveHappened: false,
    })
    expect(await stage.memory.highestSequenceNr('Cup|a')).toBe(0)
    expect(await cup.fill()).toBe(1)
  })

  test('that throws fails its command, and nothing is stored', async () => {
    const cup = stage.call(Cup, 'a')
    expect(await messageOf(cup.break())).toBe("Cup 'a': break failed: the cup is broken")
    expect(await stage.memory.highestSequenceNr('Cup|a')).toBe(0)
  })

  test('that is not there is named, with those that are', async () => {
    expect(await messageOf(stage.call(Cup, 'a').misspell())).toBe(
      "Cup 'a': misspell failed: 'Filed' is not an event of Cup. Its events are Promised, Forgotten, Broken, Filled. Events that were ever stored must stay in the definition.",
    )
    expect(await messageOf(stage.call(Plate, 'a').keep())).toBe(
      "Plate 'a': keep failed: 'Kept' is not an event of Plate, which has none: its state is in memory only. Give its definition `events` to store what happens to it.",
    )
  })

  test('that fails when the entity starts anew is told to whoever calls', async () => {
    const Before = defineEntity('Jar', {
      state: () => ({ count: 0 }),
      events: { Opened: (state) => ({ count: state.count + 1 }) },
      commands: { open: (self) => self.persist('Opened').count },
    })
    const Now = defineEntity('Jar', {
      state: () => ({ count: 0 }),
      events: { Opened: (() => undefined) as never },
      commands: { count: (self) => self.state.count },
    })
    await stage.call(Before, 'a').open()
    await stage.passivate(Before, 'a')
    const error = await outcome(stage.call(Now, 'a').count())
    expect(error).toMatchObject({ code: 'ENTITY_NOT_RECOVERED', mayHaveHappened: false })
    expect((error as Error).message).toContain(
      'The handler of the event Opened of Jar gave nothing.',
    )
  })
})

describe('a command', () => {
  test('may throw what is no error', async () => {
    const cup = stage.call(Cup, 'a')
    expect(await messageOf(cup.say())).toBe("Cup 'a': say failed: just a text")
    expect(await messageOf(cup.vanish())).toBe("Cup 'a': vanish failed: threw undefined")
  })

  test('may give a state with dates and maps in it, which the caller gets as copies', async () => {
    const cup = stage.call(Cup, 'a')
    const seen = await cup.look()
    ;(seen.cells as Map<string, number>).set('b', 2)
    expect(await cup.look()).toEqual({ drops: 0, at: new Date(0), cells: new Map([['a', 1]]) })
  })

  test('is not given what cannot travel', async () => {
    const cup = stage.call(Cup, 'a')
    const what = 'take: args[0]'
    expect(await messageOf(cup.take(Promise.resolve(1)))).toBe(
      `${what} is a Promise and cannot travel; await it and send the result`,
    )
    class Spoon {
      readonly size = 1
    }
    expect(await messageOf(cup.take(new Spoon()))).toBe(
      `${what} is an instance of Spoon and cannot travel: it would arrive without its class; send a plain object`,
    )
    const knot: Record<string, unknown> = {}
    knot['end'] = knot
    expect(await messageOf(cup.take(knot))).toContain('a cycle cannot travel')
  })
})

describe('a handle', () => {
  // A call that nobody meant to make would be a rejection that nobody handles, and end the process.
  test('can be awaited, printed, added and compared without a call', async () => {
    const handle = stage.call(Cup, 'a') as unknown as Loose & { toString(): string }
    expect(await Promise.resolve(handle)).toBe(handle)
    for (const name of ['then', 'catch', 'finally', 'valueOf', 'toJSON']) {
      expect(handle[name]).toBeUndefined()
    }
    expect(['' + handle.toString(), String(handle), `${handle}`]).toEqual([
      'Cup a',
      'Cup a',
      'Cup a',
    ])
    // Asks for `valueOf` first.
    expect('the ' + (handle as unknown as string)).toBe('the Cup a')
    expect(Number(handle)).toBeNaN()
    expect(JSON.stringify({ handle })).toBe('{"handle":{}}')
  })

  test('of a type without its implementation asks the entity, which knows its commands', async () => {
    const host = await nodeFor({ entities: [Cup] })
    const cups = entityType<typeof Cup>('Cup')
    const web = await nodeFor({ proxies: [cups], seeds: [host.address] })
    const cup = web.entity(cups, 'a') as unknown as Loose
    expect(await messageOf(cup['drink']!())).toBe(
      "Cup 'a': drink is not a command of Cup. Its commands are promise, forget, break, misspell, fill, look, say, vanish, take; does every node run the same version?",
    )
  })
})

describe('a definition is refused', () => {
  test('when its state or its events are async', () => {
    const define = () =>
      defineEntity('Mug', {
        state: async () => 0,
        events: { Filled: (async () => 1) as never },
        commands: {},
      })
    expect(define).toThrow('state must not be async: it is the state before the first call')
    expect(define).toThrow(
      'events.Filled must not be async: do in a command what has to be awaited',
    )
  })

  test.each(['then', 'catch', 'finally', 'valueOf', 'toString', 'toJSON', 'constructor'])(
    'when a command is named %s',
    (name) => {
      const define = () => defineEntity('Mug', { state: () => 0, commands: { [name]: () => 1 } })
      expect(define).toThrow(
        `commands.${name} needs another name: JavaScript itself looks for '${name}' in objects, as when they are awaited, compared or printed`,
      )
    },
  )

  test.each([
    [['Mug'], []],
    [[], ['its name cannot be used: it is not a string']],
    [[{ state: () => 0, commands: {} }], ['its name cannot be used: it is not a string']],
    [['Mug', null], []],
  ])('when something is missing: %s', (args, problems) => {
    const define = () => (defineEntity as (...given: unknown[]) => unknown)(...args)
    for (const problem of [
      ...problems,
      'it needs an object that describes it: defineEntity(name, { state: () => ({ count: 0 }), commands: { … } })',
    ]) {
      expect(define).toThrow(problem)
    }
    expect(define).toThrow(InvalidSettings)
  })

  test('when the options of a type are none', () => {
    expect(() => entityType('Mug', null as never)).toThrow(
      'its options must be an object, not null',
    )
  })

  test.each(['dataCenter', 'stateStoreMode'])(
    'when it asks for what is not there yet: %s',
    (name) => {
      const options = { [name]: true }
      const define = () => defineEntity('Mug', { state: () => 0, commands: {}, ...options })
      expect(define).toThrow(`\`${name}\` is not there yet in this version of Sherd. `)
      expect(() => entityType('Mug', options)).toThrow(`\`${name}\` is not there yet`)
    },
  )

  test.each([
    [{ rememberEntities: 'yes' }, "rememberEntities must be true or false, not 'yes'"],
    [{ lease: 'redis' }, "lease must be true, false or an object, not 'redis'"],
    [{ lease: { ttlMs: 5 } }, 'lease.ttlMs is unknown; there are implementation and settings'],
  ])('when it says %o', (options, problem) => {
    const define = () =>
      defineEntity('Mug', { state: () => 0, commands: {}, ...(options as object) })
    expect(define).toThrow(problem)
  })

  test.each(['snapshotEvery', 'retention', 'snapshotWhen', 'durableState'])(
    'when an option has another name here: %s',
    (name) => {
      const define = () => defineEntity('Mug', { state: () => 0, commands: {}, ...{ [name]: {} } })
      expect(define).toThrow(/is `(snapshots|durable): .*` here/)
    },
  )

  test('when an option is misspelt', () => {
    const define = () =>
      defineEntity('Mug', { state: () => 0, commands: {}, ...{ passivateafter: '1s' } })
    expect(define).toThrow('`passivateafter` is not an option; did you mean `passivateAfter`?')
  })

  test('when it stands in a list twice', async () => {
    const error = await refusalOf({ entities: [Cup, Plate, Cup] })
    expect(error.message).toContain('Cup is in entities twice')
  })
})
