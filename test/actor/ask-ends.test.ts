import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  type ActorRef,
  AskAborted,
  Behaviors,
  InvalidStatusReply,
  type StatusReply,
} from '../../src/actor/index.ts'
import { nothingMayEscape, outcomeOf, Stage } from './stage.ts'

interface Get {
  readonly replyTo: ActorRef<number>
}

describe('the end of an ask', () => {
  nothingMayEscape()

  test('by a signal that an earlier ask has used, too', async () => {
    const stage = new Stage()
    const answering = stage.spawn<Get>(({ replyTo }) => replyTo.tell(1))
    const silent = stage.spawn<Get>(Behaviors.ignore)
    const abort = new AbortController()
    const { signal } = abort
    const answered = outcomeOf(answering.ask<number>((replyTo) => ({ replyTo }), { signal }))
    await stage.settle()
    expect(answered.ends).toEqual([{ value: 1 }])
    const { ends } = outcomeOf(silent.ask<number>((replyTo) => ({ replyTo }), { signal }))
    abort.abort()
    await stage.settle()
    expect(ends).toEqual([expect.any(AskAborted)])
  })

  test('by a signal that has fired before: nothing is sent', async () => {
    const stage = new Stage()
    const { ref, messages } = stage.recorder<Get>()
    const signal = AbortSignal.abort('before')
    const { ends } = outcomeOf(ref.ask<number>((replyTo) => ({ replyTo }), { signal }))
    await stage.settle()
    expect(ends).toEqual([expect.any(AskAborted)])
    expect(messages).toEqual([])
  })

  test('by a signal that fires while the message is made', async () => {
    const stage = new Stage()
    const silent = stage.spawn<Get>(Behaviors.ignore)
    const abort = new AbortController()
    const make = (replyTo: ActorRef<number>): Get => {
      abort.abort()
      return { replyTo }
    }
    const { ends } = outcomeOf(silent.ask(make, { signal: abort.signal }))
    await stage.settle()
    expect(ends).toEqual([expect.any(AskAborted)])
  })

  test('by an answer that says success and has no value is an error', async () => {
    const stage = new Stage()
    const ref = stage.spawn<{ readonly replyTo: ActorRef<StatusReply<number>> }>(({ replyTo }) =>
      replyTo.tell({ status: 'success' } as never),
    )
    const { ends } = outcomeOf(ref.askWithStatus<number>((replyTo) => ({ replyTo })))
    await stage.settle()
    expect(ends).toEqual([expect.any(InvalidStatusReply)])
  })
})

describe('the address for an answer', () => {
  nothingMayEscape()

  /** Watches the address of each question; answers it, or stops watching, when told. */
  const watching = async (stage: Stage) => {
    const said: string[] = []
    let last!: ActorRef<number>
    const ref = await stage.start(
      Behaviors.receive<Get | 'answer' | 'watch' | 'unwatch'>((context, message) => {
        if (typeof message === 'object') last = message.replyTo
        if (typeof message === 'object' || message === 'watch') context.watch(last)
        if (message === 'unwatch') context.unwatch(last)
        if (message === 'answer') last.tell(1)
      }).receiveSignal({ Terminated: (_context, { ref: gone }) => void said.push(String(gone)) }),
    )
    const { ends } = outcomeOf(ref.ask<number>((replyTo) => ({ replyTo })))
    await stage.settle()
    return { ref, said, ends, address: () => String(last) }
  }

  test('has terminated once it was answered', async () => {
    const stage = new Stage()
    const { ref, said, ends, address } = await watching(stage)
    expect(said).toEqual([])
    await stage.tell(ref, 'answer')
    expect(ends).toEqual([{ value: 1 }])
    expect(said).toEqual([address()])
    await stage.tell(ref, 'watch')
    expect(said).toEqual([address(), address()])
  })

  test('has terminated once the time is up', async () => {
    const stage = new Stage()
    const { said, address } = await watching(stage)
    await stage.advance('5s')
    expect(said).toEqual([address()])
  })

  test('need not be watched any longer', async () => {
    const stage = new Stage()
    const { ref, said } = await watching(stage)
    await stage.tell(ref, 'unwatch', 'answer')
    expect(said).toEqual([])
  })
})

test('a ref shows in the console what it is and where', () => {
  const stage = new Stage()
  const ref = stage.spawn(Behaviors.ignore, 'cart')
  expect(inspect({ ref })).toBe(`{ ref: ActorRef(${ref}) }`)
})
