import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import {
  GoalNotReached,
  Simulation,
  SimulationFailed,
  SimulationMisuse,
  StepLimitReached,
  simulate,
} from '../../src/simulation/index.ts'

interface Question {
  readonly replyTo: ActorRef<number>
}

describe('a run', () => {
  test('lets exactly that much virtual time pass', async () => {
    const simulation = new Simulation({ seed: 1 })
    const times: number[] = []
    for (const delay of ['1s', '2s', '3s', '4s'] as const) {
      simulation.after(delay, () => times.push(simulation.now))
    }
    await simulation.run({ for: '3s' })
    expect(times).toEqual([1_000, 2_000, 3_000])
    expect(simulation.now).toBe(3_000)
    await simulation.run({ for: 500 })
    expect(simulation.now).toBe(3_500)
    await simulation.run({ for: 0 })
    expect(simulation.now).toBe(3_500)
  })

  test('ends as soon as the condition holds', async () => {
    const simulation = new Simulation({ seed: 1 })
    let count = 0
    for (let n = 1; n <= 10; n++) simulation.after(n * 100, () => count++)
    await simulation.runUntil(() => count === 4)
    expect([count, simulation.now]).toEqual([4, 400])
    await simulation.runUntil(() => true)
    expect(simulation.now).toBe(400)
  })

  test('says what did not happen, and shows the last events', async () => {
    const simulation = new Simulation({ seed: 9 })
    simulation.node('a')
    simulation.after('1h', () => {})
    simulation.record('the last thing')
    const failure: unknown = await simulation
      .runUntil(() => simulation.now < 0, { within: '5s' })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(GoalNotReached)
    const { message } = failure as GoalNotReached
    expect(message).toContain(
      'Seed 9: this did not happen: () => simulation.now < 0; 5 s have passed.',
    )
    expect(message).toContain('the last thing')
    expect(simulation.now).toBe(5_000)
  })

  test('does not wait for a condition when nothing is left to happen', async () => {
    const simulation = new Simulation({ seed: 9 })
    const run = simulation.runUntil(() => false, { what: 'a miracle' })
    await expect(run).rejects.toThrow(
      'this did not happen: a miracle; nothing is left to happen at 0 ms',
    )
  })

  test('can go on until the world is idle, and says what keeps it busy', async () => {
    const simulation = new Simulation({ seed: 1 })
    const { system } = simulation.node('a')
    simulation.after('7s', () => {})
    await simulation.runUntilIdle()
    expect(simulation.now).toBe(7_000)
    const timed = Behaviors.withTimers<'Tick'>((timers) => {
      timers.startFixedDelay('tick', '1s', 'Tick')
      return () => {}
    })
    system.spawn(timed)
    const busy = simulation.runUntilIdle({ within: '1m' })
    await expect(busy).rejects.toThrow(/still to come are: timer of a#1 at \d+/)
  })

  test('is not kept from idling by unref-ed timers', async () => {
    const simulation = new Simulation({ seed: 1 })
    simulation.after(0, () => setInterval(() => {}, 1_000).unref())
    await simulation.runUntilIdle()
    expect(simulation.now).toBeLessThan(1_000)
  })

  test('settles a promise and answers what it came to', async () => {
    const simulation = new Simulation({ seed: 1 })
    const slow = simulation.node('a').system.spawn<Question>(async ({ replyTo }) => {
      await new Promise((resolve) => setTimeout(resolve, 250))
      replyTo.tell(42)
    })
    expect(await simulation.settle(slow.ask<number>((replyTo) => ({ replyTo })))).toBe(42)
    expect(simulation.now).toBe(250)
    const rejected = simulation.settle(Promise.reject(new Error('no')))
    await expect(rejected).rejects.toThrow('no')
    await expect(simulation.settle(new Promise(() => {}))).rejects.toThrow('the promise settles')
  })

  test('ends with an error when it goes round in circles', async () => {
    const simulation = new Simulation({ seed: 4, stepsMax: 5_000 })
    const dizzy: ActorRef<string> = simulation
      .node('a')
      .system.spawn<string>(() => dizzy.tell('again'), 'dizzy')
    dizzy.tell('go')
    const failure: unknown = await simulation.run({ for: '1s' }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StepLimitReached)
    expect((failure as Error).message).toContain('5000 steps')
    expect((failure as Error).message).toContain('dizzy')
  })

  test('ends in seconds when somebody goes on and on while no time passes, and names who', async () => {
    const simulation = new Simulation({ seed: 4 })
    const dizzy: ActorRef<string> = simulation
      .node('a')
      .system.spawn<string>(() => dizzy.tell('again'), 'dizzy')
    simulation.after('3s', () => dizzy.tell('go'))
    await expect(simulation.run({ for: '1h' })).rejects.toBeInstanceOf(SimulationFailed)
    expect(simulation.now).toBe(3_000)
    expect(simulation.violations).toMatchObject([
      { name: 'time goes on', detail: expect.stringMatching(/turn of a#1 .*dizzy/) as string },
    ])
  })

  test('cannot be started inside a step, nor twice at once, nor after the end', async () => {
    const simulation = new Simulation({ seed: 1 })
    const inside: Promise<unknown>[] = []
    simulation.after('1s', () =>
      inside.push(simulation.run({ for: '1s' }).catch((error: unknown) => error)),
    )
    const first = simulation.run({ for: '2s' })
    await expect(simulation.run({ for: '1s' })).rejects.toThrow('another one is in progress')
    await first
    expect(await inside[0]).toBeInstanceOf(SimulationMisuse)
    expect(await inside[0]).toMatchObject({
      message: expect.stringContaining('inside a step') as string,
    })
    {
      await using disposed = simulation
      disposed.node('a')
    }
    await expect(simulation.run({ for: '1s' })).rejects.toThrow('disposed')
    expect(() => simulation.node('b')).toThrow('disposed')
  })

  test('cannot be started inside a step of another simulation, nor can that be made there', async () => {
    const other = new Simulation({ seed: 2 })
    const errors: unknown[] = []
    const simulation = new Simulation({ seed: 1 })
    simulation.after('1s', () => {
      other.run({ for: '1s' }).catch((error: unknown) => errors.push(error))
      simulate('inner', { scenario: () => {} }).catch((error: unknown) => errors.push(error))
    })
    await simulation.run({ for: '2s' })
    for (const error of errors) expect(error).toBeInstanceOf(SimulationMisuse)
    expect(errors.map(String).sort()).toEqual([
      expect.stringContaining('A run was asked for inside a step'),
      expect.stringContaining('A simulation was made inside a step'),
    ])
    await other.run({ for: '1s' })
  })

  test('refuses bad seeds, names, durations and conditions', async () => {
    expect(() => new Simulation({ seed: 1.5 })).toThrow('A seed is a whole number')
    expect(() => new Simulation({ seed: 1, stepsMax: NaN })).toThrow('stepsMax is a whole number')
    expect(() => new Simulation({ seed: 1, stepsPerInstantMax: 0 })).toThrow('stepsPerInstantMax')
    expect(() => new Simulation({ seed: 1, keptEventsMax: -1 })).toThrow(
      'keptEventsMax is a whole number',
    )
    const simulation = new Simulation({ seed: 1 })
    expect(() => simulation.node('a b')).toThrow(SimulationMisuse)
    expect(() => simulation.node('')).toThrow(SimulationMisuse)
    expect(() => simulation.node('*')).toThrow(SimulationMisuse)
    expect(() => simulation.node('a', { settings: { askTimeoutMs: -1 } })).toThrow('askTimeoutMs')
    expect(simulation.node('a').incarnation).toBe(2)
    await expect(simulation.run({ for: 'soon' as never })).rejects.toThrow('for')
    const condition = (async () => false) as unknown as () => boolean
    await expect(simulation.runUntil(condition)).rejects.toThrow('synchronous')
  })
})

describe('a violation', () => {
  const failureOf = async (simulation: Simulation): Promise<SimulationFailed> => {
    const failure: unknown = await simulation.run({ for: '10s' }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(SimulationFailed)
    return failure as SimulationFailed
  }

  test('carries seed, virtual time and name, and ends the run in its step', async () => {
    const simulation = new Simulation({ seed: 12 })
    simulation.after('3s', () => simulation.check('the total stays', false, 'it was 3'))
    const failure = await failureOf(simulation)
    expect(failure.violations).toEqual([
      { seed: 12, timeMs: 3_000, name: 'the total stays', detail: 'it was 3' },
    ])
    expect(failure.message).toContain('Seed 12')
    expect(failure.message).toContain('"the total stays" is violated at 3 s: it was 3')
    expect(simulation.now).toBe(3_000)
  })

  test('is found by an invariant after the step that broke it', async () => {
    const simulation = new Simulation({ seed: 1 })
    let balance = 1
    simulation.always('never negative', () => balance >= 0)
    for (let n = 1; n <= 5; n++) simulation.after(n * 100, () => balance--)
    const { violations } = await failureOf(simulation)
    expect(violations).toMatchObject([{ name: 'never negative', timeMs: 200 }])
  })

  test('is what an uncaught throw or rejection becomes', async () => {
    for (const mishap of [
      () => {
        throw new Error('mishap')
      },
      () => void Promise.reject(new Error('mishap')),
      () =>
        queueMicrotask(() => {
          throw new Error('mishap')
        }),
      () =>
        process.nextTick(() => {
          throw new Error('mishap')
        }),
    ]) {
      const simulation = new Simulation({ seed: 1 })
      simulation.node('a')
      simulation.after('1s', mishap)
      const failure = await failureOf(simulation)
      expect(failure.message).toContain('mishap')
      expect(failure.violations).toHaveLength(1)
      expect((failure.cause as Error).message).toBe('mishap')
      await simulation.run({ for: '1s' })
    }
  })

  test('outside of a run is only recorded', () => {
    const simulation = new Simulation({ seed: 1 })
    simulation.check('fine', true)
    simulation.check('not fine', false)
    expect(simulation.violations.map(({ name }) => name)).toEqual(['not fine'])
  })
})

describe('the trace', () => {
  test('has logs without stacks, lost messages with reasons, records and faults', async () => {
    const simulation = new Simulation({ seed: 1 })
    const { system } = simulation.node('a')
    const actor = system.spawn<string>((message) => {
      if (message === 'fail') throw new Error('on purpose')
      simulation.record(`got ${message}`)
    }, 'actor')
    actor.tell('hello')
    actor.tell('fail')
    await simulation.run({ for: '1s' })
    actor.tell('too late')
    simulation.stepWallClock('a', -500)
    const lines = simulation.lastEvents(100).map(({ kind, text }) => `${kind} ${text}`)
    expect(lines).toContain('record got hello')
    expect(lines.some((line) => /^log error .*Error: on purpose/.test(line))).toBe(true)
    expect(
      lines.some((line) => line.startsWith("lost DeadLetter('too late' to sherd://a/user/actor")),
    ).toBe(true)
    expect(lines).toContain('fault wall clock of a jumps by -500 ms')
    expect(lines.join('\n')).not.toMatch(/\bat .*\.ts:\d+/)
  })

  test('differs when anything differs', async () => {
    const hashOf = async (text: string, seed = 1): Promise<string> => {
      const simulation = new Simulation({ seed })
      simulation.node('a')
      simulation.after('1s', () => simulation.record(text))
      await simulation.run({ for: '2s' })
      return simulation.hash
    }
    expect(await hashOf('x')).toBe(await hashOf('x'))
    expect(await hashOf('x')).not.toBe(await hashOf('y'))
  })
})

test('continuations belong to the node that awaits, also when another node answers', async () => {
  const simulation = new Simulation({ seed: 1 })
  const late = simulation.node('late', { wallOffsetMs: -60_000 })
  const early = simulation.node('early', { wallOffsetMs: 60_000 })
  const answerer = early.system.spawn<Question>(({ replyTo }) => replyTo.tell(Date.now()))
  const times: number[] = []
  const asker = late.system.spawn<string>(async () => {
    times.push(Date.now())
    times.push(await answerer.ask<number>((replyTo) => ({ replyTo })))
    times.push(Date.now())
  })
  asker.tell('go')
  await simulation.run({ for: '1s' })
  const startMs = 1_767_225_600_000
  expect(times.map((time) => time - startMs)).toEqual([-60_000, 60_000, -60_000])
})

test('nodes have monotonic clocks of their own', () => {
  const simulation = new Simulation({ seed: 1 })
  const times = ['a', 'b', 'c'].map((name) => simulation.node(name).environment.clock.monotonicMs())
  expect(new Set(times).size).toBe(3)
})
