import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Logger } from '../../foundation/logger.ts'
import { CoordinatedShutdown, type CoordinatedShutdownOptions } from './coordinated-shutdown.ts'
import type { ShutdownPhase } from './shutdown-phases.ts'
import { exitCodeOf, type ShutdownReason } from './shutdown-reason.ts'

const leaving: ShutdownReason = { type: 'user', text: 'leaving' }
const downing: ShutdownReason = { type: 'broken-invariant' }

interface WaitingTimer {
  readonly deadlineMs: number
  readonly callback: () => void
}
type SignalListener = (signal: 'SIGTERM' | 'SIGINT') => void

/** A process that can be told to end, its time, and the problems it logged. */
class FakeProcess {
  readonly exits: { code: number; atMs: number }[] = []
  readonly problems: string[] = []
  readonly signalListeners = new Set<SignalListener>()
  readonly escapeListeners = new Set<(error: unknown) => void>()
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
  readonly process = {
    onTerminationSignal: (listener: SignalListener) => {
      this.signalListeners.add(listener)
      return { remove: () => void this.signalListeners.delete(listener) }
    },
    onEscapedError: (listener: (error: unknown) => void) => {
      this.escapeListeners.add(listener)
      return { remove: () => void this.escapeListeners.delete(listener) }
    },
    ...{ identity: undefined, isGone: () => false, isRunning: () => false },
    exit: (code: number) => void this.exits.push({ code, atMs: this.nowMs }),
  }
  readonly logger: Logger = {
    trace: () => undefined,
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (_fields, text) => void this.problems.push(text),
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

  signal(signal: 'SIGTERM' | 'SIGINT'): void {
    for (const listener of [...this.signalListeners]) listener(signal)
  }
}

/** Three phases, a to c. */
function arrange(
  options: Partial<CoordinatedShutdownOptions> & { b?: Partial<ShutdownPhase> } = {},
) {
  const { b, ...rest } = options
  const world = new FakeProcess()
  const settings = { timeoutMs: 100, recover: true, enabled: true }
  const shutdown = new CoordinatedShutdown({
    environment: world,
    phases: {
      a: { ...settings, dependsOn: [] },
      b: { ...settings, dependsOn: ['a'], ...b },
      c: { ...settings, dependsOn: ['b'] },
    },
    exitProcess: false,
    hookSignals: false,
    ...rest,
  })
  return { world, shutdown }
}

const never = () => new Promise<void>(() => undefined)

function fails(): void {
  throw new Error('must not fail')
}

describe('AT-007 coordinated shutdown and the end of the process', () => {
  test('gives 0, and -1 when the end was not wanted', () => {
    expect(exitCodeOf({ type: 'actor-system-terminate' })).toBe(0)
    expect(exitCodeOf({ type: 'signal', signal: 'SIGINT' })).toBe(0)
    expect(exitCodeOf({ type: 'user', text: 'enough' })).toBe(0)
    const bad = ['broken-invariant', 'escaped-error'].map((type) => exitCodeOf({ type }))
    expect(bad).toEqual([-1, -1])
  })

  test('takes the code of whoever gives a reason of its own, and refuses one without', async () => {
    const { world, shutdown } = arrange({ exitProcess: true })
    await expect(shutdown.run({ type: 'tired' })).rejects.toThrow('The reason of a shutdown')
    expect(shutdown.reason).toBeUndefined()
    await shutdown.run({ type: 'tired' }, { exitCode: 7 })
    await world.advance(0)
    expect(shutdown.reason).toEqual({ type: 'tired' })
    expect(world.exits).toEqual([{ code: 7, atMs: 0 }])
  })

  test('exits with the code of the reason when those who wait for the end were told, if wished', async () => {
    const { world, shutdown } = arrange({ exitProcess: true })
    let exitsBefore: unknown
    shutdown.addTask('c', 'looks', () => {
      exitsBefore = [...world.exits]
    })
    await shutdown.run(downing)
    exitsBefore = [exitsBefore, ...world.exits]
    await world.advance(0)
    expect(exitsBefore).toEqual([[]])
    expect(world.exits).toEqual([{ code: -1, atMs: 0 }])
    expect(world.waitingTimers.size).toBe(0)
  })

  test('does not exit when it is not wished', async () => {
    const { world, shutdown } = arrange()
    shutdown.addTask('a', 'hangs', never)
    void shutdown.run(downing)
    await world.advance(10_000)
    expect(shutdown.currentPhase).toBeUndefined()
    expect(world.exits).toEqual([])
  })

  test('exits when the time of all enabled phases is over, whatever hangs', async () => {
    const { world, shutdown } = arrange({ exitProcess: true, b: { enabled: false } })
    for (const name of ['a', 'c']) shutdown.addTask(name, 'hangs', never)
    void shutdown.run(leaving)
    await world.advance(199)
    expect(world.exits).toEqual([])
    await world.advance(10_000)
    expect(world.exits).toEqual([{ code: -1, atMs: 200 }])
    expect(world.problems).toEqual([
      'Coordinated shutdown was still in c after 200 ms; the process ends now.',
    ])
  })

  test('exits in the same time when a phase with recover off has failed', async () => {
    const { world, shutdown } = arrange({ exitProcess: true, b: { recover: false } })
    shutdown.addTask('b', 'fails', fails)
    await expect(shutdown.run(leaving)).rejects.toThrow('must not fail')
    expect(world.exits).toEqual([])
    await world.advance(300)
    expect(world.exits).toEqual([{ code: -1, atMs: 300 }])
  })

  test('leaves a phase that recovers its own time when it begins there', async () => {
    const { world, shutdown } = arrange({ exitProcess: true })
    shutdown.addTask('c', 'hangs', never)
    void shutdown.run(leaving, { fromPhase: 'c' })
    await world.advance(10_000)
    expect(world.exits).toEqual([{ code: 0, atMs: 100 }])
    expect(world.problems).toEqual([])
    expect(world.waitingTimers.size).toBe(0)
  })
})

describe('AT-007 coordinated shutdown: errors that nobody caught', () => {
  test('run the shutdown once and end the process, if that was wished', async () => {
    const { world, shutdown } = arrange({ exitProcess: true })
    let runs = 0
    shutdown.addTask('a', 'notes', () => void runs++)
    for (const listener of world.escapeListeners) {
      listener(new Error('one'))
      listener('two')
    }
    await shutdown.run(leaving)
    await world.advance(0)
    expect([runs, shutdown.reason]).toEqual([1, { type: 'escaped-error' }])
    expect([world.problems.length, world.escapeListeners.size]).toEqual([2, 0])
    expect(world.exits).toEqual([{ code: -1, atMs: 0 }])
  })

  test('are left to Node when the process is not ours to end', () => {
    expect(arrange({ hookSignals: true }).world.escapeListeners.size).toBe(0)
  })
})

describe('AT-007 coordinated shutdown: signals', () => {
  test('run the shutdown, and the hook goes with its end', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const { world, shutdown } = arrange({ hookSignals: true })
      const reasons: ShutdownReason[] = []
      shutdown.addTask('a', 'notes', (reason) => void reasons.push(reason))
      world.signal(signal)
      expect(world.signalListeners.size).toBe(1)
      await shutdown.run(leaving)
      expect(shutdown.reason).toEqual({ type: 'signal', signal })
      expect(reasons).toEqual([shutdown.reason])
      expect(world.signalListeners.size).toBe(0)
    }
  })

  test('are not hooked unless wished, and no longer after a run for another reason', async () => {
    expect(arrange().world.signalListeners.size).toBe(0)
    const { world, shutdown } = arrange({ hookSignals: true })
    await shutdown.run(leaving)
    expect(world.signalListeners.size).toBe(0)
  })

  test('lead to a log line, not to an unhandled rejection, when the shutdown fails', async () => {
    const { world, shutdown } = arrange({ hookSignals: true, b: { recover: false } })
    shutdown.addTask('b', 'fails', fails)
    world.signal('SIGTERM')
    await world.advance(0)
    expect(world.problems).toHaveLength(1)
    expect(world.signalListeners.size).toBe(0)
  })
})
