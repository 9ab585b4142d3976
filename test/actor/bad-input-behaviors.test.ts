import { describe, expect, test } from 'vitest'
import {
  type Behavior,
  Behaviors,
  ChildFailed,
  InvalidBehavior,
  SupervisorStrategy,
  defaultShutdownPhases,
} from '../../src/actor/index.ts'
import { AssertionFailed } from '../../src/foundation/assert.ts'
import { Stage, nothingMayEscape } from './stage.ts'
import { thrownBy, childOf } from './misuse.ts'

const { restart, resume } = SupervisorStrategy

describe('bad input: behaviors and errors', () => {
  nothingMayEscape()

  describe('behaviors', () => {
    const rubbish: readonly [string, unknown][] = [
      ['undefined', undefined],
      ['null', null],
      ['a number', 42],
      ['a text', 'text'],
      ['an empty object', {}],
      ['an object with a strange kind', { kind: 'strange' }],
      ['an array', []],
      ['a promise', Promise.resolve(Behaviors.ignore)],
      ['same', Behaviors.same],
      ['unhandled', Behaviors.unhandled],
    ]

    for (const [what, value] of rubbish) {
      test(`${what} as the initial behavior is an error, and the name is free again`, async () => {
        const stage = new Stage()
        const error = thrownBy(() => stage.spawn(value as Behavior<string>, 'name'))
        await stage.settle()
        const logged = stage.logged('error').map((line) => line.fields['err'])
        expect([...logged, error].filter((each) => each !== undefined)).toEqual([
          expect.any(InvalidBehavior),
        ])
        stage.spawn(Behaviors.ignore, 'name')
      })

      test(`${what} from setup is a start failure`, async () => {
        const stage = new Stage()
        const { ends } = await childOf(
          stage,
          Behaviors.setup<string>(() => value as Behavior<string>),
        )
        expect(ends).toEqual([expect.any(ChildFailed)])
        expect((ends[0] as ChildFailed).cause).toBeInstanceOf(InvalidBehavior)
      })
    }

    test('a promise from setup that rejects is a start failure and nothing more', async () => {
      const stage = new Stage()
      const { ends } = await childOf(
        stage,
        Behaviors.setup<string>((() => Promise.reject(new Error('async setup'))) as never),
      )
      expect((ends[0] as ChildFailed).cause).toBeInstanceOf(InvalidBehavior)
    })

    for (const [what, value] of rubbish.slice(1, 7)) {
      test(`${what} from a handler is a failure`, async () => {
        const stage = new Stage()
        const { child, ends } = await childOf(
          stage,
          Behaviors.receiveMessage<string>(() => value as undefined),
        )
        await stage.tell(child, 'go')
        expect((ends[0] as ChildFailed).cause).toBeInstanceOf(InvalidBehavior)
      })
    }

    test('a throwing setup is told to the parent', async () => {
      const stage = new Stage()
      const error = new Error('in setup')
      const { ends } = await childOf(
        stage,
        Behaviors.setup<string>(() => {
          throw error
        }),
      )
      expect((ends[0] as ChildFailed).cause).toBe(error)
    })

    test('a throwing factory of withTimers, withStash, withLogFields and intercept, too', async () => {
      const stage = new Stage()
      const error = new Error('in a factory')
      const fail = (): never => {
        throw error
      }
      for (const behavior of [
        Behaviors.withTimers<string>(fail),
        Behaviors.withStash<string>(1, fail),
        Behaviors.withLogFields<string>({}, fail),
        Behaviors.intercept<string>(fail, Behaviors.ignore),
      ]) {
        const { ends } = await childOf(stage, behavior)
        expect((ends[0] as ChildFailed).cause).toBe(error)
      }
    })

    test('a throwing callback of stopped is logged, and the actor is gone', async () => {
      const stage = new Stage()
      const error = new Error('in the callback')
      const { child, ends } = await childOf<string>(
        stage,
        Behaviors.receiveMessage(() =>
          Behaviors.stopped(() => {
            throw error
          }),
        ),
      )
      await stage.tell(child, 'stop')
      expect(ends).toHaveLength(1)
      expect(stage.linesOn(error)).toHaveLength(1)
    })

    test('an interceptor that throws fails the actor, and supervision around it answers', async () => {
      const stage = new Stage()
      const said: string[] = []
      const intercepted = Behaviors.intercept<string>(
        () => ({
          aroundReceive: (_context, message, next) => {
            if (message === 'fail') throw new Error('in the interceptor')
            return next(message)
          },
        }),
        Behaviors.receiveMessage((message) => void said.push(message)),
      )
      const ref = await stage.start(Behaviors.supervise(intercepted).onFailure(resume()))
      await stage.tell(ref, 'fail', 'a')
      expect(said).toEqual(['a'])
    })

    test('a monitor that is returned again with every message reports each message once', async () => {
      const stage = new Stage()
      const seen = stage.recorder<number>()
      const monitored = (): Behavior<number> =>
        Behaviors.monitor<number>(seen.ref, () => monitored())
      const ref = await stage.start(monitored())
      for (let count = 0; count < 100; count++) ref.tell(count)
      await stage.settle()
      expect(seen.messages).toEqual(Array.from({ length: 100 }, (_, index) => index))
    })
  })

  describe('errors that are no errors', () => {
    for (const thrown of ['text', undefined, null, 0, { message: 'like an error' }, Symbol('s')]) {
      const what = typeof thrown === 'object' ? JSON.stringify(thrown) : String(thrown)
      test(`${what} thrown fails the actor with it as cause`, async () => {
        const stage = new Stage()
        const { child, ends } = await childOf<string>(
          stage,
          Behaviors.receiveMessage(() => {
            throw thrown
          }),
        )
        await stage.tell(child, 'go')
        expect(ends).toEqual([expect.any(ChildFailed)])
        expect((ends[0] as ChildFailed).cause).toBe(thrown)
      })

      test(`${what} thrown is answered by supervision for everything, not by one for Error`, async () => {
        const stage = new Stage()
        const throwing = Behaviors.receiveMessage<string>(() => {
          throw thrown
        })
        const all = await stage.start(Behaviors.supervise(throwing).onFailure(resume()))
        const errors = await stage.start(Behaviors.supervise(throwing).onFailure(Error, resume()))
        await stage.tell(all, 'go')
        await stage.tell(errors, 'go')
        expect([stage.isTerminated(all), stage.isTerminated(errors)]).toEqual([false, true])
      })
    }

    test('a stack overflow in a handler is a failure like any other', async () => {
      const stage = new Stage()
      const deep = (count: number): number => (count < 0 ? 0 : deep(count + 1) + 1)
      const { child, ends } = await childOf<string>(
        stage,
        Behaviors.receiveMessage(() => void deep(0)),
      )
      await stage.tell(child, 'go')
      expect((ends[0] as ChildFailed).cause).toBeInstanceOf(RangeError)
    })

    test('a broken invariant ends the system even when its shutdown fails', async () => {
      const phase = { dependsOn: [], timeoutMs: 100, recover: false, enabled: true }
      const stage = new Stage({
        shutdownPhases: {
          ...defaultShutdownPhases,
          'before-service-unbind': phase,
        },
      })
      stage.system.shutdown.addTask('before-service-unbind', 'fails', () => {
        throw new Error('in a task')
      })
      const ref = await stage.start<string>(() => {
        throw new AssertionFailed('broken')
      })
      await stage.tell(ref, 'go')
      expect(stage.system.shutdown.reason).toEqual({ type: 'broken-invariant' })
    })
  })

  describe('signal handlers that throw', () => {
    const error = new Error('in a signal handler')
    const throws = (): never => {
      throw error
    }

    test('PostStop is logged, and the actor is gone', async () => {
      const stage = new Stage()
      const ref = await stage.start(
        Behaviors.receiveMessage<string>(() => Behaviors.stopped()).receiveSignal({
          PostStop: throws,
        }),
      )
      await stage.tell(ref, 'stop')
      expect([stage.isTerminated(ref), stage.linesOn(error).length]).toEqual([true, 1])
    })

    test('PreRestart is logged, and the actor restarts', async () => {
      const stage = new Stage()
      let starts = 0
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>(() => {
            starts++
            return Behaviors.receiveMessage<string>(() => {
              throw new Error('boom')
            }).receiveSignal({ PreRestart: throws })
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'go')
      expect([starts, stage.linesOn(error).length]).toEqual([2, 1])
    })

    for (const kind of ['Terminated', 'ChildFailed', 'MessageAdaptionFailure'] as const) {
      const failing = Behaviors.setup<string>((context) => {
        context.watch(
          context.spawn(
            Behaviors.setup<string>(() => {
              if (kind === 'ChildFailed') throw new Error('child')
              return Behaviors.stopped()
            }),
          ),
        )
        const adapter = context.messageAdapter(() => {
          throw new Error('adapter')
        })
        if (kind === 'MessageAdaptionFailure') adapter.tell(1)
        const quiet = { Terminated: () => undefined, ChildFailed: () => undefined }
        return Behaviors.receiveSignal<string>({ ...quiet, [kind]: throws })
      })

      test(`${kind} fails the actor`, async () => {
        const stage = new Stage()
        const { ends } = await childOf(stage, failing)
        expect((ends[0] as ChildFailed).cause).toBe(error)
      })

      test(`${kind} is answered by supervision`, async () => {
        const stage = new Stage()
        const ref = await stage.start(Behaviors.supervise(failing).onFailure(resume()))
        expect(stage.isTerminated(ref)).toBe(false)
        expect(stage.linesOn(error)).toHaveLength(1)
      })
    }
  })
})
