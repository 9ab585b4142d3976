import { describe, expect, test } from 'vitest'
import {
  type BackoffOptions,
  type Behavior,
  Behaviors,
  ChildFailed,
  type Signal,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import { Stage, nothingMayEscape } from './stage.ts'

class Boom extends Error {}

/** Says every message but `fail`, and notes when it starts. */
function speaker(stage: Stage, said: string[], options: Partial<BackoffOptions>): Behavior<string> {
  const behavior = Behaviors.setup<string>(() => {
    said.push(`starts at ${stage.now}`)
    return Behaviors.receiveMessage<string>((message) => {
      if (message === 'fail') throw new Boom('boom')
      said.push(message)
    }).receiveSignal({ PostStop: () => void said.push('PostStop') })
  })
  const strategy = SupervisorStrategy.restartWithBackoff({
    min: '1s',
    max: '10s',
    randomFactor: 0,
    ...options,
  })
  return Behaviors.supervise(behavior).onFailure(Boom, strategy)
}

async function setUp(options: Partial<BackoffOptions> = {}) {
  const stage = new Stage()
  const said: string[] = []
  const ref = await stage.start(speaker(stage, said, options))
  return { stage, said, ref }
}

describe('AT-002 Exponential backoff', () => {
  nothingMayEscape()

  test('does not start again before the delay is over', async () => {
    const { stage, said, ref } = await setUp()
    await stage.tell(ref, 'fail')
    await stage.advance(999)
    expect(said).toEqual(['starts at 0'])
    await stage.advance(1)
    expect(said).toEqual(['starts at 0', 'starts at 1000'])
  })

  test('doubles the delay with each failure in a row', async () => {
    const { stage, said, ref } = await setUp({ resetAfter: '1h' })
    for (const delay of ['1s', '2s', '4s', '8s'] as const) {
      await stage.tell(ref, 'fail')
      await stage.advance(delay)
    }
    expect(said).toEqual([0, 1_000, 3_000, 7_000, 15_000].map((ms) => `starts at ${ms}`))
  })

  test('waits no longer than max', async () => {
    const { stage, said, ref } = await setUp({ resetAfter: '1h', max: '3s' })
    for (let count = 0; count < 4; count++) {
      await stage.tell(ref, 'fail')
      await stage.advance('3s')
    }
    expect(said).toEqual([0, 1_000, 5_000, 9_000, 12_000].map((ms) => `starts at ${ms}`))
  })

  test('lengthens the delay by chance, up to the random factor', async () => {
    // The stage draws 0.5.
    const { stage, said, ref } = await setUp({ randomFactor: 0.5 })
    await stage.tell(ref, 'fail')
    await stage.advance(1_249)
    expect(said).toHaveLength(1)
    await stage.advance(1)
    expect(said).toEqual(['starts at 0', 'starts at 1250'])
  })

  test('holds messages until the restart and handles them in order, before later ones', async () => {
    const { stage, said, ref } = await setUp()
    await stage.tell(ref, 'fail', 'one', 'two')
    await stage.advance('1s')
    await stage.tell(ref, 'three')
    expect(said).toEqual(['starts at 0', 'starts at 1000', 'one', 'two', 'three'])
    expect(stage.losses).toEqual([])
  })

  test('drops messages beyond the stash capacity, with the reason', async () => {
    const { stage, said, ref } = await setUp({ stashedMessagesMax: 2 })
    await stage.tell(ref, 'fail', 'one', 'two', 'three', 'four')
    expect(stage.losses).toEqual([
      'Dropped/restart-stash-full three',
      'Dropped/restart-stash-full four',
    ])
    await stage.advance('1s')
    expect(said.slice(2)).toEqual(['one', 'two'])
  })

  test('drops every message when the stash capacity is 0', async () => {
    const { stage, said, ref } = await setUp({ stashedMessagesMax: 0 })
    await stage.tell(ref, 'fail', 'one')
    expect(stage.losses).toEqual(['Dropped/restart-stash-full one'])
    await stage.advance('1s')
    await stage.tell(ref, 'two')
    expect(said).toEqual(['starts at 0', 'starts at 1000', 'two'])
  })

  test('the capacity counts also after the news of a death, which always has room', async () => {
    const stage = new Stage()
    const target = await stage.start<string>(() => Behaviors.stopped())
    const said: string[] = []
    const ref = await stage.start(
      Behaviors.setup<string>((context) => {
        context.watchWith(target, 'gone')
        return speaker(stage, said, { stashedMessagesMax: 0 })
      }),
    )
    await stage.tell(ref, 'fail')
    await stage.tell(target, 'stop')
    await stage.tell(ref, 'one')
    expect(stage.losses).toEqual(['Dropped/restart-stash-full one'])
    await stage.advance('1s')
    expect(said).toEqual(['starts at 0', 'starts at 1000', 'gone'])
  })

  test('what it holds is dropped, with the reason, when a supervision around it restarts', async () => {
    const stage = new Stage()
    const said: string[] = []
    const between = Behaviors.transformMessages<string, string>(
      (message) => {
        if (message === 'fail outside') throw new RangeError('in between')
        return message
      },
      speaker(stage, said, {}),
    )
    const ref = await stage.start(
      Behaviors.supervise(between).onFailure(RangeError, SupervisorStrategy.restart()),
    )
    await stage.tell(ref, 'fail', 'one', 'fail outside', 'two')
    expect(stage.losses).toEqual(['Dropped/stash-discarded-by-restart one'])
    await stage.advance('1m')
    expect(said).toEqual(['starts at 0', 'starts at 0', 'two'])
  })

  test('uses the capacity of the system when none is given', async () => {
    const stage = new Stage({ settings: { restartStashMessagesMax: 1 } })
    const ref = await stage.start(speaker(stage, [], {}))
    await stage.tell(ref, 'fail', 'one', 'two')
    expect(stage.losses).toEqual(['Dropped/restart-stash-full two'])
  })

  test('keeps the held messages when the restart itself fails', async () => {
    const stage = new Stage()
    const said: string[] = []
    let starts = 0
    const ref = await stage.start(
      Behaviors.supervise(
        Behaviors.setup<string>(() => {
          if (++starts === 2) throw new Boom('cannot start')
          return (message) => {
            if (message === 'fail') throw new Boom('boom')
            said.push(message)
          }
        }),
      ).onFailure(
        SupervisorStrategy.restartWithBackoff({ min: '1s', max: '10s', randomFactor: 0 }),
      ),
    )
    await stage.tell(ref, 'fail', 'one')
    await stage.advance('1s')
    await stage.tell(ref, 'two')
    expect([starts, said]).toEqual([2, []])
    await stage.advance('2s')
    expect([starts, said]).toEqual([3, ['one', 'two']])
  })

  test('stops when the failures are more than restartsMax, and the parent hears the last cause', async () => {
    const stage = new Stage()
    const said: string[] = []
    const ends: Signal[] = []
    const behavior = speaker(stage, said, { restartsMax: 2, resetAfter: '10s' })
    const parent = await stage.start(
      Behaviors.setup<string>((context) => {
        const child = context.spawn(behavior, 'child')
        context.watch(child)
        return Behaviors.receiveMessage<string>((message) => child.tell(message)).receiveSignal({
          ChildFailed: (_context, signal) => void ends.push(signal),
        })
      }),
    )
    await stage.tell(parent, 'fail')
    await stage.advance('1s')
    await stage.tell(parent, 'fail')
    await stage.advance('2s')
    expect(ends).toEqual([])
    await stage.tell(parent, 'fail')
    expect(said.at(-1)).toBe('PostStop')
    expect(ends).toEqual([expect.any(ChildFailed)])
  })

  test('counts anew after the quiet time that was asked for', async () => {
    const { stage, said, ref } = await setUp({ restartsMax: 2, resetAfter: 100 })
    await stage.tell(ref, 'fail')
    await stage.advance('1s')
    await stage.tell(ref, 'fail')
    await stage.advance('2s')
    await stage.advance(100)
    await stage.tell(ref, 'fail')
    await stage.advance('1s')
    expect(said.at(-1)).toBe('starts at 4100')
  })

  test('does not count anew before the quiet time is over', async () => {
    const { stage, ref } = await setUp({ restartsMax: 2, resetAfter: 100 })
    await stage.tell(ref, 'fail')
    await stage.advance('1s')
    await stage.tell(ref, 'fail')
    await stage.advance('2s')
    await stage.advance(99)
    await stage.tell(ref, 'fail')
    expect(stage.isTerminated(ref)).toBe(true)
  })

  test('the time between a failure and the restart is not quiet time', async () => {
    // The delay of 4 s is longer than resetAfter.
    const { stage, said, ref } = await setUp({ resetAfter: '3s' })
    for (const delay of ['1s', '2s', '4s', '8s'] as const) {
      await stage.tell(ref, 'fail')
      await stage.advance(delay)
    }
    expect(said.at(-1)).toBe('starts at 15000')
  })

  test('takes the mean of min and max as quiet time when none is given', async () => {
    const { stage, said, ref } = await setUp()
    await stage.tell(ref, 'fail')
    await stage.advance('1s')
    await stage.advance(5_499)
    await stage.tell(ref, 'fail')
    await stage.advance('2s')
    expect(said.at(-1)).toBe('starts at 8499')
    await stage.advance(5_500)
    await stage.tell(ref, 'fail')
    await stage.advance('1s')
    expect(said.at(-1)).toBe('starts at 14999')
  })

  test('logs failures as errors from criticalAfter on, as warnings before', async () => {
    const { stage, ref } = await setUp({ criticalAfter: 2 })
    await stage.tell(ref, 'fail')
    expect([stage.logged('warn').length, stage.logged('error').length]).toEqual([1, 0])
    await stage.advance('1s')
    await stage.tell(ref, 'fail')
    expect([stage.logged('warn').length, stage.logged('error').length]).toEqual([1, 1])
  })

  test('stops at once, without a fresh start, when it is stopped during the delay', async () => {
    const stage = new Stage()
    const said: string[] = []
    const behavior = speaker(stage, said, {})
    const parent = await stage.start(
      Behaviors.setup<string>((context) => {
        const child = context.spawn(behavior, 'child')
        return (message) => {
          if (message === 'stop child') context.stop(child)
          else child.tell(message)
        }
      }),
    )
    await stage.tell(parent, 'fail', 'held', 'stop child')
    await stage.advance('1m')
    expect(said).toEqual(['starts at 0'])
    expect(stage.losses).toEqual(['DeadLetter/terminated-while-stashed held'])
  })

  test('a restart waits for both the delay and the children', async () => {
    const stage = new Stage()
    let starts = 0
    let release!: () => void
    const child = Behaviors.receiveSignal<never>({
      PostStop: () =>
        new Promise<void>((resolve) => {
          release = resolve
        }),
    })
    const ref = await stage.start(
      Behaviors.supervise(
        Behaviors.setup<string>((context) => {
          starts++
          context.spawn(child, 'child')
          return () => {
            throw new Boom('boom')
          }
        }),
      ).onFailure(SupervisorStrategy.restartWithBackoff({ min: '1s', max: '1s', randomFactor: 0 })),
    )
    await stage.tell(ref, 'fail')
    await stage.advance('2s')
    expect(starts).toBe(1)
    release()
    await stage.settle()
    expect(starts).toBe(2)
  })
})
