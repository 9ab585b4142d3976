import { describe, expect, test } from 'vitest'
import type { InternalRef, Watcher } from '../../actor/internals.ts'
import { ByteBuffer } from '../../serialization/internals.ts'
import type { RemoteRef } from '../ref/remote-ref.ts'
import { ByteCursor } from '../wire/byte-cursor.ts'
import { RemoteDeathWatch } from './remote-death-watch.ts'
import { type SystemMessage, writeSystemFrame } from './system-messages.ts'

const refTo = (path: string, node?: string): RemoteRef => ({ wireText: path, node }) as RemoteRef

function stage() {
  const sent: [number, SystemMessage][] = []
  const told: string[] = []
  const settled: (() => void)[] = []
  const expired: (() => void)[] = []
  /** Waits for the data lane that nobody took back. */
  const waits = new Set<() => void>()
  const watched = new Map<string, Watcher>()
  const state: { peer: string | undefined; overflows: number; wakes: number } = {
    peer: 'one',
    overflows: 0,
    wakes: 0,
  }
  const watch = new RemoteDeathWatch({
    clock: { monotonicMs: () => 0, wallMs: () => 0 },
    timers: {
      after: (_delayMs, callback) => {
        expired.push(callback)
        return { cancel: () => undefined }
      },
    },
    systemMessagesMax: 3,
    deathNoticeWaitMs: 100,
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
    onOverflow: () => void state.overflows++,
  })
  const take = (sequence: number, message: SystemMessage): void => {
    const target = new ByteBuffer(64)
    writeSystemFrame(target, sequence, message)
    watch.take(new ByteCursor(target.bytes, 5, target.position))
  }
  const watcher = (name: string): Watcher => ({ watchedTerminated: () => void told.push(name) })
  const die = (path: string): void =>
    watched.get(path)?.watchedTerminated(undefined as never, undefined)
  return { watch, take, watcher, sent, told, settled, expired, waits, watched, die, state }
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

  test('gives the peer up when too much is unconfirmed', () => {
    const { watch, watcher, state } = stage()
    for (let n = 0; n < 4; n++) watch.watch(refTo(`/user/${n}`), watcher(`${n}`))
    expect(state.overflows).toBe(1)
    watch.confirmed(3)
    expect(watch.unconfirmed).toBe(0)
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
