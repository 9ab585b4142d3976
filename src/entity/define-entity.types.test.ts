import { describe, expectTypeOf, test } from 'vitest'
import { type CommandsOf, defineEntity, entityType, type HandleOf } from './define-entity.ts'
import type { DeepReadonly, EntityHandle, EventOf } from './entity-types.ts'

const Counter = defineEntity('Counter', {
  state: () => ({ count: 0 }),
  events: {
    Incremented: (state, by: number) => ({ count: state.count + by }),
    Renamed: (state, _name: string, _loud?: boolean) => state,
  },
  commands: {
    increment: (self, by: number) => self.persist('Incremented', by).count,
    get: (self) => self.state.count,
    rename: async (self, name: string) => {
      await Promise.resolve()
      self.persist('Renamed', name)
    },
    later: async (self, suffix?: string) => `${self.id}${suffix ?? ''}`,
  },
})

type Handle = EntityHandle<CommandsOf<typeof Counter>>

describe('what is inferred of a durable entity', () => {
  test('its callers see arguments and results as they were written, the results in promises', () => {
    expectTypeOf<Handle['increment']>().toEqualTypeOf<(by: number) => Promise<number>>()
    expectTypeOf<Handle['get']>().toEqualTypeOf<() => Promise<number>>()
    expectTypeOf<Handle['rename']>().toEqualTypeOf<(name: string) => Promise<void>>()
    expectTypeOf<Handle['later']>().toEqualTypeOf<(suffix?: string) => Promise<string>>()
    expectTypeOf<keyof Handle>().toEqualTypeOf<'increment' | 'get' | 'rename' | 'later'>()
  })

  test('rest arguments may be a list that nobody changes', () => {
    const Cart = defineEntity('Cart', {
      state: (): readonly string[] => [],
      events: { Filled: (state, ...lines: readonly string[]) => [...state, ...lines] },
      commands: {
        fill: (self, first: string, ...lines: readonly string[]) =>
          self.persist('Filled', first, ...lines).length,
      },
    })
    type Fill = EntityHandle<CommandsOf<typeof Cart>>['fill']
    expectTypeOf<Fill>().toEqualTypeOf<
      (first: string, ...lines: readonly string[]) => Promise<number>
    >()
  })

  test('nothing is any', () => {
    expectTypeOf<Parameters<Handle['increment']>[0]>().not.toBeAny()
    expectTypeOf<ReturnType<Handle['get']>>().not.toBeAny()
    expectTypeOf<ReturnType<(typeof Counter)['state']>>().not.toBeAny()
  })

  test('callers cannot go wrong', () => {
    const handle = (): Handle => {
      throw new Error('only for types')
    }
    const wrong = (): void => {
      // @ts-expect-error a number is asked for
      void handle().increment('2')
      // @ts-expect-error nothing is given
      void handle().increment()
      // @ts-expect-error one too many
      void handle().get(1)
      // @ts-expect-error there is no such command
      void handle().decrement
      const count = handle().get()
      // @ts-expect-error the result is a number
      void count.then((text: string) => text)
    }
    expectTypeOf(wrong).toBeFunction()
  })

  test('a caller needs only the type', () => {
    const counters = entityType<typeof Counter>('Counter')
    expectTypeOf<EntityHandle<CommandsOf<typeof counters>>>().toEqualTypeOf<Handle>()
  })

  test('a handle can be named by a definition, or by a type', () => {
    const counters = entityType<typeof Counter>('Counter')
    expectTypeOf<HandleOf<typeof Counter>>().toEqualTypeOf<Handle>()
    expectTypeOf<HandleOf<typeof counters>>().toEqualTypeOf<Handle>()
    // @ts-expect-error commands are no entity
    expectTypeOf<HandleOf<typeof Counter.commands>>().toBeNever()
  })
})

describe('what a command may do', () => {
  test('it persists events that exist, with their arguments, and does not change the state itself', () => {
    defineEntity('Strict', {
      state: () => ({ count: 0, tags: ['a'] }),
      events: { Incremented: (state, by: number) => ({ ...state, count: state.count + by }) },
      commands: {
        good: (self) => {
          expectTypeOf(self.state).toEqualTypeOf<{
            readonly count: number
            readonly tags: readonly string[]
          }>()
          expectTypeOf(self.persist('Incremented', 1).count).toEqualTypeOf<number>()
          expectTypeOf(self.id).toEqualTypeOf<string>()
        },
        unknownEvent: (self) => {
          // @ts-expect-error there is no such event
          self.persist('Decremented', 1)
        },
        wrongArgument: (self) => {
          // @ts-expect-error a number is asked for
          self.persist('Incremented', '1')
        },
        missingArgument: (self) => {
          // @ts-expect-error one argument is missing
          self.persist('Incremented')
        },
        changing: (self) => {
          // @ts-expect-error only events change the state
          self.state.count++
        },
        replacing: (self) => {
          // @ts-expect-error only events replace the state
          self.state = { count: 1, tags: [] }
        },
      },
    })
  })

  test('event handlers know the state, make one, and do not change it', () => {
    defineEntity('Events', {
      state: () => ({ count: 0 }),
      events: {
        Good: (state) => {
          expectTypeOf(state).toEqualTypeOf<Readonly<{ count: number }>>()
          return state
        },
        Changing: (state) => {
          // @ts-expect-error a state is a value
          state.count++
          return state
        },
      },
      commands: {},
    })
    defineEntity('WrongState', {
      state: () => ({ count: 0 }),
      // @ts-expect-error a state has a count
      events: { Bad: (state: { count: number }) => ({ total: state.count }) },
      commands: {},
    })
  })

  test('one that forgets a part of the state is the only one that is told so', () => {
    const Forgetful = defineEntity('Forgetful', {
      state: () => ({ count: 0, tags: ['a'] }),
      events: {
        Good: (state, by: number) => ({ ...state, count: state.count + by }),
        // @ts-expect-error the tags are missing
        Forgotten: (state, by: number) => ({ count: state.count + by }),
      },
      commands: { add: (self, by: number) => self.persist('Good', by).tags.length },
    })
    expectTypeOf(Forgetful.state()).toEqualTypeOf<{ count: number; tags: string[] }>()
  })

  test('a state may be an array, a text or a union', () => {
    type Door = { open: boolean } | undefined
    const Log = defineEntity('Log', {
      state: (): string[] => [],
      events: { Added: (state, line: string) => [...state, line], Kept: (state) => state },
      commands: { add: (self, line: string) => self.persist('Added', line).length },
    })
    const Gate = defineEntity('Gate', {
      state: (): Door => undefined,
      events: { Opened: () => ({ open: true }) },
      commands: { isOpen: (self) => self.state?.open ?? false },
    })
    expectTypeOf<EntityHandle<CommandsOf<typeof Log>>['add']>().toEqualTypeOf<
      (line: string) => Promise<number>
    >()
    expectTypeOf<EntityHandle<CommandsOf<typeof Gate>>['isOpen']>().toEqualTypeOf<
      () => Promise<boolean>
    >()
  })
})

interface Line {
  item: string
  tags: string[]
}

class Money {
  readonly #cents: number
  constructor(cents: number) {
    this.#cents = cents
  }
  plus(cents: number): Money {
    return new Money(this.#cents + cents)
  }
}

/** Without methods, but with something private: nothing else is one. */
class Point {
  readonly #x: number = 0
  static xOf(point: Point): number {
    return point.#x
  }
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

interface CartState {
  lines: Line[]
  byItem: Map<string, Line>
  seen: Set<string>
  total: Money
  paidAt?: Date
  counts: Record<string, number[]>
  pair: [number, string[]]
  loose: ReturnType<typeof JSON.parse>
  parent?: CartState
}

const emptyCart = (): CartState => {
  throw new Error('only for types')
}

const Cart = defineEntity('Cart', {
  state: emptyCart,
  events: {
    Added: (state, line: Line) => ({ ...state, lines: [...state.lines, line] }),
    Put: (state, line: Line) => ({ ...state, byItem: new Map(state.byItem).set(line.item, line) }),
    Renamed: (state, item: string) => ({
      ...state,
      lines: state.lines.map((line) => ({ ...line, item })),
    }),
    Paid: (state, at: Date) => ({ ...state, paidAt: at, total: state.total.plus(1) }),
    Emptied: (): CartState => emptyCart(),
    Kept: (state) => state,
  },
  commands: {
    lines: (self) => self.state.lines,
    paidAt: (self) => self.persist('Kept').paidAt,
  },
})

describe('a state that nobody changes', () => {
  test('is readonly all the way down; what has methods stays what it is', () => {
    type State = DeepReadonly<CartState>
    type Told = { readonly item: string; readonly tags: readonly string[] }
    expectTypeOf<State['lines']>().toEqualTypeOf<readonly Told[]>()
    expectTypeOf<State['byItem']>().toEqualTypeOf<ReadonlyMap<string, Told>>()
    expectTypeOf<State['seen']>().toEqualTypeOf<ReadonlySet<string>>()
    expectTypeOf<State['total']>().toEqualTypeOf<Money>()
    expectTypeOf<State['paidAt']>().toEqualTypeOf<Date | undefined>()
    expectTypeOf<State['counts']>().toEqualTypeOf<{ readonly [x: string]: readonly number[] }>()
    expectTypeOf<State['pair']>().toEqualTypeOf<readonly [number, readonly string[]]>()
    expectTypeOf<State['loose']>().toBeAny()
    expectTypeOf<State['parent']>().toEqualTypeOf<State | undefined>()
    expectTypeOf<DeepReadonly<unknown>>().toBeUnknown()
    expectTypeOf<DeepReadonly<{ kind: 'a'; n: number[] } | 'b' | null>>().toEqualTypeOf<
      { readonly kind: 'a'; readonly n: readonly number[] } | 'b' | null
    >()
  })

  test('may hold itself, as JSON does', () => {
    defineEntity('Document', {
      state: (): { json: Json; at: Point } => ({ json: null, at: new Point() }),
      events: {
        Set: (state, json: Json) => ({ ...state, json }),
        Wrapped: (state) => ({ ...state, json: [state.json, { was: state.json }] }),
        Moved: (state) => ({ ...state, at: new Point() }),
      },
      commands: {
        get: (self) => self.persist('Wrapped').json,
        at: (self) => Point.xOf(self.state.at),
      },
    })
    expectTypeOf<DeepReadonly<Point>>().toEqualTypeOf<Point>()
    expectTypeOf<DeepReadonly<[number, ...Date[]]>>().toEqualTypeOf<readonly [number, ...Date[]]>()
    expectTypeOf<DeepReadonly<readonly Line[]>>().toEqualTypeOf<DeepReadonly<Line[]>>()
    // @ts-expect-error a list, somewhere in it
    void ({} as DeepReadonly<Json[]>).push
  })

  test('is told to callers as what it is', () => {
    type Cmd = EntityHandle<CommandsOf<typeof Cart>>
    expectTypeOf<Cmd['lines']>().toEqualTypeOf<() => Promise<DeepReadonly<Line[]>>>()
    expectTypeOf<Cmd['paidAt']>().toEqualTypeOf<() => Promise<Date | undefined>>()
  })

  test('cannot be changed by a command or by a handler', () => {
    defineEntity('Meddled', {
      state: emptyCart,
      events: {
        Pushed: (state) => {
          // @ts-expect-error a list that nobody changes
          void state.lines.push
          return state
        },
      },
      commands: {
        deep: (self) => {
          // @ts-expect-error a part of the state
          self.state.lines[0]!.item = 'tea'
          // @ts-expect-error a list inside of a list
          void self.state.lines[0]!.tags.push
        },
        collections: (self) => {
          // @ts-expect-error a map that nobody changes
          void self.state.byItem.set
          // @ts-expect-error a set that nobody changes
          void self.state.seen.add
        },
        after: (self) => {
          // @ts-expect-error what persist gives is the state
          void self.persist('Pushed').lines.pop
        },
      },
    })
  })
})

describe('what is said of events', () => {
  const common = {
    state: () => ({ count: 0 }),
    commands: {},
  }

  test('tags see the state, and what their event says', () => {
    defineEntity('Tagged', {
      ...common,
      events: {
        Added: (state, by: number) => ({ count: state.count + by }),
        Named: (state, _name: string) => state,
      },
      tags: {
        Added: (state, by) => {
          expectTypeOf(state).toEqualTypeOf<{ readonly count: number }>()
          expectTypeOf(by).toEqualTypeOf<number>()
          return []
        },
        Named: ['name'],
      },
    })
  })

  test('tags of no event, and of no list, are refused', () => {
    const events = { Added: (state: { readonly count: number }) => state }
    // @ts-expect-error there is no such event
    void (() => defineEntity('Tagged', { ...common, events, tags: { Aded: [] } }))
    // @ts-expect-error a list is asked for
    void (() => defineEntity('Tagged', { ...common, events, tags: { Added: () => 'a' } }))
  })

  test('an adapter knows the events by their names', () => {
    defineEntity('Adapted', {
      ...common,
      events: {
        Added: (state, by: number) => ({ count: state.count + by }),
        Named: (state, _name: string) => state,
      },
      eventAdapter: {
        toJournal: (event) => {
          expectTypeOf(event).toEqualTypeOf<
            readonly [name: 'Added', by: number] | readonly [name: 'Named', _name: string]
          >()
          return event
        },
        fromJournal: (stored) => [['Added', Number(stored)]],
      },
    })
    expectTypeOf<EventOf<typeof Counter.events>>().toEqualTypeOf<
      | readonly [name: 'Incremented', by: number]
      | readonly [name: 'Renamed', _name: string, _loud?: boolean | undefined]
    >()
  })
})

describe('what is inferred of an entity without events', () => {
  test('its state may be changed, and there is nothing to persist', () => {
    const Session = defineEntity('Session', {
      state: () => ({ seen: 0 }),
      commands: {
        see: (self) => ++self.state.seen,
        reset: (self) => {
          self.state = { seen: 0 }
        },
        store: (self) => {
          // @ts-expect-error it has no events
          void self.persist
        },
      },
    })
    expectTypeOf<EntityHandle<CommandsOf<typeof Session>>['see']>().toEqualTypeOf<
      () => Promise<number>
    >()
  })
})
