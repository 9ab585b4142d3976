import { afterEach, describe, expect, test, vi } from 'vitest'
import { ActorSystem, Behaviors, PoisonPill } from '../actor/index.ts'
import { CapturedLogs } from './captured-logs.ts'
import { ManualTime, NotSettled } from './manual-time.ts'
import { ProbeFailure } from './probe-failure.ts'
import { type TestProbe, createTestProbe } from './test-probe.ts'

const systems: ActorSystem[] = []

function realProbe(): { readonly probe: TestProbe<unknown>; readonly system: ActorSystem } {
  const system = new ActorSystem('test', {
    environment: { logger: new CapturedLogs() },
    settings: { hookSignals: false },
  })
  systems.push(system)
  return { probe: createTestProbe(system, 'p1'), system }
}

async function failureOf(promise: Promise<unknown>): Promise<ProbeFailure> {
  const failure = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(ProbeFailure)
  return failure as ProbeFailure
}

async function textOf(promise: Promise<unknown>): Promise<string> {
  return (await failureOf(promise)).message
}

afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.terminate()))
})

describe('a failing probe', () => {
  test('says what did not come in time', async () => {
    const { probe } = realProbe()
    expect(await textOf(probe.expect({ type: 'Pong' }, { within: 5 }))).toBe(
      "Expected { type: 'Pong' } within 5 ms, but probe p1 received nothing.",
    )
    expect(await textOf(probe.expectType('Pong', { within: 5, hint: 'is the table set?' }))).toBe(
      "Expected a message of type 'Pong' within 5 ms, but probe p1 received nothing. Hint: is the table set?",
    )
    expect(await textOf(probe.receive(2, { within: 5 }))).toBe(
      'Expected 2 messages within 5 ms, but probe p1 received nothing.',
    )
  })

  test('says what came instead, and what came after that', async () => {
    const { probe } = realProbe()
    for (const type of ['Ping', 'Done']) probe.ref.tell({ type })
    expect(await textOf(probe.expect({ type: 'Pong' }))).toBe(
      "Expected { type: 'Pong' }, but probe p1 received: { type: 'Ping' }, { type: 'Done' }.",
    )
    expect(await textOf(probe.expect((message) => message === 7))).toBe(
      "Expected a message that satisfies (message) => message === 7, but probe p1 received: { type: 'Done' }.",
    )
    probe.ref.tell(null)
    expect(await textOf(probe.expectType('Pong'))).toBe(
      "Expected a message of type 'Pong', but probe p1 received: null.",
    )
  })

  test('says how many came when more were expected', async () => {
    const { probe } = realProbe()
    probe.ref.tell('a')
    expect(await textOf(probe.receive(3, { within: 5 }))).toBe(
      "Expected 3 messages within 5 ms, but probe p1 received only: 'a'.",
    )
  })

  test('waits for one message, whatever it is, for as long as it was told to', async () => {
    const { probe } = realProbe()
    expect(await textOf(probe.receive({ within: 5, hint: 'look' }))).toBe(
      'Expected a message within 5 ms, but probe p1 received nothing. Hint: look',
    )
  })

  test.for([-1, 1.5, Number.NaN])('refuses to receive %s messages', async (count) => {
    const { probe } = realProbe()
    expect(await textOf(probe.receive(count))).toBe(
      `Expected ${count} messages, but that is not a number of messages.`,
    )
  })

  test('shows a bounded part of what came', async () => {
    const { probe } = realProbe()
    for (let number = 1; number <= 11; number++) probe.ref.tell(number)
    const failure = await textOf(probe.expectNo({ for: 5 }))
    expect(failure).toBe(
      'Expected no message for 5 ms, but probe p1 received: 1, 2, 3, 4, 5, 6, 7, 8 and 3 more.',
    )
    probe.ref.tell('x'.repeat(10_000))
    await probe.receive(11)
    expect((await textOf(probe.expect('y'))).length).toBeLessThan(300)
  })

  test('shows the dead letters and other losses that may be the reason', async () => {
    const { probe, system } = realProbe()
    const gone = system.spawn<unknown>(Behaviors.ignore, 'gone')
    gone.tell(PoisonPill)
    await probe.expectTerminated(gone)
    gone.tell({ type: 'Ping' })
    expect(await textOf(probe.expect('x', { within: 5 }))).toMatch(
      /^Expected 'x' within 5 ms, but probe p1 received nothing\. 1 dead letter was published meanwhile: DeadLetter\(\{ type: 'Ping' \} to sherd:\/\/test\/user\/gone#\d+: terminated\)\.$/,
    )
    gone.tell(2)
    expect(await textOf(probe.expect('x', { within: 5 }))).toMatch(/ 2 dead letters were published/)
    system.spawn<unknown>(Behaviors.empty).tell(3)
    expect(await textOf(probe.expect('x', { within: 5 }))).toMatch(
      / 3 lost messages were published meanwhile: .*UnhandledMessage\(3 to /,
    )
    probe.ref.tell('y')
    await probe.expect('y')
    expect(await textOf(probe.expect('x', { within: 5 }))).not.toMatch(/published/)
  })

  test('says what was fished in vain', async () => {
    const { probe } = realProbe()
    probe.ref.tell(1)
    probe.ref.tell(2)
    expect(await textOf(probe.fish((message) => message === 3, { within: 5 }))).toBe(
      'Expected to fish a message that satisfies (message) => message === 3 within 5 ms, but probe p1 received: 1, 2.',
    )
    probe.ref.tell(4)
    expect(await textOf(probe.fish(() => 'fail'))).toBe(
      'Expected to fish a message that satisfies () => "fail", but probe p1 received: 4.',
    )
    expect(await textOf(probe.fish(() => true, { within: 5 }))).toMatch(/received nothing\.$/)
  })

  test('does not fish for ever where messages never end', async () => {
    const { probe, system } = realProbe()
    let isOver = false
    const chatty = Behaviors.receive<string>((context, message) => {
      probe.ref.tell(message)
      if (!isOver) context.self.tell(message)
    })
    system.spawn(chatty).tell('hello')
    expect(await textOf(probe.fish(() => false, { within: 20 }))).toMatch(
      /^Expected to fish .* within 20 ms, but probe p1 received: 'hello', /,
    )
    isOver = true
  })

  test('fishes for as long as it was told to, however often something comes', async () => {
    const { probe, system } = realProbe()
    system.spawn(
      Behaviors.withTimers<string>((timers) => {
        timers.startFixedRate('t', 5, 'tick')
        return (message) => probe.ref.tell(message)
      }),
    )
    expect(await textOf(probe.fish(() => 'skip', { within: 50 }))).toMatch(/within 50 ms/)
  })

  test('passes on what a predicate throws', async () => {
    const { probe } = realProbe()
    probe.ref.tell(1)
    const thrown = new TypeError('not a function')
    const predicate = (): boolean => {
      throw thrown
    }
    await expect(probe.expect(predicate)).rejects.toBe(thrown)
  })

  test('says who did not terminate', async () => {
    const { probe, system } = realProbe()
    const target = system.spawn(Behaviors.ignore, 'target')
    expect(await textOf(probe.expectTerminated(target, { within: 5 }))).toBe(
      `Expected ${target} to terminate within 5 ms, but it has not.`,
    )
    const other = system.spawn(Behaviors.empty, 'other')
    other.tell('stop')
    expect(await textOf(probe.expectTerminated(target, { within: 5 }))).toBe(
      `Expected ${target} to terminate within 5 ms, but it has not. ` +
        `1 lost message was published meanwhile: UnhandledMessage('stop' to ${other}).`,
    )
  })

  test('fails at once when it was stopped', async () => {
    const { probe, system } = realProbe()
    const target = system.spawn(Behaviors.ignore, 'target')
    const waiting = [probe.expect(1), probe.expectNo(), probe.expectTerminated(target)]
    probe.stop()
    const texts = await Promise.all(waiting.map(textOf))
    expect(texts).toEqual([
      'Expected 1, but probe p1 was stopped.',
      'Expected no message for 100 ms, but probe p1 was stopped.',
      `Expected ${target} to terminate, but probe p1 was stopped before it did.`,
    ])
  })

  test('points at the line of the test', async () => {
    const { probe } = realProbe()
    const failures = [
      await failureOf(probe.expect(1, { within: 1 })),
      await failureOf(probe.expectType('x', { within: 1 })),
      await failureOf(probe.receive(1, { within: 1 })),
      await failureOf(probe.fish(() => true, { within: 1 })),
      await failureOf(probe.expectTerminated(probe.ref, { within: 1 })),
    ]
    for (const { message, stack } of failures) {
      const [header, first] = (stack ?? '').split('\n')
      expect(header).toBe(`ProbeFailure: ${message}`)
      expect(first).toContain('test-probe-failures.test.ts')
    }
  })

  test('points at the line of the test also when the actors do not come to rest', async () => {
    const time = new ManualTime()
    const system = new ActorSystem('manual', { environment: time.environment })
    systems.push(system)
    const restless = new NotSettled('an actor sends to itself')
    restless.stack = 'somewhere in the kit'
    vi.spyOn(time, 'settle').mockRejectedValue(restless)
    const waiting = createTestProbe(system).expectNo()
    const failure = await waiting.catch((error: NotSettled) => error)
    const [header, first] = (failure?.stack ?? '').split('\n')
    expect(header).toBe('NotSettled: an actor sends to itself')
    expect(first).toContain('test-probe-failures.test.ts')
  })

  test('fails early on manual time, and says what time it is', async () => {
    const time = new ManualTime()
    const system = new ActorSystem('manual', { environment: time.environment })
    systems.push(system)
    const probe = createTestProbe<string>(system, 'p1')
    const startMs = performance.now()
    expect(await textOf(probe.expect('x'))).toBe(
      "Expected 'x', but probe p1 received nothing, and nothing moves any more. " +
        'Manual time stands at 0 ms; no timer waits.',
    )
    expect(performance.now() - startMs).toBeLessThan(2_000)
    await time.advance('5s')
    time.environment.timers.after(10_000, () => undefined)
    expect(await textOf(probe.expectTerminated(system.spawn(Behaviors.ignore, 'a')))).toMatch(
      /to terminate, but it has not, and nothing moves any more\. Manual time stands at 5 s; the next timer is due in 10 s\.$/,
    )
  })

  test('waits on manual time for as long as it was told to', async () => {
    const time = new ManualTime()
    const system = new ActorSystem('manual', { environment: time.environment })
    systems.push(system)
    const probe = createTestProbe<string>(system, 'p1')
    setTimeout(() => probe.ref.tell('late'), 400)
    expect(await probe.expect('late', { within: '3s' })).toBe('late')
  })
})
