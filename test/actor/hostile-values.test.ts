import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors, PoisonPill, SupervisorStrategy } from '../../src/actor/index.ts'
import { gate, nothingMayEscape, outcomeOf, Stage } from './stage.ts'

/** As a draft is once the library that gave it has taken it back: whatever is asked of it, it throws. */
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

/** Throws at all but the question whether it is a promise. */
const prickly = (): object =>
  new Proxy(
    {},
    {
      get: (_target, key) => {
        if (key === 'then') return undefined
        throw new Error('prickly')
      },
    },
  )

const hostile: Readonly<Record<string, () => object>> = {
  'a revoked proxy': revoked,
  'a proxy that throws': prickly,
}

for (const [what, make] of Object.entries(hostile)) {
  describe(`with ${what}, what`, () => {
    nothingMayEscape()

    test('is thrown stops the actor, and its mail becomes dead letters', async () => {
      const stage = new Stage()
      const ref = stage.spawn<string>(() => {
        throw make()
      })
      ref.tell('a')
      ref.tell('b')
      await stage.settle()
      expect(stage.isTerminated(ref)).toBe(true)
      expect(stage.losses).toEqual(['DeadLetter/terminated-while-queued b'])
    })

    test('a promise rejects with, too', async () => {
      const stage = new Stage()
      const ref = await stage.start<string>(() => Promise.reject(make()))
      await stage.tell(ref, 'a')
      expect(stage.isTerminated(ref)).toBe(true)
    })

    test('is thrown is answered by supervision for everything, not by one for Error', async () => {
      const stage = new Stage()
      const failing = Behaviors.receiveMessage<string>(() => {
        throw make()
      })
      const { resume } = SupervisorStrategy
      const resumed = await stage.start(Behaviors.supervise(failing).onFailure(resume()))
      const stopped = await stage.start(Behaviors.supervise(failing).onFailure(Error, resume()))
      await stage.tell(resumed, 'a')
      await stage.tell(stopped, 'a')
      expect([resumed, stopped].map((ref) => stage.isTerminated(ref))).toEqual([false, true])
    })

    test('is told is a message like any other', async () => {
      const stage = new Stage()
      const { ref, messages } = stage.recorder<object>()
      const message = make()
      await stage.tell(ref, message)
      expect(messages[0] === message).toBe(true)
    })

    test('is told to an actor that is gone is a dead letter', async () => {
      const stage = new Stage()
      const ref = await stage.start<object>(Behaviors.stopped())
      await stage.tell(ref, make())
      expect(stage.lost.map((event) => 'reason' in event && event.reason)).toEqual(['terminated'])
    })

    test('waits when its actor stops does not keep the others from the dead letters', async () => {
      const stage = new Stage()
      const ref = stage.spawn<unknown>(Behaviors.ignore)
      for (const message of [PoisonPill, 'a', make(), 'b']) ref.tell(message)
      await stage.settle()
      expect(stage.lost).toHaveLength(3)
    })

    test('finds a full mailbox is dropped', async () => {
      const stage = new Stage()
      const mailbox = { messagesMax: 1, overflow: 'drop-head' } as const
      const ref = stage.spawn<unknown>(Behaviors.ignore, { mailbox })
      for (const message of [make(), make(), 'a']) ref.tell(message)
      await stage.settle()
      expect(stage.system.lostMessageCounts).toEqual({ 'Dropped/mailbox-full': 2 })
    })

    test('is asked and not answered is an AskTimeout', async () => {
      const stage = new Stage()
      const ref = await stage.start<object>(Behaviors.ignore)
      const { ends } = outcomeOf(ref.ask(make))
      await stage.advance('5s')
      expect(ends).toEqual([expect.objectContaining({ code: 'ASK_TIMEOUT' })])
    })
  })
}

describe('an unanswered question', () => {
  const timeoutText = async (question: object): Promise<string> => {
    const stage = new Stage()
    const ref = await stage.start<object>(Behaviors.ignore)
    const { ends } = outcomeOf(ref.ask(() => question))
    await stage.advance('5s')
    return (ends[0] as Error).message
  }

  test('is named by its type', async () => {
    expect(await timeoutText({ type: 'GetPrice' })).toContain('did not answer GetPrice:')
  })

  test('is not asked for its type by a getter, nor quoted beyond a name', async () => {
    const getter = {
      get type(): string {
        throw new Error('not ready')
      },
    }
    expect(await timeoutText(getter)).toContain('did not answer an object:')
    const text = await timeoutText({ type: `\u001b[31m\n${'x'.repeat(1_000_000)}` })
    expect(text.length).toBeLessThan(300)
    expect(text).not.toMatch(/\p{Control}/u)
  })
})

describe('what is piped to an actor that is gone', () => {
  nothingMayEscape()

  test('is a dead letter, whatever it is', async () => {
    const stage = new Stage()
    const { promise, open } = gate<object>()
    const ref: ActorRef<unknown> = await stage.start(
      Behaviors.setup<unknown>((context) => {
        context.pipeToSelf(promise, (value) => value)
        return Behaviors.ignore
      }),
    )
    await stage.tell(ref, PoisonPill)
    open(prickly())
    await stage.settle()
    expect(stage.system.lostMessageCounts).toEqual({ 'DeadLetter/terminated': 1 })
  })
})
