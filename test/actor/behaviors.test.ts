import { describe, expect, test } from 'vitest'
import {
  type Behavior,
  Behaviors,
  type Interceptor,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import { mortal } from './puppet.ts'
import { nothingMayEscape, Stage } from './stage.ts'

/** Says what it hears, under a name. */
const speaker = (said: string[], name: string): Behavior<string> =>
  Behaviors.receiveMessage<string>((message) => {
    if (message === 'fail') throw new Error('boom')
    said.push(`${name} ${message}`)
  }).receiveSignal({ PostStop: () => void said.push(`${name} PostStop`) })

describe('what a handler answers', () => {
  nothingMayEscape()

  /** Answers its first message with `next`. */
  async function answering(next: (said: string[]) => Behavior<string>) {
    const stage = new Stage()
    const said: string[] = []
    const first = Behaviors.receiveMessage<string>(() => next(said))
    const ref = await stage.start(
      first.receiveSignal({ PostStop: () => void said.push('first PostStop') }),
    )
    await stage.tell(ref, 'go', 'a')
    return { stage, said, ref }
  }

  test('a behavior that is built when it starts is started, however deep', async () => {
    const { said } = await answering((all) =>
      Behaviors.setup(() => Behaviors.withTimers(() => speaker(all, 'second'))),
    )
    expect(said).toEqual(['second a'])
  })

  for (const [name, wrap] of [
    ['setup', (inner: Behavior<string>) => inner],
    [
      'supervision',
      (inner: Behavior<string>) =>
        Behaviors.supervise(inner).onFailure(SupervisorStrategy.restart()),
    ],
    [
      'an interceptor',
      (inner: Behavior<string>) =>
        Behaviors.transformMessages<string, string>((message) => message, inner),
    ],
  ] as const) {
    test(`stopped from ${name} stops: PostStop of the last behavior that ran, then the callback`, async () => {
      const { stage, said, ref } = await answering((all) =>
        wrap(Behaviors.setup(() => Behaviors.stopped(() => void all.push('callback')))),
      )
      expect(said).toEqual(['first PostStop', 'callback'])
      expect(stage.isTerminated(ref)).toBe(true)
    })

    test(`stopped from ${name} as the first behavior stops with its callback alone`, async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(
        wrap(Behaviors.setup(() => Behaviors.stopped(() => void said.push('callback')))),
      )
      expect([said, stage.isTerminated(ref)]).toEqual([['callback'], true])
    })
  }

  test('unhandled keeps the behavior and reports the message', async () => {
    const { stage, said } = await answering((all) => {
      all.push('asked')
      return Behaviors.unhandled
    })
    expect(said).toEqual(['asked', 'asked'])
    expect(stage.losses).toEqual(['UnhandledMessage go', 'UnhandledMessage a'])
  })

  test('empty reports every message, ignore none', async () => {
    const empty = await answering(() => Behaviors.empty)
    const ignoring = await answering(() => Behaviors.ignore)
    expect([empty.stage.losses, ignoring.stage.losses]).toEqual([['UnhandledMessage a'], []])
  })
})

describe('interceptors', () => {
  nothingMayEscape()

  /** Notes what passes. */
  const noting = (said: string[], name: string): Interceptor<string, string> => ({
    aroundStart: () => void said.push(`${name} starts`),
    aroundReceive: (_context, message, next) => {
      said.push(`${name} ${message}`)
      return next(message)
    },
  })

  test('see messages from the outside in, and their start before what is inside', async () => {
    const stage = new Stage()
    const said: string[] = []
    const inner = Behaviors.intercept(
      () => noting(said, 'inner'),
      Behaviors.setup<string>(() => {
        said.push('leaf starts')
        return speaker(said, 'leaf')
      }),
    )
    const ref = await stage.start(Behaviors.intercept(() => noting(said, 'outer'), inner))
    await stage.tell(ref, 'a')
    expect(said).toEqual([
      'outer starts',
      'inner starts',
      'leaf starts',
      'outer a',
      'inner a',
      'leaf a',
    ])
  })

  test('start again with the supervision around them', async () => {
    const stage = new Stage()
    const said: string[] = []
    const inner = Behaviors.intercept(() => noting(said, 'it'), speaker(said, 'leaf'))
    const ref = await stage.start(
      Behaviors.supervise(inner).onFailure(SupervisorStrategy.restart()),
    )
    await stage.tell(ref, 'fail', 'a')
    expect(said).toEqual(['it starts', 'it fail', 'it starts', 'it a', 'leaf a'])
  })

  test('that throw while starting are a failure while starting', async () => {
    const stage = new Stage()
    const error = new Error('in aroundStart')
    const failing: Interceptor<string, string> = {
      ...noting([], 'it'),
      aroundStart: () => {
        throw error
      },
    }
    const ref = await stage.start(Behaviors.intercept(() => failing, Behaviors.ignore))
    expect(stage.isTerminated(ref)).toBe(true)
    expect(stage.linesOn(error)).toHaveLength(1)
  })

  test('are left out inside the same one, nested or answered by a handler', async () => {
    const stage = new Stage()
    const said: string[] = []
    const one = noting(said, 'it')
    const again = (): Behavior<string> =>
      Behaviors.intercept(
        () => one,
        () => again(),
      )
    const ref = await stage.start(Behaviors.intercept(() => one, again()))
    await stage.tell(ref, 'a', 'b')
    expect(said).toEqual(['it starts', 'it a', 'it b'])
  })

  test('may keep a signal to themselves: no death pact', async () => {
    const stage = new Stage()
    const target = await stage.start(mortal())
    const heard: string[] = []
    const deaf: Interceptor<string, string> = {
      ...noting([], 'it'),
      aroundSignal: (_context, signal, next) => {
        heard.push(signal.type)
        return signal.type === 'Terminated' ? Behaviors.same : next(signal)
      },
    }
    const watching = Behaviors.setup<string>((context) => {
      context.watch(target)
      return Behaviors.empty
    })
    const ref = await stage.start(Behaviors.intercept(() => deaf, watching))
    await stage.tell(target, 'stop')
    expect([heard, stage.isTerminated(ref)]).toEqual([['Terminated'], false])
  })
})
