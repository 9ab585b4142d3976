import { describe, expect, test } from 'vitest'
import { defineEntity } from '../../entity/index.ts'
import { entityKit } from './entity-kit.ts'

const Profile = defineEntity('Profile', {
  durable: true,
  state: () => ({ name: '', visits: 0 }),
  commands: {
    visit: (self) => {
      self.state = { ...self.state, visits: self.state.visits + 1 }
      return self.state.visits
    },
    keep: (self, value: unknown) => {
      self.state = { ...self.state, name: value as string }
    },
    delete: (self) => self.delete(),
  },
})

describe('entityKit with a durable state', () => {
  test('sees answer and state, from a past that was given', async () => {
    const kit = entityKit(Profile, 'a')
    await kit
      .givenState({ name: 'Ada', visits: 4 })
      .when.visit()
      .then({
        answer: 5,
        state: { name: 'Ada', visits: 5 },
        events: [],
      })
    await kit.restart()
    expect(kit.state).toEqual({ name: 'Ada', visits: 5 })
    await kit.when.delete().then({ state: { name: '', visits: 0 } })
  })

  test('has no events to be given, and one with events no state', async () => {
    const kit = entityKit(Profile, 'a')
    await expect(kit.given(...([['Seen']] as never[]))).rejects.toThrow(
      "Profile 'a' has no events: its past is given by givenState.",
    )
    const Counter = defineEntity('Counter', {
      state: () => 0,
      events: { Counted: (state) => state + 1 },
      commands: {},
    })
    await expect(entityKit(Counter, 'a').givenState(5)).rejects.toThrow(
      'does not store its state itself',
    )
  })
})

describe('entityKit with snapshots', () => {
  test('finds an entity whose handlers make something else of a state that was stored', async () => {
    const hidden = new WeakSet<object>()
    const Tricky = defineEntity('Tricky', {
      state: () => ({ count: 0 }),
      events: {
        Counted: (state) => {
          const isOwn = state.count === 0 || hidden.has(state)
          const next = { count: state.count + (isOwn ? 1 : 100) }
          hidden.add(next)
          return next
        },
      },
      commands: { count: (self) => self.persist('Counted').count },
    })
    const kit = entityKit(Tricky, 'a')
    await kit.when.count().then({ answer: 1 })
    await expect(kit.when.count().then({ answer: 2 })).rejects.toThrow(
      "Tricky 'a': after count() its stored events give another state than the one it had.",
    )
  })

  test('is content with one that keeps to data, and leaves out those that keep none', async () => {
    const Counter = defineEntity('Counter', {
      state: () => ({ count: 0, at: new Date(0) }),
      events: { Counted: (state) => ({ ...state, count: state.count + 1 }) },
      commands: { count: (self) => self.persist('Counted').count },
    })
    const kit = entityKit(Counter, 'a')
    await kit.given(['Counted'], ['Counted']).when.count().then({ answer: 3 })
    expect(kit.logs.lines).toEqual([])
    class Money {
      readonly cents = 1
    }
    const Purse = defineEntity('Purse', {
      state: () => ({ money: new Money() }),
      events: { Filled: () => ({ money: new Money() }) },
      commands: { fill: (self) => void self.persist('Filled') },
    })
    const purse = entityKit(Purse, 'a', { checkState: false })
    await purse.when.fill().then({ events: [['Filled']] })
    expect(purse.logs.lines).toEqual([])
  })
})
