import { describe, expect, test } from 'vitest'
import {
  type ActorContext,
  type ActorRef,
  ActorStopped,
  Behaviors,
  PoisonPill,
} from '../../src/actor/index.ts'
import { Stage, gate, nothingMayEscape } from './stage.ts'

describe('late continuations of async handlers', () => {
  nothingMayEscape()

  describe('late continuations', () => {
    /** Everything a continuation may try, once its actor is gone. */
    const deeds: readonly [string, (context: ActorContext<string>, old: Old) => unknown][] = [
      ['spawn', (context) => context.spawn(Behaviors.ignore)],
      ['stop', (context) => context.stop()],
      ['watch', (context, { other }) => context.watch(other)],
      ['watchWith', (context, { other }) => context.watchWith(other, 'gone')],
      ['unwatch', (context, { other }) => context.unwatch(other)],
      ['setReceiveTimeout', (context) => context.setReceiveTimeout('1s', 'idle')],
      ['cancelReceiveTimeout', (context) => context.cancelReceiveTimeout()],
      ['stash', (context) => context.stash(1)],
      ['messageAdapter', (context) => context.messageAdapter(() => 'text')],
      ['pipeToSelf', (context) => context.pipeToSelf(Promise.resolve(1), () => 'text')],
      [
        'ask',
        (context, { other }) =>
          context.ask(other, () => 'question' as never, { done: () => 'answer' }),
      ],
      [
        'askWithStatus',
        (context, { other }) =>
          context.askWithStatus(other, () => 'question' as never, { done: () => 'answer' }),
      ],
      ['timers', (context) => context.timers],
      ['children', (context) => context.children],
      ['child', (context) => context.child('name')],
      ['timers.startSingle', (_context, { timers }) => timers.startSingle('key', 1, 'tick')],
      ['timers.startFixedRate', (_context, { timers }) => timers.startFixedRate('key', 1, 'tick')],
      [
        'timers.startFixedDelay',
        (_context, { timers }) => timers.startFixedDelay('key', 1, 'tick'),
      ],
      ['timers.cancel', (_context, { timers }) => timers.cancel('key')],
      ['timers.cancelAll', (_context, { timers }) => timers.cancelAll()],
      ['stash.stash', (_context, { stash }) => stash.stash('message')],
      ['stash.unstashAll', (_context, { stash }) => stash.unstashAll(Behaviors.same)],
      ['stash.clear', (_context, { stash }) => stash.clear()],
    ]

    interface Old {
      readonly other: ActorRef<never>
      readonly timers: ActorContext<string>['timers']
      readonly stash: ReturnType<ActorContext<string>['stash']>
    }

    for (const [name, deed] of deeds) {
      test(`${name} of a stopped actor throws ActorStopped`, async () => {
        const stage = new Stage({ settings: { handlerStopTimeoutMs: 100 } })
        const wait = gate()
        let error: unknown
        const other = stage.spawn(Behaviors.ignore)
        const ref = await stage.start(
          Behaviors.receive<string>(async (context) => {
            const old: Old = { other, timers: context.timers, stash: context.stash(10) }
            await wait.promise
            try {
              deed(context, old)
            } catch (caught) {
              error = caught
            }
          }),
        )
        ref.tell('go')
        ref.tell(PoisonPill)
        await stage.settle()
        void stage.system.terminate()
        await stage.advance(100)
        expect(stage.isTerminated(ref)).toBe(true)
        wait.open()
        await stage.advance('1m')
        expect(error).toBeInstanceOf(ActorStopped)
      })
    }

    test('a message to itself is a dead letter, and what it returns is ignored', async () => {
      const stage = new Stage({ settings: { handlerStopTimeoutMs: 100 } })
      const wait = gate()
      let setups = 0
      let child!: ActorRef<string>
      const parent = await stage.start(
        Behaviors.setup<string>((context) => {
          child = context.spawn(
            Behaviors.receive<string>(async (childContext) => {
              await wait.promise
              childContext.self.tell('too late')
              return Behaviors.setup<string>(() => {
                setups++
                return Behaviors.ignore
              })
            }),
          )
          return () => context.stop(child)
        }),
      )
      await stage.tell(child, 'go')
      await stage.tell(parent, 'stop child')
      await stage.advance(100)
      wait.open()
      await stage.settle()
      expect([setups, stage.losses]).toEqual([0, ['DeadLetter/terminated too late']])
    })

    test('a late rejection is nobody’s failure', async () => {
      const stage = new Stage({ settings: { handlerStopTimeoutMs: 100 } })
      const wait = gate()
      let child!: ActorRef<string>
      const parent = await stage.start(
        Behaviors.setup<string>((context) => {
          child = context.spawn<string>(() => wait.promise)
          return () => context.stop(child)
        }),
      )
      await stage.tell(child, 'go')
      await stage.tell(parent, 'stop child')
      await stage.advance(100)
      wait.fail(new Error('too late'))
      await stage.settle()
      expect(stage.logged('error')).toEqual([])
    })

    test('of an actor whose name lives on in another does nothing to that one', async () => {
      const stage = new Stage({ settings: { handlerStopTimeoutMs: 100 } })
      const wait = gate()
      let error: unknown
      const children: ActorRef<string>[] = []
      const parent = await stage.start(
        Behaviors.setup<string>((context) => (message) => {
          if (message === 'stop') return context.stop(children[0])
          children.push(
            context.spawn(
              Behaviors.receive<string>(async (childContext) => {
                await wait.promise
                try {
                  childContext.stop()
                } catch (caught) {
                  error = caught
                }
              }),
              'same name',
            ),
          )
          return undefined
        }),
      )
      await stage.tell(parent, 'spawn')
      await stage.tell(children[0] as ActorRef<string>, 'go')
      await stage.tell(parent, 'stop')
      await stage.advance(100)
      await stage.tell(parent, 'spawn')
      wait.open()
      await stage.settle()
      expect(error).toBeInstanceOf(ActorStopped)
      expect(stage.isTerminated(children[1] as ActorRef<string>)).toBe(false)
    })
  })
})
