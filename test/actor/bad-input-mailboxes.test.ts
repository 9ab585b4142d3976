import { describe, expect, test, vi } from 'vitest'
import {
  type ActorContext,
  Behaviors,
  DeadLetter,
  InvalidSettings,
  MailboxFull,
  type MailboxOptions,
  PoisonPill,
} from '../../src/actor/index.ts'
import { RingBuffer } from '../../src/foundation/ring-buffer.ts'
import { Stage, gate, nothingMayEscape, outcomeOf } from './stage.ts'
import { inOrder, thrownBy, coded, childOf } from './misuse.ts'

describe('bad input: mailboxes, subscribers, loggers', () => {
  nothingMayEscape()

  describe('full mailboxes', () => {
    /** An actor that is busy with its first message until the gate opens. */
    async function busy(mailbox: MailboxOptions) {
      const stage = new Stage()
      const heard: unknown[] = []
      const wait = gate()
      let context!: ActorContext<string>
      const behavior = Behaviors.setup<string>((its) => {
        context = its
        return Behaviors.receiveMessage<string>((message) => {
          heard.push(message)
          return message === 'block' ? wait.promise : undefined
        }).receiveSignal({ Terminated: () => void heard.push('Terminated') })
      })
      const ref = await stage.start(behavior, { mailbox })
      await stage.tell(ref, 'block')
      const open = async (): Promise<void> => {
        wait.open()
        await stage.settle()
      }
      return { stage, heard, ref, open, context }
    }

    test('drop-new, the default, drops what is sent', async () => {
      const { stage, heard, ref, open } = await busy({ messagesMax: 2 })
      for (const message of ['a', 'b', 'c', 'd']) ref.tell(message)
      expect(stage.losses).toEqual(['Dropped/mailbox-full c', 'Dropped/mailbox-full d'])
      await open()
      expect(heard).toEqual(['block', 'a', 'b'])
    })

    test('a bound without a number is 1,000', async () => {
      const { stage, heard, ref, open } = await busy({})
      for (let count = 0; count < 1_002; count++) ref.tell(`${count}`)
      expect(stage.losses).toEqual(['Dropped/mailbox-full 1000', 'Dropped/mailbox-full 1001'])
      await open()
      expect(heard).toHaveLength(1_001)
    })

    test('drop-head drops what has waited longest', async () => {
      const { stage, heard, ref, open } = await busy({ messagesMax: 2, overflow: 'drop-head' })
      for (const message of ['a', 'b', 'c', 'd']) ref.tell(message)
      expect(stage.losses).toEqual(['Dropped/mailbox-full a', 'Dropped/mailbox-full b'])
      await open()
      expect(heard).toEqual(['block', 'c', 'd'])
    })

    test('fail throws at the sender', async () => {
      const { stage, heard, ref, open } = await busy({ messagesMax: 2, overflow: 'fail' })
      ref.tell('a')
      ref.tell('b')
      const error = thrownBy(() => ref.tell('c'))
      expect(error).toBeInstanceOf(MailboxFull)
      expect(error).toMatchObject({ code: 'MAILBOX_FULL', messagesMax: 2 })
      expect(stage.lost).toEqual([])
      await open()
      expect(heard).toEqual(['block', 'a', 'b'])
    })

    test('fail rejects an ask', async () => {
      const { ref } = await busy({ messagesMax: 1, overflow: 'fail' })
      ref.tell('a')
      await expect(ref.ask(() => 'b')).rejects.toBeInstanceOf(MailboxFull)
    })

    test('an ask whose question is dropped times out', async () => {
      const { stage, ref } = await busy({ messagesMax: 1 })
      ref.tell('a')
      const { ends } = outcomeOf(ref.ask(() => 'b', { timeout: '1s' }))
      await stage.advance('1s')
      expect(ends).toEqual([coded('ASK_TIMEOUT')])
    })

    test('there is room again when a message was taken', async () => {
      const { stage, heard, ref, open } = await busy({ messagesMax: 1 })
      ref.tell('a')
      await open()
      await stage.tell(ref, 'b', 'c')
      expect([heard, stage.lost]).toEqual([['block', 'a', 'b', 'c'], []])
    })

    test('messages through an adapter count, and are dropped as they were sent', async () => {
      const { stage, ref, context } = await busy({ messagesMax: 1 })
      const adapter = context.messageAdapter((count: number) => `${count}`)
      adapter.tell(1)
      adapter.tell(2)
      ref.tell('a')
      expect(stage.losses).toEqual(['Dropped/mailbox-full 2', 'Dropped/mailbox-full a'])
    })

    for (const overflow of ['drop-new', 'drop-head', 'fail'] as const) {
      test(`${overflow}: ticks, signals and piped values are neither counted nor dropped`, async () => {
        const { stage, heard, ref, open, context } = await busy({ messagesMax: 1, overflow })
        context.timers.startFixedRate('key', '1s', 'tick')
        const target = context.spawn(Behaviors.stopped())
        context.watch(target)
        context.pipeToSelf(Promise.resolve('piped'), (value) => value)
        await stage.advance('3s')
        ref.tell('a')
        expect(stage.losses).toEqual([])
        await stage.advance('1s')
        await open()
        expect(heard.map(String).toSorted(inOrder)).toEqual([
          'Terminated',
          'a',
          'block',
          'piped',
          'tick',
          'tick',
          'tick',
          'tick',
        ])
      })
    }

    test('drop-head passes over what is no message, and keeps the order', async () => {
      const { stage, heard, ref, open, context } = await busy({
        messagesMax: 2,
        overflow: 'drop-head',
      })
      context.timers.startSingle('first', '1s', 'tick 1')
      context.timers.startSingle('second', '2s', 'tick 2')
      await stage.advance('1s')
      ref.tell('a')
      await stage.advance('1s')
      ref.tell('b')
      ref.tell('c')
      expect(stage.losses).toEqual(['Dropped/mailbox-full a'])
      await open()
      expect(heard).toEqual(['block', 'tick 1', 'tick 2', 'b', 'c'])
    })

    test('drop-head does not turn over the whole mailbox for one message', async () => {
      const { stage, ref } = await busy({ messagesMax: 1_000, overflow: 'drop-head' })
      for (let count = 0; count < 1_000; count++) ref.tell(`${count}`)
      const push = vi.spyOn(RingBuffer.prototype, 'push')
      ref.tell('one too many')
      expect(push).toHaveBeenCalledTimes(1)
      push.mockRestore()
      expect(stage.losses).toEqual(['Dropped/mailbox-full 0'])
    })

    test('a PoisonPill always finds room', async () => {
      const { stage, heard, ref, open } = await busy({ messagesMax: 1 })
      ref.tell('a')
      ref.tell(PoisonPill)
      await open()
      expect([heard, stage.isTerminated(ref)]).toEqual([['block', 'a'], true])
    })

    test('a full mailbox does not hold up the stop', async () => {
      const stage = new Stage()
      const { parent, child, ends } = await childOf<string>(
        stage,
        Behaviors.receiveMessage<string>(() => new Promise<void>(() => {})),
        { messagesMax: 1, overflow: 'fail' },
      )
      await stage.tell(child, 'block', 'a')
      await stage.tell(parent, 'stop')
      await stage.advance('3s')
      expect(ends).toHaveLength(1)
      expect(stage.losses).toEqual(['DeadLetter/terminated-while-queued a'])
    })

    for (const [what, mailbox] of [
      ['capacity 0', { messagesMax: 0 }],
      ['a negative capacity', { messagesMax: -1 }],
      ['half a message', { messagesMax: 1.5 }],
      ['no number', { messagesMax: '10' as never }],
      ['no options', null as never],
    ] as const) {
      test(`${what} is refused, and the name stays free`, () => {
        const stage = new Stage()
        const spawn = (): unknown => stage.spawn(Behaviors.ignore, { name: 'bound', mailbox })
        expect(thrownBy(spawn)).toBeInstanceOf(InvalidSettings)
        stage.spawn(Behaviors.ignore, 'bound')
      })
    }

    test('every problem with a mailbox is told at once', () => {
      const stage = new Stage()
      const mailbox = { messagesMax: 0, overflow: 'explode' as never }
      const error = thrownBy(() => stage.spawn(Behaviors.ignore, { mailbox })) as InvalidSettings
      expect(error.problems).toHaveLength(2)
    })
  })

  describe('loggers that throw', () => {
    test('do not stop other actors, and the failing actor ends', async () => {
      const fail = (): never => {
        throw new Error('disk full')
      }
      const logger = { trace: fail, debug: fail, info: fail, warn: fail, error: fail }
      const stage = new Stage({ environment: { logger } })
      const { ref, messages } = stage.recorder<string>()
      const failing = await stage.start<string>(() => {
        throw new Error('boom')
      })
      failing.tell('go')
      ref.tell('hello')
      await stage.settle()
      expect(messages).toEqual(['hello'])
      expect(stage.isTerminated(failing)).toBe(true)
    })
  })

  describe('event stream', () => {
    class News {
      readonly text = 'news'
    }

    test('a callback that throws or rejects is logged, and the others hear the event', () => {
      const stage = new Stage()
      const error = new Error('in a callback')
      let heard = 0
      stage.system.eventStream.subscribe(News, () => {
        throw error
      })
      stage.system.eventStream.subscribe(News, () => heard++)
      stage.system.eventStream.publish(new News())
      expect([heard, stage.linesOn(error).length]).toEqual([1, 1])
    })

    test('a callback for lost messages that throws does not harm the sender', async () => {
      const stage = new Stage()
      stage.system.eventStream.subscribe(DeadLetter, () => {
        throw new Error('in a callback')
      })
      const ref = await stage.start<string>(Behaviors.stopped())
      ref.tell('hello')
      expect(stage.losses).toEqual(['DeadLetter/terminated hello'])
    })
  })
})
