import { describe, expect, test } from 'vitest'
import {
  type ActorRef,
  AskAborted,
  AskTargetTerminated,
  AskTimeout,
  type Behavior,
  Behaviors,
  StatusError,
  StatusReply,
} from '../../src/actor/index.ts'
import { Stage, nothingMayEscape, outcomeOf } from './stage.ts'

interface Question {
  readonly text: string
  readonly replyTo: ActorRef<string>
}

const ask = (text: string) => (replyTo: ActorRef<string>) => ({ text, replyTo })

/** Answers every question with its text, at once. */
const echo = (): Behavior<Question> =>
  Behaviors.receiveMessage(({ text, replyTo }) => replyTo.tell(`re: ${text}`))

/** Keeps every question. */
const keeper = (kept: Question[]): Behavior<Question> =>
  Behaviors.receiveMessage((question) => void kept.push(question))

describe('AT-004 Ask', () => {
  nothingMayEscape()

  describe('from outside', () => {
    test('resolves with the reply', async () => {
      const stage = new Stage()
      const { ends } = outcomeOf(stage.spawn(echo()).ask(ask('hi')))
      await stage.settle()
      expect(ends).toEqual([{ value: 're: hi' }])
    })

    test('an answered ask leaves no timer behind', async () => {
      const stage = new Stage()
      const { ends } = outcomeOf(stage.spawn(echo()).ask(ask('hi')))
      await stage.advance('10s')
      expect(ends).toEqual([{ value: 're: hi' }])
      expect(stage.time.nextDeadline).toBeUndefined()
    })

    test('a slow answer in time is an answer', async () => {
      const stage = new Stage()
      const kept: Question[] = []
      const { ends } = outcomeOf(stage.spawn(keeper(kept)).ask(ask('hi'), { timeout: '1s' }))
      await stage.advance(999)
      kept[0]?.replyTo.tell('late but in time')
      await stage.settle()
      expect(ends).toEqual([{ value: 'late but in time' }])
    })

    test('times out with an error that names the target and the time', async () => {
      const stage = new Stage()
      const ref = stage.spawn(keeper([]), 'silent')
      const { ends } = outcomeOf(ref.ask(ask('hi'), { timeout: '1s' }))
      await stage.advance(999)
      expect(ends).toEqual([])
      await stage.advance(1)
      expect(ends).toEqual([expect.any(AskTimeout)])
      expect((ends[0] as AskTimeout).message).toContain(`Ask timed out on ${ref} after 1 s`)
      expect(ends[0]).toMatchObject({ code: 'ASK_TIMEOUT', target: `${ref}`, timeoutMs: 1_000 })
    })

    test('takes the timeout of the system when none is given', async () => {
      const stage = new Stage({ settings: { askTimeoutMs: 300 } })
      const { ends } = outcomeOf(stage.spawn(keeper([])).ask(ask('hi')))
      await stage.advance(299)
      expect(ends).toEqual([])
      await stage.advance(1)
      expect(ends).toEqual([expect.any(AskTimeout)])
    })

    test('a timeout of 0 fails at once, and the message is sent all the same', async () => {
      const stage = new Stage()
      const kept: Question[] = []
      const { ends } = outcomeOf(stage.spawn(keeper(kept)).ask(ask('hi'), { timeout: 0 }))
      await stage.settle()
      expect(ends).toEqual([expect.any(AskTimeout)])
      expect(kept).toHaveLength(1)
    })

    test('a late reply is a dead letter', async () => {
      const stage = new Stage()
      const kept: Question[] = []
      const { ends } = outcomeOf(stage.spawn(keeper(kept)).ask(ask('hi'), { timeout: '1s' }))
      await stage.advance('1s')
      kept[0]?.replyTo.tell('too late')
      await stage.settle()
      expect(ends).toHaveLength(1)
      expect(stage.losses).toEqual(['DeadLetter/late-reply too late'])
    })

    test('a second reply is a dead letter', async () => {
      const stage = new Stage()
      const ref = stage.spawn<Question>(
        Behaviors.receiveMessage(({ replyTo }) => {
          replyTo.tell('one')
          replyTo.tell('two')
        }),
      )
      const { ends } = outcomeOf(ref.ask(ask('hi')))
      await stage.settle()
      expect(ends).toEqual([{ value: 'one' }])
      expect(stage.losses).toEqual(['DeadLetter/late-reply two'])
    })

    test('a terminated target fails the ask at once and the question is a dead letter', async () => {
      const stage = new Stage()
      const ref = await stage.start<Question>(Behaviors.stopped())
      const { ends } = outcomeOf(ref.ask(ask('hi')))
      await stage.settle()
      expect(ends).toEqual([expect.any(AskTargetTerminated)])
      expect((ends[0] as Error).message).toContain('had already been terminated')
      expect(stage.lost).toMatchObject([
        { type: 'DeadLetter', reason: 'terminated', message: { text: 'hi' } },
      ])
    })

    test('a target that terminates without an answer lets the ask time out', async () => {
      const stage = new Stage()
      const ref = stage.spawn<Question>(Behaviors.receiveMessage(() => Behaviors.stopped()))
      const { ends } = outcomeOf(ref.ask(ask('hi'), { timeout: '1s' }))
      await stage.advance('1s')
      expect(ends).toEqual([expect.any(AskTimeout)])
    })

    test('a target that throws lets the ask time out', async () => {
      const stage = new Stage()
      const ref = stage.spawn<Question>(
        Behaviors.receiveMessage(() => {
          throw new Error('boom')
        }),
      )
      const { ends } = outcomeOf(ref.ask(ask('hi'), { timeout: '1s' }))
      await stage.advance('1s')
      expect(ends).toEqual([expect.any(AskTimeout)])
    })

    test('an ask that is open when the system terminates ends as well', async () => {
      const stage = new Stage()
      const { ends } = outcomeOf(stage.spawn(keeper([])).ask(ask('hi'), { timeout: '5s' }))
      await stage.settle()
      const terminated = stage.system.terminate()
      await stage.advance('1s')
      await terminated
      await stage.advance('10s')
      expect(ends).toEqual([expect.any(Error)])
    })

    test('an ask after the system has terminated fails at once', async () => {
      const stage = new Stage()
      const ref = stage.spawn(echo())
      const terminated = stage.system.terminate()
      await stage.settle()
      await terminated
      await expect(ref.ask(ask('hi'))).rejects.toBeInstanceOf(AskTargetTerminated)
    })

    test('many asks get their own answers', async () => {
      const stage = new Stage()
      const ref = stage.spawn(echo())
      const all = Promise.all(Array.from({ length: 2_000 }, (_, index) => ref.ask(ask(`${index}`))))
      await stage.settle()
      expect(await all).toEqual(Array.from({ length: 2_000 }, (_, index) => `re: ${index}`))
    })

    test('every one of many unanswered asks times out, each once', async () => {
      const stage = new Stage()
      const ref = stage.spawn(keeper([]))
      const outcomes = Array.from({ length: 200 }, (_, index) =>
        outcomeOf(ref.ask(ask('hi'), { timeout: 100 + index * 10 })),
      )
      await stage.advance('1m')
      expect(outcomes.map(({ ends }) => ends.length)).toEqual(outcomes.map(() => 1))
      expect(stage.time.nextDeadline).toBeUndefined()
    })

    test('a promise as an answer, even one that never settles, does not keep the ask open', async () => {
      const stage = new Stage()
      const ref = stage.spawn<Question>(({ replyTo }) =>
        replyTo.tell(new Promise(() => {}) as unknown as string),
      )
      const { ends } = outcomeOf(ref.ask(ask('hi'), { timeout: '1s' }))
      await stage.advance('1s')
      expect(ends).toHaveLength(1)
    })

    test('what throws while the question is made rejects the ask', async () => {
      const stage = new Stage()
      const error = new Error('no question')
      const asked = stage.spawn(echo()).ask(() => {
        throw error
      })
      await expect(asked).rejects.toBe(error)
    })
  })

  describe('AbortSignal', () => {
    test('ends the wait with the reason as cause, and a reply is then a dead letter', async () => {
      const stage = new Stage()
      const kept: Question[] = []
      const controller = new AbortController()
      const { ends } = outcomeOf(
        stage.spawn(keeper(kept)).ask(ask('hi'), { signal: controller.signal }),
      )
      await stage.settle()
      controller.abort('enough')
      await stage.settle()
      expect(ends).toEqual([expect.any(AskAborted)])
      expect((ends[0] as AskAborted).cause).toBe('enough')
      kept[0]?.replyTo.tell('too late')
      expect(stage.losses).toEqual(['DeadLetter/late-reply too late'])
    })

    test('that has already fired ends it at once', async () => {
      const stage = new Stage()
      const { ends } = outcomeOf(
        stage.spawn(keeper([])).ask(ask('hi'), { signal: AbortSignal.abort('before') }),
      )
      await stage.settle()
      expect(ends).toEqual([expect.any(AskAborted)])
      await stage.advance('10s')
      expect(stage.time.nextDeadline).toBeUndefined()
    })

    test('after the answer changes nothing', async () => {
      const stage = new Stage()
      const controller = new AbortController()
      const { ends } = outcomeOf(stage.spawn(echo()).ask(ask('hi'), { signal: controller.signal }))
      await stage.settle()
      controller.abort()
      await stage.settle()
      expect(ends).toEqual([{ value: 're: hi' }])
    })
  })

  describe('status replies', () => {
    type StatusQuestion = ActorRef<StatusReply<number>>
    const answering = (reply: unknown): Behavior<StatusQuestion> =>
      Behaviors.receiveMessage((replyTo) => replyTo.tell(reply as never))
    const same = (replyTo: StatusQuestion): StatusQuestion => replyTo

    test('success resolves with the value', async () => {
      const stage = new Stage()
      const asked = stage.spawn(answering(StatusReply.success(42))).askWithStatus(same)
      await stage.settle()
      expect(await asked).toBe(42)
    })

    test('an error as text rejects with a StatusError of that text', async () => {
      const stage = new Stage()
      const { ends } = outcomeOf(
        stage.spawn(answering(StatusReply.error('no'))).askWithStatus(same),
      )
      await stage.settle()
      expect(ends).toEqual([new StatusError('no')])
    })

    test('an error as an error rejects with that error', async () => {
      const stage = new Stage()
      const error = new RangeError('no')
      const { ends } = outcomeOf(
        stage.spawn(answering(StatusReply.error(error))).askWithStatus(same),
      )
      await stage.settle()
      expect(ends[0]).toBe(error)
    })

    test('a timeout is a timeout', async () => {
      const stage = new Stage()
      const ref = stage.spawn<StatusQuestion>(Behaviors.ignore)
      const { ends } = outcomeOf(ref.askWithStatus(same, { timeout: '1s' }))
      await stage.advance('1s')
      expect(ends).toEqual([expect.any(AskTimeout)])
    })

    for (const rubbish of ['text', 42, null, {}, { status: 'error' }]) {
      test(`${JSON.stringify(rubbish)}, which is no status, rejects with an error of ours`, async () => {
        const stage = new Stage()
        const { ends } = outcomeOf(stage.spawn(answering(rubbish)).askWithStatus(same))
        await stage.settle()
        expect(ends).toEqual([
          expect.objectContaining({ code: expect.any(String) as unknown }) as unknown,
        ])
      })
    }
  })

  describe('from inside an actor', () => {
    function asker(
      target: ActorRef<Question>,
      heard: string[],
      withFailed = true,
    ): Behavior<string> {
      return Behaviors.receive<string>((context, message) => {
        if (!message.startsWith('ask ')) {
          heard.push(message)
          return
        }
        context.ask(target, ask(message.slice(4)), {
          timeout: '1s',
          done: (reply: string) => reply,
          ...(withFailed ? { failed: (error: unknown) => (error as Error).name } : {}),
        })
      })
    }

    test('the reply comes back as a message', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const ref = await stage.start(asker(stage.spawn(echo()), heard))
      await stage.tell(ref, 'ask hi')
      expect(heard).toEqual(['re: hi'])
    })

    test('replies to several asks keep the order in which they were sent', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const ref = await stage.start(asker(stage.spawn(echo()), heard))
      for (let index = 0; index < 50; index++) ref.tell(`ask ${index}`)
      await stage.settle()
      expect(heard).toEqual(Array.from({ length: 50 }, (_, index) => `re: ${index}`))
    })

    test('a timeout comes back through failed', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const ref = await stage.start(asker(stage.spawn(keeper([])), heard))
      await stage.tell(ref, 'ask hi')
      await stage.advance('1s')
      expect(heard).toEqual(['AskTimeout'])
    })

    test('a terminated target comes back through failed', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const gone = await stage.start<Question>(Behaviors.stopped())
      const ref = await stage.start(asker(gone, heard))
      await stage.tell(ref, 'ask hi')
      expect(heard).toEqual(['AskTargetTerminated'])
    })

    test('a failure without failed fails the actor with that error', async () => {
      const stage = new Stage()
      const ref = await stage.start(asker(stage.spawn(keeper([])), [], false))
      await stage.tell(ref, 'ask hi')
      await stage.advance('1s')
      expect(stage.isTerminated(ref)).toBe(true)
      expect(stage.logged('error')[0]?.fields['err']).toBeInstanceOf(AskTimeout)
    })

    test('an error status comes back through failed', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const target = stage.spawn<ActorRef<StatusReply<string>>>(
        Behaviors.receiveMessage((replyTo) => replyTo.tell(StatusReply.error('no'))),
      )
      const ref = await stage.start(
        Behaviors.receive<string>((context, message) => {
          if (message !== 'ask') {
            heard.push(message)
            return
          }
          context.askWithStatus(target, (replyTo: ActorRef<StatusReply<string>>) => replyTo, {
            done: (value: string) => value,
            failed: (error) => `failed: ${(error as Error).message}`,
          })
        }),
      )
      await stage.tell(ref, 'ask')
      expect(heard).toEqual(['failed: no'])
    })

    test('the reply to an actor that has stopped meanwhile is a dead letter', async () => {
      const stage = new Stage()
      const kept: Question[] = []
      const ref = await stage.start(
        Behaviors.receive<string>((context) => {
          context.ask(target, ask('hi'), { done: (reply: string) => reply })
          return Behaviors.stopped()
        }),
      )
      const target = stage.spawn(keeper(kept))
      await stage.tell(ref, 'go')
      kept[0]?.replyTo.tell('answer')
      await stage.settle()
      expect(stage.losses).toEqual(['DeadLetter/terminated answer'])
    })
  })
})
