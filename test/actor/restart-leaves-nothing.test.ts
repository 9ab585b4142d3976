import { describe, expect, test } from 'vitest'
import { type ActorContext, Behaviors, SupervisorStrategy } from '../../src/actor/index.ts'
import { abortHandlers, type LocalRef } from '../../src/actor/internals.ts'
import { gate, nothingMayEscape, Stage } from './stage.ts'

/** All that a behavior could leave to the one that comes after it. */
function leave(context: ActorContext<string>): void {
  context.timers.startSingle('left', '1s', 'from a timer')
  context.setReceiveTimeout('2s', 'from a receive timeout')
  context.spawn(Behaviors.ignore, 'left')
}

type Leaving = (context: ActorContext<string>) => Promise<void> | void

/** Restarts once; what the second behavior is told, and the children it finds at its start. */
async function restarted(stage: Stage, atStart: Leaving, preRestart: Leaving) {
  const told: string[] = []
  const found: number[] = []
  const inner = Behaviors.setup<string>((context) => {
    found.push(context.children.length)
    if (found.length === 1) void atStart(context)
    return Behaviors.receiveMessage<string>((message) => {
      if (message === 'fail') throw new Error('boom')
      told.push(message)
    }).receiveSignal({ PreRestart: () => preRestart(context) })
  })
  const { restart } = SupervisorStrategy
  const ref = await stage.start(Behaviors.supervise(inner).onFailure(restart()))
  await stage.tell(ref, 'fail')
  return { told, found }
}

const nothing = (): void => undefined

describe('a restart leaves nothing of the old behavior to the new one', () => {
  nothingMayEscape()

  test('that an async PreRestart has begun after an await', async () => {
    const stage = new Stage()
    const { promise, open } = gate()
    const { told, found } = await restarted(stage, nothing, async (context) => {
      await promise
      leave(context)
    })
    expect(found).toEqual([0])
    open()
    await stage.advance('10s')
    expect([told, found]).toEqual([[], [0, 0]])
    expect(stage.time.nextDeadline).toBeUndefined()
  })

  test('that an async PreRestart has stashed', async () => {
    const stage = new Stage()
    await restarted(stage, nothing, async (context) => {
      await Promise.resolve()
      context.stash(1).stash('kept')
    })
    expect(stage.losses).toEqual(['Dropped/stash-discarded-by-restart kept'])
  })

  test('that a PreRestart which never settles has begun', async () => {
    const stage = new Stage()
    const { told, found } = await restarted(stage, nothing, async (context) => {
      await Promise.resolve()
      leave(context)
      return gate().promise
    })
    await stage.advance('500ms')
    expect(found).toEqual([0])
    await stage.advance('10s')
    expect([told.includes('from a receive timeout'), found]).toEqual([false, [0, 0]])
    expect(stage.time.nextDeadline).toBeUndefined()
  })

  test('that a listener to its AbortSignal has begun', async () => {
    const stage = new Stage()
    const listening = (context: ActorContext<string>): void =>
      context.signal.addEventListener('abort', () => leave(context))
    const { told, found } = await restarted(stage, listening, nothing)
    await stage.advance('10s')
    expect([told, found]).toEqual([[], [0, 0]])
  })
})

test('a restart leaves the handlers of an actor aborted that will be stopped soon', async () => {
  const stage = new Stage()
  const seen: boolean[] = []
  const behavior = Behaviors.receive<string>((context, message) => {
    if (message === 'fail') throw new Error('boom')
    seen.push(context.signal.aborted)
  })
  const { restart } = SupervisorStrategy
  const ref = await stage.start(Behaviors.supervise(behavior).onFailure(restart()))
  await stage.tell(ref, 'a', 'fail', 'b')
  abortHandlers((ref as unknown as LocalRef).cell!)
  await stage.tell(ref, 'c', 'fail', 'd')
  expect(seen).toEqual([false, false, true, true])
})
