import { describe, expect, test } from 'vitest'
import {
  type Behavior,
  Behaviors,
  type StashBuffer,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import { Stage, nothingMayEscape } from './stage.ts'
import { open, closed, stashing, setUp } from './stashing.ts'

const { restart, restartWithBackoff, resume, stop } = SupervisorStrategy

describe('AT-006 Stash buffer', () => {
  nothingMayEscape()

  describe('failure while unstashing', () => {
    const stop1 = Behaviors.supervise<string>

    test('without supervision: the failing message is gone, the rest are dead letters', async () => {
      const { stage, said, ref } = await setUp()
      await stage.tell(ref, 'a', 'fail', 'b', 'open')
      expect(said).toEqual(['open a', 'open PostStop'])
      expect(stage.losses).toEqual(['DeadLetter/terminated-while-stashed b'])
    })

    test('under stop: the same', async () => {
      const { stage, ref } = await setUp((said) => stop1(stashing(said)).onFailure(stop()))
      await stage.tell(ref, 'a', 'fail', 'b', 'open')
      expect(stage.losses).toEqual(['DeadLetter/terminated-while-stashed b'])
    })

    test('under restart: the rest of a stash inside the supervision is dropped, with the reason', async () => {
      const { stage, said, ref } = await setUp((s) => stop1(stashing(s)).onFailure(restart()))
      await stage.tell(ref, 'a', 'fail', 'b', 'open', 'c', 'open')
      expect(said).toEqual(['open a', 'open PreRestart', 'open c'])
      expect(stage.losses).toEqual(['Dropped/stash-discarded-by-restart b'])
    })

    test('under restart: a stash outside the supervision keeps the rest', async () => {
      const { stage, said, ref } = await setUp((all) =>
        Behaviors.withStash<string>(10, (stash) => stop1(closed(all, stash)).onFailure(restart())),
      )
      await stage.tell(ref, 'a', 'fail', 'b', 'c', 'open')
      expect(said).toEqual(['open a', 'open PreRestart'])
      await stage.tell(ref, 'open')
      expect(said).toEqual(['open a', 'open PreRestart', 'open b', 'open c'])
      expect(stage.losses).toEqual([])
    })

    test('under back-off: a stash outside the supervision keeps the rest, messages are held', async () => {
      const strategy = restartWithBackoff({ min: '1s', max: '1s', randomFactor: 0 })
      const { stage, said, ref } = await setUp((all) =>
        Behaviors.withStash<string>(10, (stash) => stop1(closed(all, stash)).onFailure(strategy)),
      )
      await stage.tell(ref, 'a', 'fail', 'b', 'open', 'open')
      expect(said).toEqual(['open a', 'open PreRestart'])
      await stage.advance('1s')
      expect(said).toEqual(['open a', 'open PreRestart', 'open b'])
    })

    test('under resume: the rest remains in that buffer, to be unstashed later', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(
        stop1(
          Behaviors.withStash<string>(10, (stash) => {
            const half: Behavior<string> = Behaviors.receiveMessage<string>((message) => {
              if (message === 'again') return stash.unstashAll(half)
              if (message === 'fail') throw new Error('boom')
              said.push(message)
              return undefined
            })
            return Behaviors.receiveMessage<string>((message) => {
              if (message === 'open') return stash.unstashAll(half)
              stash.stash(message)
              return undefined
            })
          }),
        ).onFailure(resume()),
      )
      await stage.tell(ref, 'a', 'fail', 'b', 'c', 'open')
      expect(said).toEqual(['a'])
      await stage.tell(ref, 'again')
      expect(said).toEqual(['a', 'b', 'c'])
      expect(stage.losses).toEqual([])
    })

    test('under resume: the kept behavior is the one that met the failing message', async () => {
      const { stage, said, ref } = await setUp((all) => stop1(stashing(all)).onFailure(resume()))
      await stage.tell(ref, 'switch', 'fail', 'open', 'b')
      expect(said).toEqual(['switched b'])
    })

    test('an unstash asked for by a handler that then throws does not happen', async () => {
      const stage = new Stage()
      const said: string[] = []
      const ref = await stage.start(
        stop1(
          Behaviors.withStash<string>(10, (stash) => (message) => {
            if (message === 'open') {
              stash.unstashAll(open(said))
              throw new Error('boom')
            }
            stash.stash(message)
          }),
        ).onFailure(resume()),
      )
      await stage.tell(ref, 'a', 'open')
      expect(said).toEqual([])
      expect(stage.losses).toEqual([])
    })

    test('what throws in wrap is a failure that supervision answers', async () => {
      const stage = new Stage()
      const ref = await stage.start(
        stop1(
          Behaviors.withStash<string>(10, (stash) => (message) => {
            if (message === 'open') {
              return stash.unstash(Behaviors.same, 1, () => {
                throw new Error('in wrap')
              })
            }
            stash.stash(message)
            return undefined
          }),
        ).onFailure(resume()),
      )
      await stage.tell(ref, 'a', 'open', 'b')
      expect(stage.isTerminated(ref)).toBe(false)
    })
  })

  test('a stash that a restart has discarded does not swallow messages', async () => {
    const stage = new Stage()
    let old: StashBuffer<string> | undefined
    const ref = await stage.start(
      Behaviors.supervise(
        Behaviors.setup<string>((context) => {
          // A mistake: the buffer outlives the behavior that it was made for.
          old ??= context.stash(10)
          return (message) => {
            if (message === 'fail') throw new Error('boom')
            old?.stash(message)
          }
        }),
      ).onFailure(restart({ restartsMax: 1 })),
    )
    await stage.tell(ref, 'a', 'fail', 'b')
    expect(stage.losses).toEqual(['Dropped/stash-discarded-by-restart a'])
    expect(stage.isTerminated(ref)).toBe(true)
    expect(stage.logged('error')[0]?.fields['err']).toMatchObject({ code: 'STASH_DISCARDED' })
  })
})
