import { describe, expect, test } from 'vitest'
import { Behaviors } from '../../src/actor/index.ts'
import { Stage, gate, nothingMayEscape } from './stage.ts'
import { type Act, setUp } from './timed.ts'

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

    test('a fixed rate queues no more than one burst for an actor that is busy', async () => {
      const stage = new Stage({ patience: '10s' })
      let ticks = 0
      const busy = gate()
      await stage.start(
        Behaviors.withTimers<string>((timers) => {
          timers.startFixedRate('key', 1, 'tick')
          return async () => {
            if (++ticks === 1) await busy.promise
          }
        }),
      )
      await stage.advance('12s')
      busy.open()
      await stage.settle()
      expect(ticks).toBe(1 + 10_000)
      await stage.advance('1s')
      expect(ticks).toBe(1 + 10_000 + 1_000)
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
})
