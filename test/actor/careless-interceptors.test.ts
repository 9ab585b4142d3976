import { describe, expect, test } from 'vitest'
import {
  type ActorRef,
  Behaviors,
  type Interceptor,
  PoisonPill,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import { thrownBy, coded } from './misuse.ts'
import { gate, immediate, nothingMayEscape, Stage } from './stage.ts'

type Around = Interceptor<string, string>['aroundReceive']

/** Begins and ends are written down; between them lies a wait. A `!` at its end makes a message fail. */
async function intercepted(stage: Stage, said: string[], around: Around, isSupervised = false) {
  const inner = Behaviors.receiveMessage<string>(async (message) => {
    said.push(`${message} begins`)
    await immediate()
    said.push(`${message} ends`)
    if (message.endsWith('!')) throw new Error(message)
  })
  const behavior = Behaviors.intercept<string>(() => ({ aroundReceive: around }), inner)
  const { resume } = SupervisorStrategy
  return stage.start(isSupervised ? Behaviors.supervise(behavior).onFailure(resume()) : behavior)
}

const twoInARow = ['a begins', 'a ends', 'b begins', 'b ends']

const careless: Readonly<Record<string, Around>> = {
  'does not return what next answers': (_context, message, next) => void next(message),
  'is async and does not await it': async (_context, message, next) => void next(message),
  'throws after it': (_context, message, next) => {
    void next(message)
    throw new Error('careless')
  },
  'rejects after it': (_context, message, next) => {
    void next(message)
    return Promise.reject(new Error('careless'))
  },
}

describe('an interceptor', () => {
  nothingMayEscape()

  for (const [what, around] of Object.entries(careless)) {
    test(`that ${what} does not let a second message in`, async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await intercepted(stage, said, around, true)
      ref.tell('a')
      ref.tell('b')
      await stage.settle()
      expect(said).toEqual(twoInARow)
    })

    test(`that ${what} does not hide that what is inside failed`, async () => {
      const stage = new Stage()
      const ref = await intercepted(stage, [], around)
      await stage.tell(ref, 'a!')
      expect(stage.isTerminated(ref)).toBe(true)
    })
  }

  test('that hands on several messages hands them on one after the other', async () => {
    const stage = new Stage()
    const said: string[] = []
    const ref = await intercepted(stage, said, (_context, _message, next) => {
      void next('a')
      return next('b')
    })
    await stage.tell(ref, 'both')
    expect(said).toEqual(twoInARow)
  })

  test('may answer for what failed inside', async () => {
    const stage = new Stage()
    const ref = await intercepted(stage, [], async (_context, message, next) => {
      try {
        await next(message)
      } catch {
        // It is of no importance.
      }
    })
    await stage.tell(ref, 'a!', 'b!')
    expect(stage.isTerminated(ref)).toBe(false)
  })
})

describe('next of an interceptor', () => {
  nothingMayEscape()

  async function kept(stage: Stage, said: string[]) {
    const nexts: ((message: string) => unknown)[] = []
    const behavior = Behaviors.intercept<string>(
      () => ({
        aroundReceive: (_context, message, next) => {
          nexts.push(next)
          return next(message)
        },
      }),
      (message) => void said.push(message),
    )
    const ref: ActorRef<string> = await stage.start(behavior)
    await stage.tell(ref, 'a')
    return { ref, next: nexts[0]! }
  }

  test('that is called when the message is done throws, and nothing is handled', async () => {
    const stage = new Stage()
    const said: string[] = []
    const { next } = await kept(stage, said)
    const error = thrownBy(() => next('late'))
    expect(error).toEqual(coded('CONTEXT_OUTSIDE_TURN'))
    expect((error as Error).message).toContain('interceptor.next of sherd://stage/user/')
    expect(said).toEqual(['a'])
  })

  test('that is called when the actor is gone throws, and nothing is handled', async () => {
    const stage = new Stage()
    const said: string[] = []
    const { ref, next } = await kept(stage, said)
    ref.tell(PoisonPill)
    await stage.settle()
    expect(thrownBy(() => next('late'))).toEqual(coded('ACTOR_STOPPED'))
    expect(said).toEqual(['a'])
  })

  test('after an await that outlived the actor handles nothing', async () => {
    const stage = new Stage()
    const said: string[] = []
    const { promise, open } = gate()
    const ref = await intercepted(stage, said, async (_context, message, next) => {
      await promise
      return next(message)
    })
    await stage.tell(ref, 'a')
    const ended = stage.system.terminate()
    await stage.advance('3s')
    await ended
    open()
    await immediate()
    expect(said).toEqual([])
  })

  test('after an await that a stopping actor did not wait for does not come upon its PostStop', async () => {
    const stage = new Stage()
    const said: string[] = []
    const { promise, open } = gate()
    const inner = Behaviors.receiveMessage<string>((message) => void said.push(message))
    const ref = await stage.start(
      Behaviors.intercept<string>(
        () => ({
          aroundReceive: async (_context, message, next) => {
            await promise
            return next(message)
          },
        }),
        inner.receiveSignal({
          PostStop: () => {
            said.push('PostStop')
            return gate().promise
          },
        }),
      ),
    )
    await stage.tell(ref, 'a')
    const ended = stage.system.terminate()
    await stage.advance('3s')
    open()
    await stage.advance('3s')
    await ended
    expect(said).toEqual(['PostStop'])
  })

  test('while the actor stops restarts nothing when that fails: PostStop comes, and no PreRestart', async () => {
    const stage = new Stage()
    const said: string[] = []
    const { promise, open } = gate()
    const inner = Behaviors.receiveMessage<string>((message) => {
      said.push(message)
      throw new Error(message)
    }).receiveSignal({
      PreRestart: () => void said.push('PreRestart'),
      PostStop: () => void said.push('PostStop'),
    })
    const { restart } = SupervisorStrategy
    const aroundReceive: Around = (_context, message, next) => promise.then(() => next(message))
    const supervised = Behaviors.supervise(inner).onFailure(restart())
    const ref = await stage.start(
      Behaviors.intercept<string>(() => ({ aroundReceive }), supervised),
    )
    await stage.tell(ref, 'a')
    const ended = stage.system.terminate()
    await stage.advance('1s')
    open()
    await stage.advance('1s')
    await ended
    expect(said).toEqual(['a', 'PostStop'])
  })
})
