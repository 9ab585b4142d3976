import { describe, expect, test } from 'vitest'
import {
  AbortedByStop,
  type ActorContext,
  type Behavior,
  Behaviors,
  type ChildFailed,
  type Signal,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import { Stage, gate, nothingMayEscape, outcomeOf } from './stage.ts'

const { restart, restartWithBackoff, resume } = SupervisorStrategy

describe('async handlers that fail, and async signals', () => {
  nothingMayEscape()

  describe('rejection is a failure like a throw', () => {
    const failing = (said: string[]): Behavior<string> =>
      Behaviors.setup<string>(() => {
        let count = 0
        said.push('starts')
        return Behaviors.receiveMessage<string>(async (message) => {
          await Promise.resolve()
          if (message === 'fail') throw new RangeError('boom')
          said.push(`${message} ${++count}`)
        }).receiveSignal({
          PreRestart: () => void said.push('PreRestart'),
          PostStop: () => void said.push('PostStop'),
        })
      })

    test('without supervision the actor stops and the parent hears the cause', async () => {
      const stage = new Stage()
      const ends: Signal[] = []
      const said: string[] = []
      const parent = await stage.start(
        Behaviors.setup<string>((context) => {
          const child = context.spawn(failing(said))
          context.watch(child)
          return Behaviors.receiveMessage<string>((message) => child.tell(message)).receiveSignal({
            ChildFailed: (_context, signal) => void ends.push(signal),
          })
        }),
      )
      await stage.tell(parent, 'fail')
      expect(said).toEqual(['starts', 'PostStop'])
      expect((ends[0] as ChildFailed).cause).toEqual(new RangeError('boom'))
    })

    test('resume keeps the state', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(Behaviors.supervise(failing(said)).onFailure(resume()))
      for (const message of ['a', 'fail', 'b']) ref.tell(message)
      await stage.settle()
      expect(said).toEqual(['starts', 'a 1', 'b 2'])
    })

    test('restart begins anew', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(Behaviors.supervise(failing(said)).onFailure(restart()))
      for (const message of ['a', 'fail', 'b']) ref.tell(message)
      await stage.settle()
      expect(said).toEqual(['starts', 'a 1', 'PreRestart', 'starts', 'b 1'])
    })

    test('back-off begins anew after the delay', async () => {
      const stage = new Stage()
      const said: string[] = []
      const strategy = restartWithBackoff({ min: '1s', max: '1s', randomFactor: 0 })
      const ref = await stage.start(Behaviors.supervise(failing(said)).onFailure(strategy))
      for (const message of ['a', 'fail', 'b']) ref.tell(message)
      await stage.settle()
      expect(said).toEqual(['starts', 'a 1', 'PreRestart'])
      await stage.advance('1s')
      expect(said).toEqual(['starts', 'a 1', 'PreRestart', 'starts', 'b 1'])
    })

    test('stop stops', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(
        Behaviors.supervise(failing(said)).onFailure(RangeError, SupervisorStrategy.stop()),
      )
      await stage.tell(ref, 'fail')
      expect([said, stage.isTerminated(ref)]).toEqual([['starts', 'PostStop'], true])
    })

    test('the error class decides', async () => {
      const stage = new Stage()
      const ref = await stage.start(Behaviors.supervise(failing([])).onFailure(TypeError, resume()))
      await stage.tell(ref, 'fail')
      expect(stage.isTerminated(ref)).toBe(true)
    })

    for (const rejection of [undefined, null, 'text', 0]) {
      test(`also with ${String(rejection)}`, async () => {
        const stage = new Stage()
        const said: string[] = []
        const ref = await stage.start(
          Behaviors.supervise(
            Behaviors.receiveMessage<string>((message) => {
              said.push(message)
              return message === 'fail' ? Promise.reject(rejection) : undefined
            }),
          ).onFailure(resume()),
        )
        await stage.tell(ref, 'fail', 'after')
        expect(said).toEqual(['fail', 'after'])
      })
    }

    test('a rejected signal handler, too', async () => {
      const stage = new Stage()
      const target = await stage.start<string>(() => Behaviors.stopped())
      const ref = await stage.start(
        Behaviors.setup<string>((context) => {
          context.watch(target)
          return Behaviors.receiveSignal<string>({
            Terminated: () => Promise.reject(new Error('boom')),
          })
        }),
      )
      await stage.tell(target, 'stop')
      expect(stage.isTerminated(ref)).toBe(true)
    })
  })

  describe('the AbortSignal', () => {
    test('fires on restart, and the fresh behavior has another one', async () => {
      const stage = new Stage()
      const signals: AbortSignal[] = []
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>((context) => {
            signals.push(context.signal)
            return async () => {
              await Promise.resolve()
              throw new Error('boom')
            }
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'fail')
      expect(signals.map((signal) => signal.aborted)).toEqual([true, false])
    })

    test('does not fire on resume', async () => {
      const stage = new Stage()
      let signal!: AbortSignal
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.receive<string>((context) => {
            signal = context.signal
            throw new Error('boom')
          }),
        ).onFailure(resume()),
      )
      await stage.tell(ref, 'fail')
      expect(signal.aborted).toBe(false)
    })

    test('asked for after the stop has fired already', async () => {
      const stage = new Stage()
      let context!: ActorContext<string>
      const ref = await stage.start(
        Behaviors.setup<string>((its) => {
          context = its
          return () => Behaviors.stopped()
        }),
      )
      await stage.tell(ref, 'stop')
      expect(context.signal.aborted).toBe(true)
      expect(context.signal.reason).toBeInstanceOf(AbortedByStop)
    })
  })

  describe('async lifecycle signals', () => {
    test('PostStop is waited for before watchers and the parent are told', async () => {
      const stage = new Stage()
      const said: string[] = []
      const wait = gate()
      const target = await stage.start(
        Behaviors.receiveMessage<string>(() =>
          Behaviors.stopped(() => void said.push('callback')),
        ).receiveSignal({
          PostStop: async () => {
            said.push('PostStop begins')
            await wait.promise
            said.push('PostStop ends')
          },
        }),
        'target',
      )
      await stage.start(
        Behaviors.setup<string>((context) => {
          context.watch(target)
          return Behaviors.receiveSignal<string>({ Terminated: () => void said.push('Terminated') })
        }),
      )
      await stage.tell(target, 'stop')
      expect(said).toEqual(['PostStop begins'])
      expect(() => stage.spawn(Behaviors.ignore, 'target')).toThrow(/already has a child/)
      wait.open()
      await stage.settle()
      expect(said).toEqual(['PostStop begins', 'PostStop ends', 'callback', 'Terminated'])
    })

    test('PostStop that never settles is given up, with a warning', async () => {
      const stage = new Stage({ settings: { handlerStopTimeoutMs: 700 } })
      const ref = await stage.start(
        Behaviors.receiveMessage<string>(() => Behaviors.stopped()).receiveSignal({
          PostStop: () => new Promise<void>(() => {}),
        }),
      )
      await stage.tell(ref, 'stop')
      await stage.advance(699)
      expect(stage.isTerminated(ref)).toBe(false)
      await stage.advance(1)
      expect(stage.isTerminated(ref)).toBe(true)
      expect(stage.logged('warn')).toHaveLength(1)
    })

    for (const isSupervised of [false, true]) {
      test(`PostStop that rejects is logged${isSupervised ? ', also inside supervision' : ''}`, async () => {
        const stage = new Stage()
        const error = new Error('in PostStop')
        let starts = 0
        const behavior = Behaviors.setup<string>(() => {
          starts++
          return Behaviors.receiveMessage<string>(() => Behaviors.stopped()).receiveSignal({
            PostStop: () => Promise.reject(error),
          })
        })
        const ref = await stage.start(
          isSupervised ? Behaviors.supervise(behavior).onFailure(restart()) : behavior,
        )
        await stage.tell(ref, 'stop')
        expect([starts, stage.isTerminated(ref)]).toEqual([1, true])
        expect(stage.linesOn(error)).toHaveLength(1)
      })
    }

    test('PreRestart has settled before the fresh behavior is built', async () => {
      const stage = new Stage()
      const said: string[] = []
      const wait = gate()
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>(() => {
            said.push('starts')
            return Behaviors.receiveMessage<string>((message) => {
              if (message === 'fail') throw new Error('boom')
              said.push(message)
            }).receiveSignal({
              PreRestart: async () => {
                said.push('PreRestart begins')
                await wait.promise
                said.push('PreRestart ends')
              },
            })
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'fail', 'a')
      expect(said).toEqual(['starts', 'PreRestart begins'])
      wait.open()
      await stage.settle()
      expect(said).toEqual(['starts', 'PreRestart begins', 'PreRestart ends', 'starts', 'a'])
    })

    test('a system that ends while PreRestart is in flight leaves no timer behind', async () => {
      const stage = new Stage()
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.receiveMessage<string>(() => {
            throw new Error('boom')
          }).receiveSignal({ PreRestart: () => new Promise<void>(() => {}) }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'fail')
      const { ends } = outcomeOf(stage.system.terminate())
      // Like any handler in flight, it is waited for, but not for ever.
      await stage.advance('3s')
      expect(ends).toHaveLength(1)
      expect(stage.time.nextDeadline).toBeUndefined()
    })

    test('PreRestart that never settles holds up the restart for the time set', async () => {
      const stage = new Stage({ settings: { handlerStopTimeoutMs: 700 } })
      let starts = 0
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>(() => {
            starts++
            return Behaviors.receiveMessage<string>(() => {
              throw new Error('boom')
            }).receiveSignal({ PreRestart: () => new Promise<void>(() => {}) })
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'fail')
      await stage.advance(699)
      expect(starts).toBe(1)
      await stage.advance(1)
      expect(starts).toBe(2)
    })

    test('PreRestart that rejects is logged, and the restart goes on', async () => {
      const stage = new Stage()
      const error = new Error('in PreRestart')
      let starts = 0
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>(() => {
            starts++
            return Behaviors.receiveMessage<string>(() => {
              throw new Error('boom')
            }).receiveSignal({ PreRestart: () => Promise.reject(error) })
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'fail')
      expect(starts).toBe(2)
      expect(stage.linesOn(error)).toHaveLength(1)
    })
  })
})
