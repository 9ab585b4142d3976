import { describe, expect, test } from 'vitest'
import {
  type ActorRef,
  type Behavior,
  Behaviors,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import { Stage, nothingMayEscape } from './stage.ts'
import { childOf } from './misuse.ts'

const { restart, restartWithBackoff } = SupervisorStrategy

describe('bad input: large numbers', () => {
  nothingMayEscape()

  describe('large numbers', () => {
    test('100,000 messages are unstashed without a stack overflow', async () => {
      const stage = new Stage({ patience: '25s' })
      let heard = 0
      const ref = await stage.start(
        Behaviors.withStash<number>(100_000, (stash) => (message) => {
          if (message < 0) {
            return stash.unstashAll(Behaviors.receiveMessage<number>(() => void heard++))
          }
          stash.stash(message)
          return undefined
        }),
      )
      for (let count = 0; count < 100_000; count++) ref.tell(count)
      ref.tell(-1)
      await stage.settle()
      expect([heard, stage.isTerminated(ref)]).toEqual([100_000, false])
    })

    test('100,000 messages that each unstash the next are no stack overflow either', async () => {
      const stage = new Stage({ patience: '25s' })
      let heard = 0
      const ref = await stage.start(
        Behaviors.withStash<number>(100_000, (stash) => {
          const one: Behavior<number> = Behaviors.receiveMessage<number>(() => {
            heard++
            return stash.unstash(one, 1)
          })
          return (message) => {
            if (message < 0) return stash.unstash(one, 1)
            stash.stash(message)
            return undefined
          }
        }),
      )
      for (let count = 0; count < 100_000; count++) ref.tell(count)
      ref.tell(-1)
      await stage.settle()
      expect(heard).toBe(100_000)
    })

    test('a chain of 10,000 actors that spawn each other lives, prints and ends', async () => {
      const stage = new Stage({ patience: '25s' })
      let deepest!: ActorRef<string>
      let stops = 0
      const link = (depth: number): Behavior<string> =>
        Behaviors.setup<string>((context) => {
          if (depth > 1) context.spawn(link(depth - 1), 'next')
          else deepest = context.self
          return Behaviors.receiveSignal<string>({ PostStop: () => void stops++ })
        })
      await stage.start(link(10_000), 'first')
      expect(deepest.toString().split('/')).toHaveLength(10_004)
      expect(deepest.path.elements).toHaveLength(10_001)
      const terminated = stage.system.terminate()
      await stage.settle()
      await terminated
      expect(stops).toBe(10_000)
    })

    test('a chain of 10,000 setups in one actor is no stack overflow', async () => {
      const stage = new Stage({ patience: '25s' })
      const nest = (depth: number): Behavior<string> =>
        Behaviors.setup(() => (depth > 0 ? nest(depth - 1) : Behaviors.ignore))
      const ref = await stage.start(nest(10_000))
      expect(stage.isTerminated(ref)).toBe(false)
    })

    test('a setup that answers itself is an error, not an endless loop', async () => {
      const stage = new Stage({ patience: '25s' })
      const endless: Behavior<string> = Behaviors.setup<string>(() => endless)
      const { ends } = await childOf(stage, endless)
      expect(ends).toMatchObject([{ type: 'ChildFailed', cause: { code: 'INVALID_BEHAVIOR' } }])
    })

    test('100,000 messages too many for a mailbox of 100,000 take no longer for being many', async () => {
      const stage = new Stage({ patience: '25s' })
      const mailbox = { messagesMax: 100_000, overflow: 'drop-head' } as const
      const ref = stage.spawn<number>(Behaviors.ignore, { mailbox })
      for (let count = 0; count < 200_000; count++) ref.tell(count)
      await stage.settle()
      expect(stage.system.lostMessageCounts).toEqual({ 'Dropped/mailbox-full': 100_000 })
    })

    test('10,000 failures in a row are 10,000 restarts, and the mailbox is kept', async () => {
      const stage = new Stage({ patience: '25s' })
      let starts = 0
      const heard: number[] = []
      const ref = await stage.start(
        Behaviors.supervise(
          Behaviors.setup<number>((context) => {
            starts++
            context.spawn(Behaviors.ignore, 'child')
            return (message) => {
              if (message >= 0) throw new Error('storm')
              heard.push(message)
            }
          }),
          // While its child stops, an actor holds what comes.
        ).onFailure(restart({ stashedMessagesMax: 20_000 })),
      )
      for (let count = 0; count < 10_000; count++) ref.tell(count)
      ref.tell(-1)
      await stage.settle()
      expect([starts, heard]).toEqual([10_001, [-1]])
      expect(stage.lost).toEqual([])
    })

    test('300,000 messages held for a restart become dead letters when it does not come', async () => {
      const stage = new Stage({ patience: '25s' })
      const strategy = restartWithBackoff({ min: '1h', max: '1h', stashedMessagesMax: 300_000 })
      const { parent, child, ends } = await childOf(
        stage,
        Behaviors.supervise(
          Behaviors.receiveMessage<number>(() => {
            throw new Error('boom')
          }),
        ).onFailure(strategy),
      )
      for (let count = 0; count <= 300_000; count++) child.tell(count)
      await stage.settle()
      await stage.tell(parent, 'stop')
      expect(ends).toHaveLength(1)
      expect(stage.system.lostMessageCounts).toEqual({
        'DeadLetter/terminated-while-stashed': 300_000,
      })
    })

    test('a setup that sends itself the message that fails it does not block others', async () => {
      const stage = new Stage({ patience: '25s' })
      let starts = 0
      const other = stage.recorder<string>()
      await stage.start(
        Behaviors.supervise(
          Behaviors.setup<string>((context) => {
            if (++starts < 5_000) context.self.tell('fail')
            if (starts === 10) other.ref.tell('hello')
            return () => {
              throw new Error('storm')
            }
          }),
        ).onFailure(restart()),
      )
      expect([starts, other.messages]).toEqual([5_000, ['hello']])
    })
  })
})
