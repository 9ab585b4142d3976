/**
 * Benchmark `sharded-local`: messages and questions by entity ref to a thousand entities in a hundred shards on this very
 * node. Messages go in bursts, one to each entity, two bursts under way; counted are those that an entity has handled.
 * Questions go round the entities, with 1, 64 and 1,024 of them in flight.
 *
 * Bare: one Map lookup by id, a ring per entity, a run queue, and a promise per question.
 */
import { PromiseLoop } from './bare/promise-loop.ts'
import { RingLoop } from './bare/ring-loop.ts'
import type { Benchmark } from './benchmark.ts'
import { Bursts } from './bursts.ts'
import { runCallers } from './callers.ts'
import type { Running } from './harness.ts'
import { makeMessage, measureSharded, type ShardedStage } from './sharded-cases.ts'
import {
  burst,
  entityCount,
  entityIds,
  hostAccounts,
  startMember,
  type ToAccount,
  wakeAll,
} from './sharded-shape.ts'

const burstsUnderWay = 2

export const shardedLocal: Benchmark = {
  name: 'sharded-local',
  summary: 'messages and questions per second to entities of this node',
  run: () => measureSharded({ burstsUnderWay, startOurs, tellBare, askBare }),
}

export async function startOurs(): Promise<ShardedStage> {
  const member = await startMember()
  hostAccounts(member)
  const refs = await wakeAll(member)
  return { refs, system: member.system, tearDown: () => member.system.terminate() }
}

function tellBare(): Running {
  const loop = new RingLoop<ToAccount>()
  const bursts = new Bursts(burst, burstsUnderWay)
  let handled = 0
  const sendBurst = (): void => {
    for (const id of entityIds) loop.tell(id, makeMessage())
  }
  const handle = (): void => {
    if (++handled % burst === 0) bursts.heard(sendBurst)
  }
  for (const id of entityIds) loop.spawn(id, handle)
  return { round: (operations) => bursts.run(operations, sendBurst) }
}

export function askBare(inFlight: number): Running {
  const loop = new PromiseLoop<{ readonly type: 'get' }, number>()
  for (const id of entityIds) loop.spawn(id, () => 1)
  let turn = 0
  const caller = async (questions: number): Promise<number> => {
    let sum = 0
    for (let asked = 0; asked < questions; asked++) {
      sum += await loop.ask(entityIds[turn++ % entityCount] ?? '', { type: 'get' })
    }
    return sum
  }
  return { round: (operations) => runCallers(operations, inFlight, caller) }
}
