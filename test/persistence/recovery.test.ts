import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors, PoisonPill, SupervisorStrategy } from '../../src/actor/index.ts'
import type { LocalRef } from '../../src/actor/internals.ts'
import {
  type Journal,
  MemoryJournal,
  MemoryStore,
  RecoveryPermits,
} from '../../src/persistence/index.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { append, get, list, type ListOptions } from './list.ts'
import { manualScene, noFaults, type ManualScene } from './scene.ts'

describe('recovery', () => {
  let scene: ManualScene
  beforeEach(() => (scene = manualScene()))
  afterEach(() => scene.end())

  const store = async (journal: Journal, ...events: unknown[]): Promise<void> => {
    const codec = new ValueCodec({ use: 'stored' })
    const { epoch, highestSequenceNr } = await journal.claim('List|1', 'test')
    await journal.append({
      persistenceId: 'List|1',
      epoch,
      expectedSequenceNr: highestSequenceNr,
      events: events.map((event) => codec.encode(event)),
    })
  }
  const signals = (probe: ActorRef<string>): NonNullable<ListOptions['signals']> => ({
    RecoveryCompleted: (items) => probe.tell(`recovered ${items.join('')}`),
    RecoveryFailed: (_items, { error }) => probe.tell(`${error.code}: ${error.message}`),
    PostStop: () => probe.tell('stopped'),
  })

  test('keeps commands that come meanwhile, and drops those that do not fit', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    journal.stall()
    const actor = system.spawn(list(journal, { settings: { stashedCommandsMax: 2 } }))
    await time.settle()
    for (const item of 'abc') actor.tell(append(item, probe.ref))
    await time.settle()
    expect(scene.losses.map((loss) => loss.split(' ')[0])).toEqual(['stash-full'])
    journal.flow()
    expect(await probe.receive(2)).toEqual(['a', 'ab'])
  })

  test('shows commands that waited to interceptors once, and journal answers never', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    journal.stall()
    const seen: string[] = []
    const actor = system.spawn(
      Behaviors.transformMessages((item: string) => {
        seen.push(item)
        return append(item, probe.ref)
      }, list(journal)),
    )
    for (const item of 'abc'.split('')) actor.tell(item)
    await time.settle()
    journal.flow()
    expect(await probe.receive(3)).toEqual(['a', 'ab', 'abc'])
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  test('reads in bounded chunks', async () => {
    const { memory, system } = scene
    await store(memory, ...'abcde'.split('').map((item) => ({ item })))
    const ranges: string[] = []
    const below = memory.read.bind(memory)
    memory.read = (range, onEvent) => {
      ranges.push(`${range.fromSequenceNr}..${range.toSequenceNr}`)
      return below(range, onEvent)
    }
    const probe = createTestProbe<string>(system)
    system.spawn(list(memory, { settings: { replayEventsMax: 2 }, signals: signals(probe.ref) }))
    await probe.expect('recovered abcde')
    expect(ranges).toEqual(['1..2', '3..4', '5..5'])
  })

  test('fails with a signal and a typed error when a handler refuses an event', async () => {
    const { memory, system, time } = scene
    await store(memory, { item: 'a' }, { item: 'bad' })
    const probe = createTestProbe<string>(system)
    const actor = system.spawn(
      // Not the user's supervision: there is nothing to resume.
      Behaviors.supervise(list(memory, { signals: signals(probe.ref) })).onFailure(
        SupervisorStrategy.restart(),
      ),
    )
    await probe.expect(
      "RECOVERY_FAILED: 'List|1' could not be recovered: a bad item. Look at event 2 and at the event handler.",
    )
    await probe.expect('stopped')
    await probe.expectTerminated(actor)
    expect(time.logs.lines.map(({ message }) => message)).toEqual(['actor failed and stops'])
  })

  test('a stopped one ends only after its claim was answered: a late one would fence its successor', async () => {
    const { system, time, journal } = scene
    journal.stall()
    const probe = createTestProbe<string>(system)
    const first = system.spawn(list(journal))
    await time.settle()
    first.tell(PoisonPill)
    await time.settle()
    const { cell } = first as unknown as LocalRef
    expect(cell?.isTerminated).toBe(false)
    journal.flow()
    await probe.expectTerminated(first)
    const second = system.spawn(list(journal))
    expect(await second.ask((replyTo) => append('a', replyTo))).toBe('a')
    expect(await second.ask((replyTo) => append('b', replyTo))).toBe('ab')
  })

  test('fails when the journal fails, is silent or has holes', async () => {
    const { journal, memory, system, time } = scene
    const probe = createTestProbe<string>(system)
    journal.setFaults({ ...noFaults, failsBefore: 1 })
    system.spawn(list(journal, { signals: signals(probe.ref) }))
    await probe.expect(
      "RECOVERY_FAILED: 'List|1' could not be recovered: A fault was injected: claim of List|1 fails before.",
    )
    await probe.expect('stopped')

    journal.setFaults(noFaults)
    journal.stall()
    const actor = system.spawn(list(journal, { signals: signals(probe.ref) }))
    await time.advance('31s')
    await probe.expect((text) => text.includes('The claim of the stream took longer than'))
    await probe.expect('stopped')
    await probe.expectTerminated(actor)
    journal.flow()
    await time.settle()

    await store(memory, { item: 'a' }, { item: 'b' })
    memory.read = async () => undefined
    system.spawn(list(memory, { signals: signals(probe.ref) }))
    await probe.expect((text) => text.includes('event 1 is missing'))
  })

  test('is tried again with onPersistFailure', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    journal.setFaults({ ...noFaults, failsBefore: 1 })
    const onPersistFailure = SupervisorStrategy.restartWithBackoff({ min: '1s', max: '1s' })
    const actor = system.spawn(list(journal, { onPersistFailure }))
    actor.tell(append('a', probe.ref))
    await time.advance('3s')
    await probe.expectNo()
    journal.setFaults(noFaults)
    actor.tell(get(probe.ref))
    await time.advance('3s')
    expect(await probe.receive(2)).toEqual(['a', 'a'])
  })

  test('gives its permit back on every way out', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<string>(system)
    const recoveryPermits = new RecoveryPermits(1)
    const spawn = (name: string, options: ListOptions = {}) =>
      system.spawn(
        list(journal, {
          persistenceId: `List|${name}`,
          recoveryPermits,
          signals: { RecoveryCompleted: () => probe.ref.tell(name) },
          ...options,
        }),
      )
    journal.stall()
    const holder = spawn('holder')
    const waiter = spawn('waiter')
    spawn('a')
    waiter.tell(PoisonPill)
    holder.tell(PoisonPill)
    await time.settle()
    journal.flow()
    await probe.expect('a')

    journal.setFaults({ ...noFaults, failsBefore: 1 })
    spawn('failing')
    await time.settle()
    journal.setFaults(noFaults)
    spawn('thrower', {
      signals: {
        RecoveryCompleted: () => {
          throw new Error('in RecoveryCompleted')
        },
      },
    })
    spawn('b')
    await probe.expect('b')
    await probe.expectNo()
  })

  test('two journals on one store fence each other from the claim on', async () => {
    const shared = new MemoryStore()
    const { system } = scene
    const [left, right] = [1, 2].map(() =>
      system.spawn(list(new MemoryJournal({ store: shared }), { persistenceId: 'List|2' })),
    )
    expect(await right!.ask<unknown>((to) => append('r', to))).toBe('r')
    await expect(left!.ask<unknown>((to) => append('l', to))).rejects.toThrow('is written by')
  })
})
