/** An entity that deletes itself: what its callers hear, what is left, and what happens when it goes wrong. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { outcome, Stage } from './stage.ts'

const Person = defineEntity('Person', {
  state: () => ({ names: [] as readonly string[] }),
  events: { Named: ({ names }, name: string) => ({ names: [...names, name] }) },
  commands: {
    name: (self, name: string) => self.persist('Named', name).names,
    names: (self) => self.state.names,
    forget: (self) => {
      const { names } = self.state
      self.delete()
      return names
    },
    /** Before and after in one command. */
    rename: (self, before: string, after: string) => {
      self.persist('Named', before)
      self.delete()
      const between = self.state.names
      return [between, self.persist('Named', after).names]
    },
    fail: (self) => {
      self.delete()
      throw new Error('not today')
    },
    later: async (self) => {
      self.delete()
      await Promise.resolve()
      return self.persist('Named', 'late').names
    },
  },
})

describe('an entity that deletes itself', () => {
  let stage: Stage
  beforeEach(() => {
    stage = new Stage()
  })
  afterEach(() => stage[Symbol.asyncDispose]())

  const person = (id = 'a') => stage.call(Person, id)
  const stored = async (): Promise<string[]> => {
    const found: string[] = []
    const range = { persistenceId: 'Person|a', fromSequenceNr: 1, toSequenceNr: 1e9 }
    await stage.memory.read(range, ({ sequenceNr, bytes }) => {
      found.push(`${sequenceNr} ${String((stage.world.codec.decode(bytes) as unknown[])[1])}`)
    })
    return found
  }

  test('is as at the start, its events are gone, and their numbers do not come again', async () => {
    await person().name('ada')
    await person().name('lovelace')
    expect(await person().forget()).toEqual(['ada', 'lovelace'])
    expect(await stored()).toEqual([])
    expect(await person().names()).toEqual([])
    expect(await person().name('grace')).toEqual(['grace'])
    expect(await stored()).toEqual(['3 grace'])
    for (let life = 0; life < 2; life++) {
      await stage.passivate(Person, 'a')
      expect(await person().names()).toEqual(['grace'])
    }
    expect(await person().name('hopper')).toEqual(['grace', 'hopper'])
    expect(await stored()).toEqual(['3 grace', '4 hopper'])
  })

  test('starts from scratch also when nothing came after it', async () => {
    await person().name('ada')
    await person().forget()
    await stage.passivate(Person, 'a')
    expect(await person().names()).toEqual([])
    expect(await person().name('grace')).toEqual(['grace'])
    expect(await stored()).toEqual(['2 grace'])
  })

  test('what a command persists before it goes with the rest, and what it persists after stays', async () => {
    await person().name('ada')
    expect(await person().rename('x', 'grace')).toEqual([[], ['grace']])
    expect(await stored()).toEqual(['2 grace'])
    expect(await person().later()).toEqual(['late'])
    expect(await stored()).toEqual(['3 late'])
  })

  test('a command that fails deletes nothing', async () => {
    await person().name('ada')
    expect(await outcome(person().fail())).toMatchObject({ code: 'COMMAND_FAILED' })
    expect(await person().names()).toEqual(['ada'])
    expect(await stored()).toEqual(['1 ada'])
  })

  test('answers when it is stored, and later calls see it before', async () => {
    await person().name('ada')
    stage.journal.stall()
    const order: string[] = []
    const calls = [
      person()
        .name('x')
        .then(() => order.push('named')),
      person()
        .forget()
        .then(() => order.push('forgotten')),
      person()
        .names()
        .then((names) => order.push(`read ${names.length}`)),
      person()
        .name('grace')
        .then((names) => order.push(`named ${names.join()}`)),
    ]
    await stage.settle()
    expect(order).toEqual([])
    stage.journal.flow()
    await stage.settle()
    await Promise.all(calls)
    expect(order).toEqual(['named', 'forgotten', 'read 0', 'named grace'])
    expect(await stored()).toEqual(['3 grace'])
  })

  test('that is not stored has not happened; who deletes after another has claimed is fenced', async () => {
    await person().name('ada')
    stage.journal.setFaults({ latencyMeanMs: 0, failsBefore: 1 })
    expect(await outcome(person().forget())).toMatchObject({
      ...{ code: 'NOT_STORED', reason: 'EVENTS_NOT_STORED', mayHaveHappened: false },
    })
    stage.journal.setFaults({ latencyMeanMs: 0 })
    await stage.passivate(Person, 'a')
    expect(await person().names()).toEqual(['ada'])
    await stage.memory.claim('Person|a', 'another node')
    expect(await outcome(person().forget())).toMatchObject({ reason: 'WRITER_FENCED' })
    expect(await stored()).toEqual(['1 ada'])
  })

  test('what is called behind a deletion that is not stored leaves nothing behind either', async () => {
    await person().name('ada')
    stage.journal.stall()
    stage.journal.setFaults({ latencyMeanMs: 0, failsBefore: 1 })
    const forgotten = outcome(person().forget())
    await stage.settle()
    stage.journal.setFaults({ latencyMeanMs: 0 })
    const named = outcome(person().name('grace'))
    await stage.settle()
    stage.journal.flow()
    await stage.settle()
    expect(await forgotten).toMatchObject({ code: 'NOT_STORED', mayHaveHappened: false })
    expect(await named).toMatchObject({ code: 'NOT_STORED', mayHaveHappened: false })
    expect(await stored()).toEqual(['1 ada'])
    await stage.passivate(Person, 'a')
    expect(await person().names()).toEqual(['ada'])
  })

  test('cannot do so after its command has settled', async () => {
    let deleteLate = (): void => undefined
    const Late = defineEntity('Late', {
      state: () => 0,
      events: { Counted: (state) => state + 1 },
      commands: { start: (self) => void (deleteLate = () => self.delete()) },
    })
    await stage.call(Late, 'a').start()
    expect(() => deleteLate()).toThrow('self.delete was called after Late.start had settled')
  })
})
