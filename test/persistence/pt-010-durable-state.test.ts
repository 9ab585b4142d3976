import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors, PoisonPill, SupervisorStrategy } from '../../src/actor/index.ts'
import { unreachable } from '../../src/foundation/assert.ts'
import {
  durableEffectsFor,
  DurableStateBehavior,
  type DurableStateOptions,
  Effect,
  EventsNotStored,
  type Journal,
  WriterFenced,
} from '../../src/persistence/index.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { manualScene, noFaults, type ManualScene } from './scene.ts'

type To = ActorRef<unknown>
type Command =
  | { readonly type: 'Add'; readonly by: number; readonly replyTo?: To }
  | { readonly type: 'Get'; readonly replyTo: To }
  | { readonly type: 'Delete'; readonly replyTo: To }
  | { readonly type: 'Stash'; readonly replyTo: To }
  | { readonly type: 'Unstash' }
  | { readonly type: 'Tick' }
  | { readonly type: 'Stop' }

type State = { readonly count: number; readonly isOpen?: boolean } | null
type Options = Partial<DurableStateOptions<Command, State>>

const effect = durableEffectsFor<State>()
const countOf = (state: State): number => state?.count ?? 0

const counter = (journal: Journal, options: Options = {}) =>
  DurableStateBehavior<Command, State>({
    persistenceId: 'Count|1',
    emptyState: { count: 0 },
    journal,
    commandHandler: (state, command, context) => {
      switch (command.type) {
        case 'Add': {
          const next = effect.persist({ ...state, count: countOf(state) + command.by })
          return command.replyTo ? next.thenReply(command.replyTo, countOf) : next
        }
        case 'Get':
          return effect.reply(command.replyTo, (now) => `${countOf(now)}@${context.lastSequenceNr}`)
        case 'Delete':
          return effect.delete().thenReply(command.replyTo, (now) => now)
        case 'Stash':
          if (state?.isOpen !== true) return effect.stash()
          return effect.persist(state).thenReply(command.replyTo, () => context.lastSequenceNr)
        case 'Unstash':
          return effect.persist({ count: countOf(state), isOpen: true }).thenUnstashAll()
        case 'Tick':
          return effect.persist({ count: countOf(state) + 100 })
        case 'Stop':
          return effect.stop()
        default:
          return unreachable(command)
      }
    },
    ...options,
  })

const add = (by: number) => (replyTo: To) => ({ type: 'Add', by, replyTo }) as const
const get = (replyTo: To) => ({ type: 'Get', replyTo }) as const

describe('PT-010 durable state', () => {
  let scene: ManualScene
  beforeEach(() => (scene = manualScene()))
  afterEach(() => scene.end())

  const spawn = (options: Options = {}, journal: Journal = scene.journal) =>
    scene.system.spawn(counter(journal, options))
  const stop = async (actor: ActorRef<Command>): Promise<void> => {
    actor.tell({ type: 'Stop' })
    await scene.system.whenStopped(actor)
  }

  test('the latest state is recovered with its revision', async () => {
    const first = spawn()
    expect(await first.ask(get)).toBe('0@0')
    expect(await first.ask(add(2))).toBe(2)
    expect(await first.ask(add(3))).toBe(5)
    expect(await first.ask(get)).toBe('5@2')
    await stop(first)
    const second = spawn()
    expect(await second.ask(get)).toBe('5@2')
    expect(await second.ask(add(1))).toBe(6)
    expect(await scene.memory.readState('Count|1')).toMatchObject({ revision: 3, epoch: 2 })
    expect(await scene.memory.highestSequenceNr('Count|1')).toBe(0)
  })

  test('V-24: revisions are seen by handlers as sequence numbers are', async () => {
    const seen: string[] = []
    const told = (options: Options = {}) =>
      spawn({
        commandHandler: (state, command, context) => {
          const before = context.lastSequenceNr
          if (command.type !== 'Add') return effect.stop()
          return effect
            .persist({ count: countOf(state) + command.by })
            .thenRun(() => void seen.push(`${before}→${context.lastSequenceNr}`))
        },
        signals: {
          RecoveryCompleted: (_, __, { lastSequenceNr }) => void seen.push(`at ${lastSequenceNr}`),
        },
        ...options,
      })
    const first = told()
    for (const by of [1, 1]) {
      first.tell({ type: 'Add', by })
      await scene.time.settle()
    }
    await stop(first)
    told().tell({ type: 'Add', by: 1 })
    await scene.time.settle()
    expect(seen).toEqual(['at 0', '0→1', '1→2', 'at 2', '2→3'])
  })

  test('V-24: what was stashed counts on from there', async () => {
    const actor = spawn()
    const stashed = actor.ask<unknown>((replyTo) => ({ type: 'Stash', replyTo }))
    actor.tell({ type: 'Unstash' })
    expect(await stashed).toBe(2)
    for (const revision of [3, 4, 5]) {
      await actor.ask(add(1))
      expect(await actor.ask(get)).toBe(`${revision - 2}@${revision}`)
    }
  })

  test('deleted, it is empty here and after a restart, and revisions go on', async () => {
    const first = spawn()
    await first.ask(add(2))
    expect(await first.ask((replyTo) => ({ type: 'Delete', replyTo }))).toEqual({ count: 0 })
    expect((await scene.memory.readState('Count|1'))?.bytes).toBeUndefined()
    await stop(first)
    const second = spawn()
    expect(await second.ask(get)).toBe('0@1')
    expect(await second.ask(add(7))).toBe(7)
    await stop(second)
    expect(await spawn().ask(get)).toBe('7@2')
  })

  test('commands go on while states are on their way, and of a row only the last is stored', async () => {
    const { journal, memory, time } = scene
    const actor = spawn()
    await actor.ask(add(1))
    journal.stall()
    const writes: number[] = []
    const write = memory.writeState.bind(memory)
    memory.writeState = (each) => {
      writes.push(each.revision)
      return write(each)
    }
    const probe = createTestProbe<unknown>(scene.system)
    for (let n = 0; n < 10; n++) actor.tell(add(1)(probe.ref))
    await time.settle()
    await probe.expectNo()
    journal.flow()
    expect(await probe.receive(10)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    expect(writes.at(-1)).toBe(11)
    expect(writes.length).toBeLessThan(10)
    await stop(actor)
    expect(await spawn().ask(get)).toBe('11@11')
  })

  test('overflow of the stash is as for events', async () => {
    const { journal, time } = scene
    journal.stall()
    const actor = spawn({ settings: { stashedCommandsMax: 100 } })
    await time.settle()
    const probe = createTestProbe<unknown>(scene.system)
    for (let n = 0; n < 101; n++) actor.tell(add(1)(probe.ref))
    await time.settle()
    expect(scene.losses.map((loss) => loss.split(' ')[0])).toEqual(['stash-full'])
    journal.flow()
    expect((await probe.receive(100)).at(-1)).toBe(100)
  })

  test('timers and interceptors work as around any behavior', async () => {
    const seen: string[] = []
    const actor = scene.system.spawn(
      Behaviors.withTimers<Command>((timers) => {
        timers.startSingle('tick', '1s', { type: 'Tick' })
        return Behaviors.transformMessages((command: Command) => {
          seen.push(command.type)
          return command
        }, counter(scene.journal))
      }),
    )
    await actor.ask(add(1))
    await scene.time.advance('2s')
    expect(await actor.ask(get)).toBe('101@2')
    expect(seen).toEqual(['Add', 'Tick', 'Get'])
  })

  test('the empty state may be null', async () => {
    const actor = spawn({ emptyState: null })
    expect(await actor.ask(add(1))).toBe(1)
    expect(await actor.ask((replyTo) => ({ type: 'Delete', replyTo }))).toBeNull()
    await stop(actor)
    expect(await spawn({ emptyState: null }).ask(get)).toBe('0@1')
  })

  test('effects of events that are several states are refused, and none of them is stored', async () => {
    const several = scene.system.spawn(
      DurableStateBehavior<To, readonly number[]>({
        persistenceId: 'Numbers|1',
        emptyState: [],
        journal: scene.memory,
        // A list is taken for a list of events here.
        commandHandler: (_, replyTo) =>
          Effect.persist<readonly number[], readonly number[]>([1, 2]).thenReply(replyTo, 'done'),
      }),
    )
    several.tell(createTestProbe<unknown>(scene.system).ref)
    await createTestProbe(scene.system).expectTerminated(several)
    const errors = scene.time.logs.lines.map(({ fields }) => String(fields['err']))
    expect(errors.some((error) => error.includes('persists 2 values'))).toBe(true)
    expect(await scene.memory.readState('Numbers|1')).toMatchObject({ revision: 0 })
  })

  test('a failed write answers nobody and stops it; with onPersistFailure it is built anew', async () => {
    const { journal, time } = scene
    const actor = spawn()
    await time.settle()
    journal.setFaults({ ...noFaults, failsBefore: 1 })
    await expect(actor.ask(add(1))).rejects.toBeInstanceOf(EventsNotStored)
    await createTestProbe(scene.system).expectTerminated(actor)
    journal.setFaults(noFaults)
    const onPersistFailure = SupervisorStrategy.restartWithBackoff({ min: '1s', max: '1s' })
    const restarted = spawn({ onPersistFailure })
    await restarted.ask(add(1))
    journal.setFaults({ ...noFaults, failsBefore: 1 })
    const lost = restarted.ask(add(1))
    await expect(lost).rejects.toBeInstanceOf(EventsNotStored)
    journal.setFaults(noFaults)
    await time.advance('2s')
    expect(await restarted.ask(get)).toBe('1@1')
  })

  test('a state too large is refused for what it is', async () => {
    const { memory } = scene
    const write = memory.writeState.bind(memory)
    memory.writeState = (each) =>
      write({ ...each, bytes: each.bytes && Buffer.alloc(17 * 1024 * 1024) })
    await expect(spawn().ask(add(1))).rejects.toThrow('stateBytesMax is 16777216')
  })

  test('whoever lost it to another stores nothing more, and stops', async () => {
    const loser = spawn()
    await loser.ask(add(1))
    const winner = spawn({ writer: 'the other' })
    expect(await winner.ask(get)).toBe('1@1')
    await expect(loser.ask(add(1))).rejects.toBeInstanceOf(WriterFenced)
    expect(await winner.ask(add(5))).toBe(6)
  })

  test('a revision that is not the one it knows of fails the write', async () => {
    const actor = spawn({}, scene.memory)
    await actor.ask(add(1))
    // Somebody writes under its very epoch: what no fence can see, the revision does.
    await scene.memory.writeState({
      ...{ persistenceId: 'Count|1', epoch: 1, expectedRevision: 1, revision: 2 },
      bytes: new ValueCodec({ use: 'stored' }).encode({ version: 0, state: { count: 50 } }),
    })
    await expect(actor.ask(add(1))).rejects.toThrow(
      'it has 2 events where its only writer knows of 1',
    )
  })

  test('versions, upcasters, adapters and schemas stand between the state and its store', async () => {
    const first = spawn()
    await first.ask(add(3))
    await stop(first)
    const failed = spawn({ stateVersion: 1 })
    await expect(failed.ask(get)).rejects.toThrow(
      "The stored state of 'Count|1', revision 1, cannot be read by this version: It is of version 0, and this is version 1, without an upcaster. Run the version that wrote it, or say in an upcaster what it is now (stateVersion, upcastState).",
    )
    const upcast: Options = {
      stateVersion: 1,
      upcastState: (stored: { count: number }) => ({ count: stored.count * 10 }),
    }
    const second = spawn(upcast)
    expect(await second.ask(get)).toBe('30@1')
    expect(await second.ask(add(1))).toBe(31)
    await stop(second)
    expect(await spawn(upcast).ask(get)).toBe('31@2')
    const small = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (value: unknown) =>
          countOf(value as State) < 50 ? { value } : { issues: [{ message: 'is too much' }] },
      },
    }
    const checked = scene.system.spawn(
      Behaviors.supervise(
        counter(scene.journal, { ...upcast, schemas: { state: small } }),
      ).onFailure(SupervisorStrategy.resume()),
    )
    checked.tell({ type: 'Add', by: 50 })
    expect(await checked.ask(get)).toBe('31@2')
    expect(scene.time.logs.lines.some(({ fields }) => /too much/.test(String(fields['err'])))).toBe(
      true,
    )
  })

  test('what cannot be is refused at once', () => {
    const { claim, append, read, highestSequenceNr, close } = scene.memory
    const bare = { claim, append, read, highestSequenceNr, close }
    expect(() => counter(bare)).toThrow('journal keeps no states, and a durable state needs one')
    expect(() => counter(scene.memory, { eventHandler: () => 0 } as never)).toThrow(
      'eventHandler is not an option',
    )
  })

  test('a stop waits for the states on their way', async () => {
    const { journal, time } = scene
    const actor = spawn()
    await time.settle()
    journal.stall()
    const answer = actor.ask(add(4))
    actor.tell(PoisonPill)
    await time.settle()
    journal.flow()
    expect(await answer).toBe(4)
    await scene.system.whenStopped(actor)
    expect(await spawn().ask(get)).toBe('4@1')
  })
})
