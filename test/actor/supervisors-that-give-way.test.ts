import { describe, expect, test } from 'vitest'
import {
  type Behavior,
  Behaviors,
  type Interceptor,
  type MessageHandler,
  type Result,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import { gate, nothingMayEscape, Stage } from './stage.ts'

const { restart, restartWithBackoff } = SupervisorStrategy

describe('a supervisor that gives way to the one inside', () => {
  nothingMayEscape()

  /** Wraps itself anew with each message. */
  const wrapping = (said: string[], closed: Promise<void>): Behavior<string> =>
    Behaviors.supervise(
      Behaviors.setup<string>((context) => {
        context.spawn(Behaviors.receiveSignal<never>({ PostStop: () => closed }))
        return (message) => {
          if (message === 'fail') throw new Error('boom')
          if (message === 'stop') return Behaviors.stopped()
          said.push(message)
          return wrapping(said, closed)
        }
      }),
    ).onFailure(restart())

  test('hands on what it held: nothing is lost', async () => {
    const stage = new Stage()
    const said: string[] = []
    const wait = gate()
    const ref = await stage.start(wrapping(said, wait.promise))
    await stage.tell(ref, 'fail', 'a', 'b', 'c')
    wait.open()
    await stage.tell(ref, 'd')
    expect(said).toEqual(['a', 'b', 'c', 'd'])
    expect(stage.losses).toEqual([])
  })

  test('and what it held becomes dead letters when the actor stops meanwhile', async () => {
    const stage = new Stage()
    const said: string[] = []
    const wait = gate()
    const ref = await stage.start(wrapping(said, wait.promise))
    await stage.tell(ref, 'fail', 'a', 'stop', 'b', 'c')
    wait.open()
    await stage.settle()
    expect(said).toEqual(['a'])
    expect(stage.losses).toEqual([
      'DeadLetter/terminated-while-stashed b',
      'DeadLetter/terminated-while-stashed c',
    ])
  })

  class Mild extends Error {}
  const backoff = restartWithBackoff({ min: '1s', max: '1s', randomFactor: 0 })
  const supervised = (behavior: Behavior<string> | MessageHandler<string>) =>
    Behaviors.supervise(behavior).onFailure(backoff)

  test('lets interceptors between them see what it held', async () => {
    const stage = new Stage()
    const said: string[] = []
    const seeing: Interceptor<string, string> = {
      aroundReceive: (_context, message, next) => {
        said.push(`sees ${message}`)
        return next(message)
      },
    }
    const handle = (message: string): Behavior<string> | undefined => {
      if (message === 'fail') throw new Error('boom')
      said.push(message)
      return message === 'a' ? Behaviors.intercept(() => seeing, supervised(handle)) : undefined
    }
    const ref = await stage.start(supervised(handle))
    await stage.tell(ref, 'fail', 'a', 'b')
    await stage.advance('1s')
    expect(said).toEqual(['a', 'sees b', 'b'])
  })

  test('lets a third between them hand on first what it holds longer', async () => {
    const stage = new Stage()
    const said: string[] = []
    const wait = gate()
    const passing: Interceptor<string, string> = {
      aroundReceive: (_context, message, next) => next(message),
    }
    const handle = (message: string): Result<string> => {
      if (message === 'fail') throw new Error('boom')
      if (message === 'mild') throw new Mild('boom')
      if (message === 'b') return wait.promise.then(() => void said.push(message))
      said.push(message)
      return message === 'a' ? supervised(handle) : undefined
    }
    const between = Behaviors.supervise(handle).onFailure(Mild, backoff)
    const ref = await stage.start(supervised(Behaviors.intercept(() => passing, between)))
    await stage.tell(ref, 'fail', 'mild', 'a', 'b', 'c')
    await stage.advance('2s')
    wait.open()
    await stage.settle()
    expect(said).toEqual(['a', 'b', 'c'])
  })
})

describe('behaviors that lead to each other, each with a supervision of its own', () => {
  nothingMayEscape()

  class Left extends Error {}
  class Right extends Error {}

  const count = 20_000
  const passing: Interceptor<number, number> = {
    aroundReceive: (_context, message, next) => next(message),
  }
  const wrappings: Readonly<Record<string, (behavior: Behavior<number>) => Behavior<number>>> = {
    'side by side': (behavior) => behavior,
    'with an interceptor between them': (behavior) => Behaviors.intercept(() => passing, behavior),
  }
  for (const [how, wrap] of Object.entries(wrappings)) {
    for (const isAsync of [false, true]) {
      test(`do not pile up, ${how}${isAsync ? ', async' : ''}`, async () => {
        const stage = new Stage({ patience: '15s' })
        let heard = 0
        const step = (next: () => Behavior<number>) =>
          wrap(
            Behaviors.receiveMessage<number>((message) => {
              heard++
              if (message === count) throw new Left('boom')
              return isAsync ? Promise.resolve(next()) : next()
            }),
          )
        const shared: Behavior<number>[] = []
        const left = Behaviors.supervise(step(() => shared[0]!)).onFailure(Left, restart())
        shared.push(Behaviors.supervise(step(() => left)).onFailure(Right, restart()))
        const ref = await stage.start(left)
        for (let message = 1; message <= count + 1; message++) ref.tell(message)
        await stage.settle()
        expect([heard, stage.isTerminated(ref)]).toEqual([count + 1, false])
      })
    }
  }
})

describe('an async PreRestart', () => {
  nothingMayEscape()

  test('is part of the turn: no message is taken, and the context may be used', async () => {
    const stage = new Stage()
    const said: string[] = []
    const wait = gate()
    const inner = Behaviors.supervise(
      Behaviors.setup<string>((context) => {
        said.push('starts')
        return Behaviors.receiveMessage<string>((message) => {
          if (message === 'fail') throw new Error('boom')
        }).receiveSignal({
          PreRestart: async () => {
            await wait.promise
            said.push(`PreRestart of ${context.children.length} children ends`)
          },
        })
      }),
    ).onFailure(restartWithBackoff({ min: '1s', max: '1s', randomFactor: 0 }))
    const ref = await stage.start(
      Behaviors.intercept<string>(
        () => ({
          aroundReceive: (_context, message, next) => {
            said.push(`sees ${message}`)
            return next(message)
          },
        }),
        inner,
      ),
    )
    await stage.tell(ref, 'fail', 'a')
    expect(said).toEqual(['starts', 'sees fail'])
    wait.open()
    await stage.advance('1s')
    expect(said).toEqual([
      'starts',
      'sees fail',
      'PreRestart of 0 children ends',
      'sees a',
      'starts',
    ])
  })

  test('leaves neither timers nor children to the fresh behavior, whenever it made them', async () => {
    const stage = new Stage()
    const said: string[] = []
    const ref = await stage.start(
      Behaviors.supervise(
        Behaviors.setup<string>((context) => {
          said.push(`starts with ${context.children.length} children`)
          return Behaviors.receiveMessage<string>((message) => {
            if (message === 'fail') throw new Error('boom')
            said.push(message)
          }).receiveSignal({
            PreRestart: async () => {
              await Promise.resolve()
              context.timers.startSingle('key', '1s', 'tick')
              context.spawn(Behaviors.ignore)
            },
          })
        }),
      ).onFailure(restart()),
    )
    await stage.tell(ref, 'fail')
    await stage.advance('2s')
    expect(said).toEqual(['starts with 0 children', 'starts with 0 children'])
  })
})
