import { describe, expect, test } from 'vitest'
import {
  AbortedByStop,
  type ActorContext,
  type ActorRef,
  ActorStopped,
  type Behavior,
  Behaviors,
  type ChildFailed,
  PoisonPill,
  type Signal,
  SupervisorStrategy,
  Terminated,
} from '../../src/actor/index.ts'
import { type Gate, Stage, gate, immediate, nothingMayEscape } from './stage.ts'

const { restart, restartWithBackoff, resume } = SupervisorStrategy

/** Notes the beginning and the end of every message; in between it waits for the gate of that message. */
class Script {
  readonly said: string[] = []
  readonly #gates = new Map<string, Gate<void>>()

  gate(message: string): Gate<void> {
    const found = this.#gates.get(message) ?? gate()
    this.#gates.set(message, found)
    return found
  }

  readonly handle = async (message: string): Promise<void> => {
    this.said.push(`${message} begins`)
    await this.gate(message).promise
    this.said.push(`${message} ends`)
  }
}

describe('async handlers', () => {
  nothingMayEscape()

  describe('one message at a time', () => {
    test('no second message is taken before the promise settles', async () => {
      const stage = new Stage()
      const script = new Script()
      const ref = await stage.start(script.handle)
      ref.tell('a')
      ref.tell('b')
      await stage.settle()
      expect(script.said).toEqual(['a begins'])
      script.gate('a').open()
      await stage.settle()
      expect(script.said).toEqual(['a begins', 'a ends', 'b begins'])
      script.gate('b').open()
      await stage.settle()
      expect(script.said).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
    })

    test('also not across several awaits', async () => {
      const stage = new Stage()
      let inside = 0
      let overlaps = 0
      const said: number[] = []
      const ref = await stage.start<number>(async (message) => {
        overlaps += inside++
        for (let count = 0; count < message; count++) await (count % 2 ? immediate() : undefined)
        said.push(message)
        inside--
      })
      for (let message = 0; message < 30; message++) ref.tell(message % 7)
      await stage.settle()
      expect(overlaps).toBe(0)
      expect(said).toEqual(Array.from({ length: 30 }, (_, index) => index % 7))
    })

    test('timer ticks wait', async () => {
      const stage = new Stage()
      const script = new Script()
      const ref = await stage.start(
        Behaviors.withTimers<string>((timers) => {
          timers.startSingle('key', '1s', 'tick')
          return script.handle
        }),
      )
      await stage.tell(ref, 'a')
      await stage.advance('2s')
      expect(script.said).toEqual(['a begins'])
      script.gate('a').open()
      await stage.settle()
      expect(script.said).toEqual(['a begins', 'a ends', 'tick begins'])
    })

    test('signals wait, and keep their place between messages', async () => {
      const stage = new Stage()
      const script = new Script()
      const target = await stage.start<string>(() => Behaviors.stopped())
      const ref = await stage.start(
        Behaviors.setup<string>((context) => {
          context.watch(target)
          return Behaviors.receiveMessage(script.handle).receiveSignal({
            Terminated: () => void script.said.push('Terminated'),
          })
        }),
      )
      await stage.tell(ref, 'a')
      await stage.tell(target, 'stop')
      await stage.tell(ref, 'b')
      expect(script.said).toEqual(['a begins'])
      script.gate('a').open()
      await stage.settle()
      expect(script.said).toEqual(['a begins', 'a ends', 'Terminated', 'b begins'])
    })

    test('answers to asks and piped promises wait', async () => {
      const stage = new Stage()
      const script = new Script()
      const echo = await stage.start<ActorRef<string>>((replyTo) => replyTo.tell('answer'))
      const ref = await stage.start(
        Behaviors.receive<string>((context, message) => {
          if (message === 'go') {
            context.ask(echo, (replyTo: ActorRef<string>) => replyTo, {
              done: (reply: string) => reply,
            })
            context.pipeToSelf(Promise.resolve('piped'), (value) => value)
          }
          return script.handle(message)
        }),
      )
      await stage.tell(ref, 'go')
      expect(script.said).toEqual(['go begins'])
      for (const message of ['go', 'answer', 'piped']) script.gate(message).open()
      await stage.settle()
      expect(script.said.filter((line) => line.endsWith('begins'))).toHaveLength(3)
      expect(isOrderly(script.said)).toBe(true)
    })

    test('unstashed messages come one at a time as well', async () => {
      const stage = new Stage()
      const script = new Script()
      const ref = await stage.start(
        Behaviors.withStash<string>(10, (stash) => (message) => {
          if (message === 'open') return stash.unstashAll(Behaviors.receiveMessage(script.handle))
          stash.stash(message)
          return undefined
        }),
      )
      await stage.tell(ref, 'a', 'b', 'open', 'c')
      expect(script.said).toEqual(['a begins'])
      for (const message of ['a', 'b', 'c']) {
        script.gate(message).open()
        await stage.settle()
      }
      expect(script.said.filter((line) => line.endsWith('begins'))).toEqual([
        'a begins',
        'b begins',
        'c begins',
      ])
      expect(isOrderly(script.said)).toBe(true)
    })

    test('an async signal handler is waited for, too', async () => {
      const stage = new Stage()
      const script = new Script()
      const target = await stage.start<string>(() => Behaviors.stopped())
      const ref = await stage.start(
        Behaviors.setup<string>((context) => {
          context.watch(target)
          return Behaviors.receiveMessage(script.handle).receiveSignal({
            Terminated: () => script.handle('signal'),
          })
        }),
      )
      await stage.tell(target, 'stop')
      await stage.tell(ref, 'a')
      expect(script.said).toEqual(['signal begins'])
      script.gate('signal').open()
      await stage.settle()
      expect(script.said).toEqual(['signal begins', 'signal ends', 'a begins'])
    })

    test('sync and async messages keep their order', async () => {
      const stage = new Stage()
      const said: number[] = []
      const ref = await stage.start<number>((message) => {
        if (message % 3 !== 0) return void said.push(message)
        return immediate().then(() => void said.push(message))
      })
      for (let message = 0; message < 100; message++) ref.tell(message)
      await stage.settle()
      await stage.settle()
      expect(said).toEqual(Array.from({ length: 100 }, (_, index) => index))
    })

    test('replies come in the order of the questions', async () => {
      const stage = new Stage()
      const replies: number[] = []
      const ref = await stage.start<{ count: number; replyTo: ActorRef<number> }>(
        async ({ count, replyTo }) => {
          for (let left = 10 - count; left > 0; left--) await Promise.resolve()
          replyTo.tell(count)
        },
      )
      for (let count = 0; count < 10; count++) {
        void ref
          .ask((replyTo: ActorRef<number>) => ({ count, replyTo }))
          .then((reply) => replies.push(reply))
      }
      await stage.settle()
      expect(replies).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    })

    test('an actor that waits does not keep others waiting', async () => {
      const stage = new Stage()
      const script = new Script()
      const waiting = await stage.start(script.handle)
      const other = stage.recorder<string>()
      await stage.tell(waiting, 'a')
      await stage.tell(other.ref, 'hello')
      expect(other.messages).toEqual(['hello'])
    })

    test('a restart that falls due while an async interceptor is in flight waits for it', async () => {
      const stage = new Stage()
      const said: string[] = []
      const slow = gate()
      const inner = Behaviors.supervise(
        Behaviors.setup<string>(() => {
          said.push('starts')
          return (message) => {
            if (message === 'fail') throw new Error('boom')
            said.push(message)
          }
        }),
      ).onFailure(restartWithBackoff({ min: '1s', max: '1s', randomFactor: 0 }))
      const ref = await stage.start(
        Behaviors.intercept<string>(
          () => ({
            aroundReceive: async (_context, message, next) => {
              if (message === 'slow') {
                said.push('slow begins')
                await slow.promise
                said.push('slow ends')
              }
              return next(message)
            },
          }),
          inner,
        ),
      )
      await stage.tell(ref, 'fail', 'slow')
      await stage.advance('2s')
      expect(said).toEqual(['starts', 'slow begins'])
      slow.open()
      await stage.settle()
      expect(said).toEqual(['starts', 'slow begins', 'slow ends', 'starts', 'slow'])
    })
  })

  describe('what the promise comes to', () => {
    test('a behavior is the next behavior', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start<string>(async () => {
        await Promise.resolve()
        return Behaviors.receiveMessage<string>((message) => void said.push(message))
      })
      ref.tell('a')
      ref.tell('b')
      await stage.settle()
      expect(said).toEqual(['b'])
    })

    test('stopped stops, with its callback', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start<string>(async () =>
        Behaviors.stopped(() => void said.push('bye')),
      )
      await stage.tell(ref, 'a')
      expect([said, stage.isTerminated(ref)]).toEqual([['bye'], true])
    })

    test('a setup is built', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start<string>(async () =>
        Behaviors.setup<string>(() => {
          said.push('setup')
          return (message) => void said.push(message)
        }),
      )
      await stage.tell(ref, 'a', 'b')
      expect(said).toEqual(['setup', 'b'])
    })

    test('unhandled is reported with the message', async () => {
      const stage = new Stage()
      const ref = await stage.start<string>(async () => Behaviors.unhandled)
      await stage.tell(ref, 'a')
      expect(stage.losses).toEqual(['UnhandledMessage a'])
    })

    test('unhandled is reported with the message also inside supervision and after a stash', async () => {
      const stage = new Stage()
      const never = Behaviors.receiveMessage<string>(async () => Behaviors.unhandled)
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.withStash<string>(10, (stash) => (message) => {
            if (message === 'open') return stash.unstashAll(never)
            stash.stash(message)
            return undefined
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'a', 'open', 'b')
      expect(stage.losses).toEqual(['UnhandledMessage a', 'UnhandledMessage b'])
    })

    test('rubbish is a failure', async () => {
      const stage = new Stage()
      const ref = await stage.start<string>((async () => 42) as never)
      await stage.tell(ref, 'a')
      expect(stage.logged('error')[0]?.fields['err']).toMatchObject({ code: 'INVALID_BEHAVIOR' })
      expect(stage.isTerminated(ref)).toBe(true)
    })

    test('a thenable is taken for a promise', async () => {
      const stage = new Stage()
      const said: string[] = []
      let settle!: (next: undefined) => void
      const thenable = {
        // oxlint-disable-next-line unicorn/no-thenable
        then: (done: (next: undefined) => void) => {
          settle = done
        },
      }
      const ref = await stage.start<string>(((message: string) => {
        said.push(message)
        return message === 'a' ? thenable : undefined
      }) as never)
      await stage.tell(ref, 'a', 'b')
      expect(said).toEqual(['a'])
      settle(undefined)
      await stage.settle()
      expect(said).toEqual(['a', 'b'])
    })

    test('a thenable that throws when asked is a failure', async () => {
      const stage = new Stage()
      const error = new Error('in then')
      const thenable = {
        // oxlint-disable-next-line unicorn/no-thenable
        then: () => {
          throw error
        },
      }
      const ref = await stage.start<string>((() => thenable) as never)
      await stage.tell(ref, 'a')
      expect(stage.isTerminated(ref)).toBe(true)
      expect(stage.linesOn(error)).toHaveLength(1)
    })

    test('a thenable that settles many times settles once', async () => {
      const stage = new Stage()
      const said: string[] = []
      const thenable = {
        // oxlint-disable-next-line unicorn/no-thenable
        then: (done: (next: unknown) => void, failed: (error: unknown) => void) => {
          done(undefined)
          done(Behaviors.stopped())
          failed(new Error('too late'))
        },
      }
      const ref = await stage.start<string>(((message: string) => {
        said.push(message)
        return thenable
      }) as never)
      await stage.tell(ref, 'a', 'b')
      expect([said, stage.isTerminated(ref)]).toEqual([['a', 'b'], false])
    })
  })

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

/** Every `x begins` is followed by `x ends`, if by anything. */
function isOrderly(said: readonly string[]): boolean {
  return said.every((line, index) => {
    const [message, what] = line.split(' ')
    return what === 'ends' || index === said.length - 1 || said[index + 1] === `${message} ends`
  })
}
