import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import { Simulation, SimulationMisuse } from '../../src/simulation/index.ts'

describe('a crash', () => {
  test('ends timers, tasks and handlers of the node, and of no other', async () => {
    const simulation = new Simulation({ seed: 1 })
    const beats: Record<string, number> = { a: 0, b: 0 }
    for (const name of ['a', 'b']) {
      const { system } = simulation.node(name)
      const actor = system.spawn(
        Behaviors.withTimers<'Beat'>((timers) => {
          timers.startFixedRate('beat', '100ms', 'Beat')
          setInterval(() => beats[name]!++, 100)
          return async () => {
            await new Promise((resolve) => setTimeout(resolve, 10))
            beats[name]!++
          }
        }),
      )
      actor.tell('Beat')
    }
    simulation.after('1050ms', () => simulation.crash('a'))
    await simulation.run({ for: '2s' })
    expect(beats['a']).toBeGreaterThan(15)
    expect(beats['a']).toBeLessThan(25)
    expect(beats['b']).toBeGreaterThan(35)
    expect(simulation.faults).toBe(1)
    expect(
      simulation.lastEvents(1_000).filter(({ place, timeMs }) => place === 'a#1' && timeMs > 1_050),
    ).toEqual([])
  })

  test('leaves stray continuations without any effect, and counts them', async () => {
    const simulation = new Simulation({ seed: 1 })
    const log: string[] = []
    let release = (): void => {}
    const { system } = simulation.node('a')
    const actor: ActorRef<string> = system.spawn<string>(async () => {
      await new Promise<void>((resolve) => (release = resolve))
      log.push('continued')
      setTimeout(() => log.push('never'), 1)
      setImmediate(() => log.push('never'))
      system.log.info({}, 'never')
      actor.tell('never')
    })
    actor.tell('go')
    simulation.after('1s', () => simulation.crash('a'))
    simulation.after('2s', () => release())
    await simulation.run({ for: '5s' })
    expect(log).toEqual(['continued'])
    expect(simulation.strayCalls).toBeGreaterThanOrEqual(3)
    expect(simulation.violations).toEqual([])
  })

  test('is followed by a new life under the same name', async () => {
    const simulation = new Simulation({ seed: 1 })
    const first = simulation.node('a')
    expect(simulation.node('a')).toBe(first)
    await simulation.run({ for: '1s' })
    simulation.crash('a')
    const second = simulation.node('a')
    expect(second).not.toBe(first)
    expect([first.incarnation, second.incarnation]).toEqual([1, 2])
    const answer = second.system
      .spawn<{ replyTo: ActorRef<string> }>(({ replyTo }) => replyTo.tell('alive'), 'actor')
      .ask<string>((replyTo) => ({ replyTo }))
    expect(await simulation.settle(answer)).toBe('alive')
    expect(second.environment.random.uid()).not.toBe(first.environment.random.uid())
  })

  test('can be the work of the node itself', async () => {
    const simulation = new Simulation({ seed: 1 })
    const { system, environment } = simulation.node('a')
    const handled: string[] = []
    const actor = system.spawn<string>((message) => {
      handled.push(message)
      environment.process.exit(3)
    })
    for (const message of ['one', 'two', 'three']) actor.tell(message)
    await simulation.run({ for: '1s' })
    expect(simulation.lastEvents().at(-1)).toMatchObject({ place: 'a#1' })
    expect(simulation.lastEvents().map(({ text }) => text)).toContain('exit 3')
    expect(simulation.node('a').incarnation).toBe(2)
  })

  test('of a node that is not there is a misuse', () => {
    const simulation = new Simulation({ seed: 1 })
    expect(() => simulation.crash('a')).toThrow(SimulationMisuse)
    simulation.node('a')
    simulation.crash('a')
    expect(() => simulation.crash('a')).toThrow('has ended')
  })
})

test('a signal runs the coordinated shutdown, a second one ends the node at once', async () => {
  const simulation = new Simulation({ seed: 1 })
  const { system } = simulation.node('a')
  let isTerminated = false
  void system.whenTerminated.then(() => (isTerminated = true))
  simulation.signal('a', 'SIGTERM')
  await simulation.runUntil(() => isTerminated)

  simulation
    .node('b')
    .system.shutdown.addTask('before-service-unbind', 'hang', () => new Promise(() => {}))
  simulation.signal('b', 'SIGINT')
  await simulation.run({ for: '10ms' })
  expect(simulation.node('b').incarnation).toBe(1)
  simulation.signal('b', 'SIGINT')
  await simulation.run({ for: '10ms' })
  expect(simulation.node('b').incarnation).toBe(2)
})
