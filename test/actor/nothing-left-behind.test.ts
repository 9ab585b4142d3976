import { getEventListeners } from 'node:events'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  type ActorContext,
  type ActorRef,
  ActorSystem,
  Behaviors,
  defaultShutdownPhases,
  InvalidSettings,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import { gate, nothingMayEscape, outcomeOf, Stage } from './stage.ts'

interface Get {
  readonly type: 'Get'
  readonly replyTo: ActorRef<number>
}
type Command = Get | { readonly type: 'Add'; readonly by: number }

describe('nothing is left behind', () => {
  nothingMayEscape()

  test('no timer by an actor that has stopped', async () => {
    const stage = new Stage()
    const ref = await stage.start(
      Behaviors.setup<string>((context) => {
        context.timers.startFixedRate('rate', '1s', 'tick')
        context.timers.startFixedDelay('delay', '1s', 'tick')
        context.timers.startSingle('single', '1m', 'tick')
        context.setReceiveTimeout('1m', 'idle')
        return (message) => (message === 'stop' ? Behaviors.stopped() : undefined)
      }),
    )
    expect(stage.time.nextDeadline).toBe(1_000)
    await stage.tell(ref, 'stop')
    await stage.advance('1s')
    expect(stage.time.nextDeadline).toBeUndefined()
    expect(stage.losses).toEqual([])
  })

  test('no timer and no listener by an ask that was answered, given up or has timed out', async () => {
    const stage = new Stage()
    const answering = stage.spawn<Get>(({ replyTo }) => replyTo.tell(1))
    const silent = stage.spawn<Get>(Behaviors.ignore)
    const abort = new AbortController()
    const question = (replyTo: ActorRef<number>): Get => ({ type: 'Get', replyTo })
    const { ends } = outcomeOf(answering.ask(question, { signal: abort.signal, timeout: '1s' }))
    const late = outcomeOf(silent.ask(question, { signal: abort.signal, timeout: '1s' }))
    await stage.advance('1s')
    expect(ends).toEqual([{ value: 1 }])
    expect(late.ends).toHaveLength(1)
    expect(getEventListeners(abort.signal, 'abort')).toEqual([])
    expect(stage.time.nextDeadline).toBeUndefined()
  })

  test('one listener for all asks that share a signal, and each of them is given up', async () => {
    const stage = new Stage()
    const silent = stage.spawn<Get>(Behaviors.ignore)
    const abort = new AbortController()
    const { signal } = abort
    const asks = Array.from({ length: 20 }, () =>
      outcomeOf(silent.ask<number>((replyTo) => ({ type: 'Get', replyTo }), { signal })),
    )
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    abort.abort()
    await stage.settle()
    expect(asks.every(({ ends }) => ends.length === 1)).toBe(true)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('no watcher by an actor that has stopped', async () => {
    const stage = new Stage()
    const target = await stage.start<string>(() => Behaviors.stopped())
    const watcher = await stage.start(
      Behaviors.setup<string>((context) => {
        context.watch(target)
        return () => Behaviors.stopped()
      }),
    )
    await stage.tell(watcher, 'stop')
    const { cell } = target as unknown as { cell: { stateIfAny?: { watchers?: Set<unknown> } } }
    expect(cell.stateIfAny?.watchers?.size).toBe(0)
  })

  test('no stash that is empty', async () => {
    const stage = new Stage()
    const wandering = (left: number): ReturnType<typeof Behaviors.withStash<string>> =>
      Behaviors.withStash<string>(10, () => () => wandering(left - 1))
    const ref = await stage.start(wandering(1_000))
    for (let count = 0; count < 1_000; count++) ref.tell('on')
    await stage.settle()
    const { cell } = ref as unknown as { cell: { state(): { stashes?: Set<unknown> } } }
    expect(cell.state().stashes?.size ?? 0).toBe(0)
  })

  test('no stash that has been emptied', async () => {
    const stage = new Stage()
    const ref = await stage.start(
      Behaviors.withStash<string>(10, (stash) => (message) => {
        if (message === 'keep') return stash.stash(message)
        return stash.unstashAll(Behaviors.ignore)
      }),
    )
    await stage.tell(ref, 'keep', 'give')
    const { cell } = ref as unknown as { cell: { state(): { stashes?: Set<unknown> } } }
    expect(cell.state().stashes?.size).toBe(0)
  })

  const watchersOf = (ref: ActorRef<never>): number => {
    const { cell } = ref as unknown as { cell: { stateIfAny?: { watchers?: Set<unknown> } } }
    return cell.stateIfAny?.watchers?.size ?? 0
  }

  test('no watcher by one who does not watch any more, be it an actor or its adapter', async () => {
    const stage = new Stage()
    let adapter!: ActorRef<string>
    const target = await stage.start(
      Behaviors.setup<string>((context) => {
        adapter = context.messageAdapter((text: string) => text)
        return Behaviors.ignore
      }),
    )
    const watcher = await stage.start(
      Behaviors.receive<'watch' | 'unwatch'>((context, message) => {
        for (const ref of [target, adapter]) context[message](ref)
      }),
    )
    await stage.tell(watcher, 'watch')
    expect(watchersOf(target)).toBe(2)
    await stage.tell(watcher, 'unwatch')
    expect(watchersOf(target)).toBe(0)
  })

  const waiting = (stage: Stage): number => stage.system.runtime.wheel.size

  test('no timer by one that was replaced, nor by a receive timeout that was', async () => {
    const stage = new Stage()
    await stage.start(
      Behaviors.setup<string>((context) => {
        for (const delay of ['1m', '2m', '3m'] as const) {
          context.timers.startSingle('key', delay, 'tick')
          context.setReceiveTimeout(delay, 'idle')
        }
        return Behaviors.ignore
      }),
    )
    expect(waiting(stage)).toBe(2)
  })

  test('no timer by a receive timeout that was cancelled', async () => {
    const stage = new Stage()
    await stage.start(
      Behaviors.setup<string>((context) => {
        context.setReceiveTimeout('1m', 'idle')
        context.cancelReceiveTimeout()
        return Behaviors.ignore
      }),
    )
    expect(waiting(stage)).toBe(0)
  })

  test('no timer by a behavior that was restarted, nor by a restart that does not come', async () => {
    const stage = new Stage()
    let starts = 0
    const failing = Behaviors.setup<string>((context) => {
      if (starts++ === 0) context.setReceiveTimeout('1m', 'idle')
      return () => {
        throw new Error('again')
      }
    })
    const ref = await stage.start(
      Behaviors.supervise(failing).onFailure(
        SupervisorStrategy.restartWithBackoff({ min: '1s', max: '1s' }),
      ),
    )
    await stage.tell(ref, 'fail')
    // That of the restart alone.
    expect(waiting(stage)).toBe(1)
    ;(ref as unknown as { cell: { stop(): void } }).cell.stop()
    await stage.settle()
    expect(stage.isTerminated(ref)).toBe(true)
    expect(waiting(stage)).toBe(0)
  })

  test('no timer by an ask that was answered', async () => {
    const stage = new Stage()
    const answering = stage.spawn<Get>(({ replyTo }) => replyTo.tell(1))
    const answer = answering.ask<number>((replyTo) => ({ type: 'Get', replyTo }))
    await stage.settle()
    expect(await answer).toBe(1)
    expect(waiting(stage)).toBe(0)
  })

  test('no signal hook by a system that could not be made', () => {
    const before = process.listenerCount('SIGTERM')
    const { 'actor-system-terminate': _last, ...phases } = defaultShutdownPhases
    expect(() => new ActorSystem('bad', { shutdownPhases: phases })).toThrow(InvalidSettings)
    expect(process.listenerCount('SIGTERM')).toBe(before)
  })
})

describe('time', () => {
  nothingMayEscape()

  test('actors must be able to end within the last phase of the shutdown', () => {
    const make = () => new ActorSystem('bad', { settings: { handlerStopTimeoutMs: 60_000 } })
    expect(make).toThrow(
      /handlerStopTimeoutMs \(60000\) must be less than the time of the phase actor-system-terminate \(10000\)/,
    )
  })

  test('an actor is not idle while its async handler is at work', async () => {
    const stage = new Stage()
    const said: string[] = []
    const busy = gate()
    const ref = await stage.start(
      Behaviors.setup<string>((context) => {
        context.setReceiveTimeout(50, 'idle')
        return async (message) => {
          if (message === 'work') await busy.promise
          said.push(`${message} at ${stage.now}`)
        }
      }),
    )
    ref.tell('work')
    await stage.advance(120)
    busy.open()
    await stage.settle()
    await stage.advance(49)
    expect(said).toEqual(['work at 120'])
    await stage.advance(1)
    expect(said).toEqual(['work at 120', 'idle at 170'])
  })
})

describe('what TypeScript infers', () => {
  test('context.ask takes one of several messages, with the reply named once', () => {
    const check = (context: ActorContext<string>, target: ActorRef<Command>): void => {
      context.ask(target, (replyTo: ActorRef<number>) => ({ type: 'Get', replyTo }), {
        done: (count) => {
          expectTypeOf(count).toEqualTypeOf<number>()
          return `${count}`
        },
      })
      // @ts-expect-error there is no such message
      context.ask(target, (replyTo: ActorRef<number>) => ({ type: 'Gut', replyTo }), {
        done: (count) => `${count}`,
      })
    }
    expect(check).toBeTypeOf('function')
  })

  test('supervision refuses what is no class of errors', () => {
    const supervised = Behaviors.supervise(Behaviors.ignore)
    for (const rubbish of [undefined, 'Error', {}, () => true]) {
      expect(() => supervised.onFailure(rubbish as never, SupervisorStrategy.resume())).toThrow(
        InvalidSettings,
      )
    }
  })
})
