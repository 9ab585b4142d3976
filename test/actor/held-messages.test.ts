import { describe, expect, test } from 'vitest'
import { type Behavior, Behaviors, SupervisorStrategy } from '../../src/actor/index.ts'
import { nothingMayEscape, Stage } from './stage.ts'

const { restart, restartWithBackoff, resume } = SupervisorStrategy
const backoff = restartWithBackoff({ min: '1s', max: '1s', randomFactor: 0 })

class Mild extends Error {}
class Wild extends Error {}

const failing = (said: string[]): Behavior<string> =>
  Behaviors.receiveMessage<string>((message) => {
    if (message.startsWith('mild')) throw new Mild(message)
    if (message.startsWith('wild')) throw new Wild(message)
    said.push(message)
  })

describe('messages held for a restart', () => {
  nothingMayEscape()

  test('wait for the next restart when one of them fails, in their order', async () => {
    const stage = new Stage()
    const said: string[] = []
    const ref = await stage.start(Behaviors.supervise(failing(said)).onFailure(Wild, backoff))
    await stage.tell(ref, 'wild', 'a', 'wild again', 'b', 'c')
    await stage.advance('1s')
    expect(said).toEqual(['a'])
    await stage.advance('1s')
    expect(said).toEqual(['a', 'b', 'c'])
    expect(stage.losses).toEqual([])
  })

  test('go on behind one whose failure a supervisor inside resumes', async () => {
    const stage = new Stage()
    const said: string[] = []
    const inner = Behaviors.supervise(failing(said)).onFailure(Mild, resume())
    const ref = await stage.start(Behaviors.supervise(inner).onFailure(Wild, backoff))
    await stage.tell(ref, 'wild', 'a', 'mild', 'b')
    await stage.advance('1s')
    expect(said).toEqual(['a', 'b'])
  })

  test('are dropped with a reason when an interceptor puts another behavior in the place of theirs', async () => {
    const stage = new Stage()
    const said: string[] = []
    const around = Behaviors.intercept<string>(
      () => ({
        aroundReceive: (_context, message, next) =>
          message === 'replace' ? (other) => void said.push(`other ${other}`) : next(message),
      }),
      Behaviors.supervise(failing(said)).onFailure(Wild, backoff),
    )
    const ref = await stage.start(around)
    await stage.tell(ref, 'wild', 'a', 'replace', 'b')
    await stage.advance('1s')
    expect(said).toEqual(['other b'])
    expect(stage.losses).toEqual(['Dropped/stash-discarded-by-restart a'])
  })

  test('are dropped with a reason when a supervisor around restarts as well', async () => {
    const stage = new Stage()
    const said: string[] = []
    const around = Behaviors.intercept<string>(
      () => ({
        aroundReceive: (_context, message, next) => {
          if (message === 'mild') throw new Mild(message)
          return next(message)
        },
      }),
      Behaviors.supervise(failing(said)).onFailure(Wild, backoff),
    )
    const ref = await stage.start(Behaviors.supervise(around).onFailure(Mild, restart()))
    await stage.tell(ref, 'wild', 'a', 'mild', 'b')
    expect(said).toEqual(['b'])
    expect(stage.losses).toEqual(['Dropped/stash-discarded-by-restart a'])
  })

  test('are bounded again after the news of a death, for which there is always room', async () => {
    const stage = new Stage()
    const said: string[] = []
    const mortal = await stage.start<string>(() => Behaviors.stopped())
    const strategy = restartWithBackoff({ min: '1s', max: '1s', stashedMessagesMax: 1 })
    const ref = await stage.start(
      Behaviors.supervise(
        Behaviors.setup<string>((context) => {
          context.watchWith(mortal, 'news')
          return failing(said)
        }),
      ).onFailure(Wild, strategy),
    )
    await stage.tell(mortal, 'end')
    expect(said).toEqual(['news'])
    await stage.tell(ref, 'wild', 'a', 'b')
    expect(stage.losses).toEqual(['Dropped/restart-stash-full b'])
  })

  test('the line in the log says how long the restart is put off', async () => {
    const stage = new Stage()
    const ref = await stage.start(Behaviors.supervise(failing([])).onFailure(Wild, backoff))
    await stage.tell(ref, 'wild')
    expect(stage.logged('warn').map(({ fields }) => fields['delayMs'])).toEqual([1_000])
  })
})

describe('a stash and a restart', () => {
  nothingMayEscape()

  /** Stashes what it is told into whichever stash was made first. */
  const keeping = (stashes: unknown[]): Behavior<string> =>
    Behaviors.withStash<string>(10, (stash) => {
      stashes.push(stash)
      return Behaviors.receiveMessage<string>((message) => {
        if (message === 'wild') throw new Wild(message)
        ;(stashes[0] as typeof stash).stash(message)
      })
    })

  test('a stash deep inside the supervised part is discarded with it', async () => {
    const stage = new Stage()
    const passing = Behaviors.intercept<string>(
      () => ({ aroundReceive: (_context, message, next) => next(message) }),
      keeping([]),
    )
    const ref = await stage.start(Behaviors.supervise(passing).onFailure(Wild, restart()))
    await stage.tell(ref, 'a', 'wild')
    expect(stage.losses).toEqual(['Dropped/stash-discarded-by-restart a'])
  })

  test('one that was discarded takes nothing any more', async () => {
    const stage = new Stage()
    const ref = await stage.start(Behaviors.supervise(keeping([])).onFailure(Wild, restart()))
    await stage.tell(ref, 'a', 'wild', 'b')
    expect(stage.logged('error').map(({ fields }) => String(fields['err']))).toEqual([
      expect.stringContaining('StashDiscarded'),
    ])
    expect(stage.isTerminated(ref)).toBe(true)
  })
})

describe('strategies', () => {
  test('restart with back-off by default: a fifth of chance, no limit, never critical', () => {
    expect(restartWithBackoff({ min: '1s', max: '1s' })).toMatchObject({
      randomFactor: 0.2,
      restartsMax: Infinity,
      criticalAfter: Infinity,
      stopChildren: true,
    })
  })

  test('chance may double a delay, and no more', () => {
    const withFactor = (randomFactor: number) => () =>
      restartWithBackoff({ min: 1, max: 2, randomFactor })
    expect(withFactor(1)).not.toThrow()
    expect(withFactor(1.01)).toThrow(/randomFactor must be from 0 to 1/)
  })

  test.each(['restartsMax', 'criticalAfter', 'stashedMessagesMax'])(
    '%s is a whole number',
    (name) => {
      expect(() => restartWithBackoff({ min: 1, max: 2, [name]: 1.5 })).toThrow(
        new RegExp(`${name} must be a whole number`),
      )
    },
  )
})
