import { describe, expect, test } from 'vitest'
import type { Timers } from '../../foundation/timers.ts'
import { type LockHolder, StoppedWriter, StoppedWriterWatch } from './stopped-writer.ts'

const stopped: LockHolder = {
  ...{ pid: 7, state: 'T', isStopped: true, isFrozen: false },
  ...{ isSelf: false, isRegistered: true, progress: '7 1' },
}

function stage(killAfterMs = 2000, kill?: () => void) {
  const story: string[] = []
  const delays: number[] = []
  let holder: LockHolder | undefined
  let strike: (() => void) | undefined
  const timers: Timers = {
    after: (delayMs, callback) => {
      delays.push(delayMs)
      strike = callback
      return { cancel: () => (strike = undefined) }
    },
  }
  const nothing = (): void => undefined
  const warn = (_fields: unknown, text: string): void => void story.push(text)
  const logger = { trace: nothing, debug: nothing, info: nothing, warn, error: nothing }
  const lock = {
    holder: () => holder,
    kill: kill ?? (({ pid }: LockHolder) => void story.push(`killed ${pid}`)),
  }
  const writer = new StoppedWriter({ lock, folder: '/the/store', killAfterMs, logger })
  const watch = new StoppedWriterWatch(writer, timers)
  const look = (seen: LockHolder | undefined, times = 1): void => {
    holder = seen
    for (let time = 0; time < times; time++) strike?.()
  }
  const adviceOn = (seen: LockHolder | undefined): string => ((holder = seen), writer.advice)
  return { watch, writer, look, adviceOn, story, delays }
}

describe('StoppedWriterWatch', () => {
  test('ends a holder that was stopped at every look for the whole time, and says so', () => {
    const { watch, look, story, delays } = stage()
    watch.begin()
    look(stopped, 4)
    expect(story).toEqual([])
    look(stopped)
    expect(story).toEqual([
      'killed 7',
      'Process 7 was stopped while it held the write lock of the journal in /the/store, for 2 s (stoppedWriterKillAfterMs); it was ended with SIGKILL, so that others can write.',
    ])
    expect(delays[0]).toBe(500)
  })

  test.each([
    ['runs', { ...stopped, isStopped: false }],
    ['is not registered', { ...stopped, isRegistered: false }],
    ['has done something', { ...stopped, progress: '7 2' }],
    ['is another', { ...stopped, pid: 8, progress: '8 1' }],
    ['is gone', undefined],
  ])('begins anew when the holder %s', (_how, other) => {
    const { watch, look, story } = stage()
    watch.begin()
    look(stopped, 4)
    look(other)
    look(stopped, 4)
    expect(story).toEqual([])
  })

  test('begins anew with every wait, and looks no more once the lock is held', () => {
    const { watch, look, story } = stage()
    watch.begin()
    look(stopped, 4)
    watch.end()
    look(stopped, 5)
    watch.begin()
    look(stopped, 4)
    expect(story).toEqual([])
  })

  test('never ends anybody when it is turned off', () => {
    const { watch, writer, look, story, delays } = stage(Infinity)
    watch.begin()
    look(stopped, 50)
    for (let time = 0; time < 50; time++) writer.look()
    expect(story).toEqual([])
    expect(delays).toEqual([])
  })

  test('never ends a holder that waits for the disk, or that is frozen with its cgroup', () => {
    const { watch, look, story } = stage()
    const running = { ...stopped, isStopped: false }
    watch.begin()
    look({ ...running, state: 'D' }, 50)
    look({ ...running, state: 'D', isFrozen: true }, 50)
    look({ ...running, state: 'S', isFrozen: true }, 50)
    expect(story).toEqual([])
  })

  test('says so when it may not end the holder, and tries again', () => {
    const { watch, look, story } = stage(2000, () => {
      throw new Error('EPERM')
    })
    watch.begin()
    look(stopped, 10)
    expect(story).toHaveLength(2)
    expect(story[0]).toContain('could not be ended')
  })
})

describe('StoppedWriter', () => {
  const running = { ...stopped, isStopped: false }

  test.each([
    ['T', stopped, 'it is stopped. Continue it (kill -CONT 7)'],
    ['t', { ...running, state: 't' }, 'it is held by a debugger. Let it go on there'],
    [
      'D',
      { ...running, state: 'D' },
      'it waits for the disk, or is paused. Look at the disk, thaw it (docker unpause)',
    ],
    ['R', { ...running, state: 'R' }, 'it computes, or its disk is slow. Wait for it'],
    [
      'S',
      { ...running, state: 'S', isFrozen: true },
      'it is frozen with its cgroup, in which kill -9 may wait for the thaw. Thaw it (docker unpause)',
    ],
  ])('names the holder, its state %s, and what to do', (state, holder, text) => {
    expect(stage().adviceOn(holder)).toBe(
      `Process 7 (state ${state}) holds the write lock of the journal in /the/store: ${text}, or end it: kill -9 7.`,
    )
  })

  test('tells nobody to end a process that may be another one by that number', () => {
    const { adviceOn } = stage()
    const stranger = adviceOn({ ...stopped, isRegistered: false })
    expect(stranger).toContain('names process 7, which left no note in /the/store/writers')
    expect(stranger).not.toContain('kill')
    const self = { ...running, state: 'S', isSelf: true, isRegistered: false }
    expect(adviceOn(self)).toBe(
      'This process (7) holds the write lock itself: the disk hangs, or a command has computed for long.',
    )
    expect(adviceOn(undefined)).toContain('Another process may hold the write lock')
  })

  test('sees that the lock is held by one that stands still, also where it ends nobody', () => {
    const { writer, adviceOn } = stage()
    const seen = (holder: LockHolder | undefined): boolean => (adviceOn(holder), writer.look())
    expect(seen(stopped)).toBe(true)
    expect(seen({ ...stopped, isRegistered: false })).toBe(true)
    expect(seen({ ...running, isFrozen: true })).toBe(true)
    expect(seen(running)).toBe(false)
    expect(seen(undefined)).toBe(false)
  })
})
