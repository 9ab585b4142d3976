import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors, PoisonPill, SupervisorStrategy } from '../../src/actor/index.ts'
import { Gate } from '../../src/actor/internals.ts'
import { nothingMayEscape, Stage } from './stage.ts'

describe('the small print of messages', () => {
  nothingMayEscape()

  test('a tick of a timer does not push back the receive timeout', async () => {
    const stage = new Stage()
    const said: string[] = []
    await stage.start(
      Behaviors.setup<string>((context) => {
        context.setReceiveTimeout('10s', 'idle')
        context.timers.startFixedRate('rate', '3s', 'tick')
        return (message) => void said.push(`${message} at ${stage.now}`)
      }),
    )
    await stage.advance('11s')
    expect(said).toEqual(['tick at 3000', 'tick at 6000', 'tick at 9000', 'idle at 10000'])
  })

  test('a bounded mailbox stays bounded, however many ticks have passed through it', async () => {
    const stage = new Stage()
    const behavior = Behaviors.setup<string>((context) => {
      context.timers.startFixedRate('rate', '1s', 'tick')
      return () => undefined
    })
    const ref = await stage.start(behavior, { mailbox: { messagesMax: 1 } })
    await stage.advance('10s')
    for (const message of ['a', 'b', 'c']) ref.tell(message)
    await stage.settle()
    expect(stage.losses).toEqual(['Dropped/mailbox-full b', 'Dropped/mailbox-full c'])
  })

  test('an adapter that answers null answers nothing', async () => {
    const stage = new Stage()
    const said: unknown[] = []
    let adapter!: ActorRef<string>
    await stage.start(
      Behaviors.setup<string>((context) => {
        adapter = context.messageAdapter(() => null as never)
        return (message) => void said.push(message)
      }),
    )
    await stage.tell(adapter, 'a')
    expect(said).toEqual([])
    expect(stage.losses).toEqual(['Dropped/adapted-to-nothing a'])
  })

  test('the same match again replaces its translation: nothing piles up', async () => {
    const stage = new Stage()
    const asked: unknown[] = []
    let adapter!: ActorRef<string>
    const isMine = (message: unknown): message is string => {
      asked.push(message)
      return false
    }
    await stage.start(
      Behaviors.setup<string>((context) => {
        for (let count = 0; count < 3; count++) adapter = context.messageAdapter(isMine, String)
        return Behaviors.ignore
      }),
    )
    await stage.tell(adapter, 'a')
    expect(asked).toEqual(['a'])
    expect(stage.losses).toEqual(['UnhandledMessage a'])
  })

  test('a PoisonPill for an adapter is one for its actor', async () => {
    const stage = new Stage()
    let adapter!: ActorRef<string>
    const ref = await stage.start(
      Behaviors.setup<string>((context) => {
        adapter = context.messageAdapter((text: string) => text)
        return Behaviors.ignore
      }),
    )
    adapter.tell(PoisonPill)
    await stage.settle()
    expect(stage.isTerminated(ref)).toBe(true)
  })

  test('the timers of the runtime’s own actors are internal, as the actors are', async () => {
    const stage = new Stage()
    const waiting = Behaviors.setup<string>((context) => {
      context.timers.startSingle('key', '1s', 'tick')
      context.setReceiveTimeout('2s', 'idle')
      return Behaviors.ignore
    })
    await stage.start(waiting)
    stage.system.spawnSystemActor(waiting)
    await stage.settle()
    const timers = stage.system.runtime.wheel.close()
    expect(timers.map(({ isInternal }) => isInternal)).toEqual([false, true, false, true])
  })

  test('a child that was not found cannot be stopped, and nobody else is in its place', async () => {
    const stage = new Stage()
    const said: string[] = []
    const ref = await stage.start(
      Behaviors.receive<string>((context) => {
        expect(() => context.stop(context.child('nobody'))).toThrow(/undefined/)
        said.push('went on')
      }),
    )
    await stage.tell(ref, 'a', 'b')
    expect(said).toEqual(['went on', 'went on'])
  })

  test('an interceptor hears of every start of the behavior inside', async () => {
    const stage = new Stage()
    const said: string[] = []
    const counting = Behaviors.intercept<string>(
      () => ({
        aroundStart: () => void said.push('start'),
        aroundReceive: (_context, message, next) => next(message),
      }),
      (message: string) => {
        if (message === 'wild') throw new Error(message)
        said.push(message)
      },
    )
    const ref = await stage.start(
      Behaviors.supervise(counting).onFailure(SupervisorStrategy.restart()),
    )
    await stage.tell(ref, 'a', 'wild', 'b')
    expect(said).toEqual(['start', 'a', 'start', 'b'])
  })

  test('a child is found by the name it was given, or by the one that it got', async () => {
    const stage = new Stage()
    const found: unknown[] = []
    await stage.start(
      Behaviors.setup<string>((context) => {
        const named = context.spawn(Behaviors.ignore, 'ä b')
        const nameless = context.spawn(Behaviors.ignore)
        found.push(context.child('ä b') === named, context.child(nameless.path.name) === nameless)
        return Behaviors.ignore
      }),
    )
    expect(found).toEqual([true, true])
  })

  test('a signal that is asked for while the actor stops has fired', async () => {
    const stage = new Stage()
    const aborted: boolean[] = []
    const ref = await stage.start(
      Behaviors.receiveMessage<string>(() => Behaviors.stopped()).receiveSignal({
        PostStop: (context) => void aborted.push(context.signal.aborted),
      }),
    )
    await stage.tell(ref, 'end')
    expect(aborted).toEqual([true])
  })

  test('a gate stands before a child that was spawned with it', async () => {
    const stage = new Stage()
    const said: string[] = []
    const gate = new Gate()
    gate.close()
    const ref = await stage.start<string>((message) => void said.push(message), { gate })
    await stage.tell(ref, 'a')
    expect(said).toEqual([])
    gate.open()
    await stage.settle()
    expect(said).toEqual(['a'])
  })
})
