import { describe, expect, test } from 'vitest'
import { type Behavior, Behaviors, SupervisorStrategy } from '../../src/actor/index.ts'
import { type Gate, gate, nothingMayEscape, Stage } from './stage.ts'

const { restart, restartWithBackoff } = SupervisorStrategy

class Inside extends Error {}
class Around extends Error {}

/** Restarts after `Inside`; `PreRestart` lasts until the gate opens. */
const inside = (said: string[], ending?: Gate<void>, isAsync = false): Behavior<string> =>
  Behaviors.supervise(
    Behaviors.receiveMessage<string>((message) => {
      const failure = new Inside('inside')
      if (message.startsWith('fail') && isAsync) return Promise.reject(failure)
      if (message.startsWith('fail')) throw failure
      said.push(message)
      return undefined
    }).receiveSignal({ PreRestart: () => ending?.promise as Promise<undefined> | undefined }),
  ).onFailure(Inside, restart({ restartsMax: 5 }))

/** `fail twice` also fails around it, for the same message. */
const around = (behavior: Behavior<string>): Behavior<string> =>
  Behaviors.intercept<string>(
    () => ({
      aroundReceive: (_context, message, next) => {
        const result = next(message)
        if (message === 'fail twice') throw new Around('around')
        return result
      },
    }),
    behavior,
  )

describe('a restart inside a restart', () => {
  nothingMayEscape()

  test('is no message: it is not dropped for want of room', async () => {
    const stage = new Stage()
    const said: string[] = []
    const strategy = restart({ restartsMax: 5, stashedMessagesMax: 0 })
    const ref = await stage.start(
      Behaviors.supervise(around(inside(said))).onFailure(Around, strategy),
    )
    await stage.tell(ref, 'fail twice', 'a')
    expect(said).toEqual(['a'])
    expect(stage.losses).toEqual([])
  })

  test('is no message: it is not a dead letter when the actor stops instead', async () => {
    const stage = new Stage()
    const strategy = restartWithBackoff({ min: '1s', max: '1s' })
    const ref = await stage.start(
      Behaviors.supervise(around(inside([]))).onFailure(Around, strategy),
    )
    await stage.tell(ref, 'fail twice', 'a')
    const ended = stage.system.terminate()
    await stage.settle()
    await ended
    expect(stage.losses).toEqual(['DeadLetter/terminated-while-stashed a'])
  })

  for (const how of ['settles', 'rejects', 'never settles'] as const) {
    test(`waits for the PreRestart inside, which ${how}`, async () => {
      const stage = new Stage()
      const said: string[] = []
      const ending = gate()
      const ref = await stage.start(
        Behaviors.supervise(around(inside(said, ending))).onFailure(
          Around,
          restart({ restartsMax: 5 }),
        ),
      )
      await stage.tell(ref, 'fail twice', 'a')
      expect(said).toEqual([])
      const failure = new Error('PreRestart')
      if (how === 'settles') ending.open()
      else if (how === 'rejects') ending.fail(failure)
      else await stage.advance('3s')
      await stage.settle()
      expect(said).toEqual(['a'])
      expect(stage.time.nextDeadline).toBeUndefined()
      expect(stage.linesOn(failure)).toHaveLength(how === 'rejects' ? 1 : 0)
    })
  }
})

describe('a restart after an async handler, inside an interceptor', () => {
  nothingMayEscape()

  for (const how of ['settles', 'never settles'] as const) {
    test(`comes about when a PreRestart ${how}`, async () => {
      const stage = new Stage()
      const said: string[] = []
      const ending = gate()
      const ref = await stage.start(around(inside(said, ending, true)))
      await stage.tell(ref, 'fail', 'a')
      expect(said).toEqual([])
      if (how === 'settles') ending.open()
      else await stage.advance('3s')
      await stage.settle()
      expect(said).toEqual(['a'])
    })
  }

  test('gives way to the restart around it, and the failure of its PreRestart is logged', async () => {
    const stage = new Stage()
    const said: string[] = []
    const ending = gate()
    const ref = await stage.start(
      Behaviors.supervise(around(inside(said, ending, true))).onFailure(
        Around,
        restart({ restartsMax: 5 }),
      ),
    )
    await stage.tell(ref, 'fail twice', 'a')
    expect(said).toEqual([])
    const failure = new Error('PreRestart')
    ending.fail(failure)
    await stage.settle()
    expect(said).toEqual(['a'])
    expect(stage.linesOn(failure)).toHaveLength(1)
  })

  test('is not waited for any longer than the stop of the actor allows', async () => {
    const stage = new Stage()
    const ref = await stage.start(around(inside([], gate(), true)))
    await stage.tell(ref, 'fail')
    const ended = stage.system.terminate()
    await stage.settle()
    expect(stage.isTerminated(ref)).toBe(false)
    await stage.advance('3s')
    expect(stage.isTerminated(ref)).toBe(true)
    await ended
    expect(stage.time.nextDeadline).toBeUndefined()
  })
})

describe('a supervision inside an interceptor', () => {
  nothingMayEscape()

  for (const when of ['in time', 'too late'] as const) {
    test(`does not answer for an async PreRestart that fails ${when}`, async () => {
      const stage = new Stage()
      const said: string[] = []
      const ending = gate()
      const inner = Behaviors.setup<string>((context) => {
        const left = context.spawn(Behaviors.ignore)
        said.push('starts')
        return Behaviors.receiveMessage<string>((message) => {
          if (message === 'fail') throw new Around('around')
          said.push(`${message}: ${context.children.includes(left) ? 'has' : 'lacks'} its child`)
        }).receiveSignal({
          PreRestart: async () => {
            said.push('PreRestart')
            await ending.promise
          },
        })
      })
      const supervised = Behaviors.supervise(inner).onFailure(Inside, restart({ restartsMax: 5 }))
      const ref = await stage.start(Behaviors.supervise(around(supervised)).onFailure(restart()))
      await stage.tell(ref, 'fail')
      if (when === 'too late') await stage.advance('3s')
      ending.fail(new Inside('PreRestart'))
      await stage.settle()
      await stage.tell(ref, 'a')
      expect(said).toEqual(['starts', 'PreRestart', 'starts', 'a: has its child'])
    })
  }
})
