import { expect, test } from 'vitest'
import { type ActorRef, ActorSystem, PoisonPill } from '../../src/actor/index.ts'
import { MemoryJournal, type Retention } from '../../src/persistence/index.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { ManualTime } from '../../src/testkit/index.ts'
import { faultyJournal, noFaults } from './faulty-journal.ts'
import { append, get, list, type ListCommand } from './list.ts'

/** Many lives of one stream, whose store fails at random and forgets nothing that it has acknowledged. */
const live = async (seed: number) => {
  const random = new SeededRandom(seed, 'lives')
  const time = new ManualTime()
  const system = new ActorSystem('lives', { environment: time.environment })
  const memory = new MemoryJournal()
  const journal = faultyJournal(memory, time.environment, { random })
  const retention: Retention = {
    snapshotEvery: 1 + random.below(4),
    keepSnapshots: 1 + random.below(3),
    deleteEvents: random.chance(0.7),
  }
  const spawn = (options = {}) => system.spawn(list(journal, { retention, ...options }))
  const acknowledged: string[] = []
  const readBack = async (recovery = {}): Promise<string> => {
    const actor = spawn({ recovery })
    const items = (await actor.ask<unknown>(get)) as string
    actor.tell(PoisonPill)
    await system.whenStopped(actor)
    return items
  }
  let sent = 0
  for (let life = 0; life < 12; life++) {
    journal.setFaults(noFaults)
    const actor: ActorRef<ListCommand> = spawn()
    const before = ((await actor.ask<unknown>(get)) as string).split('')
    // Of what was acknowledged nothing is missing, nothing is there twice, and the order is that of the commands.
    expect(before.filter((item) => acknowledged.includes(item))).toEqual(acknowledged)
    expect(new Set(before).size).toBe(before.length)
    journal.setFaults({ ...noFaults, failsBefore: 0.08, failsUnknown: 0.08 })
    for (let n = random.below(8); n >= 0; n--) {
      const item = String.fromCodePoint(0x4e00 + sent++)
      const asked = actor.ask<unknown>((to) => append(item, to), { timeout: '1h' })
      const answer = asked.then(
        () => void acknowledged.push(item),
        () => undefined,
      )
      // Sometimes the next ones come while this one is on its way.
      if (random.chance(0.5)) await time.settle()
      if (random.chance(0.3)) await Promise.race([answer, time.settle()])
    }
    await time.settle()
    actor.tell(PoisonPill)
    await time.settle()
    await system.whenStopped(actor)
  }
  journal.setFaults(noFaults)
  const last = await readBack()
  if (retention.deleteEvents !== true) expect(await readBack({ snapshot: 'none' })).toBe(last)
  expect(await readBack()).toBe(last)
  await system.terminate()
  return { acknowledged: acknowledged.length, deletes: retention.deleteEvents === true }
}

test('a state with snapshots is that of all acknowledged events, whatever fails and is deleted', async () => {
  const lives = []
  for (let seed = 1; seed <= 40; seed++) lives.push(await live(seed))
  expect(lives.some(({ deletes }) => deletes) && lives.some(({ deletes }) => !deletes)).toBe(true)
  expect(lives.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBeGreaterThan(500)
})
