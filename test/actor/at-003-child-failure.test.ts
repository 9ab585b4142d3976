import { describe, expect, test } from 'vitest'
import {
  type ActorRef,
  type Behavior,
  Behaviors,
  ChildFailed,
  DeathPact,
  NotAChild,
  type Signal,
  SupervisorStrategy,
  Terminated,
} from '../../src/actor/index.ts'
import { Stage, nothingMayEscape } from './stage.ts'
import { type Act, mortal, setUp } from './puppet.ts'

describe('AT-003 Watch, death pact, child failure', () => {
  nothingMayEscape()

  describe('death pact', () => {
    test('not handling Terminated fails the watcher', async () => {
      const stage = new Stage()
      const target = await stage.start(mortal())
      const watcher = await stage.start(
        Behaviors.setup<string>((context) => {
          context.watch(target)
          return () => undefined
        }),
      )
      await stage.tell(target, 'stop')
      expect(stage.isTerminated(watcher)).toBe(true)
      expect(stage.logged('error')[0]?.fields['err']).toBeInstanceOf(DeathPact)
    })

    test('not handling ChildFailed fails the parent, and its own parent hears of the pact', async () => {
      const stage = new Stage()
      const ends: Signal[] = []
      await stage.start(
        Behaviors.setup<never>((top) => {
          const middle = top.spawn(
            Behaviors.setup<never>((context) => {
              const child = context.spawn<string>(() => {
                throw new Error('boom')
              })
              context.watch(child)
              child.tell('fail')
              return Behaviors.receiveMessage<never>(() => undefined)
            }),
          )
          top.watch(middle)
          return Behaviors.receiveSignal<never>({
            ChildFailed: (_context, signal) => void ends.push(signal),
          })
        }),
      )
      expect(ends).toHaveLength(1)
      expect((ends[0] as ChildFailed).cause).toBeInstanceOf(DeathPact)
    })

    test('answering unhandled to the signal is not handling it', async () => {
      const stage = new Stage()
      const target = await stage.start(mortal())
      const watcher = await stage.start(
        Behaviors.setup<string>((context) => {
          context.watch(target)
          return Behaviors.receiveSignal<string>({ Terminated: () => Behaviors.unhandled })
        }),
      )
      await stage.tell(target, 'stop')
      expect(stage.isTerminated(watcher)).toBe(true)
    })

    test('an async handler that comes to unhandled has not handled the signal either', async () => {
      const stage = new Stage()
      const target = await stage.start(mortal())
      const watcher = await stage.start(
        Behaviors.setup<string>((context) => {
          context.watch(target)
          return Behaviors.receiveSignal<string>({
            Terminated: async () => {
              await Promise.resolve()
              return Behaviors.unhandled
            },
          })
        }),
      )
      await stage.tell(target, 'stop')
      expect(stage.isTerminated(watcher)).toBe(true)
    })

    /** Watches at its first start only. */
    const unwilling = (target: ActorRef<string>): Behavior<string> => {
      let starts = 0
      return Behaviors.setup<string>((context) => {
        if (++starts === 1) context.watch(target)
        return Behaviors.receiveMessage<string>(() => {
          throw new RangeError('boom')
        }).receiveSignal({ Terminated: () => Promise.resolve(Behaviors.unhandled) })
      })
    }

    test('of an async handler is answered by supervision also inside an interceptor', async () => {
      const stage = new Stage()
      const target = await stage.start(mortal())
      const { onFailure } = Behaviors.supervise(unwilling(target))
      const supervised = onFailure(DeathPact, SupervisorStrategy.restart())
      const watcher = await stage.start(Behaviors.monitor(stage.recorder<string>().ref, supervised))
      await stage.tell(target, 'stop')
      expect(stage.logged('warn')[0]?.fields['err']).toBeInstanceOf(DeathPact)
      expect(stage.isTerminated(watcher)).toBe(false)
    })

    test('of an async handler is made also when the signal was held for a restart', async () => {
      const stage = new Stage()
      const target = await stage.start(mortal())
      const strategy = SupervisorStrategy.restartWithBackoff({ min: '1s', max: '1s' })
      const { onFailure } = Behaviors.supervise(unwilling(target))
      const watcher = await stage.start(onFailure(RangeError, strategy))
      await stage.tell(watcher, 'fail')
      await stage.tell(target, 'stop')
      expect(stage.isTerminated(watcher)).toBe(false)
      await stage.advance('2s')
      expect(stage.isTerminated(watcher)).toBe(true)
    })

    test('empty makes a death pact, ignore does not', async () => {
      const stage = new Stage()
      const target = await stage.start(mortal())
      const watching = (then: Behavior<unknown>): Behavior<string> =>
        Behaviors.setup((context) => {
          context.watch(target)
          return then
        })
      const empty = await stage.start(watching(Behaviors.empty))
      const ignoring = await stage.start(watching(Behaviors.ignore))
      await stage.tell(target, 'stop')
      expect([stage.isTerminated(empty), stage.isTerminated(ignoring)]).toEqual([true, false])
    })

    test('can be answered by supervision', async () => {
      const stage = new Stage()
      const target = await stage.start(mortal())
      let starts = 0
      const watcher = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>((context) => {
            if (++starts === 1) context.watch(target)
            return () => undefined
          }),
        ).onFailure(DeathPact, SupervisorStrategy.restart()),
      )
      await stage.tell(target, 'stop')
      expect([starts, stage.isTerminated(watcher)]).toEqual([2, false])
    })

    test('watchWith makes none', async () => {
      const stage = new Stage()
      const target = await stage.start(mortal())
      const heard: string[] = []
      const watcher = await stage.start(
        Behaviors.setup<string>((context) => {
          context.watchWith(target, 'gone')
          return (message) => void heard.push(message)
        }),
      )
      await stage.tell(target, 'stop')
      expect([heard, stage.isTerminated(watcher)]).toEqual([['gone'], false])
    })
  })

  describe('child failure', () => {
    const spawnFailing = (error: unknown): Act => {
      return (context) => {
        const child = context.spawn<string>(() => {
          throw error
        }, 'child')
        context.watch(child)
        child.tell('fail')
      }
    }

    test('ChildFailed carries the ref and the cause', async () => {
      const { stage, heard, watcher } = await setUp()
      const error = new Error('boom')
      await stage.tell(watcher, spawnFailing(error))
      expect(heard).toEqual([expect.any(ChildFailed)])
      const [signal] = heard as [ChildFailed]
      expect(signal.cause).toBe(error)
      expect(signal.ref.path.name).toBe('child')
    })

    test('comes once, without a Terminated beside it', async () => {
      const { stage, heard, watcher } = await setUp()
      await stage.tell(watcher, spawnFailing(new Error('boom')))
      await stage.advance('1m')
      expect(heard).toHaveLength(1)
    })

    test('a child that stops by itself gives Terminated', async () => {
      const { stage, heard, watcher } = await setUp()
      await stage.tell(watcher, (context) => context.watch(context.spawn(Behaviors.stopped())))
      expect(heard).toEqual([expect.any(Terminated)])
    })

    test('a watcher that is not the parent gets Terminated', async () => {
      const { stage, heard, watcher } = await setUp()
      const target = await stage.start<string>(
        Behaviors.receiveMessage(() => {
          throw new Error('boom')
        }),
      )
      await stage.tell(watcher, (context) => context.watch(target))
      await stage.tell(target, 'fail')
      expect(heard).toEqual([new Terminated(target)])
    })

    test('goes to the handler of Terminated when there is none for it', async () => {
      const stage = new Stage()
      const signals: Signal[] = []
      const parent = await stage.start(
        Behaviors.setup<string>((context) => {
          const child = context.spawn<string>(() => {
            throw new Error('boom')
          })
          context.watch(child)
          child.tell('fail')
          return Behaviors.receiveSignal<string>({
            Terminated: (_context, signal) => void signals.push(signal),
          })
        }),
      )
      expect(signals).toHaveLength(1)
      expect(stage.isTerminated(parent)).toBe(false)
    })
  })

  describe('stopping others', () => {
    const family = async (stage: Stage, watcher: ActorRef<Act | string>) => {
      const refs: ActorRef<never>[] = [stage.spawn(Behaviors.ignore)]
      await stage.tell(watcher, (context) => {
        refs.push(context.messageAdapter(() => 'text'))
        context.spawn(
          Behaviors.setup<never>((child) => {
            refs.push(child.spawn(Behaviors.ignore))
            return Behaviors.ignore
          }),
        )
      })
      return refs
    }

    for (const [index, name] of [
      'a stranger',
      'the address of an adapter',
      'a grandchild',
    ].entries()) {
      test(`${name} is an error, and harms nobody`, async () => {
        const { stage, watcher } = await setUp()
        const ref = (await family(stage, watcher))[index] as ActorRef<never>
        let error: unknown
        await stage.tell(watcher, (context) => {
          try {
            context.stop(ref)
          } catch (caught) {
            error = caught
          }
        })
        expect(error).toBeInstanceOf(NotAChild)
        expect(stage.isTerminated(ref)).toBe(false)
      })
    }

    test('an uncaught one fails the actor that tried', async () => {
      const { stage, watcher, target } = await setUp()
      await stage.tell(watcher, (context) => context.stop(target))
      expect([stage.isTerminated(watcher), stage.isTerminated(target)]).toEqual([true, false])
    })

    test('a child that is stopped before it starts never runs, not even PostStop', async () => {
      const { stage, heard, watcher } = await setUp()
      await stage.tell(watcher, (context) => {
        const note = (): void => void heard.push('ran')
        const plain = Behaviors.receiveSignal<never>({ PostStop: note })
        const built = Behaviors.setup<never>(() => (note(), plain))
        for (const behavior of [plain, built]) context.stop(context.spawn(behavior))
      })
      expect(heard).toEqual([])
    })

    test('a child can be stopped, and stopped again', async () => {
      const { stage, heard, watcher } = await setUp()
      let child!: ActorRef<never>
      await stage.tell(watcher, (context) => {
        child = context.spawn(Behaviors.ignore)
        context.watch(child)
      })
      const stop: Act = (context) => context.stop(child)
      await stage.tell(watcher, stop, stop)
      expect(heard).toEqual([new Terminated(child)])
    })
  })
})
