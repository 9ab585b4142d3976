import { describe, expect, test } from 'vitest'
import { CodedError } from '../../foundation/coded-error.ts'
import { CommandFailed, defineEntity, type ValueCannotTravel } from '../../entity/index.ts'
import { EntityKitFailure, EntityKitMisuse } from './entity-kit-failure.ts'
import { entityKit } from './entity-kit.ts'

class NotEnough extends CodedError {
  readonly code = 'NOT_ENOUGH'
}

const Account = defineEntity('Account', {
  state: () => ({ balance: 0 }),
  events: {
    Deposited: (state, amount: number, _note?: { text: string }) => ({
      balance: state.balance + amount,
    }),
    Withdrawn: (state, amount: number) => ({ balance: state.balance - amount }),
  },
  commands: {
    deposit: (self, amount: number, note?: { text: string }) =>
      self.persist('Deposited', amount, note).balance,
    withdraw: (self, amount: number) => {
      if (amount > self.state.balance) throw new NotEnough(`only ${self.state.balance} are there`)
      return self.persist('Withdrawn', amount).balance
    },
    move: (self, amount: number) => {
      self.persist('Withdrawn', amount)
      self.persist('Deposited', amount)
    },
    slowly: async (self, amount: number) => {
      await Promise.resolve()
      return self.persist('Deposited', amount).balance
    },
    get: (self) => self.state.balance,
    close: (self, rest: number) => {
      self.persist('Withdrawn', self.state.balance)
      self.delete()
      if (rest < 0) throw new NotEnough('nobody closes with a debt')
      if (rest > 0) self.persist('Deposited', rest)
    },
  },
})

async function failureOf(promise: PromiseLike<unknown>): Promise<EntityKitFailure> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(EntityKitFailure)
  return error as EntityKitFailure
}

describe('given, when, then', () => {
  test('an entity does what it is asked, on what has happened before', async () => {
    const kit = entityKit(Account, 'alice')
    await kit
      .given(['Deposited', 10], ['Withdrawn', 2])
      .when.withdraw(3)
      .then({ events: [['Withdrawn', 3]], answer: 5, state: { balance: 5 } })
    await kit.when.move(5).then({
      events: [
        ['Withdrawn', 5],
        ['Deposited', 5],
      ],
      answer: undefined,
    })
    await kit.when.slowly(1).then({ events: [['Deposited', 1]], answer: 6 })
    await kit.when.get().then({ events: [], answer: 6 })
    expect(kit.state).toEqual({ balance: 6 })
    expect(kit.events.map(([name]) => name)).toEqual([
      'Deposited',
      'Withdrawn',
      'Withdrawn',
      'Withdrawn',
      'Deposited',
      'Deposited',
    ])
  })

  test('an entity that deletes itself begins anew, and one that fails to does not', async () => {
    const kit = entityKit(Account, 'alice')
    await kit.given(['Deposited', 10]).when.close(-1).thenFails('NOT_ENOUGH')
    expect(kit.events).toEqual([['Deposited', 10]])
    await kit.when.close(2).then({ events: [['Deposited', 2]], state: { balance: 2 } })
    expect(kit.events).toEqual([['Deposited', 2]])
    await kit.when.deposit(1).then({ answer: 3 })
    expect(kit.events.map(([name]) => name)).toEqual(['Deposited', 'Deposited'])
    await kit.when.close(0).then({ events: [], state: { balance: 0 } })
    expect(kit.events).toEqual([])
  })

  test('a step that is awaited gives what came of it', async () => {
    const kit = entityKit(Account, 'alice')
    expect(kit.state).toEqual({ balance: 0 })
    await kit.given(['Deposited', 10])
    expect(kit.state).toEqual({ balance: 10 })
    const { answer, events, state } = await kit.when.withdraw(4)
    expect([answer, events, state]).toEqual([6, [['Withdrawn', 4]], { balance: 6 }])
    await expect(Promise.resolve(kit.when.withdraw(40))).rejects.toThrow(CommandFailed)
  })

  test('steps that are not awaited come one after another', async () => {
    const kit = entityKit(Account, 'alice')
    const answers = await Promise.all([kit.when.deposit(1), kit.when.slowly(1), kit.when.get()])
    expect(answers.map(({ answer }) => answer)).toEqual([1, 2, 2])
    const step = kit.when.deposit(1)
    expect(() => kit.state).toThrow(EntityKitMisuse)
    await step
    expect(kit.state).toEqual({ balance: 3 })
  })

  test('a long past is no trouble', async () => {
    const kit = entityKit(Account, 'alice')
    const past = Array.from({ length: 1_000 }, () => ['Deposited', 1] as const)
    await kit
      .given(...past)
      .when.get()
      .then({ answer: 1_000 })
  })

  test('what comes out otherwise is shown, and given to the runner', async () => {
    const kit = entityKit(Account, 'alice')
    const expected = { events: [['Withdrawn', 4]] as const, answer: 6 }
    const failure = await failureOf(kit.given(['Deposited', 10]).when.withdraw(3).then(expected))
    expect(failure.message).toBe(
      `Account 'alice': withdraw(3) did not do what was expected.
  expected events: Withdrawn(4)
  actual events:   Withdrawn(3)
  expected answer: 6
  actual answer:   7`,
    )
    expect(failure.expected).toEqual(expected)
    expect(failure.actual).toEqual({ events: [['Withdrawn', 3]], answer: 7 })
    expect(failure.stack).toContain('entity-kit.test.ts')
    const unmoved = await failureOf(kit.when.get().then({ events: [['Deposited', 1]] }))
    expect(unmoved.message).toContain('actual events:   none')
  })

  test('what nothing is known of cannot be expected', async () => {
    const misspelled = { event: [] } as object
    await expect(entityKit(Account, 'a').when.get().then(misspelled)).rejects.toThrow(
      "Account 'a': get(): nothing is known of event. What can be expected is events, answer, state, calls.",
    )
  })

  test('a command that fails is not what was expected', async () => {
    const failure = await failureOf(entityKit(Account, 'a').when.withdraw(3).then({ answer: 1 }))
    expect(failure.message).toBe(
      `Account 'a': withdraw(3) failed with NotEnough 'NOT_ENOUGH': only 0 are there`,
    )
    expect(failure.cause).toBeInstanceOf(CommandFailed)
  })

  test('a past that cannot be fails what is built on it', async () => {
    const kit = entityKit(Account, 'alice')
    // @ts-expect-error there is no such event
    const failing = Promise.resolve(kit.given(['Robbed', 10]).when.get())
    await expect(failing).rejects.toThrow("'Robbed' is not an event of Account")
  })
})

describe('thenFails', () => {
  test('knows a failure by its code, its name, its text or a pattern, and gives it', async () => {
    const kit = entityKit(Account, 'alice')
    for (const expected of ['NOT_ENOUGH', 'COMMAND_FAILED', 'NotEnough', 'only 0', /^only \d/]) {
      const error = await kit.when.withdraw(1).thenFails(expected)
      expect(error).toBeInstanceOf(CommandFailed)
    }
    await kit.when.withdraw(1).thenFails()
    await kit.when.get().then({ answer: 0 })
  })

  test('says what happened instead', async () => {
    const kit = entityKit(Account, 'alice')
    expect((await failureOf(kit.when.deposit(1).thenFails('NOT_ENOUGH'))).message).toBe(
      `Account 'alice': deposit(1) was expected to fail with 'NOT_ENOUGH', and did not: Deposited(1, undefined), answered 1.`,
    )
    const other = await failureOf(kit.when.withdraw(2).thenFails(/closed/))
    expect(other.message).toBe(
      `Account 'alice': withdraw(2) was expected to fail with /closed/, and failed with NotEnough 'NOT_ENOUGH': only 1 are there`,
    )
    expect([other.expected, other.actual]).toEqual([
      '/closed/',
      `NotEnough 'NOT_ENOUGH': only 1 are there`,
    ])
  })
})

describe('what travels and what is stored', () => {
  const Odd = defineEntity('Odd', {
    state: (): { readonly value?: unknown } => ({}),
    events: { Set: (_, value: unknown) => ({ value }), Made: () => ({ value: () => 1 }) },
    commands: {
      set: (self, value: unknown) => void self.persist('Set', value),
      make: (self) => void self.persist('Made'),
      give: (): unknown => ({ deep: [Symbol('no')] }),
      same: (_, value: unknown) => value,
    },
  })

  test('arguments, events and answers that cannot travel are refused with their place', async () => {
    const kit = entityKit(Odd, 'x')
    await kit.when.set(() => 1).thenFails('CANNOT_SERIALIZE')
    const error = await kit.when.give().thenFails('VALUE_CANNOT_TRAVEL')
    expect((error as ValueCannotTravel).path).toContain('deep')
  })

  test('nothing is shared with the caller', async () => {
    const kit = entityKit(Odd, 'x')
    const given = { list: [1] }
    const { answer } = await kit.when.same(given)
    expect(answer).toEqual(given)
    expect(answer).not.toBe(given)
  })

  test('a state that cannot be stored is told, unless the kit shall not care', async () => {
    const failure = await failureOf(entityKit(Odd, 'x').when.make())
    expect(failure.message).toContain(`Odd 'x': after make() its state cannot be stored: `)
    const careless = entityKit(
      defineEntity('Odd', {
        state: () => ({ now: new Box(1) }),
        events: {},
        commands: { get: (self) => self.state.now.value },
      }),
      'x',
      { checkState: false },
    )
    await careless.when.get().then({ answer: 1 })
  })
})

class Box {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

describe('a restart', () => {
  test('gives the same state again', async () => {
    const kit = entityKit(Account, 'alice')
    await kit.given(['Deposited', 10])
    await kit.restart()
    expect(kit.state).toEqual({ balance: 10 })
  })

  test('shows both states of a handler that depends on more than its events', async () => {
    let factor = 1
    const Drifting = defineEntity('Drifting', {
      state: () => ({ sum: 0 }),
      events: { Added: (state, by: number) => ({ sum: state.sum + by * factor++ }) },
      commands: { add: (self, by: number) => self.persist('Added', by).sum },
    })
    const failure = await failureOf(entityKit(Drifting, 'd').when.add(1).then({ answer: 1 }))
    expect(failure.stack).toContain('entity-kit.test.ts')
    expect(failure.message).toContain("Drifting 'd': after add(1) its stored events give another")
    expect(failure.message).toContain('before the restart: { sum: 1 }')
    expect(failure.message).toContain('after the restart:  { sum: 2 }')
    expect([failure.expected, failure.actual]).toEqual([{ sum: 1 }, { sum: 2 }])
    const hidden = entityKit(Drifting, 'd')
    void hidden.when.add(1)
    expect((await failureOf(hidden.when.add(1))).message).toContain('after add(1) its')
  })

  test('is told of when it fails', async () => {
    let isBroken = false
    const Fragile = defineEntity('Fragile', {
      state: () => ({ count: 0 }),
      events: {
        Counted: (state) => {
          if (isBroken) throw new Error('no more')
          isBroken = true
          return { count: state.count + 1 }
        },
      },
      commands: { count: (self) => self.persist('Counted').count },
    })
    const failure = await failureOf(entityKit(Fragile, 'f').when.count())
    expect(failure.message).toMatch(
      /Fragile 'f': after count\(\) it cannot be started again.*no more/,
    )
  })

  test('a handler that asks what time it is is refused; one that makes dates of events is not', async () => {
    const Log = defineEntity('Log', {
      state: () => ({ at: new Date(0) }),
      events: {
        Noted: (_, at: Date) => ({ at: new Date(at) }),
        Guessed: () => ({ at: new Date() }),
        Counted: () => ({ at: new Date(Date.now()) }),
      },
      commands: {
        note: (self, at: Date) => self.persist('Noted', at).at,
        guess: (self) => self.persist('Guessed').at,
        count: (self) => self.persist('Counted').at,
      },
    })
    const kit = entityKit(Log, 'l')
    await kit.when.note(new Date(5)).then({ answer: new Date(5) })
    const error = await kit.when.guess().thenFails('EVENT_HANDLER_NOT_PURE')
    expect(error.message).toContain('The handler of the event Guessed of Log called new Date()')
    await kit.when.count().thenFails(/called Date\.now\(\)/)
    expect(new Date()).toBeInstanceOf(Date)
  })
})

describe('an entity without events', () => {
  const Counter = defineEntity('Counter', {
    state: () => ({ count: 0 }),
    commands: {
      add: (self, by: number) => (self.state.count += by),
      fail: () => {
        throw new NotEnough('never')
      },
    },
  })

  test('keeps its state until it starts again', async () => {
    const kit = entityKit(Counter, 'c')
    await kit.when.add(2).then({ answer: 2, state: { count: 2 }, events: [] })
    await kit.when.add(1).then({ answer: 3 })
    await kit.when.fail().thenFails('NOT_ENOUGH')
    expect(kit.state).toEqual({ count: 3 })
    await kit.restart()
    expect(kit.state).toEqual({ count: 0 })
  })

  test('has no past', async () => {
    const kit = entityKit(Counter, 'c')
    // @ts-expect-error it has no events
    await expect(Promise.resolve(kit.given(['Added', 1]))).rejects.toThrow(
      "Counter 'c' has no events: its past is made of commands.",
    )
  })
})

test('a command that never ends is told of within its time', async () => {
  const Waiting = defineEntity('Waiting', {
    state: () => 0,
    events: {},
    commands: { wait: () => new Promise<void>(() => {}), get: () => 1 },
  })
  const kit = entityKit(Waiting, 'w', { within: '20ms' })
  const failure = await failureOf(kit.when.wait())
  expect(failure.message).toMatch(/^Waiting 'w': wait\(\) has not been answered within 20 ms/)
  expect((await failureOf(kit.when.get())).message).toBe(failure.message)
})

test('everything is typed by the definition', async () => {
  const kit = entityKit(Account, 'alice')
  const wrong = async (): Promise<void> => {
    // @ts-expect-error a number is asked for
    void kit.when.withdraw('3')
    // @ts-expect-error there is no such command
    void kit.when.rob
    // @ts-expect-error a number is said
    void kit.given(['Deposited', 'ten'])
    // @ts-expect-error the answer is a number
    void kit.when.withdraw(3).then({ answer: '7' })
    // @ts-expect-error there is no such event
    void kit.when.withdraw(3).then({ events: [['Robbed', 3]] })
    // @ts-expect-error the event says a number
    void kit.when.withdraw(3).then({ events: [['Withdrawn', '3']] })
    // @ts-expect-error that is not its state
    void kit.when.withdraw(3).then({ state: { money: 3 } })
    // @ts-expect-error nobody changes it
    kit.state.balance = 3
    const { answer } = await kit.when.withdraw(3)
    answer.toFixed()
    const events: readonly (
      | readonly ['Deposited', number, ({ text: string } | undefined)?]
      | readonly ['Withdrawn', number]
    )[] = kit.events
    void events
  }
  expect(wrong).toBeTypeOf('function')
})
