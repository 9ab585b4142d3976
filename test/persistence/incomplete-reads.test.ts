/** A store that gives less, more or other than the stream it claimed: nobody may run on a part of its own past. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { MemoryJournal, type ReadRange, type StoredEvent } from '../../src/persistence/index.ts'
import { nodeFor } from '../node/nodes.ts'

const Tape = defineEntity('Tape', {
  state: () => ({ sum: 0 }),
  events: { Added: (state, by: number) => ({ sum: state.sum + by }) },
  commands: {
    add: (self, by: number) => self.persist('Added', by).sum,
    sum: (self) => self.state.sum,
  },
})

type Forge = (events: readonly StoredEvent[]) => readonly StoredEvent[]

/** What it reads of tapes goes through `forge`. */
class ForgedJournal extends MemoryJournal {
  forge: Forge = (events) => events

  override async read(range: ReadRange, onEvent: (event: StoredEvent) => void): Promise<void> {
    if (!range.persistenceId.startsWith('Tape')) return super.read(range, onEvent)
    const events: StoredEvent[] = []
    await super.read(range, (event) => void events.push(event))
    this.forge(events).forEach(onEvent)
  }
}

const isNot =
  (...numbers: readonly number[]) =>
  ({ sequenceNr }: StoredEvent): boolean =>
    !numbers.includes(sequenceNr)

const forgeries: readonly (readonly [what: string, missing: number, forge: Forge])[] = [
  ['nothing at all', 1, () => []],
  ['not the first', 1, (events) => events.filter(isNot(1))],
  ['none from the middle', 3, (events) => events.filter(isNot(3))],
  ['not the last', 5, (events) => events.filter(isNot(5))],
  ['only a beginning', 3, (events) => events.filter(isNot(3, 4, 5))],
  ['one of them twice', 2, (events) => events.flatMap((event) => [event, event])],
  ['two in another order', 1, (events) => events.toReversed()],
]

/** A call that still reaches the instance that could not start hears why; the next instance answers. */
async function afterTheFailed<Answer>(
  call: () => Promise<Answer>,
  triesMax = 1_000,
): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'ENTITY_NOT_RECOVERED' || triesMax <= 1) throw error
    await nextTurn()
    return afterTheFailed(call, triesMax - 1)
  }
}

// In one piece, and in pieces of two.
test.each(
  forgeries.flatMap((forgery) =>
    [256, 2].map((pieces) => [forgery[0], forgery[1], pieces, forgery[2]] as const),
  ),
)(
  'an entity whose store gives %s does not start: event %i is missed',
  async (_what, missing, replayEventsMax, forge) => {
    const store = new ForgedJournal()
    const settings = { entity: { replayEventsMax } }
    const entities = [Tape]
    const first = await nodeFor({ entities, store, settings })
    for (let by = 1; by <= 5; by++) await first.entity(Tape, 'a').add(by)
    await first.stop()
    store.forge = forge
    const second = await nodeFor({ entities, store, settings })
    const wrong: unknown = await second
      .entity(Tape, 'a')
      .add(1)
      .catch((error: unknown) => error)
    expect(wrong).toMatchObject({
      ...{ code: 'ENTITY_NOT_RECOVERED', mayHaveHappened: false },
      message: expect.stringMatching(/event \d is missing/) as string,
    })
    if (replayEventsMax === 256) {
      expect((wrong as Error).message).toContain(`event ${missing} is missing`)
    }
    expect(await store.highestSequenceNr('Tape|a')).toBe(5)
    // Nothing was stored on top of it: the store gives all, and the entity is as it was.
    store.forge = (events) => events
    expect(await afterTheFailed(() => second.entity(Tape, 'a').sum())).toBe(15)
  },
)
