/** What a definition passes on to the rooms below: tags and forms of its events, and where its shards go. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CommandFailed, defineEntity, entityType, type EventOf } from '../../src/entity/index.ts'
import { type EventAdapter, InvalidTags, MemoryJournal } from '../../src/persistence/index.ts'
import {
  type AllocationRequest,
  LeastShardAllocationStrategy,
  type ShardAllocationStrategy,
} from '../../src/sharding/index.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { nodeFor } from '../node/nodes.ts'
import { outcome, Stage } from './stage.ts'

let stage: Stage

beforeEach(() => {
  stage = new Stage()
})

afterEach(() => stage.system.terminate())

const codec = new ValueCodec({ use: 'stored' })

async function storedOf(journal: MemoryJournal, persistenceId: string) {
  const stored: { readonly event: unknown; readonly tags: readonly string[] }[] = []
  const range = { persistenceId, fromSequenceNr: 0, toSequenceNr: Number.MAX_SAFE_INTEGER }
  await journal.read(range, ({ bytes, tags }) => {
    stored.push({ event: codec.decode(bytes), tags })
  })
  return stored
}

describe('tags of events', () => {
  const Account = defineEntity('Account', {
    state: () => ({ balance: 0, owner: '' }),
    events: {
      Opened: (state, owner: string) => ({ ...state, owner }),
      Moved: (state, amount: number) => ({ ...state, balance: state.balance + amount }),
      Closed: (state) => state,
    },
    tags: {
      Opened: ['account'],
      Moved: (state, amount) => [
        `owner:${state.owner}`,
        ...(amount > 100 ? ['large'] : []),
        ...(state.balance < 0 ? ['overdrawn'] : []),
      ],
    },
    commands: {
      open: (self, owner: string) => void self.persist('Opened', owner),
      move: (self, amount: number) => self.persist('Moved', amount).balance,
      close: (self) => void self.persist('Closed'),
    },
  })

  test('are stored with the event, made of the state after it and what it says', async () => {
    const account = stage.call(Account, 'a')
    await outcome(account.open('ada'))
    await outcome(account.move(500))
    await outcome(account.move(-501))
    await outcome(account.close())
    expect(await storedOf(stage.memory, 'Account|a')).toEqual([
      { event: ['Opened', 'ada'], tags: ['account'] },
      { event: ['Moved', 500], tags: ['owner:ada', 'large'] },
      { event: ['Moved', -501], tags: ['owner:ada', 'overdrawn'] },
      { event: ['Closed'], tags: [] },
    ])
  })

  test('that cannot be stored, and a function that throws, fail the command, and nothing is stored', async () => {
    const Odd = defineEntity('Odd', {
      state: () => ({ count: 0 }),
      events: { Added: (state, _tag: string) => ({ count: state.count + 1 }) },
      tags: {
        Added: (_, tag) => {
          if (tag === 'throw') throw new RangeError('no such tag')
          return [tag]
        },
      },
      commands: {
        add: (self, tag: string) => self.persist('Added', tag).count,
        count: (self) => self.state.count,
      },
    })
    const odd = stage.call(Odd, 'a')
    const refused = (await outcome(odd.add(''))) as CommandFailed
    expect(refused).toBeInstanceOf(CommandFailed)
    expect(refused.cause).toMatchObject({ code: new InvalidTags('Odd|a', '').code })
    expect(await outcome(odd.add('throw'))).toMatchObject({ errorName: 'RangeError' })
    expect(await outcome(odd.count())).toBe(0)
    expect(await storedOf(stage.memory, 'Odd|a')).toEqual([])
  })
})

describe('an event adapter', () => {
  const events = {
    Renamed: (state: { readonly name: string }, first: string, last: string) => ({
      ...state,
      name: `${first} ${last}`,
    }),
  }

  /** Once a name was one text, and there were events that nobody needs any more. */
  const eventAdapter: EventAdapter<EventOf<typeof events>> = {
    toJournal: ([name, first, last]) => ({ name, says: { first, last } }),
    fromJournal: (stored) => {
      if (Array.isArray(stored)) {
        const [name, text] = stored as [string, string]
        if (name !== 'Named') return []
        const [first = '', last = ''] = text.split(' ')
        return [['Renamed', first, last]]
      }
      const { name, says } = stored as { name: 'Renamed'; says: { first: string; last: string } }
      return [[name, says.first, says.last]]
    },
  }

  const Person = defineEntity('Person', {
    state: () => ({ name: '' }),
    events,
    eventAdapter,
    tags: { Renamed: (_, first) => [first] },
    commands: {
      rename: (self, first: string, last: string) => self.persist('Renamed', first, last).name,
      name: (self) => self.state.name,
    },
  })

  const Former = defineEntity('Person', {
    state: () => ({ name: '' }),
    events: {
      Named: (state, name: string) => ({ ...state, name }),
      Waved: (state) => state,
    },
    commands: {
      name: (self, name: string) => self.persist('Named', name).name,
      wave: (self) => void self.persist('Waved'),
    },
  })

  test('reads what was stored in a former form, and stores in a form of its own', async () => {
    const store = new MemoryJournal()
    const former = await nodeFor({ entities: [Former], store })
    await former.entity(Former, 'a').name('ada byron')
    await former.entity(Former, 'a').wave()
    await former.stop()
    const node = await nodeFor({ entities: [Person], store })
    expect(await node.entity(Person, 'a').name()).toBe('ada byron')
    expect(await node.entity(Person, 'a').rename('ada', 'lovelace')).toBe('ada lovelace')
    await node.stop()
    expect((await storedOf(store, 'Person|a')).at(-1)).toEqual({
      event: { name: 'Renamed', says: { first: 'ada', last: 'lovelace' } },
      tags: ['ada'],
    })
    const next = await nodeFor({ entities: [Person], store })
    expect(await next.entity(Person, 'a').name()).toBe('ada lovelace')
  })

  test('that forgets to return fails the command, and nothing is stored', async () => {
    const Mute = defineEntity('Mute', {
      state: () => 0,
      events: { Added: (state) => state + 1 },
      eventAdapter: { toJournal: () => undefined, fromJournal: () => [['Added']] },
      commands: { add: (self) => self.persist('Added'), count: (self) => self.state },
    })
    const mute = stage.call(Mute, 'a')
    expect(((await outcome(mute.add())) as Error).message).toContain('toJournal must return')
    expect(await outcome(mute.count())).toBe(0)
    expect(await storedOf(stage.memory, 'Mute|a')).toEqual([])
  })
})

test('shards go where the allocation strategy of the definition says', async () => {
  const requests: AllocationRequest[] = []
  const least = new LeastShardAllocationStrategy({ shardsMax: 1, shareMax: 1 })
  const allocationStrategy: ShardAllocationStrategy = {
    allocateShard: (request) => {
      requests.push(request)
      return least.allocateShard(request)
    },
    rebalance: () => [],
  }
  const Bell = defineEntity('Bell', {
    allocationStrategy,
    numberOfShards: 2,
    state: () => 0,
    commands: { ring: () => 'ding' },
  })
  const node = await nodeFor({ entities: [Bell], store: 'memory' })
  expect(await node.entity(Bell, 'a').ring()).toBe('ding')
  expect(requests.map(({ requester }) => requester)).toEqual([node.id])
})

describe('what is passed on is looked at when it is defined', () => {
  const common = { state: () => 0, commands: {} }
  const events = { Added: (state: number) => state }
  const problemsOf = (spec: object): string => {
    try {
      defineEntity('Mug', { ...common, ...spec })
    } catch (error) {
      return (error as Error).message
    }
    throw new Error('it was taken')
  }

  test.each<readonly [object, string]>([
    [{ allocationStrategy: 'least' }, 'allocationStrategy must be an object with the functions'],
    [{ allocationStrategy: {} }, 'allocationStrategy lacks the functions allocateShard, rebalance'],
    [{ events, eventAdapter: { toJournal: () => 0 } }, 'eventAdapter lacks the function from'],
    [{ events, tags: ['a'] }, "tags must be an object, not ['a']"],
    [{ events, tags: { Aded: [] } }, '`tags.Aded` is not an event; did you mean `tags.Added`?'],
    [{ events, tags: { Added: 'a' } }, 'tags.Added must be a list of texts, or a function that'],
    [{ events, tags: { Added: async () => [] } }, 'tags.Added must be a list of texts, or'],
    [
      { events, tags: { Added: ['a', ''] } },
      "tags.Added cannot be used: '' cannot be a tag: it is",
    ],
    [{ tags: {} }, 'tags is about events, and there are none: define `events`'],
    [
      { eventAdapter: { toJournal: () => 0, fromJournal: () => [] } },
      'eventAdapter is about events',
    ],
  ])('%o', (spec, problem) => {
    expect(problemsOf(spec)).toContain(problem)
  })

  test('a type for callers takes none of it', () => {
    const options = { tags: {} } as object
    expect(() => entityType('Mug', options)).toThrow(
      '`tags` belongs to defineEntity, not to entityType',
    )
  })
})
