import { describe, expect, test } from 'vitest'
import {
  type ActorRef,
  Behaviors,
  ChildFailed,
  type Signal,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import { Stage, nothingMayEscape } from './stage.ts'
import { Boom, Other, type Command, counter, watched, fail } from './counter.ts'

const { restart, resume, stop } = SupervisorStrategy

describe('AT-001 Supervision: stop, resume, restart, limits, nesting', () => {
  nothingMayEscape()

  describe('default', () => {
    test('stops a failing actor after PostStop, and logs the error with its path', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(counter(said), 'victim')
      const error = new Boom('boom')
      await stage.tell(ref, 'add', fail(error))
      expect(said).toEqual(['counter starts', 'counter PostStop at 1'])
      expect(stage.isTerminated(ref)).toBe(true)
      expect(stage.logged('error')).toEqual([
        expect.objectContaining({ fields: { err: error, actor: ref.toString() } }),
      ])
    })

    test('tells a watching parent the cause', async () => {
      const stage = new Stage()
      const error = new Boom('boom')
      const { child, ends } = await watched(stage, counter([]))
      await stage.tell(child, fail(error))
      expect(ends).toEqual([new ChildFailed(child, error)])
    })

    test('says nothing to a parent that does not watch', async () => {
      const stage = new Stage()
      const signals: Signal[] = []
      let child!: ActorRef<Command>
      const parent = await stage.start(
        Behaviors.setup<string>((context) => {
          child = context.spawn(counter([]))
          return Behaviors.receiveMessage<string>(() => undefined).receiveSignal({
            Terminated: (_context, signal) => void signals.push(signal),
            ChildFailed: (_context, signal) => void signals.push(signal),
          })
        }),
      )
      await stage.tell(child, fail())
      expect(signals).toEqual([])
      expect(stage.isTerminated(parent)).toBe(false)
    })

    test('turns what still waited for the failed actor into dead letters', async () => {
      const stage = new Stage()
      const ref = await stage.start(counter([]))
      ref.tell(fail())
      ref.tell('add')
      ref.tell('get')
      await stage.settle()
      expect(stage.losses).toEqual([
        'DeadLetter/terminated-while-queued add',
        'DeadLetter/terminated-while-queued get',
      ])
    })
  })

  describe('resume', () => {
    test('keeps the behavior and its state; only the failing message is gone', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(Behaviors.supervise(counter(said)).onFailure(resume()))
      ref.tell('add')
      ref.tell(fail())
      ref.tell('add')
      ref.tell('get')
      await stage.settle()
      expect(said).toEqual(['counter starts', 'counter 2'])
      expect(stage.losses).toEqual([])
    })

    test('logs the failure', async () => {
      const stage = new Stage()
      const error = new Boom('boom')
      const ref = await stage.start(Behaviors.supervise(counter([])).onFailure(resume()))
      await stage.tell(ref, fail(error))
      expect(stage.linesOn(error)).toHaveLength(1)
    })

    test('keeps a behavior that was reached by a change', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(Behaviors.supervise(counter(said)).onFailure(resume()))
      await stage.tell(ref, { become: counter(said, 'second') }, 'add', fail(), 'get')
      expect(said).toEqual(['counter starts', 'second starts', 'second 1'])
    })

    test('also when a signal handler failed', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>((context) => {
            context.watch(context.spawn(Behaviors.stopped(), 'short-lived'))
            return Behaviors.receiveMessage<string>(
              (message) => void said.push(message),
            ).receiveSignal({
              Terminated: () => {
                throw new Boom('in a signal')
              },
            })
          }),
        ).onFailure(resume()),
      )
      await stage.tell(ref, 'still here')
      expect(said).toEqual(['still here'])
    })
  })

  describe('stop', () => {
    test('stops on the given class and tells the parent the cause', async () => {
      const stage = new Stage()
      const said: string[] = []
      const error = new Boom('boom')
      const { child, ends } = await watched(
        stage,
        Behaviors.supervise(counter(said)).onFailure(Boom, stop()),
      )
      await stage.tell(child, fail(error))
      expect(said).toEqual(['counter starts', 'counter PostStop at 0'])
      expect(ends).toEqual([new ChildFailed(child, error)])
    })

    test('is not overruled by a supervisor around it', async () => {
      const stage = new Stage()
      const inner = Behaviors.supervise(counter([])).onFailure(Boom, stop())
      const ref = await stage.start(Behaviors.supervise(inner).onFailure(Error, restart()))
      await stage.tell(ref, fail())
      expect(stage.isTerminated(ref)).toBe(true)
    })
  })

  describe('restart', () => {
    test('tells the failing behavior PreRestart, then begins anew', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(Behaviors.supervise(counter(said)).onFailure(restart()))
      await stage.tell(ref, 'add', 'add', fail(), 'get')
      expect(said).toEqual([
        'counter starts',
        'counter PreRestart at 2',
        'counter starts',
        'counter 0',
      ])
    })

    test('goes back to the initial behavior, not to the one that failed', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(Behaviors.supervise(counter(said)).onFailure(restart()))
      await stage.tell(ref, { become: counter(said, 'second') }, 'add', fail(), 'get')
      expect(said).toEqual([
        'counter starts',
        'second starts',
        'second PreRestart at 1',
        'counter starts',
        'counter 0',
      ])
    })

    test('keeps the ref, the name and what waits in the mailbox', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(Behaviors.supervise(counter(said)).onFailure(restart()), 'kept')
      ref.tell(fail())
      ref.tell('add')
      ref.tell('get')
      await stage.settle()
      expect(said.at(-1)).toBe('counter 1')
      expect(ref.path.name).toBe('kept')
      expect(stage.losses).toEqual([])
    })

    test('only logs a failure of PreRestart', async () => {
      const stage = new Stage()
      let starts = 0
      const error = new Other('in PreRestart')
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>(() => {
            starts++
            return Behaviors.receiveMessage<string>(() => {
              throw new Boom('boom')
            }).receiveSignal({
              PreRestart: () => {
                throw error
              },
            })
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'go')
      expect(starts).toBe(2)
      expect(stage.linesOn(error)).toHaveLength(1)
    })

    test('only logs a failure of PreRestart, whatever supervision is inside', async () => {
      const stage = new Stage()
      const said: string[] = []
      const inner = Behaviors.supervise(
        Behaviors.setup<string>(() => {
          said.push('starts')
          return Behaviors.receiveMessage<string>(() => {
            throw new Other('other')
          }).receiveSignal({
            PreRestart: () => {
              said.push('PreRestart')
              throw new Boom('in PreRestart')
            },
          })
        }),
      ).onFailure(Boom, restart())
      const ref = await stage.start(Behaviors.supervise(inner).onFailure(Other, restart()))
      await stage.tell(ref, 'go')
      expect(said).toEqual(['starts', 'PreRestart', 'starts'])
    })

    test('stops the children, waits for them, and holds messages meanwhile', async () => {
      const stage = new Stage()
      const said: string[] = []
      const held: (() => void)[] = []
      const child = Behaviors.receiveSignal<never>({
        PostStop: () =>
          new Promise<void>((resolve) => {
            held.push(resolve)
          }),
      })
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>((context) => {
            said.push('starts')
            context.spawn(child, 'child')
            return Behaviors.receiveMessage<string>((message) => {
              if (message === 'fail') throw new Boom('boom')
              said.push(message)
            })
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'fail', 'one', 'two')
      expect(said).toEqual(['starts'])
      held[0]?.()
      await stage.settle()
      expect(said).toEqual(['starts', 'starts', 'one', 'two'])
    })

    test('keeps the children when told so', async () => {
      const stage = new Stage()
      const children: ActorRef<never>[] = []
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>((context) => {
            children.push(context.spawn(Behaviors.ignore))
            return () => {
              throw new Boom('boom')
            }
          }),
        ).onFailure(restart({ stopChildren: false })),
      )
      await stage.tell(ref, 'fail')
      expect(children.map((child) => stage.isTerminated(child))).toEqual([false, false])
    })

    test('does not tell the fresh behavior of children that the failed one watched', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>((context) => {
            context.watchWith(context.spawn(Behaviors.ignore), 'a child is gone')
            context.watch(context.spawn(Behaviors.ignore))
            return (message) => {
              if (message === 'fail') throw new Boom('boom')
              said.push(message)
            }
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'fail', 'after')
      expect(said).toEqual(['after'])
      expect(stage.isTerminated(ref)).toBe(false)
    })

    test('holds signals too while children stop, in order with messages', async () => {
      const stage = new Stage()
      const said: string[] = []
      const other = await stage.start<string>(Behaviors.receiveMessage(() => Behaviors.stopped()))
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
            context.spawn(child)
            if (said.length === 0) context.watch(other)
            said.push('starts')
            return Behaviors.receiveMessage<string>((message) => {
              if (message === 'fail') throw new Boom('boom')
              said.push(message)
            }).receiveSignal({ Terminated: () => void said.push('Terminated') })
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'fail', 'before')
      await stage.tell(other, 'stop')
      await stage.tell(ref, 'after')
      expect(said).toEqual(['starts'])
      release()
      await stage.settle()
      expect(said).toEqual(['starts', 'starts', 'before', 'Terminated', 'after'])
    })

    test('drops what does not fit into the restart stash, with the reason', async () => {
      const stage = new Stage()
      let release!: () => void
      const child = Behaviors.receiveSignal<never>({
        PostStop: () =>
          new Promise<void>((resolve) => {
            release = resolve
          }),
      })
      const said: string[] = []
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>((context) => {
            context.spawn(child)
            return (message) => {
              if (message === 'fail') throw new Boom('boom')
              said.push(message)
            }
          }),
        ).onFailure(restart({ stashedMessagesMax: 2 })),
      )
      await stage.tell(ref, 'fail', 'one', 'two', 'three')
      expect(stage.losses).toEqual(['Dropped/restart-stash-full three'])
      release()
      await stage.settle()
      expect(said).toEqual(['one', 'two'])
    })

    test('handles what it held before what came later, also when one of them fails', async () => {
      const stage = new Stage()
      const said: string[] = []
      const releases: (() => void)[] = []
      const child = Behaviors.receiveSignal<never>({
        // Only the first child keeps its parent waiting.
        PostStop: () =>
          releases.length > 0
            ? undefined
            : new Promise<void>((resolve) => void releases.push(resolve)),
      })
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>((context) => {
            context.spawn(child)
            return (message) => {
              if (message.startsWith('fail')) throw new Boom(message)
              said.push(message)
            }
          }),
        ).onFailure(restart()),
      )
      await stage.tell(ref, 'fail', 'a', 'fail again', 'b', 'c')
      releases[0]?.()
      await stage.tell(ref, 'd')
      expect(said).toEqual(['a', 'b', 'c', 'd'])
      expect(stage.losses).toEqual([])
    })
  })
})
