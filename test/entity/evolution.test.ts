/** Versions of one entity on one store: forward by upcasting, and back. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { outcome, Stage } from './stage.ts'

/** As it was first. */
const Old = defineEntity('Cart', {
  state: () => ({ items: [] as readonly string[] }),
  events: {
    Added: ({ items }, item: string) => ({ items: [...items, item] }),
    AddedTwo: ({ items }, one: string, other: string) => ({ items: [...items, one, other] }),
    Looked: (state) => state,
  },
  commands: {
    add: (self, item: string) => self.persist('Added', item).items,
    addTwo: (self, one: string, other: string) => self.persist('AddedTwo', one, other).items,
    look: (self) => self.persist('Looked').items,
    items: (self) => self.state.items,
    forget: (self) => self.delete(),
  },
})

interface Item {
  readonly name: string
  readonly count: number
}

/** Renamed and reshaped, split, and retired. */
const New = defineEntity('Cart', {
  state: () => ({ items: [] as readonly Item[] }),
  events: {
    ItemAdded: ({ items }, name: string, count: number) => ({ items: [...items, { name, count }] }),
    Discounted: (state, _percent: number) => state,
  },
  upcast: {
    Added: (item: string) => ['ItemAdded', item, 1],
    AddedTwo: (one: string, other: string) => [
      ['ItemAdded', one, 1],
      ['ItemAdded', other, 1],
    ],
    Looked: () => [],
    // The same name with more to say: those of the first days had no count.
    ItemAdded: (name: string, count?: number) => ['ItemAdded', name, count ?? 1],
  },
  commands: {
    add: (self, name: string, count: number) => self.persist('ItemAdded', name, count).items,
    discount: (self, percent: number) => self.persist('Discounted', percent).items.length,
    items: (self) => self.state.items,
  },
})

describe('an entity whose events have changed', () => {
  let stage: Stage
  beforeEach(() => {
    stage = new Stage()
  })
  afterEach(() => stage[Symbol.asyncDispose]())

  async function fill(): Promise<void> {
    const cart = stage.call(Old, 'a')
    await cart.add('tea')
    await cart.look()
    await cart.addTwo('cup', 'pot')
    await stage.passivate(Old, 'a')
  }

  test('reads events of earlier versions: renamed, reshaped, split and retired', async () => {
    await fill()
    const before = [
      { name: 'tea', count: 1 },
      { name: 'cup', count: 1 },
      { name: 'pot', count: 1 },
    ]
    expect(await stage.call(New, 'a').items()).toEqual(before)
    const after = [...before, { name: 'milk', count: 2 }]
    expect(await stage.call(New, 'a').add('milk', 2)).toEqual(after)
    await stage.passivate(New, 'a')
    expect(await stage.call(New, 'a').items()).toEqual(after)
    expect(await stage.memory.highestSequenceNr('Cart|a')).toBe(4)
  })

  test('reads them behind its event adapter', async () => {
    await fill()
    const Adapted = defineEntity('Cart', {
      state: () => ({ names: [] as readonly string[] }),
      events: { ItemAdded: ({ names }, name: string) => ({ names: [...names, name] }) },
      eventAdapter: {
        toJournal: ([, name]) => ({ v: 2, name }),
        fromJournal: (stored) =>
          Array.isArray(stored)
            ? [stored as unknown as readonly ['ItemAdded', string]]
            : [['ItemAdded', (stored as { name: string }).name]],
      },
      upcast: {
        Added: (name: string) => ['ItemAdded', name],
        AddedTwo: (one: string) => ['ItemAdded', `${one}, and another`],
        Looked: () => [],
      },
      commands: {
        add: (self, name: string) => self.persist('ItemAdded', name).names,
        names: (self) => self.state.names,
      },
    })
    const names = ['tea', 'cup, and another', 'milk']
    expect(await stage.call(Adapted, 'a').add('milk')).toEqual(names)
    await stage.passivate(Adapted, 'a')
    expect(await stage.call(Adapted, 'a').names()).toEqual(names)
    // Without the adapter, what it has stored is no event at all.
    await stage.passivate(Adapted, 'a')
    const error = await outcome(stage.call(New, 'a').items())
    expect((error as Error).message).toMatch(/Event 4 of Cart 'a' is .*eventAdapter/)
  })

  test.each<[string, unknown, string]>([
    ['gives nothing', undefined, 'gave undefined'],
    ['gives what is not a list', { name: 'ItemAdded' }, 'gave {'],
    ['gives an event that is none', [['ItemAdded', 'x'], 7], 'gave 7 for an event'],
    ['gives an event of another version', ['Added', 'x'], "gave 'Added', which is not an event"],
    ['gives a promise', Promise.resolve([]), 'gave '],
  ])('is told when an upcaster %s', async (_what, given, words) => {
    await fill()
    const Wrong = defineEntity('Cart', {
      state: () => 0,
      events: { ItemAdded: (state) => state + 1 },
      upcast: { Added: () => given as [] },
      commands: { count: (self) => self.state },
    })
    const error = await outcome(stage.call(Wrong, 'a').count())
    expect(error).toMatchObject({ code: 'ENTITY_NOT_RECOVERED' })
    expect((error as Error).message).toContain(`The upcaster of 'Added' ${words}`)
    expect((error as Error).message).toContain("event 1 of Cart 'a'")
  })

  test('is told when an upcaster throws', async () => {
    await fill()
    const Wrong = defineEntity('Cart', {
      state: () => 0,
      events: { ItemAdded: (state) => state + 1 },
      upcast: {
        Added: () => {
          throw new RangeError('no such item')
        },
      },
      commands: { count: (self) => self.state },
    })
    const { message } = (await outcome(stage.call(Wrong, 'a').count())) as Error
    expect(message).toContain("The upcaster of 'Added' threw no such item.")
  })
})

describe('an entity that was rolled back', () => {
  let stage: Stage
  beforeEach(() => {
    stage = new Stage()
  })
  afterEach(() => stage[Symbol.asyncDispose]())

  const Newer = defineEntity('Cart', {
    ...{ state: Old.state, commands: { ...Old.commands } },
    events: {
      ...Old.events,
      Discounted: (state: { readonly items: readonly string[] }, _percent: number) => state,
    },
  })
  const Serving = defineEntity('Cart', {
    ...{ state: Old.state, events: Old.events, commands: Old.commands },
    unknownEvents: 'read-only',
  })

  /** Three events, the second of which only the newer version knows. */
  async function fill(): Promise<void> {
    const More = defineEntity('Cart', {
      state: Newer.state,
      events: Newer.events,
      commands: {
        add: (self, item: string) => void self.persist('Added', item),
        discount: (self, percent: number) => void self.persist('Discounted', percent),
      },
    })
    const cart = stage.call(More, 'a')
    await cart.add('tea')
    await cart.discount(10)
    await cart.add('cup')
    await stage.passivate(More, 'a')
  }

  test('says which event it does not know, of which entity, where, and what to do', async () => {
    await fill()
    const error = await outcome(stage.call(Old, 'a').items())
    expect(error).toMatchObject({ code: 'ENTITY_NOT_RECOVERED', entityType: 'Cart', id: 'a' })
    const { message } = error as Error
    expect(message).toContain(
      "Event 2 of Cart 'a' is 'Discounted', which this version does not know: its events are Added, AddedTwo, Looked.",
    )
    expect(message).toContain("unknownEvents: 'read-only'")
    expect(message).not.toContain('event handler')
    // Nothing is lost: the newer version goes on.
    await stage.passivate(Old, 'a')
    expect(await stage.call(Newer, 'a').items()).toEqual(['tea', 'cup'])
  })

  test('answers reads from the state before that event, if it is told to, and takes nothing', async () => {
    await fill()
    const cart = stage.call(Serving, 'a')
    expect(await cart.items()).toEqual(['tea'])
    for (const call of [() => cart.add('pot'), () => cart.forget()]) {
      const error = await outcome<unknown>(call())
      expect(error).toMatchObject({
        ...{ code: 'COMMAND_FAILED', errorCode: 'ENTITY_READ_ONLY', mayHaveHappened: false },
      })
      expect((error as Error).message).toContain("Cart 'a' is read only here: its event 2")
    }
    expect(await cart.items()).toEqual(['tea'])
    expect(await stage.memory.highestSequenceNr('Cart|a')).toBe(3)
    await stage.passivate(Serving, 'a')
    expect(await stage.call(Newer, 'a').items()).toEqual(['tea', 'cup'])
    // One that has no such event is an entity as any other.
    expect(await stage.call(Serving, 'b').add('tea')).toEqual(['tea'])
  })
})

describe('the definition', () => {
  test('refuses upcasters that cannot be', () => {
    const define = (more: object) => () =>
      defineEntity('Cart', {
        ...{ state: () => 0, events: { A: (state: number) => state }, commands: {} },
        ...more,
      })
    expect(define({ upcast: [] })).toThrow('upcast must be an object of functions')
    expect(define({ upcast: { B: 7 } })).toThrow('upcast.B must be a function')
    expect(define({ upcast: { B: async () => [] } })).toThrow('upcast.B must not be async')
    expect(define({ unknownEvents: 'ignore' })).toThrow("'refuse' or 'read-only'")
    expect(define({ events: undefined, upcast: {} })).toThrow('upcast is about events')
  })
})
