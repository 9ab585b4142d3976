import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { outcome, Stage } from './stage.ts'

const Basket = defineEntity('Basket', {
  state: () => ({ count: 0, items: [] as string[], bytes: new Uint8Array(2), tags: new Set([1]) }),
  events: {
    Pushed: (state, item: string) => {
      ;(state.items as string[]).push(item)
      return state
    },
    Counted: (state) => {
      ;(state as { count: number }).count++
      return state
    },
    Added: (state, item: string) => ({ ...state, items: [...state.items, item] }),
    Ignored: (state) => state,
    Mistaken: (state) => (state as unknown as { missing: { deep: typeof state } }).missing.deep,
  },
  commands: {
    push: (self, item: string) => self.persist('Pushed', item).items.length,
    count: (self) => self.persist('Counted').count,
    add: (self, item: string) => self.persist('Added', item).items,
    addAndPush: (self, item: string) => {
      self.persist('Added', item)
      self.persist('Pushed', item)
    },
    ignore: (self) => self.persist('Ignored').items,
    mistake: (self) => void self.persist('Mistaken'),
    meddle: (self) => (self.state.items as string[]).push('unseen'),
    items: (self) => self.state.items,
  },
})

describe('a handler that changes the state in place', () => {
  let stage: Stage
  beforeEach(() => void (stage = new Stage()))
  afterEach(() => stage[Symbol.asyncDispose]())

  const call = async <T>(begin: (basket: ReturnType<typeof handle>) => Promise<T>) => {
    const result = outcome(begin(handle()))
    await stage.settle()
    return result
  }
  const handle = () => stage.call(Basket, 'b')

  test('fails at once, by name, and nothing has happened', async () => {
    expect(await call((basket) => basket.add('good'))).toEqual(['good'])
    for (const bad of [
      await call((basket) => basket.push('bad')),
      await call((basket) => basket.addAndPush('bad')),
      await call((basket) => basket.count()),
    ]) {
      expect(bad).toMatchObject({
        code: 'COMMAND_FAILED',
        errorCode: 'EVENT_HANDLER_CHANGED_STATE',
        mayHaveHappened: false,
        message: expect.stringMatching(
          /The handler of the event (Pushed|Counted) of Basket changed the state it was given/,
        ) as string,
      })
    }
    expect(await call((basket) => basket.items())).toEqual(['good'])
    await stage.passivate(Basket, 'b')
    expect(await call((basket) => basket.items())).toEqual(['good'])
    // What was read back is frozen as well.
    expect(await call((basket) => basket.meddle())).toMatchObject({ code: 'COMMAND_FAILED' })
    expect(await call((basket) => basket.add('more'))).toEqual(['good', 'more'])
  })

  test('is not mistaken for one that gives back what it got, or fails otherwise', async () => {
    expect(await call((basket) => basket.ignore())).toEqual([])
    expect(await call((basket) => basket.mistake())).toMatchObject({ errorCode: undefined })
    expect(await call((basket) => basket.meddle())).toMatchObject({ code: 'COMMAND_FAILED' })
    expect(await call((basket) => basket.items())).toEqual([])
  })
})
