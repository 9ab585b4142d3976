import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import type { LogFields, Logger, LogLevel } from '../../foundation/logger.ts'
import { CoordinatedShutdown, type CoordinatedShutdownOptions } from './coordinated-shutdown.ts'
import {
  ShutdownPhaseBegun,
  ShutdownPhaseTimeout,
  UnknownShutdownPhase,
} from './shutdown-errors.ts'
import { defaultShutdownPhases, type ShutdownPhase, topologicalOrder } from './shutdown-phases.ts'
import type { ShutdownReason } from './shutdown-reason.ts'

const leaving: ShutdownReason = { type: 'user', text: 'leaving' }
const downing: ShutdownReason = { type: 'broken-invariant' }

interface WaitingTimer {
  readonly deadlineMs: number
  readonly callback: () => void
}

/** Time, log and process of one test. */
class FakeWorld {
  readonly lines: { level: LogLevel; fields: LogFields; text: string }[] = []
  readonly waitingTimers = new Set<WaitingTimer>()
  nowMs = 0

  readonly clock = { monotonicMs: () => this.nowMs, wallMs: () => this.nowMs }
  readonly timers = {
    after: (delayMs: number, callback: () => void) => {
      const timer: WaitingTimer = { deadlineMs: this.nowMs + delayMs, callback }
      this.waitingTimers.add(timer)
      return { cancel: () => void this.waitingTimers.delete(timer) }
    },
  }
  /** Never asked for here: see the tests of the exit. */
  readonly process = {
    onTerminationSignal: () => expect.unreachable('no signals'),
    onEscapedError: () => expect.unreachable('no escapes'),
    exit: () => expect.unreachable('no exit'),
    ...{ identity: undefined, isGone: () => false, isRunning: () => false },
  }
  readonly logger: Logger = {
    trace: this.#at('trace'),
    debug: this.#at('debug'),
    info: this.#at('info'),
    warn: this.#at('warn'),
    error: this.#at('error'),
  }

  /** Deadline by deadline; promises settle between them. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms
    await setImmediate()
    for (;;) {
      const [next] = [...this.waitingTimers].sort((a, b) => a.deadlineMs - b.deadlineMs)
      if (next === undefined || next.deadlineMs > untilMs) break
      this.nowMs = next.deadlineMs
      this.waitingTimers.delete(next)
      next.callback()
      await setImmediate()
    }
    this.nowMs = untilMs
  }

  at(level: LogLevel): string[] {
    return this.lines.filter((line) => line.level === level).map(({ text }) => text)
  }

  #at(level: LogLevel) {
    return (fields: LogFields, text: string) => void this.lines.push({ level, fields, text })
  }
}

const phase = (dependsOn: readonly string[], settings: Partial<ShutdownPhase> = {}) => ({
  dependsOn,
  timeoutMs: 100,
  recover: true,
  enabled: true,
  ...settings,
})

/** Three phases, a to c, and a diary of what ran. */
function arrange(
  options: Partial<CoordinatedShutdownOptions> & { b?: Partial<ShutdownPhase> } = {},
) {
  const { b, ...rest } = options
  const world = new FakeWorld()
  const phases = { a: phase([]), b: phase(['a'], b), c: phase(['b']) }
  const shutdown = new CoordinatedShutdown({
    environment: world,
    phases,
    exitProcess: false,
    hookSignals: false,
    ...rest,
  })
  const diary: string[] = []
  const note = (name: string) => shutdown.addTask(name, name, () => void diary.push(name))
  return { world, shutdown, diary, note }
}

const never = () => new Promise<void>(() => undefined)

function rejectionOf(promise: Promise<void>): Promise<unknown> {
  return promise.then(
    () => 'no rejection',
    (error: unknown) => error,
  )
}

function failing(error: unknown) {
  return () => {
    throw error
  }
}

describe('AT-007 coordinated shutdown', () => {
  test('runs the default phases in the order of V-29', async () => {
    const { shutdown, diary, note } = arrange({ phases: defaultShutdownPhases })
    const order = topologicalOrder(defaultShutdownPhases)
    for (const name of [...order].reverse()) note(name)
    await shutdown.run(leaving)
    expect(diary).toEqual(order)
    expect(diary[0]).toBe('before-service-unbind')
    expect(diary.at(-1)).toBe('actor-system-terminate')
  })

  test('refuses phases that form a cycle, and says everything that is wrong', () => {
    const make = () => arrange({ phases: { a: phase(['b']), b: phase(['a'], { timeoutMs: -1 }) } })
    expect(make).toThrow(InvalidSettings)
    expect(make).toThrow(/b.timeoutMs must be a positive number[^]*a -> b -> a/)
  })

  test('begins a phase only after every task of the phase before has ended', async () => {
    const { world, shutdown, diary, note } = arrange()
    for (const delayMs of [30, 10, 20]) {
      shutdown.addTask('a', `a${delayMs}`, async () => {
        diary.push(`a${delayMs} begins`)
        await new Promise<void>((resolve) => world.timers.after(delayMs, resolve))
        diary.push(`a${delayMs} ends`)
      })
    }
    note('b')
    const done = shutdown.run(leaving)
    await world.advance(30)
    await done
    expect(diary).toEqual([
      'a30 begins',
      'a10 begins',
      'a20 begins',
      'a10 ends',
      'a20 ends',
      'a30 ends',
      'b',
    ])
    expect(world.waitingTimers.size).toBe(0)
  })

  test('continues after a failure, thrown or rejected, and logs phase and task', async () => {
    const { world, shutdown, diary, note } = arrange()
    const thrown = new Error('thrown')
    const rejected = new Error('rejected')
    shutdown.addTask('a', 'throws', failing(thrown))
    shutdown.addTask('a', 'rejects', () => Promise.reject(rejected))
    note('a')
    note('b')
    await shutdown.run(leaving)
    expect(diary).toEqual(['a', 'b'])
    expect(world.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields)).toEqual(
      [
        { phase: 'a', task: 'throws', err: thrown },
        { phase: 'a', task: 'rejects', err: rejected },
      ],
    )
  })

  test('stops at a failure with recover off, and rejects with its cause', async () => {
    const { world, shutdown, diary, note } = arrange({ b: { recover: false } })
    const cause = new Error('must not fail')
    note('a')
    note('b')
    shutdown.addTask('b', 'fails', failing(cause))
    shutdown.addTask('b', 'slow', async () => {
      await new Promise<void>((resolve) => world.timers.after(50, resolve))
      diary.push('slow ended')
    })
    note('c')
    const done = shutdown.run(leaving)
    const outcome = rejectionOf(done)
    await world.advance(50)
    expect(await outcome).toBe(cause)
    expect(diary).toEqual(['a', 'b', 'slow ended'])
    expect(world.at('error')).toEqual(['Coordinated shutdown ends in b, later phases do not run.'])
    expect(shutdown.currentPhase).toBeUndefined()
    expect(shutdown.run(downing)).toBe(done)
    expect(world.waitingTimers.size).toBe(0)
  })

  test('rejects with undefined when that is what was thrown with recover off', async () => {
    const { shutdown, diary, note } = arrange({ b: { recover: false } })
    shutdown.addTask('b', 'fails', () => Promise.reject())
    note('c')
    await expect(shutdown.run(leaving)).rejects.toBeUndefined()
    expect(diary).toEqual([])
  })

  test('goes on after a timeout and names the tasks still running', async () => {
    const { world, shutdown, diary, note } = arrange()
    shutdown.addTask('a', 'hangs', never)
    shutdown.addTask('a', 'hangs too', never)
    note('a')
    note('b')
    const done = shutdown.run(leaving)
    await world.advance(99)
    expect(diary).toEqual(['a'])
    await world.advance(1)
    await done
    expect(diary).toEqual(['a', 'b'])
    expect(world.at('warn')).toEqual([
      'Shutdown phase a timed out after 100 ms. Still running: hangs, hangs too.',
    ])
  })

  test('rejects at a timeout with recover off', async () => {
    const { world, shutdown, diary, note } = arrange({ b: { recover: false } })
    shutdown.addTask('b', 'hangs', never)
    note('c')
    const outcome = rejectionOf(shutdown.run(leaving))
    await world.advance(100)
    expect(await outcome).toBeInstanceOf(ShutdownPhaseTimeout)
    expect(await outcome).toMatchObject({ phase: 'b', tasks: ['hangs'] })
    expect(diary).toEqual([])
  })

  test('survives a task that fails after its phase has timed out', async () => {
    const { world, shutdown } = arrange({ b: { recover: false } })
    shutdown.addTask('a', 'late', async () => {
      await new Promise<void>((resolve) => world.timers.after(150, resolve))
      throw new Error('late')
    })
    const done = shutdown.run(leaving)
    await world.advance(200)
    await done
    expect(world.at('warn').at(-1)).toBe('Shutdown task late of a failed.')
  })

  test('runs once: the first reason wins and every call gets the same promise', async () => {
    const { shutdown, diary } = arrange()
    const reasons: ShutdownReason[] = []
    shutdown.addTask('a', 'runs again', (reason) => {
      reasons.push(reason)
      // Waiting for it here would be waiting for ourselves.
      diary.push(shutdown.run(downing) === first ? 'same promise' : 'another promise')
    })
    expect(shutdown.reason).toBeUndefined()
    const first = shutdown.run(leaving)
    expect(shutdown.run(downing)).toBe(first)
    await first
    expect(shutdown.run(downing, { fromPhase: 'no such phase' })).toBe(first)
    expect(reasons).toEqual([leaving])
    expect(diary).toEqual(['same promise'])
    expect(shutdown.reason).toBe(leaving)
  })

  test('does not run a task that was cancelled in time', async () => {
    const { shutdown, diary, note } = arrange()
    const early = note('a')
    expect(early.cancel()).toBe(true)
    expect(early.cancel()).toBe(false)
    const later = note('c')
    const begun = shutdown.addTask('b', 'cancels', () => {
      diary.push(`later: ${later.cancel()}, sibling: ${sibling.cancel()}, self: ${begun.cancel()}`)
    })
    const sibling = note('b')
    await shutdown.run(leaving)
    expect(diary).toEqual(['later: true, sibling: true, self: false'])
    expect(begun.cancel()).toBe(false)
  })

  test('takes tasks for later phases while it runs, also from a task', async () => {
    const { shutdown, diary, note } = arrange()
    shutdown.addTask('a', 'adds', async () => {
      await Promise.resolve()
      shutdown.addTask('c', 'added', () => void diary.push(`added, in ${shutdown.currentPhase}`))
    })
    const done = shutdown.run(leaving)
    note('b')
    await done
    expect(diary).toEqual(['b', 'added, in c'])
  })

  test('refuses tasks for the current phase and for phases that are over', async () => {
    const { shutdown, diary, note } = arrange()
    shutdown.addTask('b', 'adds', () => {
      for (const name of ['a', 'b']) expect(() => note(name)).toThrow(ShutdownPhaseBegun)
      expect(() => note('a')).toThrow(/Task 'a' cannot be added to phase a: the shutdown is in b/)
      diary.push('refused')
    })
    const done = shutdown.run(leaving)
    expect(() => note('a')).toThrow(ShutdownPhaseBegun)
    await done
    expect(() => note('c')).toThrow(/the shutdown has ended/)
    expect(diary).toEqual(['refused'])
  })

  test('refuses unknown phases and lists those there are', async () => {
    const { shutdown, diary, note } = arrange()
    expect(() => note('d')).toThrow(UnknownShutdownPhase)
    expect(() => note('d')).toThrow("'d' is not a phase of the shutdown. The phases are: a, b, c.")
    expect(() => shutdown.timeoutOf('toString')).toThrow(UnknownShutdownPhase)
    await expect(shutdown.run(leaving, { fromPhase: 'd' })).rejects.toThrow(UnknownShutdownPhase)
    note('a')
    await shutdown.run(downing)
    expect(shutdown.reason).toBe(downing)
    expect(diary).toEqual(['a'])
  })

  test('refuses what is no task and what is no reason, and can be run after that', async () => {
    const { shutdown, diary, note } = arrange()
    for (const task of [undefined, null, 'task', Promise.resolve()]) {
      expect(() => shutdown.addTask('a', 'odd', task as never)).toThrow(/'odd'[^]*a function/)
    }
    note('a')
    for (const reason of [
      undefined,
      null,
      'user',
      {},
      { type: 'nonsense' },
      { type: 'toString' },
    ]) {
      await expect(shutdown.run(reason as never)).rejects.toThrow(InvalidSettings)
    }
    expect([shutdown.reason, diary]).toEqual([undefined, []])
    await shutdown.run(leaving)
    expect(diary).toEqual(['a'])
  })

  test('runs from a given phase on', async () => {
    const { shutdown, diary, note } = arrange()
    for (const name of ['a', 'b', 'c']) note(name)
    const done = shutdown.run(leaving, { fromPhase: 'b' })
    expect(() => note('a')).toThrow(ShutdownPhaseBegun)
    await done
    expect(diary).toEqual(['b', 'c'])
  })

  test('passes over a disabled phase and says so at debug', async () => {
    const { world, shutdown, diary, note } = arrange({ b: { enabled: false } })
    for (const name of ['a', 'b', 'c']) note(name)
    await shutdown.run(leaving)
    expect(diary).toEqual(['a', 'c'])
    expect(world.at('debug')).toContain('Shutdown phase b is disabled, its tasks do not run.')
  })

  test('knows the current phase and the timeouts', async () => {
    const { shutdown } = arrange({ b: { timeoutMs: 250 } })
    const seen: unknown[] = []
    for (const name of ['a', 'b', 'c']) {
      shutdown.addTask(name, 'looks', () => void seen.push(shutdown.currentPhase))
    }
    expect(shutdown.currentPhase).toBeUndefined()
    await shutdown.run(leaving)
    expect(seen).toEqual(['a', 'b', 'c'])
    expect(shutdown.currentPhase).toBeUndefined()
    expect([shutdown.timeoutOf('a'), shutdown.timeoutOf('b')]).toEqual([100, 250])
  })

  test('logs begin, reason and end', async () => {
    const { world, shutdown } = arrange()
    await shutdown.run({ type: 'user', text: 'closing time' })
    expect(world.at('info')).toEqual([
      'Coordinated shutdown begins: closing time.',
      'Coordinated shutdown ended after 0 ms.',
    ])
  })

  test('is no news when the program itself asked for it', async () => {
    const { world, shutdown } = arrange()
    await shutdown.run({ type: 'actor-system-terminate' })
    expect(world.at('info')).toEqual([])
    expect(world.at('debug')).toContain('Coordinated shutdown begins: actor-system-terminate.')
  })

  test('rejects with the first failure of several', async () => {
    const { shutdown } = arrange({ b: { recover: false } })
    const first = new Error('first')
    shutdown.addTask('b', 'one', failing(first))
    shutdown.addTask('b', 'two', failing(new Error('second')))
    expect(await rejectionOf(shutdown.run(leaving))).toBe(first)
  })
})
