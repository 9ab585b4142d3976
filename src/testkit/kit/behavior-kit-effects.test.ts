import { describe, expect, test } from 'vitest'
import {
  type ActorContext,
  type ActorRef,
  type Behavior,
  Behaviors,
  ChildFailed,
  ContextOutsideTurn,
  DeathPact,
  PostStop,
  PreRestart,
  type Signal,
  SupervisorStrategy,
  Terminated,
  WatchConflict,
} from '../../actor/index.ts'
import { BehaviorKit } from './behavior-kit.ts'
import { createInbox } from './inbox.ts'

type Act = (context: ActorContext<unknown>) => void

/** A behavior that does what it is told, and keeps the signals it gets. */
function obedient(signals: Signal[] = []): Behavior<unknown> {
  const keep = (_context: unknown, signal: Signal): void => void signals.push(signal)
  return Behaviors.receive<unknown>((context, act) => {
    if (typeof act === 'function') (act as Act)(context)
  }).receiveSignal({
    Terminated: keep,
    ChildFailed: keep,
    PreRestart: keep,
    PostStop: keep,
  })
}

function run(kit: BehaviorKit<unknown>, act: Act): void {
  kit.run(act)
}

describe('effects', () => {
  test('tell of children', () => {
    const kit = new BehaviorKit(obedient())
    const child = Behaviors.receiveMessage<never>(() => undefined)
    let named: ActorRef<never> | undefined
    run(kit, (context) => {
      named = context.spawn(child, 'a child')
      context.spawn(child)
      context.spawn(child, { name: 'b', mailbox: { messagesMax: 1 } })
      context.stop(named)
    })
    expect(kit.effects()).toEqual([
      { type: 'Spawned', behavior: child, name: 'a child', ref: named },
      { type: 'Spawned', behavior: child, name: '$1', ref: expect.anything() as unknown },
      { type: 'Spawned', behavior: child, name: 'b', ref: expect.anything() as unknown },
      { type: 'Stopped', ref: named },
    ])
    expect(kit.effects()).toEqual([])
    run(kit, (context) => expect(context.child('a child')).toBeUndefined())
    expect(kit.childInbox('$1').isEmpty).toBe(true)
  })

  test('tell of watching', () => {
    const kit = new BehaviorKit(obedient())
    const { ref } = createInbox('other')
    const { ref: third } = createInbox('third')
    run(kit, (context) => {
      context.watch(ref)
      context.watchWith(third, 'gone')
      expect(() => context.watchWith(ref, 'x')).toThrow(WatchConflict)
      context.unwatch(ref)
    })
    expect(kit.effects()).toEqual([
      { type: 'Watched', ref },
      { type: 'WatchedWith', ref: third, message: 'gone' },
      { type: 'Unwatched', ref },
    ])
  })

  test('tell of timers, whose ticks wait in the self inbox', () => {
    const kit = new BehaviorKit(obedient())
    run(kit, ({ timers }) => {
      timers.startSingle('once', '2s', 'single')
      timers.startFixedDelay('delay', 500, 'delayed', '1s')
      timers.startFixedRate('rate', '1m', 'rated')
      timers.cancel('rate')
      expect([timers.isActive('once'), timers.isActive('rate')]).toEqual([true, false])
    })
    expect(kit.effects()).toEqual([
      { type: 'TimerStarted', key: 'once', kind: 'single', delayMs: 2_000, message: 'single' },
      {
        type: 'TimerStarted',
        key: 'delay',
        kind: 'fixed-delay',
        delayMs: 500,
        initialDelayMs: 1_000,
        message: 'delayed',
      },
      { type: 'TimerStarted', key: 'rate', kind: 'fixed-rate', delayMs: 60_000, message: 'rated' },
      { type: 'TimerCancelled', key: 'rate' },
    ])
    kit.advance('1.5s')
    expect(kit.selfInbox.receiveAll()).toEqual(['delayed', 'delayed'])
    kit.advance('0.5s')
    expect(kit.selfInbox.receiveAll()).toEqual(['single', 'delayed'])
    run(kit, ({ timers }) => timers.cancelAll())
    expect(kit.effects()).toEqual([{ type: 'AllTimersCancelled' }])
    kit.advance('1h')
    expect(kit.selfInbox.isEmpty).toBe(true)
  })

  test('tell of the receive timeout, which messages push back', () => {
    const kit = new BehaviorKit(obedient())
    run(kit, (context) => context.setReceiveTimeout('10s', 'idle'))
    run(kit, (context) => context.setReceiveTimeout('5s', 'idle'))
    expect(kit.effects()).toEqual([
      { type: 'ReceiveTimeoutSet', timeoutMs: 10_000, message: 'idle' },
      { type: 'ReceiveTimeoutSet', timeoutMs: 5_000, message: 'idle' },
    ])
    kit.advance('4s')
    kit.run('busy')
    kit.advance('4s')
    expect(kit.selfInbox.isEmpty).toBe(true)
    kit.signal(new PreRestart())
    kit.advance('1s')
    kit.selfInbox.expect('idle')
    run(kit, (context) => context.cancelReceiveTimeout())
    expect(kit.effects()).toEqual([{ type: 'ReceiveTimeoutCancelled' }])
  })

  test('tell of adapters, whose translations wait in the self inbox', () => {
    const kit = new BehaviorKit(obedient())
    let adapter: ActorRef<{ type: string }> | undefined
    run(kit, (context) => {
      adapter = context.messageAdapter<{ type: string }>(({ type }) => `other ${type}`)
      context.messageAdapter<{ type: string }>('Priced', () => 'priced')
    })
    expect(kit.effects()).toEqual([
      { type: 'MessageAdapterRegistered', match: undefined },
      { type: 'MessageAdapterRegistered', match: 'Priced' },
    ])
    adapter?.tell({ type: 'Priced' })
    adapter?.tell({ type: 'Sold' })
    expect(kit.selfInbox.receiveAll()).toEqual(['priced', 'other Sold'])
  })

  test('tell of questions', () => {
    const kit = new BehaviorKit(obedient())
    const clerk = createInbox<unknown>('clerk')
    const promise = Promise.resolve(1)
    run(kit, (context) => {
      context.pipeToSelf(promise, (value) => value)
      context.ask(clerk.ref, () => 'question', { done: (reply) => reply })
      context.askWithStatus(clerk.ref, () => 'status', { done: (reply) => reply })
    })
    expect(kit.effects()).toEqual([
      { type: 'PipedToSelf', promise },
      { type: 'Asked', target: clerk.ref },
      { type: 'Asked', target: clerk.ref },
    ])
    expect(clerk.receiveAll()).toEqual(['question', 'status'])
  })

  test('are seen from setup, and inside supervision and interceptors', () => {
    const deep = Behaviors.setup<unknown>((context) => {
      context.timers.startSingle('t', 1, 'x')
      return obedient()
    })
    const intercepted = Behaviors.intercept<unknown>(
      () => ({ aroundReceive: (_context, message, next) => next(message) }),
      Behaviors.supervise(deep).onFailure(SupervisorStrategy.restart()),
    )
    const kit = new BehaviorKit(intercepted)
    expect(kit.effects()).toMatchObject([{ type: 'TimerStarted' }])
    run(kit, (context) => context.spawn(() => undefined, 'child'))
    expect(kit.effects()).toMatchObject([{ type: 'Spawned', name: 'child' }])
  })

  test('are refused outside of a turn, as ever', () => {
    const kit = new BehaviorKit(obedient())
    let kept: ActorContext<unknown> | undefined
    run(kit, (context) => {
      kept = context
    })
    expect(() => kept?.spawn(() => undefined)).toThrow(ContextOutsideTurn)
    expect(() => kept?.timers).toThrow(ContextOutsideTurn)
    expect(kit.effects()).toEqual([])
  })
})

describe('kit.signal', () => {
  test('hands the behavior a signal, and only those the test sends', () => {
    const signals: Signal[] = []
    const kit = new BehaviorKit(obedient(signals))
    let child: ActorRef<never> | undefined
    run(kit, (context) => {
      child = context.spawn(() => undefined, 'child')
      context.watch(child)
      context.stop(child)
    })
    expect(signals).toEqual([])
    const sent = [new Terminated(child!), new PreRestart(), new PostStop()]
    for (const signal of sent) kit.signal(signal)
    expect(signals).toEqual(sent)
    expect(kit.isAlive).toBe(true)
    expect(kit.effects().map(({ type }) => type)).toEqual(['Spawned', 'Watched', 'Stopped'])
  })

  test('takes the child away of which it says that it has terminated', () => {
    const kit = new BehaviorKit(obedient())
    const spawnChild: Act = (context) => {
      context.watch(context.spawn(() => undefined, 'child'))
    }
    run(kit, spawnChild)
    const { ref } = kit.childInbox('child')
    kit.signal(new Terminated(ref))
    run(kit, (context) => expect(context.children).toEqual([]))
    run(kit, spawnChild)
    expect(kit.childInbox('child').ref).not.toBe(ref)
  })

  test('ends the watching of which it speaks', () => {
    const kit = new BehaviorKit(obedient())
    const { ref } = createInbox('other')
    run(kit, (context) => context.watch(ref))
    kit.signal(new Terminated(ref))
    run(kit, (context) => context.watchWith(ref, 'gone'))
    expect(kit.effects()).toEqual([
      { type: 'Watched', ref },
      { type: 'WatchedWith', ref, message: 'gone' },
    ])
  })

  test('fails as it would anywhere when the end of a watched actor is not handled', () => {
    const { ref } = createInbox('other')
    const watching = Behaviors.setup<string>((context) => {
      context.watch(ref)
      return () => undefined
    })
    const kit = new BehaviorKit(watching)
    expect(() => kit.signal(new ChildFailed(ref, 'why'))).toThrow(DeathPact)
    expect(kit.isAlive).toBe(false)
    const calm = new BehaviorKit<string>(() => undefined)
    calm.signal(new PostStop())
    expect(calm.isAlive).toBe(true)
  })

  test('refuses the end of an actor that is not watched, or with a message', () => {
    const kit = new BehaviorKit(obedient(), { name: 'x' })
    const { ref } = createInbox('other')
    expect(() => kit.signal(new Terminated(ref))).toThrow(
      `behavior kit x does not watch ${ref}, so no signal of its end would come: it watches nobody.`,
    )
    run(kit, (context) => context.watchWith(ref, 'gone'))
    expect(() => kit.signal(new Terminated(ref))).toThrow(
      `behavior kit x watches ${ref} with a message in place of the signal: run('gone').`,
    )
    run(kit, (context) => context.unwatch(ref))
    run(kit, (context) => context.watch(context.spawn(() => undefined, 'child')))
    expect(() => kit.signal(new Terminated(ref))).toThrow(
      `it watches ${kit.childInbox('child').ref}.`,
    )
    expect(kit.isAlive).toBe(true)
  })

  test('changes the behavior by what the handler answers', () => {
    const kit = new BehaviorKit<string>(
      Behaviors.receiveSignal<string>({ PreRestart: () => Behaviors.stopped() }),
    )
    kit.signal(new PreRestart())
    expect(kit.isAlive).toBe(false)
  })

  test('sends the message of watchWith to the self inbox when a child stops', () => {
    const kit = new BehaviorKit(obedient())
    run(kit, (context) => {
      const child = context.spawn(() => undefined, 'child')
      context.watchWith(child, 'gone')
      context.stop(child)
    })
    kit.selfInbox.expect('gone')
  })

  test('records the stop of a child, and not that of the actor itself', () => {
    const kit = new BehaviorKit(obedient())
    run(kit, (context) => context.stop(context.self))
    expect(kit.effects()).toEqual([])
    expect(kit.isAlive).toBe(false)
  })
})
