import { describe, expect, test } from 'vitest'
import {
  type ActorContext,
  type ActorRef,
  ActorSystem,
  Behaviors,
  DeadLetter,
  DuplicateActorName,
  InvalidActorName,
  InvalidMessage,
  PoisonPill,
} from '../../src/actor/index.ts'
import { Stage, gate, nothingMayEscape, outcomeOf } from './stage.ts'
import { thrownBy, coded } from './misuse.ts'

const failToLook = (): never => {
  throw new Error('not to be looked at')
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

    for (const options of [null, 42, true, Symbol('name'), () => undefined]) {
      test(`${String(options)} in place of a name or of options is refused`, () => {
        const stage = new Stage()
        const spawn = (): unknown => stage.spawn(Behaviors.ignore, options as unknown as string)
        expect(thrownBy(spawn)).toEqual(coded('INVALID_ACTOR_NAME'))
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

    test('a question with what is no AbortSignal is refused, and not sent', async () => {
      const stage = new Stage()
      const { ref, messages } = stage.recorder<unknown>()
      for (const signal of [null, 5, 'signal', {}, { aborted: false }] as never[]) {
        const asked = ref.ask(() => 'q', { signal })
        await expect(asked).rejects.toEqual(coded('INVALID_SETTINGS'))
      }
      await stage.settle()
      expect([messages, stage.system.runtime.wheel.size]).toEqual([[], 0])
    })

    const unlookable: readonly [string, object][] = [
      ['a type that throws', Object.defineProperty({}, 'type', { get: failToLook })],
      ['a constructor that throws', Object.defineProperty({}, 'constructor', { get: failToLook })],
      ['a proxy that throws', new Proxy({}, { has: failToLook, get: failToLook })],
    ]
    for (const [what, question] of unlookable) {
      test(`a question with ${what} times out, and so do those after it`, async () => {
        const stage = new Stage()
        const ref = await stage.start<unknown>(Behaviors.ignore)
        const first = outcomeOf(ref.ask(() => question, { timeout: '1s' }))
        await stage.advance('1s')
        const second = outcomeOf(ref.ask(() => 'plain', { timeout: '1s' }))
        await stage.advance('1s')
        expect([first.ends, second.ends]).toEqual([[coded('ASK_TIMEOUT')], [coded('ASK_TIMEOUT')]])
      })
    }

    test('an answer to a question that could not be asked is a dead letter', async () => {
      const stage = new Stage()
      const kept: ActorRef<string>[] = []
      const asked = stage.spawn(Behaviors.ignore).ask<string>((replyTo) => {
        kept.push(replyTo)
        throw new Error('no question')
      })
      await expect(asked).rejects.toThrow('no question')
      kept[0]?.tell('answer')
      expect(stage.losses).toEqual(['DeadLetter/late-reply answer'])
    })

    test('undefined as an answer fails the one who gives it', async () => {
      const stage = new Stage()
      const ref = stage.spawn<ActorRef<unknown>>((replyTo) => replyTo.tell(undefined))
      const asked = ref.ask((replyTo: ActorRef<unknown>) => replyTo, { timeout: '1s' })
      const { ends } = outcomeOf(asked)
      await stage.advance('1s')
      expect(ends).toEqual([coded('ASK_TIMEOUT')])
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
})
