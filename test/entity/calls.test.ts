import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CallTimeout, defineEntity, NodeStopping, UnknownCommand } from '../../src/entity/index.ts'
import { readAll } from '../../src/testkit/journal-contract/journal-texts.ts'
import { outcome, Stage } from './stage.ts'

const Room = defineEntity('Room', {
  state: () => ({ guests: [] as { name: string }[] }),
  commands: {
    enter: (self, guest: { name: string }) => self.state.guests.push(guest),
    guests: (self) => self.state.guests,
    echo: (_, value: unknown) => value,
    nothing: () => undefined,
    bell: (): unknown => ({ ring: () => 'ding' }),
    wait: (self) =>
      new Promise<void>((resolve) => self.signal.addEventListener('abort', () => resolve())),
    fail: (self) => {
      self.state.guests.push({ name: 'ghost' })
      throw new TypeError('broken')
    },
  },
})

let stage: Stage

beforeEach(() => {
  stage = new Stage()
})

afterEach(() => stage[Symbol.asyncDispose]())

describe('an entity without events', () => {
  test('changes its state in place, and writes nothing', async () => {
    const room = stage.call(Room, '1')
    expect(await room.enter({ name: 'Ada' })).toBe(1)
    expect(await room.guests()).toEqual([{ name: 'Ada' }])
    expect(await room.nothing()).toBeUndefined()
    expect(await readAll(stage.memory)).toEqual([])
  })

  test('shares nothing with its callers', async () => {
    const room = stage.call(Room, '1')
    const guest = { name: 'Ada' }
    const entered = room.enter(guest)
    guest.name = 'changed'
    await entered
    const [seen] = await room.guests()
    seen!.name = 'changed'
    expect(await room.guests()).toEqual([{ name: 'Ada' }])
  })

  test('a command that throws may have happened', async () => {
    expect(await outcome(stage.call(Room, '1').fail())).toMatchObject({
      code: 'COMMAND_FAILED',
      errorName: 'TypeError',
      mayHaveHappened: true,
    })
    expect(await stage.call(Room, '1').guests()).toHaveLength(1)
  })
})

describe('what travels', () => {
  const values = {
    date: new Date(5),
    map: new Map([['a', new Set([1])]]),
    bytes: new Uint8Array([1, 2]),
    big: 12n,
    'minus zero': -0,
    nested: { list: [{ deep: [null, undefined] }] },
    error: Object.assign(new RangeError('out'), { code: 'OUT' }),
  }

  for (const [name, value] of Object.entries(values)) {
    test(`${name} arrives as it would from another node`, async () => {
      const back = await stage.call(Room, '1').echo(value)
      expect(back).toEqual(value)
      if (typeof value === 'object') expect(back).not.toBe(value)
    })
  }

  test('an argument that cannot travel is refused at the caller, with its place', async () => {
    const error = await outcome(stage.call(Room, '1').echo({ on: [() => 1] }))
    expect(error).toMatchObject({
      code: 'CANNOT_SERIALIZE',
      path: 'echo: args[0].on[0]',
      message: 'echo: args[0].on[0] is a function and cannot travel; send data only',
    })
  })
})

describe('a call', () => {
  test('whose result cannot travel may have happened, and says where', async () => {
    expect(await outcome(stage.call(Room, '1').bell())).toMatchObject({
      code: 'VALUE_CANNOT_TRAVEL',
      path: 'the result of bell.ring',
      mayHaveHappened: true,
    })
  })

  test('with a timeout that is no length of time is refused where it is written', () => {
    expect(() => stage.call(Room, '1', { timeout: 'soon' })).toThrow('timeout')
    expect(() => stage.call(Room, '1', { timeOut: '1s' })).toThrow(
      '`timeOut` is not an option; did you mean `timeout`?',
    )
  })

  test('of a command that is not there lists those that are', async () => {
    const room = stage.call(Room, '1') as unknown as { explode(): Promise<void> }
    const error = await outcome(room.explode())
    expect(error).toBeInstanceOf(UnknownCommand)
    expect((error as Error).message).toBe(
      "Room '1': explode is not a command of Room. Its commands are enter, guests, echo, nothing, bell, wait, fail; does every node run the same version?",
    )
  })

  test('is told so by the entity, when the caller has only the type', async () => {
    const reply = await stage
      .refOf(Room, '1')
      .ask<unknown>((replyTo) => ({ version: 1, command: 'constructor', args: [], replyTo }))
    expect(reply).toMatchObject({ type: 'CommandUnknown' })
  })

  test('gives up after its timeout, and says what it waited for', async () => {
    const waiting = outcome(stage.call(Room, '1', { timeout: '2s' }).wait())
    await stage.time.advance('2s')
    const error = await waiting
    expect(error).toBeInstanceOf(CallTimeout)
    expect((error as Error).message).toBe(
      "Room '1': wait got no answer in 2 s. As seen from this node: nobody knows. Nobody can tell whether it was handled, or will be: ask the entity before the call is made again.",
    )
  })

  test('gives up when its signal fires', async () => {
    const abort = new AbortController()
    const waiting = outcome(stage.call(Room, '1', { signal: abort.signal }).wait())
    abort.abort(new Error('enough'))
    expect(await waiting).toMatchObject({ code: 'CALL_ABORTED', mayHaveHappened: true })
  })

  test('is refused by a node that stops', async () => {
    stage.refuseCalls()
    const error = await outcome(stage.call(Room, '1').guests())
    expect(error).toBeInstanceOf(NodeStopping)
    expect(error).toMatchObject({
      mayHaveHappened: false,
      message:
        "Room '1': guests cannot be called: this node is stopping. Call it through another node.",
    })
  })

  test('that runs when its node stops is told that it may have happened', () => {
    const site = { entityType: 'Room', id: '1', command: 'wait' }
    expect(new NodeStopping(site, true).message).toBe(
      "Room '1': wait was cut off: this node has stopped; it may have happened. Ask the entity through another node before the call is made again.",
    )
  })

  test('can be held, printed and returned from async functions', async () => {
    const handle = async () => stage.call(Room, '1')
    const room = await handle()
    expect((room as { toString(): string }).toString()).toBe('Room 1')
    expect(inspect(room)).toBe('Room 1')
    expect(await room.guests()).toEqual([])
  })
})

describe('a definition that cannot be', () => {
  test('is refused with every problem at once', () => {
    const define = () =>
      defineEntity('my room', {
        state: 5 as never,
        commands: { toJSON: () => 1, open: 'door' as never },
        numberOfShards: 0,
        passivateAfter: 'soon' as never,
        ...{ shards: 5 },
      })
    expect(define).toThrow('shards is not an option; known: state, events, commands, role, ')
    expect(define).toThrow("The entity 'my room' cannot be used:")
    expect(define).toThrow('its name must begin with a letter')
    expect(define).toThrow('commands.toJSON needs another name')
    expect(define).toThrow('commands.open must be a function')
    expect(define).toThrow('numberOfShards must be a whole number of at least 1, not 0')
    expect(define).toThrow('passivateAfter is not a length of time')
    expect(define).toThrow('state must be a function that makes the state')
  })
})
