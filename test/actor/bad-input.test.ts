import { describe, expect, test } from 'vitest'
import {
  type ActorContext,
  type ActorRef,
  ActorSystem,
  AskTargetTerminated,
  type Behavior,
  Behaviors,
  ChildFailed,
  ContextOutsideTurn,
  DeadLetter,
  DuplicateActorName,
  InvalidActorName,
  InvalidBehavior,
  InvalidMessage,
  InvalidSettings,
  MailboxFull,
  type MailboxOptions,
  PoisonPill,
  type Signal,
  SupervisorStrategy,
  SystemTerminated,
  defaultShutdownPhases,
  type StashBuffer,
  type TimerScheduler,
} from '../../src/actor/index.ts'
import { AssertionFailed } from '../../src/foundation/assert.ts'
import { Stage, gate, nothingMayEscape } from './stage.ts'

const { restart, restartWithBackoff, resume } = SupervisorStrategy

/** By code units. */
const inOrder = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** What calling this throws; undefined when it does not. */
function thrownBy(call: () => unknown): unknown {
  try {
    call()
    return undefined
  } catch (error) {
    return error
  }
}

const coded = (code: string): unknown => expect.objectContaining({ code })
/** Any error of ours. */
const ours: unknown = expect.objectContaining({ code: expect.any(String) as unknown })

/** An actor whose parent has heard how it ended. */
async function childOf<T>(stage: Stage, behavior: Behavior<T>, mailbox?: MailboxOptions) {
  const ends: Signal[] = []
  let child!: ActorRef<T>
  const parent = await stage.start(
    Behaviors.setup<string>((context) => {
      child = context.spawn(behavior, { name: 'child', ...(mailbox ? { mailbox } : {}) })
      context.watch(child)
      return Behaviors.receiveMessage<string>((message) => {
        if (message === 'stop') context.stop(child)
      }).receiveSignal({
        Terminated: (_context, signal) => void ends.push(signal),
        ChildFailed: (_context, signal) => void ends.push(signal),
      })
    }),
  )
  return { parent, child, ends }
}

describe('bad input', () => {
  nothingMayEscape()

  describe('names', () => {
    const badNames: readonly [string, unknown][] = [
      ['an empty one', ''],
      ['one that begins with $', '$mine'],
      ['one that is too long', 'x'.repeat(513)],
      ['one that is too long in bytes', 'ü'.repeat(257)],
      ['one with a lone surrogate', 'a\uD800b'],
      ['one with a NUL character', 'a\0b'],
      ['a number', 42],
      ['null', null],
      ['an object', {}],
    ]

    for (const [what, name] of badNames) {
      test(`${what} is refused by spawn and by the system, and spawns nothing`, async () => {
        const stage = new Stage()
        const spawn = (): unknown => stage.spawn(Behaviors.ignore, { name: name as string })
        expect(thrownBy(spawn)).toBeInstanceOf(InvalidActorName)
        expect(thrownBy(() => new ActorSystem(name as string))).toBeInstanceOf(InvalidActorName)
        let inside: unknown
        let children = -1
        await stage.start(
          Behaviors.setup<string>((context) => {
            inside = thrownBy(() => context.spawn(Behaviors.ignore, { name: name as string }))
            children = context.children.length
            return Behaviors.ignore
          }),
        )
        expect(inside).toBeInstanceOf(InvalidActorName)
        expect(children).toBe(0)
      })
    }

    for (const name of [
      'a b',
      'a/b',
      '../..',
      '.',
      'größe',
      '日本',
      '🙂',
      'a%2Fb',
      'x'.repeat(512),
      '#1',
    ]) {
      test(`${JSON.stringify(name).slice(0, 12)} is a name, and its path is one step`, async () => {
        const stage = new Stage()
        const ref = stage.spawn(Behaviors.ignore, name)
        expect(ref.path.elements).toHaveLength(2)
        expect(decodeURIComponent(ref.path.name)).toBe(name)
        expect(ref.path.name).not.toMatch(/[/?#\s]/)
        expect(new URL(ref.path.withoutUid).pathname.split('/')).toHaveLength(3)
      })
    }

    test('one that is taken is refused, and the first actor lives on', async () => {
      const stage = new Stage()
      const first = stage.recorder<string>()
      const taken = stage.spawn(Behaviors.ignore, 'taken')
      const error = thrownBy(() => stage.spawn(Behaviors.ignore, 'taken'))
      expect(error).toBeInstanceOf(DuplicateActorName)
      expect((error as Error).message).toContain('"taken"')
      await stage.tell(first.ref, 'hello')
      expect([first.messages, stage.isTerminated(taken)]).toEqual([['hello'], false])
    })

    test('one that is percent-encoded does not collide with its decoded form', () => {
      const stage = new Stage()
      stage.spawn(Behaviors.ignore, 'a b')
      stage.spawn(Behaviors.ignore, 'a%20b')
      expect(thrownBy(() => stage.spawn(Behaviors.ignore, 'a b'))).toBeInstanceOf(
        DuplicateActorName,
      )
    })

    test('one is free again once its actor has terminated, and not before', async () => {
      const stage = new Stage()
      const wait = gate()
      const first = await stage.start(
        Behaviors.receiveMessage<string>(() => Behaviors.stopped()).receiveSignal({
          PostStop: () => wait.promise,
        }),
        'name',
      )
      await stage.tell(first, 'stop')
      expect(thrownBy(() => stage.spawn(Behaviors.ignore, 'name'))).toBeInstanceOf(
        DuplicateActorName,
      )
      wait.open()
      await stage.settle()
      const second = stage.spawn(Behaviors.ignore, 'name')
      expect(second.path.withoutUid).toBe(first.path.withoutUid)
      expect(second.toString()).not.toBe(first.toString())
    })

    test('one can be used again from the handler of Terminated', async () => {
      const stage = new Stage()
      let spawned = 0
      await stage.start(
        Behaviors.setup<string>((context) => {
          const again = (): void => {
            if (++spawned < 5) context.watch(context.spawn(Behaviors.stopped(), 'again'))
          }
          again()
          return Behaviors.receiveSignal<string>({ Terminated: again })
        }),
      )
      expect(spawned).toBe(5)
    })

    test('a ref of the first actor of a name does not reach the second', async () => {
      const stage = new Stage()
      const first = await stage.start<string>(Behaviors.stopped(), 'name')
      const heard: string[] = []
      await stage.start<string>((message) => void heard.push(message), 'name')
      await stage.tell(first, 'hello')
      expect([heard, stage.losses]).toEqual([[], ['DeadLetter/terminated hello']])
    })
  })

  describe('messages', () => {
    test('to a ref whose actor has terminated are dead letters with the reason', async () => {
      const stage = new Stage()
      const ref = await stage.start<string>(Behaviors.stopped(), 'gone')
      ref.tell('hello')
      expect(stage.lost).toEqual([new DeadLetter('hello', ref, 'terminated')])
    })

    test('a PoisonPill to a terminated actor is nothing', async () => {
      const stage = new Stage()
      const ref = await stage.start<string>(Behaviors.stopped())
      ref.tell(PoisonPill)
      expect(stage.lost).toEqual([])
    })

    test('null, false, 0 and the empty string are messages', async () => {
      const stage = new Stage()
      const { ref, messages } = stage.recorder<unknown>()
      for (const message of [null, false, 0, '', Number.NaN]) ref.tell(message)
      await stage.settle()
      expect(messages).toEqual([null, false, 0, '', Number.NaN])
    })

    test('undefined is refused where it is sent, with the recipient', async () => {
      const stage = new Stage()
      const { ref, messages } = stage.recorder<unknown>()
      const error = thrownBy(() => ref.tell(undefined))
      expect(error).toBeInstanceOf(InvalidMessage)
      expect((error as Error).message).toContain(ref.toString())
      await stage.tell(ref, 'after')
      expect(messages).toEqual(['after'])
    })

    test('undefined as a question rejects the ask', async () => {
      const stage = new Stage()
      const asked = stage.spawn(Behaviors.ignore).ask(() => undefined)
      await expect(asked).rejects.toBeInstanceOf(InvalidMessage)
    })

    test('undefined as an answer fails the one who gives it', async () => {
      const stage = new Stage()
      const ref = stage.spawn<ActorRef<unknown>>((replyTo) => replyTo.tell(undefined))
      const asked = ref.ask((replyTo: ActorRef<unknown>) => replyTo, { timeout: '1s' })
      const ended = expect(asked).rejects.toMatchObject({ code: 'ASK_TIMEOUT' })
      await stage.advance('1s')
      await ended
      expect(stage.isTerminated(ref)).toBe(true)
    })

    const undefinedBy: readonly [string, (context: ActorContext<unknown>) => unknown][] = [
      ['watchWith', (context) => context.watchWith(context.spawn(Behaviors.ignore), undefined)],
      ['timers.startSingle', (context) => context.timers.startSingle('key', 1, undefined)],
      ['timers.startFixedRate', (context) => context.timers.startFixedRate('key', 1, undefined)],
      ['timers.startFixedDelay', (context) => context.timers.startFixedDelay('key', 1, undefined)],
      ['setReceiveTimeout', (context) => context.setReceiveTimeout(1, undefined)],
      ['stash', (context) => context.stash(1).stash(undefined)],
      ['the ref of an adapter', (context) => context.messageAdapter(() => 'x').tell(undefined)],
    ]
    for (const [name, call] of undefinedBy) {
      test(`undefined is refused by ${name}`, async () => {
        const stage = new Stage()
        let error: unknown
        await stage.start(
          Behaviors.setup<unknown>((context) => {
            error = thrownBy(() => call(context))
            return Behaviors.ignore
          }),
        )
        expect(error).toBeInstanceOf(InvalidMessage)
      })
    }

    test('a million to a stopped actor are counted, and logged a few times only', async () => {
      const stage = new Stage()
      const ref = await stage.start<number>(Behaviors.stopped())
      stage.lost.push = () => 0
      for (let count = 0; count < 1_000_000; count++) ref.tell(count)
      expect(stage.system.lostMessageCounts).toEqual({ 'DeadLetter/terminated': 1_000_000 })
      expect(stage.time.logs.lines.length).toBeLessThanOrEqual(10)
    })

    test('unhandled ones are reported and the actor lives on', async () => {
      const stage = new Stage()
      const ref = await stage.start<string>(() => Behaviors.unhandled)
      await stage.tell(ref, 'a', 'b')
      expect(stage.losses).toEqual(['UnhandledMessage a', 'UnhandledMessage b'])
    })
  })

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
      const { stage, heard, ref, open } = await busy({ capacity: 2 })
      for (const message of ['a', 'b', 'c', 'd']) ref.tell(message)
      expect(stage.losses).toEqual(['Dropped/mailbox-full c', 'Dropped/mailbox-full d'])
      await open()
      expect(heard).toEqual(['block', 'a', 'b'])
    })

    test('drop-head drops what has waited longest', async () => {
      const { stage, heard, ref, open } = await busy({ capacity: 2, overflow: 'drop-head' })
      for (const message of ['a', 'b', 'c', 'd']) ref.tell(message)
      expect(stage.losses).toEqual(['Dropped/mailbox-full a', 'Dropped/mailbox-full b'])
      await open()
      expect(heard).toEqual(['block', 'c', 'd'])
    })

    test('fail throws at the sender', async () => {
      const { stage, heard, ref, open } = await busy({ capacity: 2, overflow: 'fail' })
      ref.tell('a')
      ref.tell('b')
      const error = thrownBy(() => ref.tell('c'))
      expect(error).toBeInstanceOf(MailboxFull)
      expect(error).toMatchObject({ code: 'MAILBOX_FULL', capacity: 2 })
      expect(stage.lost).toEqual([])
      await open()
      expect(heard).toEqual(['block', 'a', 'b'])
    })

    test('fail rejects an ask', async () => {
      const { ref } = await busy({ capacity: 1, overflow: 'fail' })
      ref.tell('a')
      await expect(ref.ask(() => 'b')).rejects.toBeInstanceOf(MailboxFull)
    })

    test('an ask whose question is dropped times out', async () => {
      const { stage, ref } = await busy({ capacity: 1 })
      ref.tell('a')
      const ended = expect(ref.ask(() => 'b', { timeout: '1s' })).rejects.toMatchObject({
        code: 'ASK_TIMEOUT',
      })
      await stage.advance('1s')
      await ended
    })

    test('there is room again when a message was taken', async () => {
      const { stage, heard, ref, open } = await busy({ capacity: 1 })
      ref.tell('a')
      await open()
      await stage.tell(ref, 'b', 'c')
      expect([heard, stage.lost]).toEqual([['block', 'a', 'b', 'c'], []])
    })

    test('messages through an adapter count, and are dropped as they were sent', async () => {
      const { stage, ref, context } = await busy({ capacity: 1 })
      const adapter = context.messageAdapter((count: number) => `${count}`)
      adapter.tell(1)
      adapter.tell(2)
      ref.tell('a')
      expect(stage.losses).toEqual(['Dropped/mailbox-full 2', 'Dropped/mailbox-full a'])
    })

    for (const overflow of ['drop-new', 'drop-head', 'fail'] as const) {
      test(`${overflow}: ticks, signals and piped values are neither counted nor dropped`, async () => {
        const { stage, heard, ref, open, context } = await busy({ capacity: 1, overflow })
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
        capacity: 2,
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

    test('a PoisonPill always finds room', async () => {
      const { stage, heard, ref, open } = await busy({ capacity: 1 })
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
        { capacity: 1, overflow: 'fail' },
      )
      await stage.tell(child, 'block', 'a')
      await stage.tell(parent, 'stop')
      await stage.advance('3s')
      expect(ends).toHaveLength(1)
      expect(stage.losses).toEqual(['DeadLetter/terminated-while-queued a'])
    })

    for (const [what, mailbox] of [
      ['capacity 0', { capacity: 0 }],
      ['a negative capacity', { capacity: -1 }],
      ['half a message', { capacity: 1.5 }],
      ['no number', { capacity: '10' as never }],
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
      const mailbox = { capacity: 0, overflow: 'explode' as never }
      const error = thrownBy(() => stage.spawn(Behaviors.ignore, { mailbox })) as InvalidSettings
      expect(error.problems).toHaveLength(2)
    })
  })

  describe('behaviors', () => {
    const rubbish: readonly [string, unknown][] = [
      ['undefined', undefined],
      ['null', null],
      ['a number', 42],
      ['a text', 'text'],
      ['an empty object', {}],
      ['an object with a strange kind', { kind: 'strange' }],
      ['an array', []],
      ['a promise', Promise.resolve(Behaviors.ignore)],
      ['same', Behaviors.same],
      ['unhandled', Behaviors.unhandled],
    ]

    for (const [what, value] of rubbish) {
      test(`${what} as the initial behavior is an error, and the name is free again`, async () => {
        const stage = new Stage()
        const error = thrownBy(() => stage.spawn(value as Behavior<string>, 'name'))
        await stage.settle()
        const logged = stage.logged('error').map((line) => line.fields['err'])
        expect([...logged, error].filter((each) => each !== undefined)).toEqual([
          expect.any(InvalidBehavior),
        ])
        stage.spawn(Behaviors.ignore, 'name')
      })

      test(`${what} from setup is a start failure`, async () => {
        const stage = new Stage()
        const { ends } = await childOf(
          stage,
          Behaviors.setup<string>(() => value as Behavior<string>),
        )
        expect(ends).toEqual([expect.any(ChildFailed)])
        expect((ends[0] as ChildFailed).cause).toBeInstanceOf(InvalidBehavior)
      })
    }

    test('a promise from setup that rejects is a start failure and nothing more', async () => {
      const stage = new Stage()
      const { ends } = await childOf(
        stage,
        Behaviors.setup<string>((() => Promise.reject(new Error('async setup'))) as never),
      )
      expect((ends[0] as ChildFailed).cause).toBeInstanceOf(InvalidBehavior)
    })

    for (const [what, value] of rubbish.slice(1, 7)) {
      test(`${what} from a handler is a failure`, async () => {
        const stage = new Stage()
        const { child, ends } = await childOf(
          stage,
          Behaviors.receiveMessage<string>(() => value as undefined),
        )
        await stage.tell(child, 'go')
        expect((ends[0] as ChildFailed).cause).toBeInstanceOf(InvalidBehavior)
      })
    }

    test('a throwing setup is told to the parent', async () => {
      const stage = new Stage()
      const error = new Error('in setup')
      const { ends } = await childOf(
        stage,
        Behaviors.setup<string>(() => {
          throw error
        }),
      )
      expect((ends[0] as ChildFailed).cause).toBe(error)
    })

    test('a throwing factory of withTimers, withStash, withLogFields and intercept, too', async () => {
      const stage = new Stage()
      const error = new Error('in a factory')
      const fail = (): never => {
        throw error
      }
      for (const behavior of [
        Behaviors.withTimers<string>(fail),
        Behaviors.withStash<string>(1, fail),
        Behaviors.withLogFields<string>({}, fail),
        Behaviors.intercept<string>(fail, Behaviors.ignore),
      ]) {
        const { ends } = await childOf(stage, behavior)
        expect((ends[0] as ChildFailed).cause).toBe(error)
      }
    })

    test('a throwing callback of stopped is logged, and the actor is gone', async () => {
      const stage = new Stage()
      const error = new Error('in the callback')
      const { child, ends } = await childOf<string>(
        stage,
        Behaviors.receiveMessage(() =>
          Behaviors.stopped(() => {
            throw error
          }),
        ),
      )
      await stage.tell(child, 'stop')
      expect(ends).toHaveLength(1)
      expect(stage.linesOn(error)).toHaveLength(1)
    })

    test('an interceptor that throws fails the actor, and supervision around it answers', async () => {
      const stage = new Stage()
      const said: string[] = []
      const intercepted = Behaviors.intercept<string>(
        () => ({
          aroundReceive: (_context, message, next) => {
            if (message === 'fail') throw new Error('in the interceptor')
            return next(message)
          },
        }),
        Behaviors.receiveMessage((message) => void said.push(message)),
      )
      const ref = await stage.start(Behaviors.supervise(intercepted).onFailure(resume()))
      await stage.tell(ref, 'fail', 'a')
      expect(said).toEqual(['a'])
    })

    test('a monitor that is returned again with every message reports each message once', async () => {
      const stage = new Stage()
      const seen = stage.recorder<number>()
      const monitored = (): Behavior<number> =>
        Behaviors.monitor<number>(seen.ref, () => monitored())
      const ref = await stage.start(monitored())
      for (let count = 0; count < 100; count++) ref.tell(count)
      await stage.settle()
      expect(seen.messages).toEqual(Array.from({ length: 100 }, (_, index) => index))
    })
  })

  describe('errors that are no errors', () => {
    for (const thrown of ['text', undefined, null, 0, { message: 'like an error' }, Symbol('s')]) {
      const what = typeof thrown === 'object' ? JSON.stringify(thrown) : String(thrown)
      test(`${what} thrown fails the actor with it as cause`, async () => {
        const stage = new Stage()
        const { child, ends } = await childOf<string>(
          stage,
          Behaviors.receiveMessage(() => {
            throw thrown
          }),
        )
        await stage.tell(child, 'go')
        expect(ends).toEqual([expect.any(ChildFailed)])
        expect((ends[0] as ChildFailed).cause).toBe(thrown)
      })

      test(`${what} thrown is answered by supervision for everything, not by one for Error`, async () => {
        const stage = new Stage()
        const throwing = Behaviors.receiveMessage<string>(() => {
          throw thrown
        })
        const all = await stage.start(Behaviors.supervise(throwing).onFailure(resume()))
        const errors = await stage.start(Behaviors.supervise(throwing).onFailure(Error, resume()))
        await stage.tell(all, 'go')
        await stage.tell(errors, 'go')
        expect([stage.isTerminated(all), stage.isTerminated(errors)]).toEqual([false, true])
      })
    }

    test('a stack overflow in a handler is a failure like any other', async () => {
      const stage = new Stage()
      const deep = (count: number): number => (count < 0 ? 0 : deep(count + 1) + 1)
      const { child, ends } = await childOf<string>(
        stage,
        Behaviors.receiveMessage(() => void deep(0)),
      )
      await stage.tell(child, 'go')
      expect((ends[0] as ChildFailed).cause).toBeInstanceOf(RangeError)
    })

    test('a broken invariant ends the system even when its shutdown fails', async () => {
      const phase = { dependsOn: [], timeoutMs: 100, recover: false, enabled: true }
      const stage = new Stage({
        shutdownPhases: {
          ...defaultShutdownPhases,
          'before-service-unbind': phase,
        },
      })
      stage.system.shutdown.addTask('before-service-unbind', 'fails', () => {
        throw new Error('in a task')
      })
      const ref = await stage.start<string>(() => {
        throw new AssertionFailed('broken')
      })
      await stage.tell(ref, 'go')
      expect(stage.system.shutdown.reason).toEqual({ type: 'broken-invariant' })
    })
  })

  describe('signal handlers that throw', () => {
    const error = new Error('in a signal handler')
    const throws = (): never => {
      throw error
    }

    test('PostStop is logged, and the actor is gone', async () => {
      const stage = new Stage()
      const ref = await stage.start(
        Behaviors.receiveMessage<string>(() => Behaviors.stopped()).receiveSignal({
          PostStop: throws,
        }),
      )
      await stage.tell(ref, 'stop')
      expect([stage.isTerminated(ref), stage.linesOn(error).length]).toEqual([true, 1])
    })

    test('PreRestart is logged, and the actor restarts', async () => {
      const stage = new Stage()
      let starts = 0
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>(() => {
            starts++
            return Behaviors.receiveMessage<string>(() => {
              throw new Error('boom')
            }).receiveSignal({ PreRestart: throws })
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'go')
      expect([starts, stage.linesOn(error).length]).toEqual([2, 1])
    })

    for (const kind of ['Terminated', 'ChildFailed', 'MessageAdaptionFailure'] as const) {
      const failing = Behaviors.setup<string>((context) => {
        context.watch(
          context.spawn(
            Behaviors.setup<string>(() => {
              if (kind === 'ChildFailed') throw new Error('child')
              return Behaviors.stopped()
            }),
          ),
        )
        const adapter = context.messageAdapter(() => {
          throw new Error('adapter')
        })
        if (kind === 'MessageAdaptionFailure') adapter.tell(1)
        const quiet = { Terminated: () => undefined, ChildFailed: () => undefined }
        return Behaviors.receiveSignal<string>({ ...quiet, [kind]: throws })
      })

      test(`${kind} fails the actor`, async () => {
        const stage = new Stage()
        const { ends } = await childOf(stage, failing)
        expect((ends[0] as ChildFailed).cause).toBe(error)
      })

      test(`${kind} is answered by supervision`, async () => {
        const stage = new Stage()
        const ref = await stage.start(Behaviors.supervise(failing).onFailure(resume()))
        expect(stage.isTerminated(ref)).toBe(false)
        expect(stage.linesOn(error)).toHaveLength(1)
      })
    }
  })

  describe('adapters and mappers that throw', () => {
    const error = new Error('in a mapper')
    const throws = (): never => {
      throw error
    }
    const provoke: readonly [string, (context: ActorContext<string>) => unknown][] = [
      ['a message adapter', (context) => context.messageAdapter(throws).tell(1)],
      [
        'the guard of a message adapter',
        (context) => context.messageAdapter(throws as never, () => 'text').tell(1),
      ],
      ['the mapper of pipeToSelf', (context) => context.pipeToSelf(Promise.resolve(1), throws)],
      [
        'the mapper for a rejection',
        (context) => context.pipeToSelf(Promise.reject(new Error('piped')), () => 'text', throws),
      ],
      [
        'the mapper of an answer',
        (context) =>
          context.ask(
            context.spawn<ActorRef<string>>((replyTo) => replyTo.tell('answer')),
            (replyTo: ActorRef<string>) => replyTo,
            { done: throws },
          ),
      ],
    ]

    for (const [what, act] of provoke) {
      test(`${what} fails the actor with that error`, async () => {
        const stage = new Stage()
        const { child, ends } = await childOf(stage, Behaviors.receive<string>(act as never))
        await stage.tell(child, 'go')
        expect((ends[0] as ChildFailed | undefined)?.cause).toBe(error)
      })

      test(`${what} can be handled as MessageAdaptionFailure`, async () => {
        const stage = new Stage()
        const causes: unknown[] = []
        const ref = await stage.start(
          Behaviors.receive<string>(act as never).receiveSignal({
            MessageAdaptionFailure: (_context, { cause }) => void causes.push(cause),
          }),
        )
        await stage.tell(ref, 'go')
        expect([causes, stage.isTerminated(ref)]).toEqual([[error], false])
      })

      test(`${what} is answered by supervision`, async () => {
        const stage = new Stage()
        const ref = await stage.start(
          Behaviors.supervise(Behaviors.receive<string>(act as never)).onFailure(resume()),
        )
        await stage.tell(ref, 'go')
        expect(stage.isTerminated(ref)).toBe(false)
      })
    }

    test('a rejected promise without a mapper for it fails the actor with the rejection', async () => {
      const stage = new Stage()
      const { child, ends } = await childOf(
        stage,
        Behaviors.receive<string>((context) =>
          context.pipeToSelf(Promise.reject(error), () => 'text'),
        ),
      )
      await stage.tell(child, 'go')
      expect((ends[0] as ChildFailed).cause).toBe(error)
    })

    test('a mapper that answers nothing drops the value, with the reason', async () => {
      const stage = new Stage()
      const ref = await stage.start(
        Behaviors.receive<string>((context) =>
          context.pipeToSelf(Promise.resolve(42), () => undefined as never),
        ),
      )
      await stage.tell(ref, 'go')
      expect(stage.losses).toEqual(['Dropped/adapted-to-nothing 42'])
      expect(stage.isTerminated(ref)).toBe(false)
    })

    test('a thenable piped to self that settles many times gives one message', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const thenable = {
        // oxlint-disable-next-line unicorn/no-thenable
        then: (done: (value: string) => void, failed: (error: unknown) => void) => {
          done('one')
          done('two')
          failed(new Error('three'))
        },
      }
      const ref = await stage.start(
        Behaviors.receive<string>((context, message) => {
          if (message !== 'go') return void heard.push(message)
          return context.pipeToSelf(thenable as unknown as Promise<string>, (value) => value)
        }),
      )
      await stage.tell(ref, 'go')
      expect([heard, stage.isTerminated(ref)]).toEqual([['one'], false])
    })

    test('what is no promise is piped as it is, as await would take it', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const ref = await stage.start(
        Behaviors.receive<string>((context, message) => {
          if (message !== 'go') heard.push(message)
          else context.pipeToSelf(42 as unknown as Promise<number>, (value) => `${value}`)
        }),
      )
      await stage.tell(ref, 'go')
      expect(heard).toEqual(['42'])
    })
  })

  describe('refs that are none', () => {
    for (const [what, ref] of [
      ['undefined', undefined],
      ['null', null],
      ['an object', {}],
      ['a text', 'sherd://stage/user/a'],
    ] as const) {
      for (const operation of ['watch', 'stop'] as const) {
        // Stop without a child means the actor itself.
        if (operation === 'stop' && ref === undefined) continue
        test(`${operation} of ${what} fails the actor, which stops as usual`, async () => {
          const stage = new Stage()
          const { child, ends } = await childOf(
            stage,
            Behaviors.receive<string>((context) => context[operation](ref as never)),
          )
          await stage.tell(child, 'go')
          expect(ends).toEqual([expect.any(ChildFailed)])
          expect((ends[0] as ChildFailed).cause).toEqual(ours)
        })
      }

      test(`unwatch of ${what}, which nobody watches, does nothing`, async () => {
        const stage = new Stage()
        const { parent, child, ends } = await childOf(
          stage,
          Behaviors.receive<string>((context) => context.unwatch(ref as never)),
        )
        await stage.tell(child, 'go')
        expect(ends).toEqual([])
        await stage.tell(parent, 'stop')
        expect(ends).toHaveLength(1)
      })

      test(`watch of ${what} under resume leaves nothing behind that breaks the stop`, async () => {
        const stage = new Stage()
        const { parent, child, ends } = await childOf(
          stage,
          Behaviors.supervise(
            Behaviors.receive<string>((context) => context.watch(ref as never)),
          ).onFailure(resume()),
        )
        await stage.tell(child, 'go')
        await stage.tell(parent, 'stop')
        expect(ends).toHaveLength(1)
      })
    }
  })

  describe('the context outside its turn', () => {
    interface Kept {
      readonly context: ActorContext<string>
      readonly timers: TimerScheduler<string>
      readonly stash: StashBuffer<string>
      readonly other: ActorRef<never>
    }
    const forbidden: readonly [string, (kept: Kept) => unknown][] = [
      ['spawn', ({ context }) => context.spawn(Behaviors.ignore)],
      ['child', ({ context }) => context.child('name')],
      ['children', ({ context }) => context.children],
      ['stop', ({ context }) => context.stop()],
      ['stop of a child', ({ context, other }) => context.stop(other)],
      ['watch', ({ context, other }) => context.watch(other)],
      ['watchWith', ({ context, other }) => context.watchWith(other, 'gone')],
      ['unwatch', ({ context, other }) => context.unwatch(other)],
      ['setReceiveTimeout', ({ context }) => context.setReceiveTimeout('1s', 'idle')],
      ['cancelReceiveTimeout', ({ context }) => context.cancelReceiveTimeout()],
      ['stash', ({ context }) => context.stash(1)],
      ['messageAdapter', ({ context }) => context.messageAdapter(() => 'text')],
      ['pipeToSelf', ({ context }) => context.pipeToSelf(Promise.resolve(1), () => 'text')],
      ['ask', ({ context, other }) => context.ask(other, () => 'q' as never, { done: () => 'a' })],
      [
        'askWithStatus',
        ({ context, other }) =>
          context.askWithStatus(other, () => 'q' as never, { done: () => 'a' }),
      ],
      ['timers', ({ context }) => context.timers],
      ['timers.startSingle', ({ timers }) => timers.startSingle('key', 1, 'tick')],
      ['timers.startFixedDelay', ({ timers }) => timers.startFixedDelay('key', 1, 'tick')],
      ['timers.startFixedRate', ({ timers }) => timers.startFixedRate('key', 1, 'tick')],
      ['timers.cancel', ({ timers }) => timers.cancel('key')],
      ['timers.cancelAll', ({ timers }) => timers.cancelAll()],
      ['stash.stash', ({ stash }) => stash.stash('message')],
      ['stash.clear', ({ stash }) => stash.clear()],
      ['stash.unstash', ({ stash }) => stash.unstash(Behaviors.same, 1)],
      ['stash.unstashAll', ({ stash }) => stash.unstashAll(Behaviors.same)],
    ]

    async function keep(stage: Stage): Promise<Kept> {
      let kept!: Kept
      const other = stage.spawn(Behaviors.ignore)
      await stage.start(
        Behaviors.setup<string>((context) => {
          kept = { context, timers: context.timers, stash: context.stash(1), other }
          return Behaviors.ignore
        }),
      )
      return kept
    }

    for (const [name, use] of forbidden) {
      test(`${name} throws ContextOutsideTurn from outside`, async () => {
        const stage = new Stage()
        const kept = await keep(stage)
        expect(thrownBy(() => use(kept))).toBeInstanceOf(ContextOutsideTurn)
        await stage.advance('1m')
        expect(stage.lost).toEqual([])
      })

      test(`${name} throws ContextOutsideTurn from another actor’s turn`, async () => {
        const stage = new Stage()
        const kept = await keep(stage)
        let error: unknown
        const ref = await stage.start<string>(() => {
          error = thrownBy(() => use(kept))
        })
        await stage.tell(ref, 'go')
        expect(error).toBeInstanceOf(ContextOutsideTurn)
      })
    }

    test('self, path, system, log and signal may be used from anywhere', async () => {
      const stage = new Stage()
      const { context } = await keep(stage)
      expect(context.self.toString()).toContain('sherd://stage/user/')
      expect(context.path.elements).toHaveLength(2)
      expect(context.system).toBe(stage.system)
      context.log.info({}, 'hello')
      expect(context.signal.aborted).toBe(false)
      expect(stage.logged('info').at(-1)?.fields['actor']).toBe(context.self.toString())
    })

    test('the error says what to do instead', async () => {
      const stage = new Stage()
      const { context } = await keep(stage)
      const error = thrownBy(() => context.spawn(Behaviors.ignore)) as Error
      expect(error.message).toContain('context.spawn')
      expect(error.message).toContain('pipeToSelf')
    })

    test('a failed call from a promise that nobody awaits does not harm the actor', async () => {
      const stage = new Stage()
      const errors: unknown[] = []
      const heard: string[] = []
      const ref = await stage.start(
        Behaviors.receive<string>((context, message) => {
          heard.push(message)
          void Promise.resolve().then(() => errors.push(thrownBy(() => context.stop())))
        }),
      )
      await stage.tell(ref, 'a', 'b')
      expect(heard).toEqual(['a', 'b'])
      expect(errors).toEqual([expect.any(ContextOutsideTurn), expect.any(ContextOutsideTurn)])
    })
  })

  describe('settings and durations', () => {
    test('every problem with the settings is told at once, by name', () => {
      const settings = {
        askTimeoutMs: 0,
        handlerStopTimeoutMs: Number.NaN,
        restartStashCapacity: -1,
        logDeadLetters: 1.5,
        logDeadLettersSuspendMs: Infinity,
        logDeadLettersDuringShutdown: 'no' as never,
        hookSignals: 1 as never,
        exitProcess: undefined as never,
        unknownSetting: true,
      }
      const error = thrownBy(() => new ActorSystem('bad', { settings })) as InvalidSettings
      expect(error).toBeInstanceOf(InvalidSettings)
      expect(error.problems).toHaveLength(Object.keys(settings).length)
      for (const name of Object.keys(settings)) expect(error.message).toContain(name)
    })

    test('a number that is a text is refused', () => {
      const settings = { askTimeoutMs: '5' as never }
      expect(thrownBy(() => new ActorSystem('bad', { settings }))).toBeInstanceOf(InvalidSettings)
    })

    const badDurations = [-1, Number.NaN, Infinity, '', '10', '10 s', 's', '1e3s', '-1s', null, {}]
    const takers: readonly [string, (context: ActorContext<string>, duration: never) => unknown][] =
      [
        ['startSingle', (context, duration) => context.timers.startSingle('key', duration, 'tick')],
        [
          'startFixedDelay',
          (context, duration) => context.timers.startFixedDelay('key', duration, 'tick'),
        ],
        [
          'startFixedRate',
          (context, duration) => context.timers.startFixedRate('key', duration, 'tick'),
        ],
        [
          'an initial delay',
          (context, duration) => context.timers.startFixedRate('key', '1s', 'tick', duration),
        ],
        ['setReceiveTimeout', (context, duration) => context.setReceiveTimeout(duration, 'idle')],
      ]
    for (const [name, take] of takers) {
      test(`${name} refuses what is no length of time, and starts nothing`, async () => {
        const stage = new Stage()
        const errors: unknown[] = []
        const heard: string[] = []
        await stage.start(
          Behaviors.setup<string>((context) => {
            for (const duration of badDurations) {
              errors.push(thrownBy(() => take(context, duration as never)))
            }
            return (message) => void heard.push(message)
          }),
        )
        await stage.advance('1m')
        expect(errors).toEqual(badDurations.map(() => coded('INVALID_DURATION')))
        expect(heard).toEqual([])
      })
    }

    test('a bad duration leaves the timer of that key as it was', async () => {
      const stage = new Stage()
      const heard: string[] = []
      await stage.start(
        Behaviors.withTimers<string>((timers) => {
          timers.startSingle('key', '1s', 'tick')
          thrownBy(() => timers.startSingle('key', -1, 'other'))
          return (message) => void heard.push(message)
        }),
      )
      await stage.advance('1m')
      expect(heard).toEqual(['tick'])
    })

    for (const kind of ['startFixedDelay', 'startFixedRate'] as const) {
      test(`${kind} refuses an interval of 0, which would never let time pass`, async () => {
        const stage = new Stage()
        let error: unknown
        await stage.start(
          Behaviors.withTimers<string>((timers) => {
            error = thrownBy(() => timers[kind]('key', 0, 'tick'))
            timers.cancelAll()
            return Behaviors.ignore
          }),
        )
        expect(error).toEqual(ours)
      })
    }

    test('setReceiveTimeout refuses 0, and ask rejects on what is no length of time', async () => {
      const stage = new Stage()
      let error: unknown
      await stage.start(
        Behaviors.setup<string>((context) => {
          error = thrownBy(() => context.setReceiveTimeout(0, 'idle'))
          return Behaviors.ignore
        }),
      )
      expect(error).toEqual(coded('INVALID_SETTINGS'))
      for (const timeout of badDurations) {
        const asked = stage.spawn(Behaviors.ignore).ask(() => 'q', { timeout: timeout as never })
        await expect(asked).rejects.toEqual(coded('INVALID_DURATION'))
      }
    })

    const badStrategies: readonly [string, () => unknown][] = [
      ['a negative limit', () => restart({ limit: -1 })],
      ['half a restart', () => restart({ limit: 0.5 })],
      ['no window', () => restart({ limit: 1, within: 0 })],
      ['a negative stash', () => restart({ stashCapacity: -1 })],
      ['min 0', () => restartWithBackoff({ min: 0, max: 1 })],
      ['max below min', () => restartWithBackoff({ min: 2, max: 1 })],
      ['a random factor above 1', () => restartWithBackoff({ min: 1, max: 2, randomFactor: 2 })],
      ['a negative count', () => restartWithBackoff({ min: 1, max: 2, maxRestarts: -1 })],
    ]
    for (const [what, make] of badStrategies) {
      test(`a strategy with ${what} is refused when it is made`, () => {
        expect(thrownBy(make)).toBeInstanceOf(InvalidSettings)
      })
    }

    test('every problem with a strategy is told at once', () => {
      const error = thrownBy(() =>
        restartWithBackoff({
          min: 2,
          max: 1,
          randomFactor: 5,
          maxRestarts: -1,
          stashCapacity: 0.5,
        }),
      ) as InvalidSettings
      expect(error.problems).toHaveLength(4)
    })

    test('a strategy that is none is refused when supervision is made', () => {
      for (const strategy of [undefined, null, 'restart', {}, { type: 'explode' }]) {
        const make = (): unknown =>
          Behaviors.supervise(Behaviors.ignore).onFailure(strategy as never)
        expect(thrownBy(make)).toBeInstanceOf(InvalidSettings)
      }
    })

    test('a stash refuses a capacity that is none', async () => {
      for (const capacity of [-1, 1.5, Number.NaN, Infinity, '3' as never]) {
        const stage = new Stage()
        const { ends } = await childOf(
          stage,
          Behaviors.withStash<string>(capacity, () => Behaviors.ignore),
        )
        expect((ends[0] as ChildFailed).cause).toBeInstanceOf(InvalidSettings)
      }
    })
  })

  describe('the end of the system', () => {
    const ended = async (stage: Stage): Promise<void> => {
      const terminated = stage.system.terminate()
      await stage.settle()
      await terminated
    }

    test('nothing can be spawned after it', async () => {
      const stage = new Stage()
      await ended(stage)
      expect(thrownBy(() => stage.spawn(Behaviors.ignore))).toBeInstanceOf(SystemTerminated)
      expect(thrownBy(() => stage.system.spawnSystemActor(Behaviors.ignore))).toBeInstanceOf(
        SystemTerminated,
      )
    })

    test('terminating twice, also at the same time, is terminating once', async () => {
      const stage = new Stage()
      let stops = 0
      await stage.start(Behaviors.receiveSignal<string>({ PostStop: () => void stops++ }))
      const both = Promise.all([stage.system.terminate(), stage.system.terminate()])
      await stage.settle()
      await both
      await stage.system.terminate()
      await stage.system.whenTerminated
      expect(stops).toBe(1)
    })

    test('messages after it are dead letters, and asks fail', async () => {
      const stage = new Stage()
      const { ref } = stage.recorder<string>()
      await ended(stage)
      ref.tell('too late')
      expect(stage.losses).toEqual(['DeadLetter/terminated too late'])
      await expect(ref.ask(() => 'q')).rejects.toBeInstanceOf(AskTargetTerminated)
    })

    test('no timer is left', async () => {
      const stage = new Stage()
      await stage.start(
        Behaviors.setup<string>((context) => {
          context.timers.startFixedRate('key', '1s', 'tick')
          context.setReceiveTimeout('1s', 'idle')
          return Behaviors.ignore
        }),
      )
      await ended(stage)
      expect(stage.time.nextDeadline).toBeUndefined()
    })

    test('an actor that terminates its own system in a handler does not hang it', async () => {
      const stage = new Stage()
      const ref = await stage.start(
        Behaviors.receive<string>(async (context) => {
          await context.system.terminate()
        }),
      )
      await stage.tell(ref, 'go')
      await stage.advance('3s')
      expect(stage.isTerminated(ref)).toBe(true)
      await stage.system.whenTerminated
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

  describe('large numbers', () => {
    test('100,000 messages are unstashed without a stack overflow', async () => {
      const stage = new Stage({ patience: '25s' })
      let heard = 0
      const ref = await stage.start(
        Behaviors.withStash<number>(100_000, (stash) => (message) => {
          if (message < 0) {
            return stash.unstashAll(Behaviors.receiveMessage<number>(() => void heard++))
          }
          stash.stash(message)
          return undefined
        }),
      )
      for (let count = 0; count < 100_000; count++) ref.tell(count)
      ref.tell(-1)
      await stage.settle()
      expect([heard, stage.isTerminated(ref)]).toEqual([100_000, false])
    })

    test('100,000 messages that each unstash the next are no stack overflow either', async () => {
      const stage = new Stage({ patience: '25s' })
      let heard = 0
      const ref = await stage.start(
        Behaviors.withStash<number>(100_000, (stash) => {
          const one: Behavior<number> = Behaviors.receiveMessage<number>(() => {
            heard++
            return stash.unstash(one, 1)
          })
          return (message) => {
            if (message < 0) return stash.unstash(one, 1)
            stash.stash(message)
            return undefined
          }
        }),
      )
      for (let count = 0; count < 100_000; count++) ref.tell(count)
      ref.tell(-1)
      await stage.settle()
      expect(heard).toBe(100_000)
    })

    test('a chain of 10,000 actors that spawn each other lives, prints and ends', async () => {
      const stage = new Stage({ patience: '25s' })
      let deepest!: ActorRef<string>
      let stops = 0
      const link = (depth: number): Behavior<string> =>
        Behaviors.setup<string>((context) => {
          if (depth > 1) context.spawn(link(depth - 1), 'next')
          else deepest = context.self
          return Behaviors.receiveSignal<string>({ PostStop: () => void stops++ })
        })
      await stage.start(link(10_000), 'first')
      expect(deepest.toString().split('/')).toHaveLength(10_004)
      expect(deepest.path.elements).toHaveLength(10_001)
      const terminated = stage.system.terminate()
      await stage.settle()
      await terminated
      expect(stops).toBe(10_000)
    })

    test('a chain of 10,000 setups in one actor is no stack overflow', async () => {
      const stage = new Stage({ patience: '25s' })
      const nest = (depth: number): Behavior<string> =>
        Behaviors.setup(() => (depth > 0 ? nest(depth - 1) : Behaviors.ignore))
      const ref = await stage.start(nest(10_000))
      expect(stage.isTerminated(ref)).toBe(false)
    })

    test('10,000 failures in a row are 10,000 restarts, and the mailbox is kept', async () => {
      const stage = new Stage({ patience: '25s' })
      let starts = 0
      const heard: number[] = []
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<number>((context) => {
            starts++
            context.spawn(Behaviors.ignore, 'child')
            return (message) => {
              if (message >= 0) throw new Error('storm')
              heard.push(message)
            }
          }),
          // While its child stops, an actor holds what comes.
        ).onFailure(restart({ stashCapacity: 20_000 })),
      )
      for (let count = 0; count < 10_000; count++) ref.tell(count)
      ref.tell(-1)
      await stage.settle()
      expect([starts, heard]).toEqual([10_001, [-1]])
      expect(stage.lost).toEqual([])
    })

    test('a setup that sends itself the message that fails it does not block others', async () => {
      const stage = new Stage({ patience: '25s' })
      let starts = 0
      const other = stage.recorder<string>()
      await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>((context) => {
            if (++starts < 5_000) context.self.tell('fail')
            if (starts === 10) other.ref.tell('hello')
            return () => {
              throw new Error('storm')
            }
          }),
        ).onFailure(restart()),
      )
      expect([starts, other.messages]).toEqual([5_000, ['hello']])
    })
  })
})
