import { describe, expect, test } from 'vitest'
import type { InternalRef, Watcher } from '../../actor/internals.ts'
import { ByteBuffer } from '../../serialization/internals.ts'
import { ManualTime } from '../../testkit/index.ts'
import type { RemoteRef } from '../ref/remote-ref.ts'
import { ByteCursor } from '../wire/byte-cursor.ts'
import { RemoteDeathWatch } from './remote-death-watch.ts'
import { type SystemMessage, writeSystemFrame } from './system-messages.ts'

const refTo = (path: string, node?: string): RemoteRef => ({ wireText: path, node }) as RemoteRef

const deathNoticeWaitMs = 100

function stage(systemMessagesMax = 3) {
  const sent: [number, SystemMessage][] = []
  const told: string[] = []
  const settled: (() => void)[] = []
  const expired: (() => void)[] = []
  /** Waits for the data lane that nobody took back. */
  const waits = new Set<() => void>()
  const watched = new Map<string, Watcher>()
  const state = { peer: 'one' as string | undefined, wakes: 0, looks: 0 }
  /** Why the peer was to be given up. */
  const givenUp: string[] = []
  /** How long a message waits for whom; a second for all others. */
  const patienceMs = new Map<string | undefined, number>()
  const time = new ManualTime()
  const watch = new RemoteDeathWatch({
    clock: time.environment.clock,
    timers: {
      after: (delayMs, callback) => {
        if (delayMs === deathNoticeWaitMs) expired.push(callback)
        return time.environment.timers.after(delayMs, callback)
      },
    },
    systemMessagesMax,
    deathNoticeWaitMs,
    actorAt: (path) =>
      ({
        addWatcher: (watcher: Watcher) => void watched.set(path, watcher),
        removeWatcher: () => void watched.delete(path),
      }) as unknown as InternalRef,
    peer: () => state.peer,
    send: (sequence, message) => void sent.push([sequence, message]),
    wake: () => void state.wakes++,
    whenDataSettled: (done) => {
      settled.push(done)
      waits.add(done)
      return () => void waits.delete(done)
    },
    patienceMs: (node) => {
      state.looks++
      return patienceMs.get(node) ?? 1_000
    },
    patienceMinMs: 1_000,
    onGiveUp: ({ text }) => void givenUp.push(text),
  })
  const take = (sequence: number, message: SystemMessage): void => {
    const target = new ByteBuffer(64)
    writeSystemFrame(target, sequence, message)
    watch.take(new ByteCursor(target.bytes, 5, target.position))
  }
  const watcher = (name: string): Watcher => ({ watchedTerminated: () => void told.push(name) })
  const die = (path: string): void =>
    watched.get(path)?.watchedTerminated(undefined as never, undefined)
  const world = { time, patienceMs, givenUp, state }
  return { watch, take, watcher, sent, told, settled, expired, waits, watched, die, ...world }
}

describe('watching others', () => {
  test('asks once for all who watch the same actor, and takes it back with the last', () => {
    const { watch, watcher, sent } = stage()
    const ref = refTo('/user/a#1', 'one')
    const [first, second] = [watcher('first'), watcher('second')]
    watch.watch(ref, first)
    watch.watch(ref, second)
    watch.unwatch(ref, first)
    watch.unwatch(ref, second)
    watch.unwatch(ref, second)
    expect(sent).toEqual([
      [1, { type: 'Watch', id: 1, path: '/user/a#1' }],
      [2, { type: 'Unwatch', id: 1 }],
    ])
  })

  test('tells all who watch, once, and ignores the death of an earlier watch', () => {
    const { watch, watcher, take, told } = stage()
    const ref = refTo('/user/a#1', 'one')
    const first = watcher('first')
    watch.watch(ref, first)
    watch.unwatch(ref, first)
    watch.watch(ref, watcher('second'))
    take(1, { type: 'Died', id: 1 })
    expect(told).toEqual([])
    take(2, { type: 'Died', id: 2 })
    take(2, { type: 'Died', id: 2 })
    expect(told).toEqual(['second'])
  })

  test('holds back what is for an incarnation not yet met, and sends it when it is met', () => {
    const { watch, watcher, sent, told, state } = stage()
    watch.watch(refTo('/user/a#1', 'one'), watcher('of one'))
    watch.watch(refTo('/user/a#1', 'two'), watcher('of two'))
    expect([sent.length, state.wakes]).toEqual([1, 1])
    state.peer = 'two'
    watch.peerChanged('two', false)
    expect(told).toEqual(['of one'])
    expect([...watch.numbered()]).toEqual([[1, { type: 'Watch', id: 2, path: '/user/a#1' }]])
  })

  test('the first to be met is whoever was watched by name', () => {
    const { watch, watcher, told, state } = stage()
    state.peer = undefined
    watch.watch(refTo('/user/a'), watcher('by name'))
    watch.watch(refTo('/user/a', 'former'), watcher('of a former'))
    state.peer = 'one'
    watch.peerChanged('one', true)
    expect(told).toEqual(['of a former'])
    expect([...watch.numbered()]).toHaveLength(1)
  })

  test('gives the peer up when too much is unconfirmed, and tells all who watch', () => {
    const { watch, watcher, told, givenUp } = stage()
    for (const n of [0, 1, 2]) watch.watch(refTo(`/user/${n}`), watcher(`${n}`))
    expect(givenUp).toEqual([])
    watch.watch(refTo('/user/3', 'another'), watcher('3'))
    expect(givenUp).toEqual(['too many system messages are unconfirmed'])
    expect([told, watch.isIdle]).toEqual([['0', '1', '2', '3'], true])
  })
})

describe('watches of one that is out of reach', () => {
  /** One watch that has come and one that may have, or not; then nobody could be reached for long. */
  const giveUp = () => {
    const all = stage()
    all.watch.watch(refTo('/user/a', 'one'), all.watcher('a'))
    all.watch.confirmed(1)
    all.watch.watch(refTo('/user/b'), all.watcher('b'))
    // Only three may wait.
    all.watch.giveUpWatches(() => true)
    return all
  }

  test('are taken back by the next connection, and nobody is called for that before', () => {
    const { watch, told, state } = giveUp()
    expect([told, watch.isAwaiting, state.wakes]).toEqual([['a', 'b'], false, 0])
    expect([...watch.numbered()]).toEqual([
      [2, { type: 'Watch', id: 2, path: '/user/b' }],
      [3, { type: 'Unwatch', id: 1 }],
      [4, { type: 'Unwatch', id: 2 }],
    ])
    watch.cameBack()
    expect([watch.isAwaiting, state.wakes]).toEqual([true, 1])
    watch.confirmed(4)
    watch.cameBack()
    expect([watch.isIdle, state.wakes]).toEqual([true, 1])
  })

  test('are nothing to the next that lives there', () => {
    const { watch, state } = giveUp()
    state.peer = 'two'
    watch.peerChanged('two', false)
    expect([watch.unconfirmed, watch.isIdle]).toEqual([0, true])
  })

  test('are left for as long as it takes, and cost the peer nothing', async () => {
    const { watch, givenUp, time } = giveUp()
    await time.advance(1_000_000)
    expect([givenUp, watch.unconfirmed, watch.isIdle]).toEqual([[], 3, true])
  })

  test('are left again when it was there only for a moment, and it has all its time when it is back', async () => {
    const { watch, givenUp, time } = giveUp()
    await time.advance(900)
    watch.cameBack()
    await time.advance(900)
    watch.giveUpWatches(() => true)
    expect([watch.isAwaiting, watch.unconfirmed]).toEqual([false, 3])
    await time.advance(1_000_000)
    expect(givenUp).toEqual([])
    watch.cameBack()
    await time.advance(1_000)
    expect(givenUp).toEqual(['a system message stayed unconfirmed for too long'])
  })

  test('more than may wait cost the peer', () => {
    const { watch, watcher, told, givenUp } = stage()
    for (const id of [1, 2, 3, 4]) {
      watch.watch(refTo(`/user/${id}`), watcher(`${id}`))
      watch.confirmed(id)
    }
    watch.giveUpWatches(() => true)
    expect(givenUp).toEqual(['too many system messages are unconfirmed'])
    expect([told, watch.unconfirmed, watch.isIdle]).toEqual([['1', '2', '3', '4'], 0, true])
  })

  test.each(['one', undefined])(
    'that nobody was told of leave nothing, while %s is there',
    (peer) => {
      const { watch, watcher, told, state } = stage()
      state.peer = peer
      watch.watch(refTo('/user/a', 'two'), watcher('of two'))
      watch.watch(refTo('/user/a', 'three'), watcher('of three'))
      watch.giveUpWatches(({ node }) => node === 'two')
      expect([told, watch.unconfirmed]).toEqual([['of two'], 1])
    },
  )
})

describe('patience with what is not confirmed', () => {
  test('ends when the oldest has waited for as long as that may take, and not before', async () => {
    const { watch, watcher, givenUp, time, patienceMs } = stage()
    patienceMs.set('one', 5_500)
    watch.watch(refTo('/user/a', 'one'), watcher('a'))
    await time.advance(2_000)
    watch.watch(refTo('/user/b', 'one'), watcher('b'))
    watch.confirmed(1)
    await time.advance(5_499)
    expect(givenUp).toEqual([])
    await time.advance(1)
    expect(givenUp).toEqual(['a system message stayed unconfirmed for too long'])
  })

  test('may grow while it lasts', async () => {
    const { watch, watcher, givenUp, time, patienceMs } = stage()
    watch.watch(refTo('/user/a', 'one'), watcher('a'))
    await time.advance(999)
    patienceMs.set('one', 3_000)
    await time.advance(2_000)
    expect(givenUp).toEqual([])
    await time.advance(1)
    expect(givenUp).toHaveLength(1)
  })

  test('with an incarnation that nobody meets, ends for those who watch it alone', async () => {
    const { watch, watcher, told, givenUp, time, patienceMs } = stage()
    patienceMs.set('one', 60_000).set('member', 60_000)
    watch.watch(refTo('/user/a', 'one'), watcher('of one'))
    await time.advance(500)
    watch.watch(refTo('/user/a', 'two'), watcher('of two'))
    watch.watch(refTo('/user/a', 'member'), watcher('of a member'))
    await time.advance(999)
    expect(told).toEqual([])
    await time.advance(1)
    expect([told, givenUp, watch.unconfirmed]).toEqual([['of two'], [], 2])
  })

  test('ends for one though it has more with another, in any order', async () => {
    const { watch, watcher, told, time, state, patienceMs } = stage()
    patienceMs.set('member', 60_000)
    state.peer = undefined
    watch.watch(refTo('/user/a', 'member'), watcher('of a member'))
    watch.watch(refTo('/user/a', 'former'), watcher('of a former'))
    await time.advance(1_000)
    expect([told, watch.unconfirmed]).toEqual([['of a former'], 1])
  })

  test('leaves no timer behind when all is confirmed', () => {
    const { watch, watcher, time } = stage()
    watch.watch(refTo('/user/a', 'one'), watcher('a'))
    watch.confirmed(1)
    expect(time.nextDeadline).toBeUndefined()
  })
})

describe('one that was removed', () => {
  const removed = (stageOf: ReturnType<typeof stage>, node: string): void => {
    stageOf.patienceMs.set(node, Infinity)
    stageOf.watch.nodeRemoved(node)
  }

  test('is neither waited for nor given up, and finds the numbers in order should it live', () => {
    const all = stage()
    const { watch, watcher, told, givenUp, time } = all
    const [ref, first] = [refTo('/user/a', 'one'), watcher('first')]
    watch.watch(refTo('/user/b'), watcher('by name'))
    watch.watch(ref, first)
    watch.confirmed(1)
    watch.unwatch(ref, first)
    removed(all, 'one')
    expect([told, watch.isAwaiting, watch.isIdle]).toEqual([['by name'], false, true])
    expect([time.nextDeadline, givenUp]).toEqual([undefined, []])
    watch.watch(refTo('/user/b'), watcher('by name again'))
    expect([...watch.numbered()].map(([sequence]) => sequence)).toEqual([2, 3, 4])
    expect(watch.isAwaiting).toBe(true)
    watch.confirmed(4)
    expect([...watch.numbered()]).toEqual([])
  })

  test.each([false, true])(
    'is not looked for in all that is kept with each that is sent or confirmed, others waiting: %s',
    (isAnotherAwaited) => {
      const count = 1_000
      const all = stage(2 * count)
      const { watch, watcher, state, take, die, settled } = all
      if (isAnotherAwaited) watch.watch(refTo('/user/other', 'two'), watcher('other'))
      removed(all, 'one')
      state.looks = 0
      // It lives, and watches on.
      for (let id = 1; id <= count; id++) {
        take(id, { type: 'Watch', id, path: `/user/${id}` })
        die(`/user/${id}`)
        settled.pop()?.()
      }
      expect([...watch.numbered()]).toHaveLength(count)
      for (let sequence = 1; sequence <= count; sequence++) watch.confirmed(sequence)
      expect([...watch.numbered()]).toEqual([])
      expect(state.looks).toBeLessThan(10 * count)
    },
  )

  test('leaves nothing to the next that lives there', () => {
    const all = stage()
    const { watch, watcher, state } = all
    watch.watch(refTo('/user/b'), watcher('by name'))
    removed(all, 'one')
    state.peer = 'two'
    watch.peerChanged('two', false)
    expect([...watch.numbered()]).toEqual([])
  })

  test.each(['one', undefined])('and was not met is forgotten, while %s lives there', (peer) => {
    const all = stage()
    const { watch, watcher, told, state } = all
    state.peer = peer
    watch.watch(refTo('/user/a', 'two'), watcher('of two'))
    watch.watch(refTo('/user/a', 'three'), watcher('of three'))
    removed(all, 'two')
    expect([told, watch.unconfirmed]).toEqual([['of two'], 1])
  })

  test('hears of no death that was to be told to it', () => {
    const all = stage()
    const { take, die, sent, settled, waits } = all
    take(1, { type: 'Watch', id: 7, path: '/user/x' })
    die('/user/x')
    removed(all, 'one')
    settled[0]?.()
    expect([sent, waits.size]).toEqual([[], 0])
  })
})

describe('being watched', () => {
  test('says so when what the dead actor sent has come, or has had its time', () => {
    const { take, die, sent, settled, expired } = stage()
    take(1, { type: 'Watch', id: 7, path: '/user/x' })
    take(2, { type: 'Watch', id: 8, path: '/user/y' })
    die('/user/x')
    die('/user/y')
    expect(sent).toEqual([])
    settled[0]?.()
    expired[0]?.()
    expired[1]?.()
    expect(sent).toEqual([
      [1, { type: 'Died', id: 7 }],
      [2, { type: 'Died', id: 8 }],
    ])
  })

  test('says nothing to another incarnation, nor after unwatch', () => {
    const { watch, take, die, sent, settled, watched, state } = stage()
    take(1, { type: 'Watch', id: 7, path: '/user/x' })
    take(2, { type: 'Watch', id: 8, path: '/user/y' })
    take(3, { type: 'Unwatch', id: 8 })
    expect([...watched.keys()]).toEqual(['/user/x'])
    die('/user/x')
    state.peer = 'two'
    watch.peerChanged('two', false)
    settled[0]?.()
    expect(sent).toEqual([])
  })

  test('keeps nothing of a death that has had its time, nor of one that another incarnation need not hear of', () => {
    const { watch, take, die, expired, waits, state } = stage()
    take(1, { type: 'Watch', id: 7, path: '/user/x' })
    take(2, { type: 'Watch', id: 8, path: '/user/y' })
    die('/user/x')
    die('/user/y')
    expect(waits.size).toBe(2)
    expired[0]?.()
    expect(waits.size).toBe(1)
    state.peer = 'two'
    watch.peerChanged('two', false)
    expect([waits.size, watch.isIdle]).toEqual([0, true])
  })

  test('lets only so many deaths wait, and tells the oldest before its time', () => {
    const { take, die, sent, waits } = stage()
    for (let id = 1; id <= 5; id++) {
      take(id, { type: 'Watch', id, path: '/user/x' })
      die('/user/x')
    }
    expect(sent.map(([, message]) => message)).toEqual([
      { type: 'Died', id: 1 },
      { type: 'Died', id: 2 },
    ])
    expect(waits.size).toBe(3)
  })
})
