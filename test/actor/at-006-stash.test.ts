import { describe, expect, test } from 'vitest'
import { type Behavior, Behaviors, StashFull, SupervisorStrategy } from '../../src/actor/index.ts'
import { Stage, nothingMayEscape } from './stage.ts'
import { open, stashing, setUp } from './stashing.ts'

describe('AT-006 Stash buffer', () => {
  nothingMayEscape()

  describe('the buffer', () => {
    test('tells its size, its first message and all of them, oldest first', async () => {
      const stage = new Stage()
      const seen: unknown[] = []
      const ref = await stage.start(
        Behaviors.withStash<string>(2, (stash) => (message) => {
          stash.stash(message)
          const all: string[] = []
          stash.forEach((each) => void all.push(each))
          seen.push([stash.size, stash.isEmpty, stash.isFull, stash.head(), all, stash.messagesMax])
        }),
      )
      await stage.tell(ref, 'a', 'b')
      expect(seen).toEqual([
        [1, false, false, 'a', ['a'], 2],
        [2, false, true, 'a', ['a', 'b'], 2],
      ])
    })

    test('throws a typed error beyond its capacity', async () => {
      const { stage, ref } = await setUp((said) => stashing(said, 2))
      await stage.tell(ref, 'a', 'b', 'c')
      expect(stage.isTerminated(ref)).toBe(true)
      expect(stage.logged('error')[0]?.fields['err']).toMatchObject({
        code: 'STASH_FULL',
        messagesMax: 2,
      })
    })

    test('what it held when the actor stops becomes dead letters', async () => {
      const { stage, ref } = await setUp((said) => stashing(said, 2))
      await stage.tell(ref, 'a', 'b', 'c')
      expect(stage.losses).toEqual([
        'DeadLetter/terminated-while-stashed a',
        'DeadLetter/terminated-while-stashed b',
      ])
    })

    test('an overflow that the handler catches loses nothing', async () => {
      const stage = new Stage()
      const refused: string[] = []
      const ref = await stage.start(
        Behaviors.withStash<string>(1, (stash) => (message) => {
          try {
            stash.stash(message)
          } catch (error) {
            expect(error).toBeInstanceOf(StashFull)
            refused.push(message)
          }
        }),
      )
      await stage.tell(ref, 'a', 'b')
      expect([refused, stage.isTerminated(ref), stage.lost]).toEqual([['b'], false, []])
    })

    test('clear drops what it holds, with the reason', async () => {
      const { stage, said, ref } = await setUp()
      await stage.tell(ref, 'a', 'b', 'clear', 'c', 'open')
      expect(stage.losses).toEqual(['Dropped/stash-cleared a', 'Dropped/stash-cleared b'])
      expect(said).toEqual(['open c'])
    })

    test('a capacity of 0 holds nothing', async () => {
      const { stage, ref } = await setUp((said) => stashing(said, 0))
      await stage.tell(ref, 'a')
      expect(stage.logged('error')[0]?.fields['err']).toBeInstanceOf(StashFull)
    })
  })

  describe('unstash', () => {
    test('handles all in the order in which they came, before later messages', async () => {
      const { stage, said, ref } = await setUp()
      await stage.tell(ref, 'a', 'b', 'c')
      ref.tell('open')
      ref.tell('d')
      await stage.settle()
      expect(said).toEqual(['open a', 'open b', 'open c', 'open d'])
    })

    test('n handles the oldest n and keeps the rest', async () => {
      const { stage, said, ref } = await setUp()
      await stage.tell(ref, 'a', 'b', 'c', 'open 2', 'd')
      expect(said).toEqual(['open a', 'open b', 'open d'])
    })

    test('n more than there are handles those there are', async () => {
      const { stage, said, ref } = await setUp()
      await stage.tell(ref, 'a', 'open 10', 'b')
      expect(said).toEqual(['open a', 'open b'])
    })

    test('an empty stash changes the behavior all the same', async () => {
      const { stage, said, ref } = await setUp()
      await stage.tell(ref, 'open', 'a')
      expect(said).toEqual(['open a'])
    })

    test('wrap changes each message on its way', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(
        Behaviors.withStash<string>(10, (stash) => (message) => {
          if (message === 'open') return stash.unstash(open(said), 2, (each) => `wrapped ${each}`)
          stash.stash(message)
          return undefined
        }),
      )
      await stage.tell(ref, 'a', 'b', 'open')
      expect(said).toEqual(['open wrapped a', 'open wrapped b'])
    })

    test('each message meets the behavior that the one before left', async () => {
      const { stage, said, ref } = await setUp()
      await stage.tell(ref, 'a', 'switch', 'b', 'open', 'c')
      expect(said).toEqual(['open a', 'switched b', 'switched c'])
    })

    test('a message stashed while unstashing waits for the next unstash', async () => {
      const stage = new Stage()
      const said: string[] = []
      let rounds = 0
      const ref = await stage.start(
        Behaviors.withStash<string>(10, (stash) => {
          const picky: Behavior<string> = Behaviors.receiveMessage<string>((message) => {
            if (message === 'open') {
              rounds++
              return stash.unstashAll(picky)
            }
            said.push(`${rounds} ${message}`)
            if (rounds < 2) stash.stash(message)
            return undefined
          })
          return picky
        }),
      )
      await stage.tell(ref, 'a', 'b', 'open', 'open')
      expect(said).toEqual(['0 a', '0 b', '1 a', '1 b', '2 a', '2 b'])
    })

    test('an unstash inside an unstash handles everything once, in order', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(
        Behaviors.withStash<string>(10, (stash) => {
          const inner = Behaviors.receiveMessage<string>(
            (message) => void said.push(`inner ${message}`),
          )
          const outer = Behaviors.receiveMessage<string>((message) => {
            said.push(`outer ${message}`)
            return message === 'b' ? stash.unstashAll(inner) : Behaviors.same
          })
          return Behaviors.receiveMessage<string>((message) => {
            if (message === 'open') return stash.unstashAll(outer)
            stash.stash(message)
            return undefined
          })
        }),
      )
      await stage.tell(ref, 'a', 'b', 'c', 'd', 'open', 'e')
      expect(said).toEqual(['outer a', 'outer b', 'inner c', 'inner d', 'inner e'])
    })

    test('one that stops the actor sends the rest to the dead letters', async () => {
      const { stage, said, ref } = await setUp()
      await stage.tell(ref, 'a', 'stop', 'b', 'c')
      ref.tell('open')
      ref.tell('d')
      await stage.settle()
      expect(said).toEqual(['open a', 'open PostStop'])
      expect(stage.losses).toEqual([
        'DeadLetter/terminated-while-stashed b',
        'DeadLetter/terminated-while-stashed c',
        'DeadLetter/terminated-while-queued d',
      ])
    })

    test('one that calls context.stop does so as well', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(
        Behaviors.setup<string>((context) => {
          const stash = context.stash(10)
          const stopping = Behaviors.receiveMessage<string>((message) => {
            said.push(message)
            context.stop()
          })
          return Behaviors.receiveMessage<string>((message) => {
            if (message === 'open') return stash.unstashAll(stopping)
            stash.stash(message)
            return undefined
          })
        }),
      )
      await stage.tell(ref, 'a', 'b', 'open')
      expect(said).toEqual(['a'])
      expect(stage.losses).toEqual(['DeadLetter/terminated-while-stashed b'])
    })

    test('into stopped sends all to the dead letters', async () => {
      const stage = new Stage()
      const ref = await stage.start(
        Behaviors.withStash<string>(10, (stash) =>
          Behaviors.receiveMessage<string>((message) => {
            if (message === 'open') return stash.unstashAll(Behaviors.stopped())
            stash.stash(message)
            return undefined
          }),
        ),
      )
      await stage.tell(ref, 'a', 'open')
      expect(stage.losses).toEqual(['DeadLetter/terminated-while-stashed a'])
    })

    test('unhandled ones are reported', async () => {
      const stage = new Stage()
      const ref = await stage.start(
        Behaviors.withStash<string>(10, (stash) =>
          Behaviors.receiveMessage<string>((message) => {
            if (message === 'open') return stash.unstashAll(Behaviors.empty)
            stash.stash(message)
            return undefined
          }),
        ),
      )
      await stage.tell(ref, 'a', 'open')
      expect(stage.losses).toEqual(['UnhandledMessage a'])
    })

    test('lifecycle signals go to the latest behavior', async () => {
      const stage = new Stage()
      const said: string[] = []
      const target = await stage.start<string>(Behaviors.receiveMessage(() => Behaviors.stopped()))
      const listening = (name: string): Behavior<string> =>
        Behaviors.receiveMessage<string>((message) => {
          said.push(`${name} ${message}`)
          return listening(message)
        }).receiveSignal({ Terminated: () => void said.push(`${name} Terminated`) })
      const ref = await stage.start(
        Behaviors.setup<string>((context) => {
          context.watch(target)
          const stash = context.stash(10)
          return Behaviors.receiveMessage<string>((message) => {
            if (message === 'open') return stash.unstashAll(listening('first'))
            stash.stash(message)
            return undefined
          })
        }),
      )
      await stage.tell(ref, 'second', 'third')
      target.tell('stop')
      ref.tell('open')
      await stage.settle()
      expect(said).toEqual(['first second', 'second third', 'third Terminated'])
    })

    const supervised = (behavior: Behavior<string>): Behavior<string> =>
      Behaviors.supervise(behavior).onFailure(SupervisorStrategy.restart())
    const asItIs = (behavior: Behavior<string>): Behavior<string> => behavior

    for (const [name, before, after] of [
      ['', asItIs, asItIs],
      [', inside supervision', supervised, asItIs],
      [', inside a supervision that takes the place of another', supervised, supervised],
    ] as const) {
      test(`into an intercepted behavior goes through its interceptor${name}`, async () => {
        const stage = new Stage()
        const said: string[] = []
        const loud = Behaviors.transformMessages<string, string>(
          (each) => each.toUpperCase(),
          open(said),
        )
        const closed = Behaviors.withStash<string>(10, (stash) => (message) => {
          if (message === 'open') return stash.unstashAll(after(loud))
          stash.stash(message)
          return undefined
        })
        const ref = await stage.start(before(closed))
        await stage.tell(ref, 'a', 'open', 'b')
        expect(said).toEqual(['open A', 'open B'])
      })
    }

    test('inside an interceptor does not go through it a second time', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(
        Behaviors.transformMessages<string, string>((each) => `${each}!`, stashing(said)),
      )
      await stage.tell(ref, 'a', 'b')
      const opening = await stage.start(
        Behaviors.transformMessages<string, string>(
          (each) => (each === 'open' ? each : `${each}!`),
          stashing(said),
        ),
      )
      await stage.tell(opening, 'c', 'open')
      expect(said).toEqual(['open c!'])
    })
  })

  test('several stashes of one actor are kept apart', async () => {
    const stage = new Stage()
    const said: string[] = []
    const ref = await stage.start(
      Behaviors.withStash<string>(1, (left) =>
        Behaviors.withStash<string>(1, (right) => (message) => {
          if (message === 'left') left.stash(message)
          else if (message === 'right') right.stash(message)
          else return left.unstashAll(right.unstashAll(open(said)))
          return undefined
        }),
      ),
    )
    await stage.tell(ref, 'left', 'right', 'open')
    expect(said).toHaveLength(2)
    expect(stage.losses).toEqual([])
  })
})
