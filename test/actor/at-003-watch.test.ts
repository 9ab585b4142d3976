import { describe, expect, test } from 'vitest'
import {
  type ActorContext,
  type ActorRef,
  type Behavior,
  Behaviors,
  ChildFailed,
  DeathPact,
  NotAChild,
  PoisonPill,
  type Signal,
  SupervisorStrategy,
  Terminated,
  WatchConflict,
} from '../../src/actor/index.ts'
import { Stage, nothingMayEscape } from './stage.ts'

type Act = (context: ActorContext<Act | string>) => unknown

/** Does what it is told, in its own turn, and writes down every signal and every text. */
function puppet(heard: (string | Signal)[]): Behavior<Act | string> {
  return Behaviors.receive<Act | string>((context, message) => {
    if (typeof message === 'string') heard.push(message)
    else message(context)
  }).receiveSignal({
    Terminated: (_context, signal) => void heard.push(signal),
    ChildFailed: (_context, signal) => void heard.push(signal),
  })
}

const mortal = (): Behavior<string> => Behaviors.receiveMessage(() => Behaviors.stopped())

async function setUp() {
  const stage = new Stage()
  const heard: (string | Signal)[] = []
  const watcher = await stage.start(puppet(heard), 'watcher')
  const target = await stage.start(mortal(), 'target')
  return { stage, heard, watcher, target }
}

describe('AT-003 Watch, death pact, child failure', () => {
  nothingMayEscape()

  describe('watch', () => {
    test('gives one Terminated when the actor stops', async () => {
      const { stage, heard, watcher, target } = await setUp()
      await stage.tell(watcher, (context) => context.watch(target))
      expect(heard).toEqual([])
      await stage.tell(target, 'stop')
      expect(heard).toEqual([new Terminated(target)])
    })

    test('twice is once', async () => {
      const { stage, heard, watcher, target } = await setUp()
      await stage.tell(watcher, (context) => {
        context.watch(target)
        context.watch(target)
      })
      await stage.tell(target, 'stop')
      expect(heard).toEqual([new Terminated(target)])
    })

    test('of an actor that is already gone is answered at once, once', async () => {
      const { stage, heard, watcher, target } = await setUp()
      await stage.tell(target, 'stop')
      await stage.tell(watcher, (context) => {
        context.watch(target)
        context.watch(target)
      })
      expect(heard).toEqual([new Terminated(target)])
    })

    test('after the news asks again, and is answered again', async () => {
      const { stage, heard, watcher, target } = await setUp()
      const watch: Act = (context) => context.watch(target)
      await stage.tell(watcher, watch)
      await stage.tell(target, 'stop')
      await stage.tell(watcher, watch)
      expect(heard).toEqual([new Terminated(target), new Terminated(target)])
    })

    test('of itself does nothing', async () => {
      const { stage, heard, watcher } = await setUp()
      await stage.tell(watcher, (context) => context.watch(context.self))
      watcher.tell(PoisonPill)
      await stage.settle()
      expect(heard).toEqual([])
      expect(stage.logged('error')).toEqual([])
    })

    test('gives Terminated behind everything the actor had sent', async () => {
      const { stage, heard, watcher } = await setUp()
      const talker = await stage.start<string>(
        Behaviors.receiveMessage(() => {
          watcher.tell('last words')
          return Behaviors.stopped()
        }),
      )
      await stage.tell(watcher, (context) => context.watch(talker))
      await stage.tell(talker, 'go')
      expect(heard).toEqual(['last words', new Terminated(talker)])
    })

    test('gives Terminated only after PostStop, and when the children are gone', async () => {
      const { stage, heard, watcher } = await setUp()
      const order: string[] = []
      const target = await stage.start(
        Behaviors.setup<string>((context) => {
          context.spawn(
            Behaviors.receiveSignal<never>({ PostStop: () => void order.push('child PostStop') }),
          )
          return Behaviors.receiveMessage<string>(() => Behaviors.stopped()).receiveSignal({
            PostStop: () => void order.push(`PostStop, ${heard.length} heard`),
          })
        }),
      )
      await stage.tell(watcher, (context) => context.watch(target))
      await stage.tell(target, 'stop')
      expect(order).toEqual(['child PostStop', 'PostStop, 0 heard'])
      expect(heard).toEqual([new Terminated(target)])
    })

    test('is answered for each of many watchers', async () => {
      const { stage, target } = await setUp()
      const all = [0, 1, 2].map(() => [] as (string | Signal)[])
      for (const heard of all) {
        const watcher = stage.spawn(puppet(heard))
        watcher.tell((context) => context.watch(target))
      }
      await stage.settle()
      await stage.tell(target, 'stop')
      expect(all).toEqual(all.map(() => [new Terminated(target)]))
    })

    test('of the address of an adapter is answered when its actor stops', async () => {
      const { stage, heard, watcher } = await setUp()
      let adapter!: ActorRef<number>
      const target = await stage.start(
        Behaviors.setup<string>((context) => {
          adapter = context.messageAdapter((count: number) => `${count}`)
          return () => Behaviors.stopped()
        }),
      )
      await stage.tell(watcher, (context) => context.watch(adapter))
      await stage.tell(target, 'stop')
      expect(heard).toEqual([new Terminated(adapter)])
    })

    test('survives a restart of the watcher', async () => {
      const stage = new Stage()
      const heard: (string | Signal)[] = []
      const target = await stage.start(mortal())
      const watcher = await stage.start(
        Behaviors.supervise(puppet(heard)).onFailure(SupervisorStrategy.restart()),
      )
      await stage.tell(watcher, (context) => context.watch(target))
      await stage.tell(watcher, () => {
        throw new Error('boom')
      })
      await stage.tell(target, 'stop')
      expect(heard).toEqual([new Terminated(target)])
    })

    test('is answered even when a restarting watcher has no room to hold anything (W1)', async () => {
      const stage = new Stage()
      const heard: (string | Signal)[] = []
      const target = await stage.start(mortal())
      const other = await stage.start(mortal())
      const strategy = SupervisorStrategy.restartWithBackoff({
        min: '1s',
        max: '1s',
        stashCapacity: 0,
      })
      const watcher = await stage.start(Behaviors.supervise(puppet(heard)).onFailure(strategy))
      await stage.tell(watcher, (context) => context.watch(target))
      await stage.tell(watcher, (context) => context.watchWith(other, 'other is gone'))
      await stage.tell(watcher, () => {
        throw new Error('boom')
      })
      await stage.tell(target, 'stop')
      await stage.tell(other, 'stop')
      await stage.advance('2s')
      expect(heard).toEqual([new Terminated(target), 'other is gone'])
    })
  })

  describe('watchWith', () => {
    test('gives the message instead of the signal', async () => {
      const { stage, heard, watcher, target } = await setUp()
      await stage.tell(watcher, (context) => context.watchWith(target, 'it is gone'))
      await stage.tell(target, 'stop')
      expect(heard).toEqual(['it is gone'])
    })

    test('of an actor that is already gone gives the message at once', async () => {
      const { stage, heard, watcher, target } = await setUp()
      await stage.tell(target, 'stop')
      await stage.tell(watcher, (context) => context.watchWith(target, 'it is gone'))
      expect(heard).toEqual(['it is gone'])
    })

    test('also for a child that failed', async () => {
      const { stage, heard, watcher } = await setUp()
      await stage.tell(watcher, (context) => {
        const child = context.spawn<string>(() => {
          throw new Error('boom')
        })
        context.watchWith(child, 'it is gone')
        child.tell('fail')
      })
      expect(heard).toEqual(['it is gone'])
    })

    test('with the same message again is no conflict', async () => {
      const { stage, heard, watcher, target } = await setUp()
      await stage.tell(watcher, (context) => {
        context.watchWith(target, 'gone')
        context.watchWith(target, 'gone')
      })
      await stage.tell(target, 'stop')
      expect(heard).toEqual(['gone'])
    })

    const changes: readonly [
      string,
      (context: ActorContext<Act | string>, ref: ActorRef<never>) => void,
    ][] = [
      [
        'watchWith after watch',
        (context, ref) => (context.watch(ref), context.watchWith(ref, 'a')),
      ],
      [
        'watch after watchWith',
        (context, ref) => (context.watchWith(ref, 'a'), context.watch(ref)),
      ],
      [
        'watchWith after watchWith of another message',
        (context, ref) => (context.watchWith(ref, 'a'), context.watchWith(ref, 'b')),
      ],
    ]
    for (const [name, change] of changes) {
      test(`${name} fails the watcher`, async () => {
        const { stage, watcher, target } = await setUp()
        await stage.tell(watcher, (context) => change(context, target))
        expect(stage.isTerminated(watcher)).toBe(true)
        expect(stage.logged('error')[0]?.fields['err']).toBeInstanceOf(WatchConflict)
      })
    }

    test('can be changed after unwatch', async () => {
      const { stage, heard, watcher, target } = await setUp()
      await stage.tell(watcher, (context) => {
        context.watchWith(target, 'first')
        context.unwatch(target)
        context.watchWith(target, 'second')
      })
      await stage.tell(target, 'stop')
      expect(heard).toEqual(['second'])
    })

    test('can become a plain watch after unwatch', async () => {
      const { stage, heard, watcher, target } = await setUp()
      await stage.tell(watcher, (context) => {
        context.watchWith(target, 'first')
        context.unwatch(target)
        context.watch(target)
      })
      await stage.tell(target, 'stop')
      expect(heard).toEqual([new Terminated(target)])
    })
  })

  describe('unwatch', () => {
    test('takes the request back', async () => {
      const { stage, heard, watcher, target } = await setUp()
      await stage.tell(watcher, (context) => context.watch(target))
      await stage.tell(watcher, (context) => context.unwatch(target))
      await stage.tell(target, 'stop')
      expect(heard).toEqual([])
    })

    test('also takes back news that waits in the mailbox', async () => {
      const { stage, heard, watcher, target } = await setUp()
      await stage.tell(target, 'stop')
      await stage.tell(watcher, (context) => {
        context.watch(target)
        context.unwatch(target)
      })
      expect(heard).toEqual([])
    })

    test('and watch again give one notice, even with old news in the mailbox', async () => {
      const { stage, heard, watcher, target } = await setUp()
      await stage.tell(target, 'stop')
      await stage.tell(watcher, (context) => {
        context.watch(target)
        context.unwatch(target)
        context.watch(target)
      })
      expect(heard).toEqual([new Terminated(target)])
    })

    test('of an actor that is not watched does nothing', async () => {
      const { stage, watcher, target } = await setUp()
      await stage.tell(watcher, (context) => context.unwatch(target))
      expect(stage.isTerminated(watcher)).toBe(false)
    })
  })

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
