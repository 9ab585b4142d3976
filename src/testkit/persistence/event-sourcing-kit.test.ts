import { afterEach, describe, expect, test } from 'vitest'
import type { ActorRef } from '../../actor/index.ts'
import {
  effectsFor,
  EventsNotStored,
  EventsOutcomeUnknown,
  MemoryJournal,
} from '../../persistence/index.ts'
import { type EventSourcingKit, eventSourcingKit, FaultyStore } from '../index.ts'

type Command =
  | { readonly type: 'Add'; readonly by: number; readonly replyTo?: ActorRef<number> }
  | { readonly type: 'Stop' }
interface Added {
  readonly by: number
}
interface State {
  readonly count: number
}
const effect = effectsFor<Added, State>()
const options = {
  emptyState: { count: 0 } as State,
  commandHandler: (_: State, command: Command) => {
    if (command.type === 'Stop') return effect.stop()
    const { by, replyTo } = command
    const added = effect.persist({ by })
    return replyTo === undefined ? added : added.thenReply(replyTo, ({ count }) => count)
  },
  eventHandler: ({ count }: State, { by }: Added): State => ({ count: count + by }),
}
const add = (by: number) => (replyTo: ActorRef<number>) => ({ type: 'Add', by, replyTo }) as const

describe('eventSourcingKit', () => {
  const kits: { end(): Promise<void> }[] = []
  afterEach(async () => {
    for (const kit of kits.splice(0)) await kit.end()
  })
  const kitWith = (more: object = {}): EventSourcingKit<Command, Added, State> => {
    const kit = eventSourcingKit<Command, Added, State>({ ...options, ...more })
    kits.push(kit)
    return kit
  }

  test('tells events, state and reply of a command, and goes on after a restart', async () => {
    const kit = kitWith()
    expect(await kit.run(add(2))).toEqual({ events: [{ by: 2 }], state: { count: 2 }, reply: 2 })
    expect(await kit.tell({ type: 'Add', by: 3 })).toEqual({
      ...{ events: [{ by: 3 }], state: { count: 5 }, reply: undefined },
    })
    expect(await kit.restart()).toEqual({ count: 5 })
    expect(await kit.tell({ type: 'Stop' })).toMatchObject({ events: [], state: { count: 5 } })
    expect(await kit.run(add(1))).toMatchObject({ reply: 6 })
  })

  test('goes on with what another one has stored', async () => {
    const journal = new MemoryJournal()
    await kitWith({ journal }).run(add(2))
    expect(await kitWith({ journal }).restart()).toEqual({ count: 2 })
  })

  test('finds an event that does not come back as it was', async () => {
    class Strange {
      readonly by = 1
    }
    const kit = kitWith({
      commandHandler: () => effect.persist(new Strange()),
    })
    await expect(kit.tell({ type: 'Add', by: 1 })).rejects.toThrow(
      'An event cannot be stored or sent',
    )
    const lost = kitWith({
      emptyState: { count: 0, seen: undefined },
      eventHandler: (state: State) => ({ count: state.count + 1, at: () => 0 }),
    })
    await expect(lost.run(add(1))).rejects.toThrow('The state cannot be stored or sent')
  })

  test('finds handlers that make something else at every replay', async () => {
    let calls = 0
    const kit = kitWith({ eventHandler: () => ({ count: ++calls }) })
    await expect(kit.run(add(1))).rejects.toThrow(
      'After a restart its events give another state than the one it had.',
    )
  })

  test('its store fails when it is told to, before or after storing', async () => {
    const kit = kitWith()
    await kit.run(add(1))
    kit.store.failNext({ call: 'append' })
    await expect(kit.run(add(1))).rejects.toBeInstanceOf(EventsNotStored)
    expect(await kit.restart()).toEqual({ count: 1 })
    kit.store.failNext({ call: 'append', isStored: true })
    await expect(kit.run(add(1))).rejects.toBeInstanceOf(EventsOutcomeUnknown)
    expect(await kit.restart()).toEqual({ count: 2 })
    kit.store.failNext({ call: 'saveSnapshot' })
    expect(await kit.run(add(1))).toMatchObject({ reply: 3 })
    expect(kit.logs.lines.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("No snapshot of 'Kit|1' was kept at number 3"),
    )
  })

  test('waits for a store that stalls, and not for ever', async () => {
    const kit = kitWith({ within: '50ms' })
    await kit.run(add(1))
    kit.store.stall()
    await expect(kit.run(add(1))).rejects.toThrow('has not been answered within 50 ms of real time')
  })
})

describe('FaultyStore', () => {
  test('fails the calls that were named, in a row, and has the ports of what is behind it', async () => {
    const store = new FaultyStore()
    const { journal } = store
    store.failNext({ times: 2 })
    store.failNext({ call: 'highestSequenceNr', error: new Error('of its own') })
    await expect(journal.claim('a', 'w')).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
    await expect(journal.highestSequenceNr('a')).rejects.toThrow('of its own')
    await expect(journal.claim('a', 'w')).rejects.toThrow('The test wants this claim to fail.')
    expect(await journal.claim('a', 'w')).toMatchObject({ epoch: 1 })
    store.stall()
    const claimed = journal.claim('a', 'w')
    let isDone = false
    void claimed.then(() => (isDone = true))
    await Promise.resolve()
    expect(isDone).toBe(false)
    store.flow()
    expect(await claimed).toMatchObject({ epoch: 2 })
    expect(store.calls).toEqual(['claim', 'highestSequenceNr', 'claim', 'claim', 'claim'])
    expect('saveSnapshot' in journal).toBe(true)
  })
})
