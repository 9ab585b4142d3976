import { describe, expect, test } from 'vitest'
import {
  type Behavior,
  Behaviors,
  SupervisorStrategy,
  type TimerScheduler,
  notInfluenceReceiveTimeout,
} from '../../src/actor/index.ts'
import { Stage, type StageOptions, gate, nothingMayEscape } from './stage.ts'

type Act = (timers: TimerScheduler<string | Act>) => unknown
type Message = string | Act

/** Does what it is told with its timers; notes every text with the time. */
function timed(stage: Stage, heard: string[], begin?: Act): Behavior<Message> {
  return Behaviors.withTimers<Message>((timers) => {
    begin?.(timers)
    return Behaviors.receiveMessage<Message>((message) => {
      if (typeof message !== 'string') return void message(timers)
      if (message === 'fail') throw new Error('boom')
      if (message === 'stop') return Behaviors.stopped()
      heard.push(`${message} at ${stage.now}`)
      return undefined
    })
  })
}

async function setUp(begin?: Act, options: StageOptions = {}) {
  const stage = new Stage(options)
  const heard: string[] = []
  const ref = await stage.start(timed(stage, heard, begin))
  return { stage, heard, ref }
}

const restarting = (behavior: Behavior<Message>): Behavior<Message> =>
  Behaviors.supervise(behavior).onFailure(SupervisorStrategy.restart())

describe('AT-005 Timers', () => {
  nothingMayEscape()

  describe('kinds', () => {
    test('a single timer fires once, at its time', async () => {
      const { stage, heard } = await setUp((timers) => timers.startSingle('key', '1s', 'tick'))
      await stage.advance(999)
      expect(heard).toEqual([])
      await stage.advance('10s')
      expect(heard).toEqual(['tick at 1000'])
    })

    test('a fixed delay fires again and again', async () => {
      const { stage, heard } = await setUp((timers) => timers.startFixedDelay('key', '1s', 'tick'))
      await stage.advance('3s')
      expect(heard).toEqual(['tick at 1000', 'tick at 2000', 'tick at 3000'])
    })

    test('a fixed rate fires again and again', async () => {
      const { stage, heard } = await setUp((timers) => timers.startFixedRate('key', '1s', 'tick'))
      await stage.advance('3s')
      expect(heard).toEqual(['tick at 1000', 'tick at 2000', 'tick at 3000'])
    })

    test('an initial delay of its own comes first', async () => {
      const { stage, heard } = await setUp((timers) => {
        timers.startFixedDelay('delay', '1s', 'delay', 0)
        timers.startFixedRate('rate', '1s', 'rate', 500)
      })
      await stage.advance('2s')
      expect(heard).toEqual([
        'delay at 0',
        'rate at 500',
        'delay at 1000',
        'rate at 1500',
        'delay at 2000',
      ])
    })

    test('a fixed rate makes up for a pause with a burst', async () => {
      const { stage, heard } = await setUp((timers) => timers.startFixedRate('key', '1s', 'tick'), {
        canSleep: true,
      })
      await stage.sleep(5_500)
      expect(heard).toHaveLength(5)
      await stage.advance(500)
      expect(heard.at(-1)).toBe('tick at 6000')
      expect(heard).toHaveLength(6)
    })

    test('a fixed rate keeps its average when every wake-up is a little late', async () => {
      const { stage, heard } = await setUp((timers) => timers.startFixedRate('key', 10, 'tick'), {
        canSleep: true,
      })
      for (let count = 0; count < 1_000; count++) await stage.sleep(10.37)
      expect(heard.length).toBeGreaterThanOrEqual(1_036)
      expect(heard.length).toBeLessThanOrEqual(1_037)
    })

    test('a fixed delay does not make up for a pause', async () => {
      const { stage, heard } = await setUp(
        (timers) => timers.startFixedDelay('key', '1s', 'tick'),
        { canSleep: true },
      )
      await stage.sleep(5_500)
      expect(heard).toEqual(['tick at 5500'])
      await stage.advance('1s')
      expect(heard).toEqual(['tick at 5500', 'tick at 6500'])
    })

    test('never two ticks of a fixed delay wait, however busy the actor is', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const busy = gate()
      await stage.start(
        Behaviors.withTimers<string>((timers) => {
          timers.startFixedDelay('key', 10, 'tick')
          return async (message) => {
            heard.push(message)
            if (heard.length === 1) await busy.promise
          }
        }),
      )
      await stage.advance('1s')
      expect(heard).toHaveLength(1)
      busy.open()
      await stage.settle()
      expect(heard).toHaveLength(2)
    })

    test('keys of every kind are told apart', async () => {
      const symbol = Symbol('key')
      const object = {}
      const keys = ['key', 1, '1', symbol, object, {}]
      const { stage, heard } = await setUp((timers) => {
        for (const [index, key] of keys.entries()) timers.startSingle(key, '1s', `tick ${index}`)
      })
      await stage.advance('1s')
      expect(heard).toHaveLength(keys.length)
    })

    test('timers due at the same time fire in the order in which they were started', async () => {
      const { stage, heard } = await setUp((timers) => {
        for (let index = 0; index < 20; index++) timers.startSingle(index, '1s', `tick ${index}`)
      })
      await stage.advance('1s')
      expect(heard).toEqual(Array.from({ length: 20 }, (_, index) => `tick ${index} at 1000`))
    })
  })

  describe('replacing and cancelling', () => {
    test('starting a key again replaces its timer', async () => {
      const { stage, heard, ref } = await setUp((timers) => timers.startSingle('key', '1s', 'old'))
      await stage.advance(500)
      await stage.tell(ref, (timers) => timers.startSingle('key', '1s', 'new'))
      await stage.advance('5s')
      expect(heard).toEqual(['new at 1500'])
    })

    for (const kind of ['startSingle', 'startFixedDelay', 'startFixedRate'] as const) {
      test(`a tick of ${kind} that is already queued is discarded when the key is started again`, async () => {
        const { stage, heard, ref } = await setUp((timers) => timers[kind]('key', '1s', 'old'))
        const block = gate()
        const blocker = await setUpBlocked(stage, kind, block.promise)
        await stage.advance('1s')
        expect(heard).toEqual(['old at 1000'])
        block.open()
        await stage.settle()
        expect(blocker).toEqual(['replaced'])
        await stage.tell(ref, (timers) => timers.cancelAll())
        await stage.advance('1s')
        expect(blocker).toEqual(['replaced', 'new'])
      })

      test(`a tick of ${kind} that is already queued is discarded by cancel`, async () => {
        const stage = new Stage()
        const block = gate()
        const heard: string[] = []
        const ref = await stage.start(
          Behaviors.withTimers<string>((timers) => {
            timers[kind]('key', '1s', 'tick')
            return async (message) => {
              heard.push(message)
              if (message !== 'block') return
              await block.promise
              timers.cancel('key')
            }
          }),
        )
        await stage.tell(ref, 'block')
        await stage.advance('1s')
        block.open()
        await stage.advance('5s')
        expect(heard).toEqual(['block'])
        expect(stage.lost).toEqual([])
      })
    }

    /** An actor that is busy while its tick arrives, and replaces the timer before it can take it. */
    async function setUpBlocked(
      stage: Stage,
      kind: 'startSingle' | 'startFixedDelay' | 'startFixedRate',
      until: Promise<void>,
    ): Promise<string[]> {
      const heard: string[] = []
      const ref = await stage.start(
        Behaviors.withTimers<string>((timers) => {
          timers[kind]('key', '1s', 'old')
          return async (message) => {
            if (message !== 'block') {
              heard.push(message)
              return
            }
            await until
            timers.startSingle('key', '1s', 'new')
            heard.push('replaced')
          }
        }),
      )
      await stage.tell(ref, 'block')
      return heard
    }

    test('a cancelled timer is never heard of again', async () => {
      const { stage, heard, ref } = await setUp((timers) =>
        timers.startFixedRate('key', '1s', 'tick'),
      )
      await stage.advance('1s')
      await stage.tell(ref, (timers) => timers.cancel('key'))
      await stage.advance('1m')
      expect(heard).toEqual(['tick at 1000'])
    })

    test('cancelAll cancels all, and cancelling what is not there does nothing', async () => {
      const { stage, heard, ref } = await setUp((timers) => {
        timers.startSingle('a', '1s', 'a')
        timers.startFixedDelay('b', '1s', 'b')
      })
      await stage.tell(ref, (timers) => timers.cancel('c'))
      await stage.tell(ref, (timers) => timers.cancelAll())
      await stage.advance('1m')
      expect(heard).toEqual([])
      expect(stage.isTerminated(ref)).toBe(false)
    })

    test('isActive says whether a tick is still to come', async () => {
      const { stage, ref } = await setUp((timers) => timers.startSingle('key', '1s', 'tick'))
      const states: boolean[] = []
      const look: Act = (timers) => states.push(timers.isActive('key'))
      await stage.tell(ref, look)
      await stage.advance('1s')
      await stage.tell(ref, look, (timers) => timers.startFixedRate('key', '1s', 'tick'), look)
      await stage.tell(ref, (timers) => timers.cancel('key'), look)
      expect(states).toEqual([true, false, true, false])
    })

    test('a handler can start its own key again', async () => {
      const stage = new Stage()
      const heard: number[] = []
      await stage.start(
        Behaviors.withTimers<string>((timers) => {
          timers.startSingle('key', '1s', 'tick')
          return () => {
            heard.push(stage.now)
            timers.startSingle('key', '2s', 'tick')
          }
        }),
      )
      await stage.advance('5s')
      expect(heard).toEqual([1_000, 3_000, 5_000])
    })
  })

  describe('restart and stop', () => {
    test('a restart cancels the timers of the failed behavior', async () => {
      const stage = new Stage()
      const heard: string[] = []
      let starts = 0
      const begin: Act = (timers) => {
        if (++starts === 1) timers.startFixedRate('key', '1s', 'tick')
      }
      const ref = await stage.start(restarting(timed(stage, heard, begin)))
      await stage.tell(ref, 'fail')
      await stage.advance('5s')
      expect([starts, heard]).toEqual([2, []])
    })

    test('a tick that is queued at a restart is discarded', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const block = gate()
      let starts = 0
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.withTimers<string>((timers) => {
            if (++starts === 1) timers.startSingle('key', '1s', 'tick')
            return async (message) => {
              heard.push(message)
              if (message !== 'block') return
              await block.promise
              throw new Error('boom')
            }
          }),
        ).onFailure(SupervisorStrategy.restart()),
      )
      await stage.tell(ref, 'block')
      await stage.advance('1s')
      block.open()
      await stage.advance('5s')
      expect([starts, heard, stage.lost]).toEqual([2, ['block'], []])
    })

    test('timers started in the timer block run again after a restart', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const begin: Act = (timers) => timers.startFixedDelay('key', '1s', 'tick')
      const ref = await stage.start(restarting(timed(stage, heard, begin)))
      await stage.advance(400)
      await stage.tell(ref, 'fail')
      await stage.advance('2s')
      expect(heard).toEqual(['tick at 1400', 'tick at 2400'])
    })

    test('a failure caused by a tick restarts, and the fresh timers survive', async () => {
      const stage = new Stage()
      let starts = 0
      const begin: Act = (timers) => {
        starts++
        timers.startSingle('key', '1s', 'fail')
      }
      await stage.start(restarting(timed(stage, [], begin)))
      await stage.advance('3s')
      expect(starts).toBe(4)
    })

    test('an exception in the timer block leaves no timer behind', async () => {
      const stage = new Stage()
      const heard: string[] = []
      let starts = 0
      const begin: Act = (timers) => {
        timers.startFixedRate('key', '1s', 'tick')
        if (++starts === 1) throw new Error('boom')
        timers.cancelAll()
      }
      await stage.start(
        Behaviors.supervise(timed(stage, heard, begin)).onFailure(
          SupervisorStrategy.restart({ limit: 1 }),
        ),
      )
      await stage.advance('5s')
      expect([starts, heard]).toEqual([2, []])
    })

    test('an exception in the timer block fails the actor, and nothing fires any more', async () => {
      const { stage, heard, ref } = await setUp((timers) => {
        timers.startFixedRate('key', '1s', 'tick')
        throw new Error('boom')
      })
      await stage.advance('5s')
      expect([stage.isTerminated(ref), heard, stage.lost]).toEqual([true, [], []])
    })

    test('no tick comes after the stop, and none is a dead letter', async () => {
      const { stage, heard, ref } = await setUp((timers) => {
        timers.startSingle('single', '1s', 'tick')
        timers.startFixedDelay('delay', '1s', 'tick')
        timers.startFixedRate('rate', '1s', 'tick')
      })
      await stage.tell(ref, 'stop')
      await stage.advance('1m')
      expect([heard, stage.lost]).toEqual([[], []])
    })

    test('a tick that is queued at the stop is no dead letter', async () => {
      const stage = new Stage()
      const block = gate()
      const ref = await stage.start(
        Behaviors.withTimers<string>((timers) => {
          timers.startFixedRate('key', '1s', 'tick')
          return async () => {
            await block.promise
            return Behaviors.stopped()
          }
        }),
      )
      await stage.tell(ref, 'block')
      await stage.advance('3s')
      block.open()
      await stage.settle()
      expect([stage.isTerminated(ref), stage.lost]).toEqual([true, []])
    })

    test('a restart keeps nothing of a timer that PreRestart started', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.withTimers<string>((timers) =>
            Behaviors.receiveMessage<string>((message) => {
              if (message === 'fail') throw new Error('boom')
              heard.push(message)
            }).receiveSignal({ PreRestart: () => timers.startSingle('key', '1s', 'tick') }),
          ),
        ).onFailure(SupervisorStrategy.restart()),
      )
      await stage.tell(ref, 'fail')
      await stage.advance('5s')
      expect(heard).toEqual([])
    })
  })

  describe('nesting', () => {
    test('a timer block inside another keeps the timers of both', async () => {
      const stage = new Stage()
      const heard: string[] = []
      await stage.start(
        Behaviors.withTimers<Message>((outer) => {
          outer.startSingle('outer', '1s', 'outer')
          return timed(stage, heard, (inner) => inner.startSingle('inner', '2s', 'inner'))
        }),
      )
      await stage.advance('5s')
      expect(heard).toEqual(['outer at 1000', 'inner at 2000'])
    })
  })

  describe('receive timeout', () => {
    type Mail = string | { readonly [notInfluenceReceiveTimeout]: true }

    async function idle(onMessage: (message: Mail) => void = () => undefined) {
      const stage = new Stage()
      const heard: string[] = []
      const ref = await stage.start(
        Behaviors.setup<Mail>((context) => {
          context.setReceiveTimeout('1s', 'idle')
          return (message) => {
            onMessage(message)
            if (message === 'cancel') context.cancelReceiveTimeout()
            if (message === 'longer') context.setReceiveTimeout('3s', 'long idle')
            if (typeof message === 'string') heard.push(`${message} at ${stage.now}`)
          }
        }),
      )
      return { stage, heard, ref }
    }

    test('sends its message after the time without messages', async () => {
      const { stage, heard } = await idle()
      await stage.advance(999)
      expect(heard).toEqual([])
      await stage.advance(1)
      expect(heard).toEqual(['idle at 1000'])
    })

    test('comes again after the next quiet time', async () => {
      const { stage, heard } = await idle()
      await stage.advance('3s')
      expect(heard).toEqual(['idle at 1000', 'idle at 2000', 'idle at 3000'])
    })

    test('is pushed back by a message', async () => {
      const { stage, heard, ref } = await idle()
      await stage.advance(600)
      await stage.tell(ref, 'hello')
      await stage.advance(999)
      expect(heard).toEqual(['hello at 600'])
      await stage.advance(1)
      expect(heard).toEqual(['hello at 600', 'idle at 1600'])
    })

    test('is not pushed back by a message that is marked so', async () => {
      const { stage, heard, ref } = await idle()
      await stage.advance(600)
      await stage.tell(ref, { [notInfluenceReceiveTimeout]: true })
      await stage.advance(400)
      expect(heard).toEqual(['idle at 1000'])
    })

    test('can be cancelled and changed', async () => {
      const { stage, heard, ref } = await idle()
      await stage.tell(ref, 'longer')
      await stage.advance('3s')
      await stage.tell(ref, 'cancel')
      await stage.advance('1m')
      expect(heard).toEqual(['longer at 0', 'long idle at 3000', 'cancel at 3000'])
    })

    test('is discarded when it is queued and cancelled', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const block = gate()
      const ref = await stage.start(
        Behaviors.setup<string>((context) => {
          context.setReceiveTimeout('1s', 'idle')
          return async (message) => {
            heard.push(message)
            if (message !== 'block') return
            await block.promise
            context.cancelReceiveTimeout()
          }
        }),
      )
      await stage.tell(ref, 'block')
      await stage.advance('2s')
      block.open()
      await stage.advance('5s')
      expect(heard).toEqual(['block'])
    })

    test('ends with a restart and with the stop', async () => {
      const stage = new Stage()
      const heard: string[] = []
      let starts = 0
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>((context) => {
            if (++starts === 1) context.setReceiveTimeout('1s', 'idle')
            return (message) => {
              if (message === 'fail') throw new Error('boom')
              heard.push(message)
            }
          }),
        ).onFailure(SupervisorStrategy.restart()),
      )
      await stage.tell(ref, 'fail')
      await stage.advance('5s')
      expect([starts, heard, stage.lost]).toEqual([2, [], []])
    })
  })
})
