import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Behaviors, PoisonPill, SupervisorStrategy } from '../../src/actor/index.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { append, effect, get, handleList, list, type ListCommand } from './list.ts'
import { manualScene, type ManualScene } from './scene.ts'

describe('pipelining', () => {
  let scene: ManualScene
  beforeEach(() => (scene = manualScene()))
  afterEach(() => scene.end())

  /** Batches that reach the journal below the faults. */
  const countingAppends = (): number[] => {
    const sizes: number[] = []
    const { memory } = scene
    const below = memory.append.bind(memory)
    memory.append = (batch) => {
      sizes.push(batch.events.length)
      return below(batch)
    }
    return sizes
  }

  test('commands go on while the journal stalls, and nothing leaves before it has stored', async () => {
    const { journal, system, time, memory } = scene
    const probe = createTestProbe<unknown>(system)
    const actor = system.spawn(list(journal))
    actor.tell(append('a', probe.ref))
    await probe.expect('a')
    const sizes = countingAppends()
    journal.stall()
    for (const command of [append('b', probe.ref), get(probe.ref), append('cd', probe.ref)]) {
      actor.tell(command)
    }
    await time.settle()
    actor.tell(append('e', probe.ref))
    actor.tell(get(probe.ref))
    await probe.expectNo()
    expect(await memory.highestSequenceNr('List|1')).toBe(1)
    journal.flow()
    // A read answers with the state it saw.
    expect(await probe.receive(5)).toEqual(['ab', 'ab', 'abcd', 'abcde', 'abcde'])
    expect(sizes).toEqual([3, 1])
    expect(scene.losses).toEqual([])
  })

  test.each(['recovers', 'writes'])(
    'those that waited while it %s all have their turn, also when they store nothing',
    async (what) => {
      const { journal, system, time } = scene
      const probe = createTestProbe<unknown>(system)
      if (what === 'recovers') journal.stall()
      const actor = system.spawn(list(journal, { settings: { unstoredCommandsMax: 2 } }))
      await time.settle()
      journal.stall()
      for (const item of ['a', 'b']) actor.tell(append(item))
      for (let count = 0; count < 9; count++) actor.tell(get(probe.ref))
      await probe.expectNo()
      journal.flow()
      expect(await probe.receive(9)).toEqual(Array(9).fill('ab'))
    },
  )

  test('told and run through the effect waits; what the handler does itself does not', async () => {
    const { journal, system } = scene
    const probe = createTestProbe<string>(system)
    const actor = system.spawn(
      list(journal, {
        commandHandler: () => {
          probe.ref.tell('past the effect')
          return effect
            .persist({ item: 'x' })
            .thenTell(probe.ref, 'told')
            .thenRun(() => probe.ref.tell('run'))
        },
      }),
    )
    await scene.time.settle()
    journal.stall()
    actor.tell({ type: 'Stop' })
    await probe.expect('past the effect')
    await probe.expectNo()
    journal.flow()
    expect(await probe.receive(2)).toEqual(['told', 'run'])
  })

  test('commands beyond the pipeline wait in order, and those that do not fit are dropped', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    const settings = { unstoredCommandsMax: 3, stashedCommandsMax: 4 }
    const actor = system.spawn(list(journal, { settings }))
    await time.settle()
    journal.stall()
    for (const item of 'abc') actor.tell(append(item, probe.ref))
    await time.settle()
    for (const item of 'defghi') actor.tell(append(item, probe.ref))
    expect(scene.losses.map((loss) => loss.split(' ')[0])).toEqual(['stash-full', 'stash-full'])
    journal.flow()
    expect((await probe.receive(7)).at(-1)).toBe('abcdefg')
    actor.tell(get(probe.ref))
    await probe.expect('abcdefg')
  })

  test('a stopped entity still answers for what it had handled', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    for (const stop of [PoisonPill, { type: 'Stop' }, { type: 'Throw' }] as const) {
      const actor = system.spawn(list(journal))
      await time.settle()
      journal.stall()
      actor.tell(append('a', probe.ref))
      actor.tell(get(probe.ref))
      actor.tell(stop)
      await probe.expectNo()
      journal.flow()
      const [first, second] = await probe.receive(2)
      expect(first).toBe(second)
      await probe.expectTerminated(actor)
    }
    expect(scene.losses).toEqual([])
    expect(await scene.memory.highestSequenceNr('List|1')).toBe(3)
  })

  test('a handler that throws loses only its own command when it is resumed', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    journal.stall()
    const actor = system.spawn(
      Behaviors.supervise(list(journal)).onFailure(SupervisorStrategy.resume()),
    )
    actor.tell(append('a', probe.ref))
    actor.tell({ type: 'Throw' })
    actor.tell(append('b', probe.ref))
    actor.tell({ type: 'Append', items: ['c', 'bad'], replyTo: probe.ref })
    actor.tell(append('d', probe.ref))
    await time.settle()
    journal.flow()
    expect(await probe.receive(3)).toEqual(['a', 'ab', 'abd'])
    expect(await scene.memory.highestSequenceNr('List|1')).toBe(3)
  })

  test('a side effect that throws fails the actor; what else was stored is answered', async () => {
    const { journal, system } = scene
    const probe = createTestProbe<unknown>(system)
    const actor = system.spawn(
      Behaviors.supervise(
        list(journal, {
          commandHandler: (items, command) =>
            command.type === 'Throw'
              ? effect.persist({ item: 't' }).thenRun(() => {
                  throw new Error('in a side effect')
                })
              : handleList(items, command),
        }),
      ).onFailure(SupervisorStrategy.restart()),
    )
    await scene.time.settle()
    for (const command of [append('a', probe.ref), { type: 'Throw' }, append('b', probe.ref)]) {
      actor.tell(command as ListCommand)
    }
    expect(await probe.receive(2)).toEqual(['a', 'atb'])
    actor.tell(get(probe.ref))
    await probe.expect('atb')
    expect(scene.time.logs.matching('in a side effect')).toHaveLength(1)
  })

  test('an async side effect that rejects fails the actor', async () => {
    const { journal, system } = scene
    const actor = system.spawn(
      list(journal, {
        commandHandler: () =>
          effect.none().thenRun(() => {
            const rejected: unknown = Promise.reject(new Error('in an async side effect'))
            return rejected as undefined
          }),
      }),
    )
    actor.tell({ type: 'Stop' })
    await createTestProbe(system).expectTerminated(actor)
    expect(scene.time.logs.matching('in an async side effect')).toHaveLength(1)
  })

  test('handlers may be async', async () => {
    const { system, time } = scene
    const probe = createTestProbe<unknown>(system)
    const actor = system.spawn(
      list(new MemoryJournal(), {
        commandHandler: async (items, command, { actor: { system: inTurn } }) => {
          const { timers } = inTurn.environment
          await new Promise<void>((resolve) => void timers.after(1_000, resolve))
          return handleList(items, command)
        },
      }),
    )
    actor.tell(append('a', probe.ref))
    actor.tell(append('b', probe.ref))
    await time.advance('3s')
    expect(await probe.receive(2)).toEqual(['a', 'ab'])
  })

  test('what is no effect, or too many events, fails the actor', async () => {
    const { journal, system, time } = scene
    const actor = system.spawn(list(journal, { commandHandler: () => 'nothing' as never }))
    actor.tell({ type: 'Stop' })
    const other = system.spawn(list(journal, { settings: { appendEventsMax: 2 } }))
    other.tell(append('abc'))
    await time.settle()
    const codes = time.logs.lines.map((line) => (line.fields['err'] as { code?: string })?.code)
    expect(codes).toEqual(['INVALID_EFFECT', 'INVALID_EFFECT'])
  })
})
