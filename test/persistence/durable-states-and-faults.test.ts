import { expect, test } from 'vitest'
import { type ActorRef, ActorSystem, PoisonPill } from '../../src/actor/index.ts'
import {
  durableEffectsFor,
  DurableStateBehavior,
  MemoryJournal,
} from '../../src/persistence/index.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { ManualTime } from '../../src/testkit/index.ts'
import { faultyJournal, noFaults } from './faulty-journal.ts'

type Command = { readonly add?: number; readonly replyTo: ActorRef<readonly number[]> }
const effect = durableEffectsFor<readonly number[]>()

/** Many lives of one state, whose store fails at random. */
const live = async (seed: number): Promise<number> => {
  const random = new SeededRandom(seed, 'lives')
  const time = new ManualTime()
  const system = new ActorSystem('lives', { environment: time.environment })
  const journal = faultyJournal(new MemoryJournal(), time.environment, { random })
  const spawn = () =>
    system.spawn(
      DurableStateBehavior<Command, readonly number[]>({
        persistenceId: 'Numbers|1',
        emptyState: [],
        journal,
        commandHandler: (numbers, { add, replyTo }) =>
          add === undefined
            ? effect.reply(replyTo, numbers)
            : effect.persist([...numbers, add]).thenReply(replyTo, (all) => all),
      }),
    )
  const acknowledged: number[] = []
  let sent = 0
  for (let life = 0; life < 12; life++) {
    journal.setFaults(noFaults)
    const actor = spawn()
    const before = await actor.ask<readonly number[]>((replyTo) => ({ replyTo }))
    expect(before.filter((each) => acknowledged.includes(each))).toEqual(acknowledged)
    expect(new Set(before).size).toBe(before.length)
    journal.setFaults({ ...noFaults, failsBefore: 0.08, failsUnknown: 0.08 })
    for (let n = random.below(8); n >= 0; n--) {
      const add = sent++
      void actor
        .ask<readonly number[]>((replyTo) => ({ add, replyTo }), { timeout: '1h' })
        .then(() => acknowledged.push(add))
        .catch(() => undefined)
      if (random.chance(0.5)) await time.settle()
    }
    await time.settle()
    actor.tell(PoisonPill)
    await time.settle()
    await system.whenStopped(actor)
  }
  await system.terminate()
  return acknowledged.length
}

test('a durable state has all that was acknowledged, once and in order, whatever fails', async () => {
  let acknowledged = 0
  for (let seed = 1; seed <= 30; seed++) acknowledged += await live(seed)
  expect(acknowledged).toBeGreaterThan(400)
})
