import { describe, expect, test } from 'vitest'
import {
  type ActorContext,
  type ActorRef,
  Behaviors,
  type MessageAdaptionFailure,
} from '../../src/actor/index.ts'
import { coded } from './misuse.ts'
import { nothingMayEscape, outcomeOf, Stage } from './stage.ts'

interface Ask {
  readonly replyTo: ActorRef<unknown>
}

const ask = (replyTo: ActorRef<unknown>): Ask => ({ replyTo })
const boom = new Error('boom')
const rejects = (): Promise<never> => Promise.reject(boom)

describe('a promise where none is waited for', () => {
  nothingMayEscape()

  test('from the callback of stopped is logged when it rejects', async () => {
    const stage = new Stage()
    const callback: () => unknown = rejects
    const ref = await stage.start<string>(() => Behaviors.stopped(callback))
    await stage.tell(ref, 'stop')
    expect(stage.isTerminated(ref)).toBe(true)
    expect(stage.linesOn(boom)).toMatchObject([{ message: 'the callback of stopped failed' }])
  })

  test('from aroundStart fails the actor, and its own rejection is nobody’s', async () => {
    const stage = new Stage()
    const ref = await stage.start(
      Behaviors.intercept<string>(
        () => ({
          aroundStart: () => rejects() as unknown as undefined,
          aroundReceive: (_context, message, next) => next(message),
        }),
        Behaviors.ignore,
      ),
    )
    expect(stage.isTerminated(ref)).toBe(true)
    expect(stage.logged('error')).toMatchObject([{ fields: { err: coded('ASYNC_INTERCEPTOR') } }])
  })

  test('as an answer fails the ask, and its own rejection is nobody’s', async () => {
    const stage = new Stage()
    const ref = await stage.start<Ask>(({ replyTo }) => replyTo.tell(rejects()))
    const { ends } = outcomeOf(ref.ask(ask))
    await stage.settle()
    expect(ends).toEqual([expect.objectContaining({ code: 'PROMISE_AS_REPLY' })])
    expect(stage.isTerminated(ref)).toBe(false)
  })
})

describe('a translation that answers a promise', () => {
  nothingMayEscape()

  const translations: Readonly<Record<string, (context: ActorContext<unknown>) => void>> = {
    messageAdapter: (context) => context.messageAdapter(rejects).tell('x'),
    pipeToSelf: (context) => context.pipeToSelf(Promise.resolve('x'), rejects),
    'pipeToSelf of a rejection': (context) =>
      context.pipeToSelf(rejects(), () => undefined, rejects),
    'context.ask': (context) => {
      const target = context.spawn<Ask>(({ replyTo }) => replyTo.tell('x'))
      context.ask(target, ask, { done: rejects })
    },
  }
  for (const [where, translate] of Object.entries(translations)) {
    test(`in ${where} fails with a text that says so, and is not delivered`, async () => {
      const stage = new Stage()
      const delivered: unknown[] = []
      const failures: MessageAdaptionFailure[] = []
      await stage.start(
        Behaviors.setup<unknown>((context) => {
          translate(context)
          return Behaviors.receiveMessage<unknown>((message) => {
            delivered.push(message)
          }).receiveSignal({
            MessageAdaptionFailure: (_context, signal) => void failures.push(signal),
          })
        }),
      )
      expect(delivered).toEqual([])
      expect(failures).toMatchObject([{ cause: { code: 'PROMISE_AS_MESSAGE' } }])
    })
  }
})

describe('context.ask without a function for the answer', () => {
  nothingMayEscape()

  for (const operation of ['ask', 'askWithStatus'] as const) {
    for (const answer of [undefined, {}, { done: 'done' }]) {
      test(`${operation} with ${JSON.stringify(answer)} is refused, and nothing is asked`, async () => {
        const stage = new Stage()
        const { ref, messages } = stage.recorder<Ask>()
        const asker = await stage.start(
          Behaviors.setup<unknown>((context) => {
            context[operation](ref, ask as never, answer as never)
            return Behaviors.ignore
          }),
        )
        await stage.advance('5s')
        expect(stage.isTerminated(asker)).toBe(true)
        expect(messages).toEqual([])
        expect(stage.logged('error')[0]?.fields).toMatchObject({
          err: { code: 'INVALID_SETTINGS' },
        })
      })
    }
  }
})
