import { describe, expect, test } from 'vitest'
import {
  type ActorContext,
  ActorSystem,
  AskTargetTerminated,
  Behaviors,
  type ChildFailed,
  defaultShutdownPhases,
  InvalidSettings,
  SupervisorStrategy,
  SystemTerminated,
} from '../../src/actor/index.ts'
import { Stage, nothingMayEscape } from './stage.ts'
import { thrownBy, coded, childOf } from './misuse.ts'

const { restart, restartWithBackoff } = SupervisorStrategy

describe('bad input: settings, durations, the end', () => {
  nothingMayEscape()

  describe('settings and durations', () => {
    test('every problem with the settings is told at once, by name', () => {
      const settings = {
        askTimeoutMs: 0,
        handlerStopTimeoutMs: Number.NaN,
        restartStashMessagesMax: -1,
        logDeadLettersMax: 1.5,
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

    test('problems of options, settings, phases and world are told together', () => {
      const unprintable: unknown = Object.create(null)
      const settings = { askTimeoutMs: unprintable, restartStashMessagesMax: Symbol('many') }
      const shutdownPhases = { ...defaultShutdownPhases, mine: null }
      const options = { setings: {}, settings, shutdownPhases, environment: { clock: 5 } }
      const error = thrownBy(() => new ActorSystem('bad', options as never)) as InvalidSettings
      expect(error).toBeInstanceOf(InvalidSettings)
      expect(error.problems.map((problem) => problem.split(' ', 1)[0])).toEqual([
        '`setings`',
        'askTimeoutMs',
        'restartStashMessagesMax',
        'mine',
        'environment.clock',
      ])
    })

    const makers: Readonly<Record<string, (handler: never) => unknown>> = {
      receive: Behaviors.receive,
      receiveMessage: Behaviors.receiveMessage,
      setup: Behaviors.setup,
      withTimers: Behaviors.withTimers,
      withStash: (factory) => Behaviors.withStash(1, factory),
    }
    for (const [name, make] of Object.entries(makers)) {
      test(`Behaviors.${name} refuses at once what is no function`, () => {
        for (const rubbish of [undefined, null, {}, 'handler'] as never[]) {
          const error = thrownBy(() => make(rubbish)) as InvalidSettings
          expect(error).toBeInstanceOf(InvalidSettings)
          expect(error.message).toContain(`Behaviors.${name}`)
        }
      })
    }

    test('a count to unstash that is no count is refused', async () => {
      const stage = new Stage()
      const errors: unknown[] = []
      await stage.start<string>(
        Behaviors.withStash(1, (stash) => {
          for (const count of [NaN, -1, 1.5, '1' as never]) {
            errors.push(thrownBy(() => stash.unstash(Behaviors.ignore, count)))
          }
          return Behaviors.ignore
        }),
      )
      expect(errors.map((error) => error instanceof InvalidSettings)).toEqual(Array(4).fill(true))
    })

    for (const rubbish of [null, 5, 'settings'] as never[]) {
      test(`${String(rubbish)} is refused in place of options, settings and phases`, () => {
        for (const options of [rubbish, { settings: rubbish }, { shutdownPhases: rubbish }]) {
          expect(thrownBy(() => new ActorSystem('bad', options))).toBeInstanceOf(InvalidSettings)
        }
      })
    }

    test('a number that is a text is refused', () => {
      const settings = { askTimeoutMs: '5' as never }
      expect(thrownBy(() => new ActorSystem('bad', { settings }))).toBeInstanceOf(InvalidSettings)
    })

    test('a world that is none is refused by name, and undefined stands for the real thing', async () => {
      const refusalOf = (environment: unknown): unknown =>
        thrownBy(() => new ActorSystem('bad', { environment: environment as never }))
      const error = refusalOf({ logger: { info: () => undefined }, timers: 5 }) as InvalidSettings
      expect(error).toBeInstanceOf(InvalidSettings)
      expect(error.problems).toEqual([
        'environment.timers must be an object with the function after, not 5',
        'environment.logger lacks the functions trace, debug, warn, error',
      ])
      const environment = { clock: undefined, logger: undefined } as never
      const system = new ActorSystem('good', { environment })
      expect(system.environment.clock.wallMs()).toBeGreaterThan(0)
      await system.terminate()
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

    const tooShort = [0, Number.MIN_VALUE, 1e-9]
    for (const kind of ['startFixedDelay', 'startFixedRate'] as const) {
      for (const interval of tooShort) {
        test(`${kind} refuses an interval of ${interval}, which would never let time pass`, async () => {
          const stage = new Stage()
          let error: unknown
          await stage.start(
            Behaviors.withTimers<string>((timers) => {
              error = thrownBy(() => timers[kind]('key', interval, 'tick'))
              timers.cancelAll()
              return Behaviors.ignore
            }),
          )
          expect(error).toEqual(coded('INVALID_DURATION'))
        })
      }
    }

    test('setReceiveTimeout refuses next to nothing, and ask rejects on what is no length of time', async () => {
      const stage = new Stage()
      let errors: unknown[] = []
      await stage.start(
        Behaviors.setup<string>((context) => {
          errors = tooShort.map((time) => thrownBy(() => context.setReceiveTimeout(time, 'idle')))
          context.cancelReceiveTimeout()
          return Behaviors.ignore
        }),
      )
      expect(errors).toEqual(tooShort.map(() => coded('INVALID_SETTINGS')))
      for (const timeout of badDurations) {
        const asked = stage.spawn(Behaviors.ignore).ask(() => 'q', { timeout: timeout as never })
        await expect(asked).rejects.toEqual(coded('INVALID_DURATION'))
      }
    })

    const badStrategies: readonly [string, () => unknown][] = [
      ['a negative limit', () => restart({ restartsMax: -1 })],
      ['half a restart', () => restart({ restartsMax: 0.5 })],
      ['no window', () => restart({ restartsMax: 1, within: 0 })],
      ['a negative stash', () => restart({ stashedMessagesMax: -1 })],
      ['min 0', () => restartWithBackoff({ min: 0, max: 1 })],
      ['max below min', () => restartWithBackoff({ min: 2, max: 1 })],
      ['a random factor above 1', () => restartWithBackoff({ min: 1, max: 2, randomFactor: 2 })],
      ['a negative count', () => restartWithBackoff({ min: 1, max: 2, restartsMax: -1 })],
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
          restartsMax: -1,
          stashedMessagesMax: 0.5,
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
})
