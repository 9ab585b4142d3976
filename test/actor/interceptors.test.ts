import { describe, expect, test } from 'vitest'
import {
  type ActorRef,
  type Behavior,
  Behaviors,
  type Interceptor,
  PoisonPill,
  type Signal,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import { coded, thrownBy } from './misuse.ts'
import { gate, immediate, nothingMayEscape, Stage } from './stage.ts'

type Around = Interceptor<string, string>['aroundReceive']

const { restart, resume } = SupervisorStrategy

/** Begins and ends are written down; between them lies a wait. A `!` at its end makes a message fail. */
const waiting = (said: string[]): Behavior<string> =>
  Behaviors.receiveMessage<string>(async (message) => {
    said.push(`${message} begins`)
    await immediate()
    said.push(`${message} ends`)
    if (message.endsWith('!')) throw new Error(message)
  })

const around = (aroundReceive: Around, behavior: Behavior<string>): Behavior<string> =>
  Behaviors.intercept<string>(() => ({ aroundReceive }), behavior)

const pass: Around = (_context, message, next) => next(message)
const twoInARow = ['a begins', 'a ends', 'b begins', 'b ends']

describe('an interceptor around an async handler', () => {
  nothingMayEscape()

  test('sees its promise, and may look at what it comes to', async () => {
    const stage = new Stage()
    const said: string[] = []
    const timing: Around = (_context, message, next) => {
      const result = next(message)
      void Promise.resolve(result).then(() => said.push(`${message} is timed`))
      return result
    }
    const ref = await stage.start(around(timing, around(pass, waiting(said))))
    await stage.tell(ref, 'a', 'b')
    expect(said).toEqual(['a begins', 'a ends', 'a is timed', 'b begins', 'b ends', 'b is timed'])
  })

  test('leaves its failures to the supervision inside', async () => {
    const stage = new Stage()
    const said: string[] = []
    const ref = await stage.start(
      around(pass, Behaviors.supervise(waiting(said)).onFailure(resume())),
    )
    await stage.tell(ref, 'a!', 'b')
    expect(said).toEqual(['a! begins', 'a! ends', 'b begins', 'b ends'])
    expect(stage.isTerminated(ref)).toBe(false)
  })

  test('leaves a behavior that it comes to inside its supervision', async () => {
    const stage = new Stage()
    const said: string[] = []
    const second = Behaviors.receiveMessage<string>((message) => {
      if (message === 'fail') throw new Error('boom')
      said.push(`second ${message}`)
    })
    const first = Behaviors.receiveMessage<string>(() => Promise.resolve(second))
    const ref = await stage.start(around(pass, Behaviors.supervise(first).onFailure(resume())))
    await stage.tell(ref, 'become', 'a', 'fail', 'b')
    expect(said).toEqual(['second a', 'second b'])
  })

  test('stays when it becomes another behavior', async () => {
    const stage = new Stage()
    const said: string[] = []
    const second = Behaviors.receiveMessage<string>((message) => void said.push(message))
    const first = Behaviors.receiveMessage<string>(() => Promise.resolve(second))
    const shout: Around = (_context, message, next) => next(message.toUpperCase())
    const ref = await stage.start(around(shout, first))
    await stage.tell(ref, 'become', 'a')
    expect(said).toEqual(['A'])
  })

  test('may answer another behavior beside it, which takes over when the handler has settled', async () => {
    const stage = new Stage()
    const said: string[] = []
    const stopping: Around = (_context, message, next) => {
      void next(message)
      return Behaviors.stopped(() => void said.push('stopped'))
    }
    const ref = await stage.start(around(stopping, waiting(said)))
    await stage.tell(ref, 'a')
    expect(said).toEqual(['a begins', 'a ends', 'stopped'])
    expect(stage.isTerminated(ref)).toBe(true)
  })

  test('may call a signal unhandled beside it: a death pact, when the handler has settled', async () => {
    const stage = new Stage()
    const target = await stage.start<string>(() => Behaviors.stopped())
    const said: string[] = []
    const inner = Behaviors.setup<string>((context) => {
      context.watch(target)
      return Behaviors.receiveSignal<string>({
        Terminated: () => Promise.resolve().then(() => void said.push('Terminated')),
      })
    })
    const deaf: Interceptor<string, string> = {
      aroundReceive: pass,
      aroundSignal: (_context, signal, next) => {
        void next(signal)
        return Behaviors.unhandled
      },
    }
    const ref = await stage.start(Behaviors.intercept(() => deaf, inner))
    await stage.tell(target, 'stop')
    expect([said, stage.isTerminated(ref)]).toEqual([['Terminated'], true])
    expect(stage.logged('error')).toMatchObject([{ fields: { err: coded('DEATH_PACT') } }])
  })
})

const careless: Readonly<Record<string, Around>> = {
  'does not return what next answers': (_context, message, next) => void next(message),
  'throws after it': (_context, message, next) => {
    void next(message)
    throw new Error('careless')
  },
  'is async': async (_context, message, next) => next(message),
  'is async and does not await it': async (_context, message, next) => void next(message),
  'rejects after it': (_context, message, next) => {
    void next(message)
    return Promise.reject(new Error('careless'))
  },
  'calls next again before the handler has settled': (_context, message, next) => {
    void next(message)
    return next(`${message} again`)
  },
}

describe('an interceptor', () => {
  nothingMayEscape()

  for (const [what, aroundReceive] of Object.entries(careless)) {
    test(`that ${what} does not let a second message in`, async () => {
      const stage = new Stage()
      const said: string[] = []
      const behavior = around(aroundReceive, waiting(said))
      const ref = await stage.start(Behaviors.supervise(behavior).onFailure(resume()))
      await stage.tell(ref, 'a', 'b')
      expect(said).toEqual(twoInARow)
    })

    test(`that ${what} does not hide that what is inside failed`, async () => {
      const stage = new Stage()
      const ref = await stage.start(around(aroundReceive, waiting([])))
      await stage.tell(ref, 'a!')
      expect(stage.isTerminated(ref)).toBe(true)
    })
  }

  for (const what of ['throws after it', 'is async']) {
    test(`that ${what} answers for that to the supervision around it, not inside`, async () => {
      const stage = new Stage()
      const inner = Behaviors.supervise(waiting([])).onFailure(resume())
      const ref = await stage.start(around(careless[what]!, inner))
      await stage.tell(ref, 'a')
      expect(stage.isTerminated(ref)).toBe(true)
    })
  }

  test('that hands on several messages does so one after the other', async () => {
    const stage = new Stage()
    const said: string[] = []
    const both: Around = (_context, message, next) => {
      void next(message)
      return next(`${message} again`)
    }
    const inner = Behaviors.receiveMessage<string>((message) => void said.push(message))
    const ref = await stage.start(around(both, inner))
    await stage.tell(ref, 'a')
    expect(said).toEqual(['a', 'a again'])
  })

  test('may answer for what failed inside', async () => {
    const stage = new Stage()
    const inner = Behaviors.receiveMessage<string>((message) => {
      throw new Error(message)
    })
    const mild: Around = (_context, message, next) => {
      try {
        return next(message)
      } catch {
        return undefined
      }
    }
    const ref = await stage.start(around(mild, inner))
    await stage.tell(ref, 'a', 'b')
    expect(stage.isTerminated(ref)).toBe(false)
  })
})

describe('an interceptor that throws beside an async handler', () => {
  nothingMayEscape()

  const throwsAt =
    (at: string, error: string): Around =>
    (_context, message, next) => {
      const result = next(message)
      if (message === at) throw new Error(error)
      return result
    }

  test('answers for that once: no later message fails with it', async () => {
    const stage = new Stage()
    const said: string[] = []
    const inner = Behaviors.withStash<string>(10, (stash) =>
      Behaviors.receiveMessage<string>((message) => {
        said.push(message)
        if (message === 'take') return stash.unstashAll(Behaviors.same)
        if (message !== 'keep') return immediate()
        stash.stash('kept')
        return undefined
      }),
    )
    const behavior = around(throwsAt('a', 'outer'), around(throwsAt('a', 'inner'), inner))
    const ref = await stage.start(Behaviors.supervise(behavior).onFailure(resume()))
    await stage.tell(ref, 'a', 'keep', 'take')
    expect(said).toEqual(['a', 'keep', 'take', 'kept'])
    expect(stage.logged('warn')).toMatchObject([{ fields: { err: new Error('inner') } }])
  })

  test('leaves inside what the handler became', async () => {
    const stage = new Stage()
    const said: string[] = []
    const second = Behaviors.receiveMessage<string>((message) => void said.push(message))
    const first = Behaviors.receiveMessage<string>(() => Promise.resolve(second))
    const behavior = around(throwsAt('become', 'outer'), first)
    const ref = await stage.start(Behaviors.supervise(behavior).onFailure(resume()))
    await stage.tell(ref, 'become', 'a')
    expect(said).toEqual(['a'])
  })

  test('does not make PostStop fail when the actor stops meanwhile', async () => {
    const stage = new Stage()
    const said: string[] = []
    const { promise, open } = gate()
    const inner = Behaviors.receiveMessage<string>(() => promise).receiveSignal({
      PostStop: () => void said.push('PostStop'),
    })
    const ref = await stage.start(around(throwsAt('a', 'outer'), inner))
    await stage.tell(ref, 'a')
    const ended = stage.system.terminate()
    await stage.advance('1s')
    open()
    await stage.advance('1s')
    await ended
    expect(said).toEqual(['PostStop'])
    expect(stage.logged('error')).toEqual([])
  })
})

describe('an async interceptor', () => {
  nothingMayEscape()

  test('fails the actor with an error that says that interceptors are synchronous', async () => {
    const stage = new Stage()
    const said: string[] = []
    const asleep = async (): Promise<undefined> => undefined
    const ref = await stage.start(around(asleep, waiting(said)))
    await stage.tell(ref, 'a')
    expect(stage.isTerminated(ref)).toBe(true)
    const [error] = stage.logged('error').map(({ fields }) => fields['err'] as Error)
    expect(error).toEqual(coded('ASYNC_INTERCEPTOR'))
    expect(error?.message).toMatch(
      /^An interceptor of sherd:\/\/stage\/user\/.* returned a promise of its own\. Interceptors are synchronous/,
    )
  })

  test('that waits before next hands nothing on: its supervision answers, and the next message is taken', async () => {
    const stage = new Stage()
    const said: string[] = []
    const { promise, open } = gate()
    const late: Around = (_context, message, next) =>
      message === 'a' ? promise.then(() => next(message)) : next(message)
    const behavior = around(late, waiting(said))
    const ref = await stage.start(Behaviors.supervise(behavior).onFailure(restart()))
    await stage.tell(ref, 'a', 'b')
    open()
    await stage.settle()
    expect(said).toEqual(['b begins', 'b ends'])
    expect(stage.logged('warn')).toMatchObject([{ fields: { err: coded('ASYNC_INTERCEPTOR') } }])
  })

  for (const type of ['PreRestart', 'PostStop'] as const) {
    test(`around an async ${type} ends it, and its error is logged`, async () => {
      const stage = new Stage()
      const said: string[] = []
      const { promise, open } = gate()
      const slowly = async (signal: Signal): Promise<void> => {
        await promise
        said.push(signal.type)
      }
      const ending = Behaviors.receiveMessage<string>((message) => {
        if (message === 'fail') throw new Error('boom')
        said.push(message)
      }).receiveSignal({ [type]: (_context: unknown, signal: Signal) => slowly(signal) })
      const behavior = Behaviors.intercept<string>(
        () => ({
          aroundReceive: pass,
          aroundSignal: async (_context, signal, next) => next(signal),
        }),
        ending,
      )
      const ref = await stage.start(Behaviors.supervise(behavior).onFailure(restart()))
      if (type === 'PreRestart') ref.tell('fail')
      ref.tell(type === 'PreRestart' ? 'a' : PoisonPill)
      await stage.settle()
      expect(said).toEqual([])
      open()
      await stage.settle()
      expect(said).toEqual(type === 'PreRestart' ? ['PreRestart', 'a'] : ['PostStop'])
      const failed = stage.time.logs.lines.filter(({ message }) => message === `${type} failed`)
      expect(failed).toMatchObject([{ fields: { err: coded('ASYNC_INTERCEPTOR') } }])
    })
  }
})

describe('next of an interceptor', () => {
  nothingMayEscape()

  async function kept(stage: Stage, said: string[]) {
    const nexts: ((message: string) => unknown)[] = []
    const keeping: Around = (_context, message, next) => {
      nexts.push(next)
      return next(message)
    }
    const inner = Behaviors.receiveMessage<string>((message) => void said.push(message))
    const ref: ActorRef<string> = await stage.start(around(keeping, inner))
    await stage.tell(ref, 'a')
    return { ref, next: nexts[0]! }
  }

  test('that is called when the message is done throws, and nothing is handled', async () => {
    const stage = new Stage()
    const said: string[] = []
    const { next } = await kept(stage, said)
    const error = thrownBy(() => next('late'))
    expect(error).toEqual(coded('ASYNC_INTERCEPTOR'))
    expect((error as Error).message).toContain('called next after it had returned')
    expect(said).toEqual(['a'])
  })

  test('that is called when the actor is gone throws, and nothing is handled', async () => {
    const stage = new Stage()
    const said: string[] = []
    const { ref, next } = await kept(stage, said)
    ref.tell(PoisonPill)
    await stage.settle()
    expect(thrownBy(() => next('late'))).toEqual(coded('ASYNC_INTERCEPTOR'))
    expect(said).toEqual(['a'])
  })
})
