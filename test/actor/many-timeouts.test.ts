import { expect, test } from 'vitest'
import { type ActorRef, ActorSystem, Behaviors } from '../../src/actor/index.ts'
import { ManualTime } from '../../src/testkit/index.ts'

interface Ask {
  readonly replyTo: ActorRef<string>
}

const askCount = 1_000

/** How many asks had timed out when a timer of the actor that was due together with them was heard. */
async function timeoutsBefore(place: 'spawn' | 'spawnSystemActor', set: 'timer' | 'idle') {
  const time = new ManualTime()
  const system = new ActorSystem('test', { environment: time.environment })
  let timeouts = 0
  let before: number | undefined
  const silent = system.spawn<Ask>(Behaviors.ignore)
  const asks = Array.from({ length: askCount }, () =>
    silent
      .ask((replyTo: ActorRef<string>) => ({ replyTo }), { timeout: 100 })
      .catch(() => timeouts++),
  )
  // The time of asks counts from here. What the actor starts now is due together with them, and comes after them.
  await time.advance(1)
  system[place](
    Behaviors.setup<'now'>((context) => {
      if (set === 'timer') context.timers.startSingle('heartbeat', 99, 'now')
      else context.setReceiveTimeout(99, 'now')
      return () => {
        before ??= timeouts
      }
    }),
  )
  await time.advance(150)
  await Promise.all(asks)
  await system.terminate()
  return { before, timeouts }
}

test.each(['timer', 'idle'] as const)(
  'the %s of an actor of the runtime does not wait for a thousand timeouts of asks',
  async (set) => {
    const { before, timeouts } = await timeoutsBefore('spawnSystemActor', set)
    expect(timeouts).toBe(askCount)
    expect(before).toBeLessThanOrEqual(100)
  },
)

test("timers of users' actors keep their order with the timeouts of asks", async () => {
  const { before } = await timeoutsBefore('spawn', 'timer')
  expect(before).toBeGreaterThan(900)
})
