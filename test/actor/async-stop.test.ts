import { describe, expect, test } from 'vitest'
import {
  AbortedByStop,
  type ActorContext,
  type ActorRef,
  type Behavior,
  Behaviors,
  PoisonPill,
  type Signal,
  SupervisorStrategy,
  Terminated,
} from '../../src/actor/index.ts'
import { Stage, gate, nothingMayEscape } from './stage.ts'
import { Script } from './script.ts'

const { restart } = SupervisorStrategy

describe('async handlers and the stop', () => {
  nothingMayEscape()

  describe('stop while a handler is in flight', () => {
    /** A child of a parent that stops it on demand, and what both have said. */
    async function family(
      handle: (context: ActorContext<string>, message: string) => Promise<unknown>,
      stage = new Stage(),
    ) {
      const said: string[] = []
      let child!: ActorRef<string>
      const parent = await stage.start(
        Behaviors.setup<string>((context) => {
          child = context.spawn(
            Behaviors.receive<string>(
              (childContext, message) => handle(childContext, message) as Promise<undefined>,
            ).receiveSignal({ PostStop: () => void said.push('PostStop') }),
            'child',
          )
          context.watch(child)
          return Behaviors.receiveMessage<string>((message) => {
            if (message === 'stop') context.stop(child)
          }).receiveSignal({ Terminated: () => void said.push('Terminated') })
        }),
      )
      const stopChild = (): Promise<void> => stage.tell(parent, 'stop')
      return { stage, said, child, stopChild }
    }

    test('the stop is served at once: the AbortSignal fires', async () => {
      const wait = gate()
      const reasons: unknown[] = []
      const { stage, child, stopChild } = await family(async (context) => {
        context.signal.addEventListener('abort', () => reasons.push(context.signal.reason))
        await wait.promise
      })
      await stage.tell(child, 'a')
      expect(reasons).toEqual([])
      await stopChild()
      expect(reasons).toEqual([expect.any(AbortedByStop)])
      wait.open()
    })

    test('PostStop waits for the handler', async () => {
      const wait = gate()
      const { stage, said, child, stopChild } = await family(() => wait.promise)
      await stage.tell(child, 'a')
      await stopChild()
      expect(said).toEqual([])
      wait.open()
      await stage.settle()
      expect(said).toEqual(['PostStop', 'Terminated'])
    })

    test('a handler that listens to the signal ends at once, and its rejection is no failure', async () => {
      const { stage, said, child, stopChild } = await family(
        (context) =>
          new Promise((_resolve, reject) => {
            context.signal.addEventListener('abort', () => reject(context.signal.reason))
          }),
      )
      await stage.tell(child, 'a')
      await stopChild()
      expect(said).toEqual(['PostStop', 'Terminated'])
      expect(stage.logged('error')).toEqual([])
    })

    test('a handler that never settles holds up the stop for the time set, with a warning', async () => {
      const stage = new Stage({ settings: { handlerStopTimeoutMs: 700 } })
      const { said, child, stopChild } = await family(() => new Promise(() => {}), stage)
      await stage.tell(child, 'a', 'b')
      await stopChild()
      await stage.advance(699)
      expect(said).toEqual([])
      await stage.advance(1)
      expect(said).toEqual(['PostStop', 'Terminated'])
      expect(stage.logged('warn')).toHaveLength(1)
      expect(stage.logged('warn')[0]?.fields['actor']).toBe(child.toString())
      expect(stage.losses).toEqual(['DeadLetter/terminated-while-queued b'])
    })

    test('a line of actors whose handlers never settle stops within the time of one', async () => {
      const stage = new Stage({ settings: { handlerStopTimeoutMs: 700 } })
      const stuck = (depth: number): Behavior<string> =>
        Behaviors.setup<string>((context) => {
          if (depth > 1) context.spawn(stuck(depth - 1)).tell('wait')
          return () => new Promise(() => {})
        })
      const ref = await stage.start(stuck(5))
      await stage.tell(ref, 'wait')
      void stage.system.terminate()
      await stage.advance(700)
      expect(stage.isTerminated(ref)).toBe(true)
    })

    test('what it returns is ignored', async () => {
      const wait = gate()
      let setups = 0
      const { stage, said, child, stopChild } = await family(async () => {
        await wait.promise
        return Behaviors.setup<string>(() => {
          setups++
          return Behaviors.receiveSignal<string>({
            PostStop: () => void said.push('wrong PostStop'),
          })
        })
      })
      await stage.tell(child, 'a')
      await stopChild()
      wait.open()
      await stage.settle()
      expect([setups, said]).toEqual([0, ['PostStop', 'Terminated']])
    })

    test('a message that it says it has not handled is reported all the same', async () => {
      const wait = gate()
      const { stage, child, stopChild } = await family(async () => {
        await wait.promise
        return Behaviors.unhandled
      })
      await stage.tell(child, 'a')
      await stopChild()
      wait.open()
      await stage.settle()
      expect(stage.losses).toEqual(['UnhandledMessage a'])
    })

    test('also when the stop comes between its end and what it came to', async () => {
      const stage = new Stage()
      const wait = gate<Behavior<unknown>>()
      let child!: ActorRef<string>
      const parent = await stage.start(
        Behaviors.setup<string>((context) => {
          child = context.spawn<string>(() => wait.promise)
          return () => context.stop(child)
        }),
      )
      await stage.tell(child, 'a')
      wait.open(Behaviors.unhandled)
      await stage.tell(parent, 'stop')
      expect(stage.losses).toEqual(['UnhandledMessage a'])
    })

    test('others can watch it meanwhile', async () => {
      const wait = gate()
      const { stage, child, stopChild } = await family(() => wait.promise)
      await stage.tell(child, 'a')
      const heard: Signal[] = []
      await stage.start(
        Behaviors.setup<string>((context) => {
          context.watch(child)
          return Behaviors.receiveSignal<string>({
            Terminated: (_context, signal) => void heard.push(signal),
          })
        }),
      )
      await stopChild()
      expect(heard).toEqual([])
      wait.open()
      await stage.settle()
      expect(heard).toEqual([new Terminated(child)])
    })

    test('its children are stopped meanwhile', async () => {
      const wait = gate()
      let grandchild!: ActorRef<never>
      const { stage, child, stopChild } = await family(async (context) => {
        grandchild = context.spawn(Behaviors.ignore)
        await wait.promise
      })
      await stage.tell(child, 'a')
      await stopChild()
      expect([stage.isTerminated(grandchild), stage.isTerminated(child)]).toEqual([true, false])
      wait.open()
    })

    test('a PoisonPill waits for its turn in the mailbox', async () => {
      const stage = new Stage()
      const script = new Script()
      const ref = await stage.start(script.handle)
      ref.tell('a')
      ref.tell(PoisonPill)
      await stage.settle()
      script.gate('a').open()
      await stage.settle()
      expect(script.said).toEqual(['a begins', 'a ends'])
      expect(stage.isTerminated(ref)).toBe(true)
    })

    test('the system terminates although a handler never settles', async () => {
      const stage = new Stage()
      const ref = await stage.start<string>(() => new Promise(() => {}))
      await stage.tell(ref, 'a')
      let isOver = false
      void stage.system.terminate().then(() => {
        isOver = true
      })
      await stage.advance('3s')
      expect([isOver, stage.isTerminated(ref)]).toEqual([true, true])
    })
  })

  describe('context.stop inside an async handler', () => {
    test('stops after the handler, which goes on to its end', async () => {
      const stage = new Stage()
      const said: string[] = []
      const wait = gate()
      const ref = await stage.start(
        Behaviors.receive<string>(async (context, message) => {
          context.stop()
          said.push(`${message} begins`)
          await wait.promise
          context.self.tell('to itself')
          context.spawn(Behaviors.ignore)
          said.push(`${message} ends`)
        }).receiveSignal({ PostStop: () => void said.push('PostStop') }),
      )
      await stage.tell(ref, 'a', 'b')
      expect(said).toEqual(['a begins'])
      wait.open()
      await stage.settle()
      expect(said).toEqual(['a begins', 'a ends', 'PostStop'])
      expect(stage.losses).toEqual([
        'DeadLetter/terminated-while-queued b',
        'DeadLetter/terminated-while-queued to itself',
      ])
    })

    test('lets PostStop go to the behavior that it comes to', async () => {
      const stage = new Stage()
      const said: string[] = []
      const noting = (name: string): Behavior<string> =>
        Behaviors.receive<string>(async (context) => {
          context.stop()
          await Promise.resolve()
          return noting('second')
        }).receiveSignal({ PostStop: () => void said.push(`${name} PostStop`) })
      await stage.tell(await stage.start(noting('first')), 'go')
      expect(said).toEqual(['second PostStop'])
    })

    test('of a child works after an await', async () => {
      const stage = new Stage()
      let child!: ActorRef<never>
      const ref = await stage.start(
        Behaviors.setup<string>((context) => {
          child = context.spawn(Behaviors.ignore)
          return async () => {
            await Promise.resolve()
            context.stop(child)
          }
        }),
      )
      await stage.tell(ref, 'go')
      expect([stage.isTerminated(child), stage.isTerminated(ref)]).toEqual([true, false])
    })
  })

  describe('the context after an await', () => {
    test('does everything it does before', async () => {
      const stage = new Stage()
      const heard: unknown[] = []
      const target = await stage.start<string>(() => Behaviors.stopped())
      const ref = await stage.start(
        Behaviors.receive<string>(async (context, message) => {
          heard.push(message)
          if (message !== 'go') return
          await Promise.resolve()
          context.timers.startSingle('key', '1s', 'tick')
          context.setReceiveTimeout('10s', 'idle')
          context.watchWith(target, 'target is gone')
          context.pipeToSelf(Promise.resolve('piped'), (value) => value)
          const child = context.spawn<ActorRef<string>>((replyTo) => replyTo.tell('answer'))
          context.ask(child, (replyTo: ActorRef<string>) => replyTo, {
            done: (reply: string) => reply,
          })
          context.messageAdapter((count: number) => `adapted ${count}`).tell(1)
        }),
      )
      await stage.tell(ref, 'go')
      await stage.tell(target, 'stop')
      await stage.advance('11s')
      expect(heard.map(String).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
        'adapted 1',
        'answer',
        'go',
        'idle',
        'piped',
        'target is gone',
        'tick',
      ])
    })

    test('makes stashes that are dropped by a restart, as before the await', async () => {
      const stage = new Stage()
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.receive<string>(async (context, message) => {
            if (message === 'fail') throw new Error('boom')
            await Promise.resolve()
            context.stash(10).stash(message)
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'a', 'fail')
      expect(stage.losses).toEqual(['Dropped/stash-discarded-by-restart a'])
    })

    test('unstashes through supervision and interceptors as before the await', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(
        Behaviors.transformMessages<string, string>(
          (message) => `${message}!`,
          Behaviors.supervise(
            Behaviors.withStash<string>(10, (stash) => async (message) => {
              if (message !== 'open!') return stash.stash(message)
              await Promise.resolve()
              return stash.unstashAll(
                Behaviors.receiveMessage<string>((each) => void said.push(each)),
              )
            }),
          ).onFailure(restart()),
        ),
      )
      await stage.tell(ref, 'a', 'b', 'open', 'c')
      expect(said).toEqual(['a!', 'b!', 'c!'])
    })
  })
})
