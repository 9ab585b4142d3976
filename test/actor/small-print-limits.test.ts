import { describe, expect, test } from 'vitest'
import {
  type ActorRef,
  AskTimeout,
  type Behavior,
  Behaviors,
  defaultActorSettings,
} from '../../src/actor/index.ts'
import { nothingMayEscape, outcomeOf, Stage } from './stage.ts'

describe('the small print of limits', () => {
  nothingMayEscape()

  test('each ask has its own time, whatever the one before had', async () => {
    const stage = new Stage()
    const silent = stage.spawn<{ readonly replyTo: ActorRef<number> }>(Behaviors.ignore)
    const asks = (['1s', '2s', '1s'] as const).map((timeout) =>
      outcomeOf(silent.ask<number>((replyTo) => ({ replyTo }), { timeout })),
    )
    await stage.advance('1s')
    expect(asks.map(({ ends }) => ends.length)).toEqual([1, 0, 1])
    await stage.advance('1s')
    expect(asks.every(({ ends }) => ends[0] instanceof AskTimeout)).toBe(true)
  })

  test('a single timer may be due at once', async () => {
    const stage = new Stage()
    const said: string[] = []
    await stage.start(
      Behaviors.setup<string>((context) => {
        context.timers.startSingle('now', 0, 'tick')
        return (message) => void said.push(message)
      }),
    )
    await stage.advance(0)
    expect(said).toEqual(['tick'])
  })

  test('after a long sleep a fixed rate makes up for ten thousand ticks, and no more', async () => {
    const stage = new Stage({ canSleep: true, patience: '20s' })
    let ticks = 0
    await stage.start(
      Behaviors.setup<string>((context) => {
        context.timers.startFixedRate('rate', 1, 'tick')
        return () => void ticks++
      }),
    )
    await stage.sleep('1m')
    expect(ticks).toBeGreaterThanOrEqual(10_000)
    expect(ticks).toBeLessThan(10_010)
  })

  test('what is intercepted and ends at its start ends the actor', async () => {
    const stage = new Stage()
    const passing = (behavior: Behavior<string>): Behavior<string> =>
      Behaviors.intercept<string>(
        () => ({ aroundReceive: (_context, message, next) => next(message) }),
        behavior,
      )
    const ref = await stage.start(passing(Behaviors.stopped()))
    expect(stage.isTerminated(ref)).toBe(true)
  })

  test('an interceptor sees a message once, also one that was stashed inside it', async () => {
    const stage = new Stage()
    const seen: string[] = []
    const said: string[] = []
    const ref = await stage.start(
      Behaviors.intercept<string>(
        () => ({
          aroundReceive: (_context, message, next) => {
            seen.push(message)
            return next(message)
          },
        }),
        Behaviors.withStash<string>(10, (stash) => (message) => {
          if (message !== 'go') return stash.stash(message)
          return stash.unstashAll((each: string) => void said.push(each))
        }),
      ),
    )
    await stage.tell(ref, 'a', 'b', 'go')
    expect(said).toEqual(['a', 'b'])
    expect(seen).toEqual(['a', 'b', 'go'])
  })

  test('the defaults are those that the documents name', () => {
    expect(defaultActorSettings).toEqual({
      askTimeoutMs: 5_000,
      handlerStopTimeoutMs: 3_000,
      restartStashMessagesMax: 1_000,
      logDeadLettersMax: 10,
      logDeadLettersSuspendMs: 300_000,
      logDeadLettersDuringShutdown: false,
      logFailuresIntervalMs: 60_000,
      hookSignals: true,
      exitProcess: false,
    })
  })

  test('a shutdown that has ended has ended every actor, the runtime’s own too', async () => {
    const stage = new Stage()
    const ref = stage.system.spawnSystemActor(Behaviors.ignore)
    const ended = stage.system.terminate().then(() => stage.isTerminated(ref))
    await stage.settle()
    expect(await ended).toBe(true)
  })
})
