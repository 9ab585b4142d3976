import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import { type Gate, gate, nothingMayEscape, Stage } from './stage.ts'

/** An actor whose handler and whose `PostStop` last until their gates open. */
const start = async (stage: Stage, handler: Gate<unknown>, postStop?: Gate<unknown>) => {
  const said: string[] = []
  const ref = await stage.start(
    Behaviors.receiveMessage<string>(() => handler.promise as Promise<undefined>).receiveSignal({
      PostStop: () => {
        said.push('PostStop')
        return postStop?.promise as Promise<undefined> | undefined
      },
    }),
  )
  return { ref, said }
}

/** Stops it as its parent would. */
const stop = (ref: ActorRef<never>): void => (ref as unknown as { cell: Stoppable }).cell.stop()
interface Stoppable {
  stop(): void
}

describe('the patience of a stopping actor', () => {
  nothingMayEscape()

  const warnings = (stage: Stage): number => stage.logged('warn').length

  test('ends with the handler: no warning follows', async () => {
    const stage = new Stage()
    const handler = gate<unknown>()
    const { ref } = await start(stage, handler)
    await stage.tell(ref, 'work')
    stop(ref)
    await stage.settle()
    handler.open(undefined)
    await stage.settle()
    expect(stage.isTerminated(ref)).toBe(true)
    expect(stage.time.nextDeadline).toBeUndefined()
    await stage.advance('10s')
    expect(warnings(stage)).toBe(0)
  })

  test('begins anew for PostStop when the handler has settled in time', async () => {
    const stage = new Stage()
    const handler = gate<unknown>()
    const { ref, said } = await start(stage, handler, gate())
    await stage.tell(ref, 'work')
    stop(ref)
    await stage.settle()
    handler.open(undefined)
    await stage.settle()
    expect([said, stage.isTerminated(ref)]).toEqual([['PostStop'], false])
    await stage.advance('3s')
    expect(stage.isTerminated(ref)).toBe(true)
  })

  test('begins anew for PostStop when the handler was given up', async () => {
    const stage = new Stage()
    const { ref, said } = await start(stage, gate(), gate())
    await stage.tell(ref, 'work')
    stop(ref)
    await stage.advance('3s')
    expect([said, stage.isTerminated(ref)]).toEqual([['PostStop'], false])
    await stage.advance('3s')
    expect(stage.isTerminated(ref)).toBe(true)
    expect(warnings(stage)).toBe(2)
  })

  test('a handler that was given up does not end PostStop when it settles late', async () => {
    const stage = new Stage()
    const handler = gate<unknown>()
    const postStop = gate<unknown>()
    const { ref } = await start(stage, handler, postStop)
    await stage.tell(ref, 'work')
    stop(ref)
    await stage.advance('3s')
    handler.open(undefined)
    await stage.settle()
    expect(stage.isTerminated(ref)).toBe(false)
    postStop.open(undefined)
    await stage.settle()
    expect(stage.isTerminated(ref)).toBe(true)
  })
})

describe('the last moments of an actor', () => {
  nothingMayEscape()

  test('a PostStop that comes to unhandled loses no message', async () => {
    const stage = new Stage()
    const postStop = gate<unknown>()
    const { ref } = await start(stage, gate(), postStop)
    stop(ref)
    await stage.settle()
    postStop.open(Behaviors.unhandled)
    await stage.settle()
    expect(stage.isTerminated(ref)).toBe(true)
    expect(stage.losses).toEqual([])
  })

  test('what a handler did not handle is lost with a reason, even if the stop comes before its turn', async () => {
    const stage = new Stage()
    const handler = gate<unknown>()
    const { ref } = await start(stage, handler)
    await stage.tell(ref, 'work')
    // Behind the reaction of the actor, and before the turn that it asks for.
    void handler.promise.then(() => stop(ref))
    handler.open(Behaviors.unhandled)
    await stage.settle()
    expect(stage.losses).toEqual(['UnhandledMessage work'])
  })

  test('one that is stopped before its first turn never ran, and hears no PostStop', async () => {
    const stage = new Stage()
    const said: string[] = []
    const ref = stage.spawn(
      Behaviors.receiveMessage<string>(() => undefined).receiveSignal({
        PostStop: () => void said.push('PostStop'),
      }),
    )
    stop(ref)
    await stage.settle()
    expect([said, stage.isTerminated(ref)]).toEqual([[], true])
  })

  test('context.stop does not hide that the handler fails afterwards', async () => {
    const stage = new Stage()
    const failure = new Error('after the stop')
    const ref = await stage.start(
      Behaviors.receive<string>(async (context) => {
        context.stop()
        await Promise.resolve()
        throw failure
      }),
    )
    await stage.tell(ref, 'work')
    expect(stage.isTerminated(ref)).toBe(true)
    expect(stage.linesOn(failure)).toHaveLength(1)
  })

  test('context.stop ends an unstash: what is left becomes dead letters', async () => {
    const stage = new Stage()
    const said: string[] = []
    const ref = await stage.start(
      Behaviors.withStash<string>(10, (stash) =>
        Behaviors.receive<string>((_context, message) => {
          if (message !== 'go') return stash.stash(message)
          return stash.unstashAll(
            Behaviors.receive<string>((context, each) => {
              said.push(each)
              context.stop()
            }),
          )
        }),
      ),
    )
    await stage.tell(ref, 'a', 'b', 'go')
    expect(said).toEqual(['a'])
    expect(stage.losses).toEqual(['DeadLetter/terminated-while-stashed b'])
  })

  test('a handler that becomes what ends at its start ends', async () => {
    const stage = new Stage()
    const ref = await stage.start<string>(() => Behaviors.setup(() => Behaviors.stopped()))
    await stage.tell(ref, 'end')
    expect(stage.isTerminated(ref)).toBe(true)
  })

  test('its address keeps nothing of its behavior', async () => {
    const stage = new Stage()
    const ref = await stage.start(Behaviors.receive<string>(() => Behaviors.stopped()))
    const { cell } = ref as unknown as { cell: { behavior: unknown; context: unknown } }
    const { context } = cell
    await stage.tell(ref, 'end')
    expect(cell.behavior).toBe(Behaviors.same)
    expect(cell.context).not.toBe(context)
  })
})
