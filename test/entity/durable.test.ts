import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type CallError,
  CommandFailed,
  CommandOver,
  defineEntity,
  NotStored,
} from '../../src/entity/index.ts'
import { outcome, Stage } from './stage.ts'

class OutOfFunds extends Error {
  override readonly name = 'OutOfFunds'
  readonly code = 'OUT_OF_FUNDS'
}

let applied = 0
let leaked: (() => unknown) | undefined

const Account = defineEntity('Account', {
  state: () => ({ balance: 0, notes: [] as readonly string[] }),
  events: {
    Moved: (state, amount: number) => {
      applied++
      if (state.balance + amount < 0) throw new OutOfFunds('the balance would be negative')
      return { ...state, balance: state.balance + amount }
    },
    Noted: (state, note: string) => ({ ...state, notes: [...state.notes, note] }),
  },
  commands: {
    deposit: (self, amount: number) => self.persist('Moved', amount).balance,
    balance: (self) => self.state.balance,
    notes: (self) => self.state.notes,
    everything: (self) => self.state,
    withNote: (self, amount: number, note: string) => {
      self.persist('Noted', note)
      return self.persist('Moved', amount).notes.length
    },
    later: async (self, amount: number) => {
      await Promise.resolve()
      self.persist('Moved', amount)
      await Promise.resolve()
      return self.persist('Moved', amount).balance
    },
    leak: (self) => {
      leaked = () => self.persist('Moved', 1)
    },
    badResult: (self): unknown => {
      self.persist('Moved', 5)
      return { list: [1, () => 2] }
    },
    badEvent: (self) => self.persist('Noted', (() => 1) as never).balance,
    badAmount: (self) => self.persist('Moved', Symbol('a lot') as never).balance,
    id: (self) => self.id,
  },
})

let stage: Stage

beforeEach(() => {
  stage = new Stage()
  applied = 0
})

afterEach(() => stage[Symbol.asyncDispose]())

describe('a durable entity', () => {
  test('keeps its state over lives, and applies each event once', async () => {
    expect(await stage.call(Account, 'a').deposit(5)).toBe(5)
    expect(await stage.call(Account, 'a').deposit(2)).toBe(7)
    expect(applied).toBe(2)
    await stage.passivate(Account, 'a')
    expect(await stage.call(Account, 'a').balance()).toBe(7)
    expect(await stage.call(Account, 'b').balance()).toBe(0)
    expect(await stage.call(Account, 'b').id()).toBe('b')
  })

  test('answers nothing before it is stored, not even a question about it', async () => {
    await stage.call(Account, 'a').deposit(1)
    stage.journal.stall()
    const answers: string[] = []
    void stage
      .call(Account, 'a')
      .deposit(5)
      .then((balance) => answers.push(`deposit ${balance}`))
    void stage
      .call(Account, 'a')
      .balance()
      .then((balance) => answers.push(`balance ${balance}`))
    await stage.settle()
    expect(answers).toEqual([])
    stage.journal.flow()
    await stage.settle()
    expect(answers).toEqual(['deposit 6', 'balance 6'])
  })

  test('stores what one command persists together, or not at all', async () => {
    await expect(stage.call(Account, 'a').withNote(-1, 'rent')).rejects.toThrow(CommandFailed)
    expect(await stage.call(Account, 'a').everything()).toEqual({ balance: 0, notes: [] })
    expect(await stage.call(Account, 'a').withNote(1, 'rent')).toBe(1)
    expect(await stage.memory.highestSequenceNr('Account|a')).toBe(2)
    await stage.passivate(Account, 'a')
    expect(await stage.call(Account, 'a').everything()).toEqual({ balance: 1, notes: ['rent'] })
  })

  test('tells the caller what a command threw, and stores nothing of it', async () => {
    const error = (await outcome(stage.call(Account, 'a').deposit(-1))) as CommandFailed
    expect(error).toBeInstanceOf(CommandFailed)
    expect(error.message).toBe("Account 'a': deposit failed: the balance would be negative")
    expect(error).toMatchObject({
      code: 'COMMAND_FAILED',
      errorName: 'OutOfFunds',
      errorCode: 'OUT_OF_FUNDS',
      mayHaveHappened: false,
      entityType: 'Account',
      id: 'a',
      command: 'deposit',
    })
    expect(error.cause).toMatchObject({ name: 'OutOfFunds', code: 'OUT_OF_FUNDS' })
    expect(await stage.memory.highestSequenceNr('Account|a')).toBe(0)
  })

  test('handles no other command until an async one has settled', async () => {
    const later = stage.call(Account, 'a').later(2)
    const after = stage.call(Account, 'a').balance()
    expect(await later).toBe(4)
    expect(await after).toBe(4)
    expect(await stage.memory.highestSequenceNr('Account|a')).toBe(2)
  })

  test('refuses to persist for a command that has settled', async () => {
    await stage.call(Account, 'a').leak()
    expect(leaked).toThrow(CommandOver)
    expect(leaked).toThrow(
      'self.persist was called after Account.leak had settled. Await everything the command depends on before it returns.',
    )
  })

  test('refuses results and events that cannot travel, and stores nothing of their command', async () => {
    await expect(stage.call(Account, 'a').badResult()).rejects.toMatchObject({
      code: 'VALUE_CANNOT_TRAVEL',
      path: 'the result of badResult.list[1]',
      mayHaveHappened: false,
      message:
        "Account 'a': badResult failed: the result of badResult.list[1] is a function and cannot travel; send data only",
    })
    await expect(stage.call(Account, 'a').badEvent()).rejects.toMatchObject({
      code: 'VALUE_CANNOT_TRAVEL',
      path: 'the event Noted: args[0]',
      mayHaveHappened: false,
    })
    expect(applied).toBe(1)
    await expect(stage.call(Account, 'a').badAmount()).rejects.toMatchObject({
      code: 'VALUE_CANNOT_TRAVEL',
      path: 'the event Moved: args[0]',
    })
    expect(applied).toBe(1)
    expect(await stage.call(Account, 'a').balance()).toBe(0)
  })

  test('gives callers nothing of its own to change', async () => {
    await stage.call(Account, 'a').withNote(1, 'first')
    const seen = (await stage.call(Account, 'a').everything()) as { balance: number }
    seen.balance = 1_000
    expect(await stage.call(Account, 'a').balance()).toBe(1)
  })
})

describe('when the journal fails', () => {
  test('a caller hears that nothing was stored, and may call again', async () => {
    await stage.call(Account, 'a').deposit(1)
    stage.journal.setFaults({ latencyMeanMs: 0, failsBefore: 1 })
    const error = (await outcome(stage.call(Account, 'a').deposit(1))) as CallError
    expect(error).toBeInstanceOf(NotStored)
    expect(error).toMatchObject({ reason: 'EVENTS_NOT_STORED', mayHaveHappened: false })
    expect(error.message).toBe(
      "Account 'a': deposit was not done: Events of 'Account|a' were not stored: A fault was injected: append of Account|a fails before. The command had no effect and may be sent again.",
    )
  })

  test('a caller hears that nobody can tell', async () => {
    await stage.call(Account, 'a').deposit(1)
    stage.journal.setFaults({ latencyMeanMs: 0, failsUnknown: 0.5 })
    expect(await outcome(stage.call(Account, 'a').deposit(1))).toMatchObject({
      reason: 'EVENTS_OUTCOME_UNKNOWN',
      mayHaveHappened: true,
      message: expect.stringMatching(
        /^Account 'a': deposit may not have been done: Nobody can tell whether events of 'Account\|a' were stored: /,
      ) as string,
    })
  })

  test('a caller hears that another writer has the stream', async () => {
    await stage.call(Account, 'a').deposit(1)
    await stage.memory.claim('Account|a', 'another node')
    expect(await outcome(stage.call(Account, 'a').deposit(1))).toMatchObject({
      reason: 'WRITER_FENCED',
      mayHaveHappened: false,
    })
  })

  test('callers that wait for a recovery hear that it failed', async () => {
    stage.journal.setFaults({ latencyMeanMs: 0, failsBefore: 1 })
    const errors = await Promise.all([
      outcome(stage.call(Account, 'a').deposit(1)),
      outcome(stage.call(Account, 'a').balance()),
    ])
    const message =
      /was not handled: 'Account\|a' could not be recovered: A fault was injected: [^.]*\. Nothing of it has happened; it can be called again\.$/
    for (const error of errors) {
      expect(error).toMatchObject({ code: 'ENTITY_UNAVAILABLE', reason: 'store-unavailable' })
      expect((error as Error).message).toMatch(message)
    }
  })

  test('a stored event that the definition no longer knows fails the recovery with its name', async () => {
    const Older = defineEntity('Account', {
      state: () => ({ balance: 0 }),
      events: { Minted: (state, amount: number) => ({ balance: state.balance + amount }) },
      commands: { mint: (self, amount: number) => self.persist('Minted', amount).balance },
    })
    await stage.call(Older, 'old').mint(3)
    await stage.passivate(Older, 'old')
    const error = (await outcome(stage.call(Account, 'old').balance())) as Error
    expect(error.message).toContain(
      "Event 1 of Account 'old' is 'Minted', which this version does not know: its events are Moved, Noted.",
    )
  })
})
