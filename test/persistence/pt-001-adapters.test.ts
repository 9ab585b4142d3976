/** PT-001, the part about event adapters and tags: what is stored of an event, and what becomes of it in the next life. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors, SupervisorStrategy } from '../../src/actor/index.ts'
import { type EventAdapter, noTags, type StoredEvent } from '../../src/persistence/index.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { readAll } from '../../src/testkit/journal-contract/journal-texts.ts'
import {
  append,
  type Appended,
  get,
  type Items,
  list,
  type ListCommand,
  type ListOptions,
} from './list.ts'
import { type RealScene, realScenes } from './scene.ts'

const codec = new ValueCodec({ use: 'stored' })

const asItIs: EventAdapter<Appended> = {
  toJournal: (event) => event,
  fromJournal: (stored) => [stored as Appended],
}

describe.each(Object.entries(realScenes))('PT-001 %s', (_name, makeScene) => {
  let scene: RealScene
  beforeEach(async () => (scene = await makeScene()))
  afterEach(() => scene.end())

  /** Tells the probe its numbers and how it recovered. */
  const spawn = (probe: ActorRef<unknown>, options: ListOptions = {}): ActorRef<ListCommand> =>
    scene.system.spawn(
      list(scene.journal, {
        signals: {
          RecoveryCompleted: (items, _signal, { lastSequenceNr }) =>
            probe.tell(`recovered ${items.join('')} at ${lastSequenceNr}`),
          RecoveryFailed: (_items, { error }) => probe.tell(error),
          PostStop: () => probe.tell('stopped'),
        },
        ...options,
      }),
    )

  const stored = async (): Promise<StoredEvent[]> => {
    const events: StoredEvent[] = []
    const range = { persistenceId: 'List|1', fromSequenceNr: 1, toSequenceNr: 1e9 }
    await scene.journal.read(range, (event) => void events.push(event))
    return events
  }

  const stopped = async (
    actor: ActorRef<ListCommand>,
    probe: ReturnType<typeof createTestProbe<unknown>>,
  ): Promise<void> => {
    actor.tell({ type: 'Stop' })
    await probe.expect('stopped')
    await probe.expectTerminated(actor)
  }

  /** Three events, and then the next life, which says what it recovered. */
  const livedTwice = async (
    eventAdapter: EventAdapter<Appended>,
    probe: ReturnType<typeof createTestProbe<unknown>>,
  ): Promise<ActorRef<ListCommand>> => {
    const first = spawn(probe.ref, { eventAdapter })
    await probe.expect('recovered  at 0')
    first.tell(append('abc', probe.ref))
    await probe.expect('abc')
    await stopped(first, probe)
    return spawn(probe.ref, { eventAdapter })
  }

  describe('an event adapter', () => {
    test('leaves an event out of replay, and the event keeps its number', async () => {
      const probe = createTestProbe<unknown>(scene.system)
      const eventAdapter: EventAdapter<Appended> = {
        toJournal: (event) => event,
        fromJournal: (event) => ((event as Appended).item === 'b' ? [] : [event as Appended]),
      }
      const second = await livedTwice(eventAdapter, probe)
      await probe.expect('recovered ac at 3')
      second.tell(append('d', probe.ref))
      await probe.expect('acd')
      expect((await stored()).map(({ sequenceNr }) => sequenceNr)).toEqual([1, 2, 3, 4])
    })

    test('may leave out the last event: the next one still gets the number behind it', async () => {
      const probe = createTestProbe<unknown>(scene.system)
      const eventAdapter = { ...asItIs, fromJournal: () => [] }
      const second = await livedTwice(eventAdapter, probe)
      await probe.expect('recovered  at 3')
      second.tell(append('d', probe.ref))
      await probe.expect('d')
      expect(await scene.journal.highestSequenceNr('List|1')).toBe(4)
    })

    test('stores another form, and makes several events of one stored', async () => {
      const probe = createTestProbe<unknown>(scene.system)
      const numbers: number[] = []
      const options: ListOptions = {
        eventAdapter: {
          toJournal: ({ item }) => ['v2', item],
          fromJournal: (event) => {
            const [, item] = event as [string, string]
            return item === 'b' ? [{ item: 'b' }, { item: 'B' }] : [{ item }]
          },
        },
        eventHandler: (items, { item }, { lastSequenceNr, isRecovering }) => {
          if (isRecovering) numbers.push(lastSequenceNr)
          return [...items, item]
        },
      }
      const first = spawn(probe.ref, options)
      await probe.expect('recovered  at 0')
      first.tell(append('abc', probe.ref))
      await probe.expect('abc')
      await stopped(first, probe)
      const inJournal = (await stored()).map(({ bytes }) => codec.decode(bytes))
      expect(inJournal).toEqual([
        ['v2', 'a'],
        ['v2', 'b'],
        ['v2', 'c'],
      ])
      spawn(probe.ref, options)
      await probe.expect('recovered abBc at 3')
      expect(numbers).toEqual([1, 2, 2, 3])
    })

    test('that throws when it writes fails the command: nothing is stored, the state is as it was', async () => {
      const probe = createTestProbe<unknown>(scene.system)
      const toJournal = (event: Appended): unknown => {
        if (event.item === 'x') throw new Error('no form for x')
        // What cannot be stored is refused by the codec, in the same way.
        if (event.item === 'f') return () => event
        if (event.item === 'n') return undefined
        return event.item === 'p' ? Promise.reject(new Error('late')) : event
      }
      const supervised = Behaviors.supervise(
        list(scene.journal, { eventAdapter: { ...asItIs, toJournal } }),
      ).onFailure(SupervisorStrategy.resume())
      const actor = scene.system.spawn(supervised)
      actor.tell(append('a', probe.ref))
      await probe.expect('a')
      actor.tell(append('bx', probe.ref))
      await scene.logs.expect('no form for x')
      actor.tell(append('bf', probe.ref))
      await scene.logs.expect('function')
      actor.tell(append('bn', probe.ref))
      await scene.logs.expect('toJournal must return')
      actor.tell(append('bp', probe.ref))
      await scene.logs.expect('Promise')
      actor.tell(get(probe.ref))
      await probe.expect('a')
      expect(await scene.journal.highestSequenceNr('List|1')).toBe(1)
      actor.tell(append('c', probe.ref))
      await probe.expect('ac')
      expect((await stored()).map(({ sequenceNr }) => sequenceNr)).toEqual([1, 2])
    })

    test.each<[string, EventAdapter<Appended>['fromJournal'], string]>([
      [
        'throws',
        () => {
          throw new Error('no event for this')
        },
        'no event for this.',
      ],
      ['gives no array', () => ({ item: 'a' }) as never, "gave { item: 'a' }. Give an array"],
      ['gives nothing', () => undefined as never, 'gave undefined. Give an array'],
      ['is async', (async () => Promise.reject(new Error('late'))) as never, 'Give an array'],
    ])('that %s when it reads fails the recovery', async (_what, fromJournal, words) => {
      const probe = createTestProbe<unknown>(scene.system)
      const first = spawn(probe.ref)
      await probe.expect('recovered  at 0')
      first.tell(append('ab', probe.ref))
      await probe.expect('ab')
      await stopped(first, probe)
      const second = spawn(probe.ref, { eventAdapter: { ...asItIs, fromJournal } })
      const [error] = await probe.receive(1)
      expect(error).toMatchObject({
        code: 'RECOVERY_FAILED',
        message: expect.stringContaining(words) as string,
        cause: { code: 'EVENT_ADAPTER_FAILED', sequenceNr: 1 },
      })
      expect((error as Error).message).toContain('The event adapter could not read event 1: ')
      await probe.expect('stopped')
      await probe.expectTerminated(second)
      expect(await scene.journal.highestSequenceNr('List|1')).toBe(2)
    })

    test.each([{ toJournal: () => 1 }, null, 'none'])(
      'without both of its functions is refused at once: %o',
      (given) => {
        const eventAdapter = given as unknown as EventAdapter<Appended>
        expect(() => list(scene.journal, { eventAdapter })).toThrow(
          /eventAdapter (lacks the|must be an object with the functions toJournal,) .*fromJournal/,
        )
      },
    )
  })

  describe('a tagger', () => {
    const tagsOf = async (): Promise<unknown[]> =>
      (await stored()).map(({ persistenceId, sequenceNr, tags }) => [
        `${persistenceId} ${sequenceNr}`,
        ...tags,
      ])

    test('tags by event; whoever reads over all streams finds number and id', async () => {
      const probe = createTestProbe<unknown>(scene.system)
      const tagger = (_items: Items, { item }: Appended): string[] =>
        item === 'b' ? ['marked', item, item] : []
      const actor = spawn(probe.ref, { tagger })
      await probe.expect('recovered  at 0')
      actor.tell(append('abc', probe.ref))
      await probe.expect('abc')
      const all = await readAll(scene.journal)
      const found = all.filter(({ tags }) => tags.includes('b'))
      expect(found).toMatchObject([
        { persistenceId: 'List|1', sequenceNr: 2, tags: ['marked', 'b'] },
      ])
      expect(all[0]?.tags).toBe(noTags)
    })

    test('sees the state after the event: only the second event has the tag', async () => {
      const probe = createTestProbe<unknown>(scene.system)
      const tagger = (items: Items): string[] => (items.length === 2 ? ['two'] : [])
      const actor = spawn(probe.ref, { tagger })
      await probe.expect('recovered  at 0')
      actor.tell(append('a'))
      actor.tell(append('b'))
      actor.tell(append('c', probe.ref))
      await probe.expect('abc')
      expect(await tagsOf()).toEqual([['List|1 1'], ['List|1 2', 'two'], ['List|1 3']])
    })

    test('sees the event as the handlers do, and all events of one command', async () => {
      const probe = createTestProbe<unknown>(scene.system)
      const actor = spawn(probe.ref, {
        eventAdapter: { ...asItIs, toJournal: () => ({ item: 'stored' }) },
        tagger: (items, { item }) => [`${item} makes ${items.join('')}`],
      })
      await probe.expect('recovered  at 0')
      actor.tell(append('ab', probe.ref))
      await probe.expect('ab')
      expect(await tagsOf()).toEqual([
        ['List|1 1', 'a makes a'],
        ['List|1 2', 'b makes ab'],
      ])
    })

    test('that is no function is refused at once', () => {
      const tagger = ['red'] as unknown as () => string[]
      expect(() => list(scene.journal, { tagger })).toThrow(
        "tagger must be a function, not ['red']",
      )
    })

    test.each<[string, () => unknown, string]>([
      [
        'too many',
        () => Array.from({ length: 17 }, (_, i) => `${i}`),
        'there are 17, and 16 are allowed',
      ],
      [
        'one that is too long',
        () => ['x'.repeat(256)],
        'it has 256 bytes in UTF-8 and 255 are allowed',
      ],
      ['an empty one', () => [''], 'it is empty'],
      ['no array', () => 'red', "'red' is not an array"],
      ['no text', () => [undefined], 'it is not a string'],
      ['a promise', () => Promise.reject(new Error('late')), 'is not an array'],
    ])('that gives %s fails the command, and nothing is stored', async (_what, give, problem) => {
      const probe = createTestProbe<unknown>(scene.system)
      const tagger = (items: Items): string[] => (items.length === 3 ? (give() as string[]) : [])
      const actor = spawn(probe.ref, { tagger })
      await probe.expect('recovered  at 0')
      actor.tell(append('a', probe.ref))
      await probe.expect('a')
      actor.tell(append('bc', probe.ref))
      await probe.expect('stopped')
      await probe.expectTerminated(actor)
      expect(await tagsOf()).toEqual([['List|1 1']])
      const { fields } = await scene.logs.expect(problem)
      expect(fields).toMatchObject({ err: { code: 'INVALID_TAGS', persistenceId: 'List|1' } })
    })
  })
})
