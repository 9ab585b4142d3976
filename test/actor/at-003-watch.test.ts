import { describe, expect, test } from 'vitest'
import {
  type ActorContext,
  type ActorRef,
  Behaviors,
  PoisonPill,
  type Signal,
  SupervisorStrategy,
  Terminated,
  WatchConflict,
} from '../../src/actor/index.ts'
import { Stage, gate, nothingMayEscape } from './stage.ts'
import { type Act, puppet, mortal, setUp } from './puppet.ts'

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

    test('of a child ends with a restart, also when the news is already in the mailbox', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const busy = gate()
      let child: ActorRef<string> | undefined
      const watcher = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>((context) => {
            if (child === undefined) {
              child = context.spawn(mortal())
              context.watchWith(child, 'a child is gone')
            }
            return (message) => {
              if (message === 'fail') throw new Error('boom')
              heard.push(message)
              return message === 'wait' ? busy.promise : undefined
            }
          }),
        ).onFailure(SupervisorStrategy.restart()),
      )
      await stage.tell(watcher, 'wait', 'fail')
      await stage.tell(child as unknown as ActorRef<string>, 'stop')
      busy.open()
      await stage.tell(watcher, 'after')
      expect(heard).toEqual(['wait', 'after'])
    })

    test('is answered even when a restarting watcher has no room to hold anything (W1)', async () => {
      const stage = new Stage()
      const heard: (string | Signal)[] = []
      const target = await stage.start(mortal())
      const other = await stage.start(mortal())
      const strategy = SupervisorStrategy.restartWithBackoff({
        min: '1s',
        max: '1s',
        stashedMessagesMax: 0,
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

    test('can be changed by the fresh behavior after a restart', async () => {
      const { stage, target } = await setUp()
      const heard: (string | { readonly start: number })[] = []
      let starts = 0
      const watcher = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string | { readonly start: number }>((context) => {
            context.watchWith(target, { start: ++starts })
            return (message) => {
              if (message === 'fail') throw new Error('boom')
              heard.push(message)
            }
          }),
        ).onFailure(SupervisorStrategy.restart()),
      )
      await stage.tell(watcher, 'fail')
      await stage.tell(target, 'stop')
      expect(heard).toEqual([{ start: 2 }])
    })

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
})
