import { describe, expect, test } from 'vitest'
import {
  type Behavior,
  Behaviors,
  ChildFailed,
  InvalidBehavior,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import { AssertionFailed } from '../../src/foundation/assert.ts'
import { Stage, nothingMayEscape } from './stage.ts'
import { Boom, SmallBoom, Other, type Command, counter, watched, fail } from './counter.ts'

const { restart, restartWithBackoff, resume, stop } = SupervisorStrategy

describe('AT-001 Supervision: stop, resume, restart, limits, nesting', () => {
  nothingMayEscape()

  describe('restart with a limit', () => {
    const limited = (said: string[], limit: number): Behavior<Command> =>
      Behaviors.supervise(counter(said)).onFailure(restart({ restartsMax: limit, within: '10s' }))

    test('stops with PostStop when the failures in the window are more than the limit', async () => {
      const stage = new Stage()
      const said: string[] = []
      const { child, ends } = await watched(stage, limited(said, 2))
      const last = new Boom('third')
      await stage.tell(child, fail(), fail(), 'add', fail(last))
      expect(said).toEqual([
        'counter starts',
        'counter PreRestart at 0',
        'counter starts',
        'counter PreRestart at 0',
        'counter starts',
        'counter PostStop at 1',
      ])
      expect(ends).toEqual([new ChildFailed(child, last)])
    })

    test('counts anew when the window has passed', async () => {
      const stage = new Stage()
      const ref = await stage.start(limited([], 2))
      await stage.tell(ref, fail(), fail())
      await stage.advance('10s')
      await stage.tell(ref, fail(), fail())
      expect(stage.isTerminated(ref)).toBe(false)
      await stage.tell(ref, fail())
      expect(stage.isTerminated(ref)).toBe(true)
    })

    test('opens the window with the first failure, not with the last', async () => {
      const stage = new Stage()
      const ref = await stage.start(limited([], 2))
      await stage.tell(ref, fail())
      await stage.advance('6s')
      await stage.tell(ref, fail())
      await stage.advance('4s')
      await stage.tell(ref, fail(), fail())
      expect(stage.isTerminated(ref)).toBe(false)
    })

    test('with limit 0 never restarts', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(limited(said, 0))
      await stage.tell(ref, fail())
      expect(said).toEqual(['counter starts', 'counter PostStop at 0'])
      expect(stage.isTerminated(ref)).toBe(true)
    })

    test('hands the failure over the limit to the supervisor around it', async () => {
      const stage = new Stage()
      const said: string[] = []
      const inner = Behaviors.supervise(counter(said)).onFailure(Boom, restart({ restartsMax: 1 }))
      const ref = await stage.start(Behaviors.supervise(inner).onFailure(Error, resume()))
      await stage.tell(ref, 'add', fail(), 'add', fail(), 'get')
      expect(said).toEqual([
        'counter starts',
        'counter PreRestart at 1',
        'counter starts',
        'counter 1',
      ])
    })
  })

  describe('error classes and nesting', () => {
    test('leaves errors of another class alone', async () => {
      const stage = new Stage()
      const ref = await stage.start(Behaviors.supervise(counter([])).onFailure(Boom, resume()))
      await stage.tell(ref, fail(new Other('other')))
      expect(stage.isTerminated(ref)).toBe(true)
    })

    test('answers for subclasses', async () => {
      const stage = new Stage()
      const ref = await stage.start(Behaviors.supervise(counter([])).onFailure(Boom, resume()))
      await stage.tell(ref, fail(new SmallBoom('small')))
      expect(stage.isTerminated(ref)).toBe(false)
    })

    test('each error goes to the handler of its class', async () => {
      const stage = new Stage()
      const said: string[] = []
      const inner = Behaviors.supervise(counter(said)).onFailure(Other, resume())
      const ref = await stage.start(Behaviors.supervise(inner).onFailure(Boom, restart()))
      await stage.tell(ref, 'add', fail(new Other('other')), 'get', fail(), 'get')
      expect(said).toEqual([
        'counter starts',
        'counter 1',
        'counter PreRestart at 1',
        'counter starts',
        'counter 0',
      ])
    })

    test('the innermost of two that match answers', async () => {
      const stage = new Stage()
      const said: string[] = []
      const inner = Behaviors.supervise(counter(said)).onFailure(SmallBoom, resume())
      const ref = await stage.start(Behaviors.supervise(inner).onFailure(Boom, restart()))
      await stage.tell(ref, 'add', fail(new SmallBoom('small')), 'get')
      expect(said).toEqual(['counter starts', 'counter 1'])
    })

    test('the innermost of two for the same class answers', async () => {
      const stage = new Stage()
      const said: string[] = []
      const inner = Behaviors.supervise(counter(said)).onFailure(Boom, resume())
      const ref = await stage.start(Behaviors.supervise(inner).onFailure(Boom, restart()))
      await stage.tell(ref, 'add', fail(), 'get')
      expect(said).toEqual(['counter starts', 'counter 1'])
    })

    test('a supervision that a handler returns replaces the one for the same class', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(Behaviors.supervise(counter(said)).onFailure(Boom, stop()))
      const second = Behaviors.supervise(counter(said, 'second')).onFailure(Boom, resume())
      await stage.tell(ref, { become: second }, 'add', fail(), 'get')
      expect(said).toEqual(['counter starts', 'second starts', 'second 1'])
      // It is really gone: what the new one passes on does not come to it.
      const third = Behaviors.supervise(counter(said)).onFailure(Boom, restart({ restartsMax: 0 }))
      await stage.tell(ref, { become: third }, fail())
      expect(stage.isTerminated(ref)).toBe(true)
    })

    test('wrapping again with every message does not pile up supervisors', async () => {
      const stage = new Stage()
      const wrapping = (depths: number[]): Behavior<string> =>
        Behaviors.supervise<string>(
          Behaviors.receiveMessage((message) => {
            if (message === 'measure')
              depths.push(new Error('depth').stack?.split('\n').length ?? 0)
            return wrapping(depths)
          }),
        ).onFailure(restart())
      const depths: number[] = []
      Error.stackTraceLimit = 200
      const ref = await stage.start(wrapping(depths))
      await stage.tell(ref, 'measure', 'measure')
      for (let count = 0; count < 20_000; count++) ref.tell('go on')
      await stage.tell(ref, 'measure')
      Error.stackTraceLimit = 10
      expect(stage.isTerminated(ref)).toBe(false)
      // A few frames belong to the dispatcher; one per message would be thousands.
      expect(depths[2]).toBeLessThan((depths[1] ?? 0) + 10)
    })

    test('restarts of an inner supervisor do not touch what is between the two', async () => {
      const stage = new Stage()
      const said: string[] = []
      const between = Behaviors.setup<Command>(() => {
        said.push('between starts')
        return Behaviors.supervise(counter(said)).onFailure(Boom, restart())
      })
      const ref = await stage.start(Behaviors.supervise(between).onFailure(Other, restart()))
      await stage.tell(ref, fail(), fail(new Other('other')))
      expect(said).toEqual([
        'between starts',
        'counter starts',
        'counter PreRestart at 0',
        'counter starts',
        'counter PreRestart at 0',
        'between starts',
        'counter starts',
      ])
    })
  })

  describe('failure while starting', () => {
    const cannotStart = (starts: number[], failures = Infinity): Behavior<Command> =>
      Behaviors.setup<Command>(() => {
        starts.push(starts.length + 1)
        if (starts.length <= failures) throw new Boom(`start ${starts.length}`)
        return Behaviors.receiveMessage(() => undefined)
      })

    for (const [name, strategy] of [
      ['no supervision', undefined],
      ['resume', resume()],
      ['stop', stop()],
      ['unlimited restart', restart()],
    ] as const) {
      test(`with ${name} it fails the actor, once, and the parent hears the cause`, async () => {
        const stage = new Stage()
        const starts: number[] = []
        const behavior = cannotStart(starts)
        const { child, ends } = await watched(
          stage,
          strategy === undefined ? behavior : Behaviors.supervise(behavior).onFailure(strategy),
        )
        expect(starts).toEqual([1])
        expect(ends).toEqual([new ChildFailed(child, new Boom('start 1'))])
      })
    }

    test('with stop it is not tried again by a restart around it', async () => {
      const stage = new Stage()
      const starts: number[] = []
      const inner = Behaviors.supervise(cannotStart(starts)).onFailure(Boom, stop())
      const ref = await stage.start(
        Behaviors.supervise(inner).onFailure(restart({ restartsMax: 3 })),
      )
      expect([starts, stage.isTerminated(ref)]).toEqual([[1], true])
    })

    test('with a limited restart it is tried again up to the limit', async () => {
      const stage = new Stage()
      const starts: number[] = []
      const { child, ends } = await watched(
        stage,
        Behaviors.supervise(cannotStart(starts)).onFailure(
          restart({ restartsMax: 3, within: '1m' }),
        ),
      )
      expect(starts).toEqual([1, 2, 3, 4])
      expect(ends).toEqual([new ChildFailed(child, new Boom('start 4'))])
    })

    test('with a limited restart it may succeed in the end, and messages have waited', async () => {
      const stage = new Stage()
      const starts: number[] = []
      const ref = stage.spawn(
        Behaviors.supervise(cannotStart(starts, 2)).onFailure(
          restart({ restartsMax: 3, within: '1m' }),
        ),
      )
      ref.tell('add')
      await stage.settle()
      expect(starts).toEqual([1, 2, 3])
      expect(stage.losses).toEqual([])
    })

    test('with back-off it is tried again after the delay', async () => {
      const stage = new Stage()
      const starts: number[] = []
      const strategy = restartWithBackoff({ min: '1s', max: '10s', randomFactor: 0 })
      const ref = await stage.start(Behaviors.supervise(cannotStart(starts, 1)).onFailure(strategy))
      expect(starts).toEqual([1])
      await stage.advance(999)
      expect(starts).toEqual([1])
      await stage.advance(1)
      expect(starts).toEqual([1, 2])
      expect(stage.isTerminated(ref)).toBe(false)
    })

    test('after a failure in a running actor, unlimited restart is not retried either', async () => {
      const stage = new Stage()
      let starts = 0
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>(() => {
            if (++starts > 1) throw new Boom('cannot start again')
            return () => {
              throw new Boom('boom')
            }
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'go')
      expect(starts).toBe(2)
      expect(stage.isTerminated(ref)).toBe(true)
    })

    for (const [name, strategy] of [
      ['an unlimited restart', restart()],
      ['a restart at its limit', restart({ restartsMax: 1 })],
      ['a restart for other errors', undefined],
    ] as const) {
      test(`resume around ${name} has nothing to resume when the restart fails`, async () => {
        const stage = new Stage()
        let starts = 0
        const inner = Behaviors.supervise(
          Behaviors.setup<string>(() => {
            if (++starts > 1) throw strategy === undefined ? new Other('other') : new Boom('boom')
            return () => {
              throw new Boom('boom')
            }
          }),
        ).onFailure(Boom, strategy ?? restart())
        const ref = await stage.start(Behaviors.supervise(inner).onFailure(resume()))
        await stage.tell(ref, 'fail', 'later')
        expect([starts, stage.isTerminated(ref)]).toEqual([2, true])
        expect(stage.losses).toEqual(['DeadLetter/terminated later'])
      })
    }

    test('resume around a restart in progress leaves it in progress', async () => {
      const stage = new Stage()
      const said: string[] = []
      const strategy = restartWithBackoff({ min: '1s', max: '1s', randomFactor: 0 })
      const between = Behaviors.transformMessages<Command, Command>(
        (command) => {
          if (command === 'unhandled') throw new Other('in between')
          return command
        },
        Behaviors.supervise(counter(said)).onFailure(Boom, strategy),
      )
      const ref = await stage.start(Behaviors.supervise(between).onFailure(Other, resume()))
      await stage.tell(ref, fail(), 'unhandled', 'get')
      await stage.advance('1s')
      expect(said.slice(2)).toEqual(['counter starts', 'counter 0'])
    })

    test('PostStop is not delivered to what never started', async () => {
      const stage = new Stage()
      let stops = 0
      const neverReached = Behaviors.receiveSignal<string>({ PostStop: () => void stops++ })
      await stage.start(
        Behaviors.setup<string>(() => {
          if (stops === 0) throw new Boom('boom')
          return neverReached
        }),
      )
      expect(stops).toBe(0)
      expect(stage.logged('error')).toHaveLength(1)
    })
  })

  describe('what supervision does not answer for', () => {
    test('a broken invariant passes every supervisor and shuts the system down', async () => {
      const stage = new Stage()
      const inner = Behaviors.supervise(counter([])).onFailure(resume())
      const ref = await stage.start(Behaviors.supervise(inner).onFailure(Error, restart()))
      await stage.tell(ref, fail(new AssertionFailed('fatal')))
      expect(stage.isTerminated(ref)).toBe(true)
      expect(stage.system.shutdown.reason).toEqual({ type: 'broken-invariant' })
      await stage.settle()
      expect(() => stage.spawn(Behaviors.ignore)).toThrow(/terminat/)
    })
  })

  describe('which failures count', () => {
    test('what a handler returns that is no behavior is a failure like a throw', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(
        Behaviors.supervise(counter(said)).onFailure(InvalidBehavior, resume()),
      )
      await stage.tell(ref, { become: 42 as never }, 'get')
      expect(said).toEqual(['counter starts', 'counter 0'])
    })

    test('a behavior that cannot be built is a failure of the one that returned it', async () => {
      const stage = new Stage()
      const said: string[] = []
      const broken = Behaviors.setup<Command>(() => {
        throw new Boom('in setup')
      })
      const ref = await stage.start(Behaviors.supervise(counter(said)).onFailure(resume()))
      await stage.tell(ref, 'add', { become: broken }, 'get')
      expect(said).toEqual(['counter starts', 'counter 1'])
    })

    test('a failing PostStop is logged and ends nothing else', async () => {
      const stage = new Stage()
      const said: string[] = []
      const error = new Boom('in PostStop')
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>(() => {
            said.push('starts')
            return Behaviors.receiveMessage<string>(() => Behaviors.stopped()).receiveSignal({
              PreRestart: () => void said.push('PreRestart'),
              PostStop: () => {
                said.push('PostStop')
                throw error
              },
            })
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'stop')
      expect(said).toEqual(['starts', 'PostStop'])
      expect(stage.isTerminated(ref)).toBe(true)
      expect(stage.linesOn(error)).toHaveLength(1)
    })
  })
})
