import { describe, expect, test } from 'vitest'
import {
  type ActorContext,
  type ActorRef,
  Behaviors,
  ChildFailed,
  ContextOutsideTurn,
  SupervisorStrategy,
  type StashBuffer,
  type TimerScheduler,
} from '../../src/actor/index.ts'
import { Stage, nothingMayEscape } from './stage.ts'
import { thrownBy, ours, childOf } from './misuse.ts'

const { resume } = SupervisorStrategy

describe('bad input: the context', () => {
  nothingMayEscape()

  describe('adapters and mappers that throw', () => {
    const error = new Error('in a mapper')
    const throws = (): never => {
      throw error
    }
    const provoke: readonly [string, (context: ActorContext<string>) => unknown][] = [
      ['a message adapter', (context) => context.messageAdapter(throws).tell(1)],
      [
        'the guard of a message adapter',
        (context) => context.messageAdapter(throws as never, () => 'text').tell(1),
      ],
      ['the mapper of pipeToSelf', (context) => context.pipeToSelf(Promise.resolve(1), throws)],
      [
        'the mapper for a rejection',
        (context) => context.pipeToSelf(Promise.reject(new Error('piped')), () => 'text', throws),
      ],
      [
        'the mapper of an answer',
        (context) =>
          context.ask(
            context.spawn<ActorRef<string>>((replyTo) => replyTo.tell('answer')),
            (replyTo: ActorRef<string>) => replyTo,
            { done: throws },
          ),
      ],
    ]

    for (const [what, act] of provoke) {
      test(`${what} fails the actor with that error`, async () => {
        const stage = new Stage()
        const { child, ends } = await childOf(stage, Behaviors.receive<string>(act as never))
        await stage.tell(child, 'go')
        expect((ends[0] as ChildFailed | undefined)?.cause).toBe(error)
      })

      test(`${what} can be handled as MessageAdaptionFailure`, async () => {
        const stage = new Stage()
        const causes: unknown[] = []
        const ref = await stage.start(
          Behaviors.receive<string>(act as never).receiveSignal({
            MessageAdaptionFailure: (_context, { cause }) => void causes.push(cause),
          }),
        )
        await stage.tell(ref, 'go')
        expect([causes, stage.isTerminated(ref)]).toEqual([[error], false])
      })

      test(`${what} is answered by supervision`, async () => {
        const stage = new Stage()
        const ref = await stage.start(
          Behaviors.supervise(Behaviors.receive<string>(act as never)).onFailure(resume()),
        )
        await stage.tell(ref, 'go')
        expect(stage.isTerminated(ref)).toBe(false)
      })
    }

    test('a rejected promise without a mapper for it fails the actor with the rejection', async () => {
      const stage = new Stage()
      const { child, ends } = await childOf(
        stage,
        Behaviors.receive<string>((context) =>
          context.pipeToSelf(Promise.reject(error), () => 'text'),
        ),
      )
      await stage.tell(child, 'go')
      expect((ends[0] as ChildFailed).cause).toBe(error)
    })

    for (const nothing of [undefined, null]) {
      test(`a mapper that answers ${nothing} drops the value, with the reason`, async () => {
        const stage = new Stage()
        const heard: string[] = []
        const ref = await stage.start(
          Behaviors.receive<string>((context, message) => {
            heard.push(message)
            context.pipeToSelf(Promise.resolve(42), () => nothing as never)
          }),
        )
        await stage.tell(ref, 'go')
        expect([heard, stage.losses]).toEqual([['go'], ['Dropped/adapted-to-nothing 42']])
        expect(stage.isTerminated(ref)).toBe(false)
      })
    }

    test('a thenable piped to self that settles many times gives one message', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const thenable = {
        // oxlint-disable-next-line unicorn/no-thenable
        then: (done: (value: string) => void, failed: (error: unknown) => void) => {
          done('one')
          done('two')
          failed(new Error('three'))
        },
      }
      const ref = await stage.start(
        Behaviors.receive<string>((context, message) => {
          if (message !== 'go') return void heard.push(message)
          return context.pipeToSelf(thenable as unknown as Promise<string>, (value) => value)
        }),
      )
      await stage.tell(ref, 'go')
      expect([heard, stage.isTerminated(ref)]).toEqual([['one'], false])
    })

    test('what is no promise is piped as it is, as await would take it', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const ref = await stage.start(
        Behaviors.receive<string>((context, message) => {
          if (message !== 'go') heard.push(message)
          else context.pipeToSelf(42 as unknown as Promise<number>, (value) => `${value}`)
        }),
      )
      await stage.tell(ref, 'go')
      expect(heard).toEqual(['42'])
    })
  })

  describe('refs that are none', () => {
    for (const [what, ref] of [
      ['undefined', undefined],
      ['null', null],
      ['an object', {}],
      ['a text', 'sherd://stage/user/a'],
    ] as const) {
      for (const operation of ['watch', 'stop'] as const) {
        // Stop without a child means the actor itself.
        if (operation === 'stop' && ref === undefined) continue
        test(`${operation} of ${what} fails the actor, which stops as usual`, async () => {
          const stage = new Stage()
          const { child, ends } = await childOf(
            stage,
            Behaviors.receive<string>((context) => context[operation](ref as never)),
          )
          await stage.tell(child, 'go')
          expect(ends).toEqual([expect.any(ChildFailed)])
          expect((ends[0] as ChildFailed).cause).toEqual(ours)
        })
      }

      test(`unwatch of ${what}, which nobody watches, does nothing`, async () => {
        const stage = new Stage()
        const { parent, child, ends } = await childOf(
          stage,
          Behaviors.receive<string>((context) => context.unwatch(ref as never)),
        )
        await stage.tell(child, 'go')
        expect(ends).toEqual([])
        await stage.tell(parent, 'stop')
        expect(ends).toHaveLength(1)
      })

      test(`watch of ${what} under resume leaves nothing behind that breaks the stop`, async () => {
        const stage = new Stage()
        const { parent, child, ends } = await childOf(
          stage,
          Behaviors.supervise(
            Behaviors.receive<string>((context) => context.watch(ref as never)),
          ).onFailure(resume()),
        )
        await stage.tell(child, 'go')
        await stage.tell(parent, 'stop')
        expect(ends).toHaveLength(1)
      })
    }
  })

  describe('the context outside its turn', () => {
    interface Kept {
      readonly context: ActorContext<string>
      readonly timers: TimerScheduler<string>
      readonly stash: StashBuffer<string>
      readonly other: ActorRef<never>
    }
    const forbidden: readonly [string, (kept: Kept) => unknown][] = [
      ['spawn', ({ context }) => context.spawn(Behaviors.ignore)],
      ['child', ({ context }) => context.child('name')],
      ['children', ({ context }) => context.children],
      ['stop', ({ context }) => context.stop()],
      ['stop of a child', ({ context, other }) => context.stop(other)],
      ['watch', ({ context, other }) => context.watch(other)],
      ['watchWith', ({ context, other }) => context.watchWith(other, 'gone')],
      ['unwatch', ({ context, other }) => context.unwatch(other)],
      ['setReceiveTimeout', ({ context }) => context.setReceiveTimeout('1s', 'idle')],
      ['cancelReceiveTimeout', ({ context }) => context.cancelReceiveTimeout()],
      ['stash', ({ context }) => context.stash(1)],
      ['messageAdapter', ({ context }) => context.messageAdapter(() => 'text')],
      ['pipeToSelf', ({ context }) => context.pipeToSelf(Promise.resolve(1), () => 'text')],
      ['ask', ({ context, other }) => context.ask(other, () => 'q' as never, { done: () => 'a' })],
      [
        'askWithStatus',
        ({ context, other }) =>
          context.askWithStatus(other, () => 'q' as never, { done: () => 'a' }),
      ],
      ['timers', ({ context }) => context.timers],
      ['timers.startSingle', ({ timers }) => timers.startSingle('key', 1, 'tick')],
      ['timers.startFixedDelay', ({ timers }) => timers.startFixedDelay('key', 1, 'tick')],
      ['timers.startFixedRate', ({ timers }) => timers.startFixedRate('key', 1, 'tick')],
      ['timers.cancel', ({ timers }) => timers.cancel('key')],
      ['timers.cancelAll', ({ timers }) => timers.cancelAll()],
      ['stash.stash', ({ stash }) => stash.stash('message')],
      ['stash.clear', ({ stash }) => stash.clear()],
      ['stash.unstash', ({ stash }) => stash.unstash(Behaviors.same, 1)],
      ['stash.unstashAll', ({ stash }) => stash.unstashAll(Behaviors.same)],
    ]

    async function keep(stage: Stage): Promise<Kept> {
      let kept!: Kept
      const other = stage.spawn(Behaviors.ignore)
      await stage.start(
        Behaviors.setup<string>((context) => {
          kept = { context, timers: context.timers, stash: context.stash(1), other }
          return Behaviors.ignore
        }),
      )
      return kept
    }

    for (const [name, use] of forbidden) {
      test(`${name} throws ContextOutsideTurn from outside`, async () => {
        const stage = new Stage()
        const kept = await keep(stage)
        expect(thrownBy(() => use(kept))).toBeInstanceOf(ContextOutsideTurn)
        await stage.advance('1m')
        expect(stage.lost).toEqual([])
      })

      test(`${name} throws ContextOutsideTurn from another actor’s turn`, async () => {
        const stage = new Stage()
        const kept = await keep(stage)
        let error: unknown
        const ref = await stage.start<string>(() => {
          error = thrownBy(() => use(kept))
        })
        await stage.tell(ref, 'go')
        expect(error).toBeInstanceOf(ContextOutsideTurn)
      })
    }

    test('self, path, system, log and signal may be used from anywhere', async () => {
      const stage = new Stage()
      const { context } = await keep(stage)
      expect(context.self.toString()).toContain('sherd://stage/user/')
      expect(context.path.elements).toHaveLength(2)
      expect(context.system).toBe(stage.system)
      context.log.info({}, 'hello')
      expect(context.signal.aborted).toBe(false)
      expect(stage.logged('info').at(-1)?.fields['actor']).toBe(context.self.toString())
    })

    test('the error says what to do instead', async () => {
      const stage = new Stage()
      const { context } = await keep(stage)
      const error = thrownBy(() => context.spawn(Behaviors.ignore)) as Error
      expect(error.message).toContain('context.spawn')
      expect(error.message).toContain('pipeToSelf')
    })

    test('a failed call from a promise that nobody awaits does not harm the actor', async () => {
      const stage = new Stage()
      const errors: unknown[] = []
      const heard: string[] = []
      const ref = await stage.start(
        Behaviors.receive<string>((context, message) => {
          heard.push(message)
          void Promise.resolve().then(() => errors.push(thrownBy(() => context.stop())))
        }),
      )
      await stage.tell(ref, 'a', 'b')
      expect(heard).toEqual(['a', 'b'])
      expect(errors).toEqual([expect.any(ContextOutsideTurn), expect.any(ContextOutsideTurn)])
    })
  })
})
