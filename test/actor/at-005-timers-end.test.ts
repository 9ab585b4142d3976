import { describe, expect, test } from 'vitest'
import {
  type Behavior,
  Behaviors,
  SupervisorStrategy,
  notInfluenceReceiveTimeout,
} from '../../src/actor/index.ts'
import { Stage, gate, nothingMayEscape } from './stage.ts'
import { type Act, type Message, timed, setUp } from './timed.ts'

const restarting = (behavior: Behavior<Message>): Behavior<Message> =>
  Behaviors.supervise(behavior).onFailure(SupervisorStrategy.restart())

describe('AT-005 Timers', () => {
  nothingMayEscape()

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
          SupervisorStrategy.restart({ restartsMax: 1 }),
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
