import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors, SupervisorStrategy } from '../../src/actor/index.ts'
import { Stage, immediate, nothingMayEscape } from './stage.ts'
import { Script } from './script.ts'

const { restart } = SupervisorStrategy

/** Every `x begins` is followed by `x ends`, if by anything. */
function isOrderly(said: readonly string[]): boolean {
  return said.every((line, index) => {
    const [message, what] = line.split(' ')
    return what === 'ends' || index === said.length - 1 || said[index + 1] === `${message} ends`
  })
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
})
