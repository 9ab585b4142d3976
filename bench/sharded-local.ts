/**
 * Benchmark `sharded-local`: messages and questions by entity ref to a thousand entities in a hundred shards on this very
 * node. Messages go in bursts, one to each entity, two bursts under way; counted are those that an entity has handled.
 * Questions go round the entities, with 1, 64 and 1,024 of them in flight.
 *
 * Bare: one Map lookup by id, a ring per entity, a run queue, and a promise per question.
 */
import { type ActorRef, Behaviors } from '../src/actor/index.ts'
import { PromiseLoop } from './bare/promise-loop.ts'
import { RingLoop } from './bare/ring-loop.ts'
import type { Benchmark } from './benchmark.ts'
import { Bursts } from './bursts.ts'
import { inFlightCases, runCallers } from './callers.ts'
import { measure, type Running } from './harness.ts'
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
  async run() {
    const rows = [
      await measure({
        name: 'tell',
        unit: 'messages/s',
        operationsStep: burst * burstsUnderWay,
        contestants: [
          { name: 'ours', setUp: tellOurs },
          { name: 'bare', setUp: tellBare },
        ],
      }),
    ]
    for (const [name, inFlight] of inFlightCases) {
      rows.push(
        await measure({
          name: `ask, ${name}`,
          unit: 'asks/s',
          operationsStep: inFlight,
          contestants: [
            { name: 'ours', setUp: () => askOurs(inFlight) },
            { name: 'bare', setUp: () => askBare(inFlight) },
          ],
        }),
      )
    }
    return rows
  },
}

async function startOurs() {
  const member = await startMember()
  hostAccounts(member)
  const refs = await wakeAll(member)
  return { refs, system: member.system, tearDown: () => member.system.terminate() }
}

async function tellOurs(): Promise<Running> {
  const { refs, system, tearDown } = await startOurs()
  const bursts = new Bursts(burst, burstsUnderWay)
  const sendBurst = (): void => {
    for (const ref of refs) ref.tell({ type: 'add', by: 1 })
  }
  const sender: ActorRef<string> = system.spawn(
    Behaviors.receiveMessage<string>(() => bursts.heard(sendBurst)),
  )
  refs[0]?.tell({ type: 'hello', sender })
  return { round: (operations) => bursts.run(operations, sendBurst), tearDown }
}

function tellBare(): Running {
  const loop = new RingLoop<{ readonly type: 'add'; readonly by: number }>()
  const bursts = new Bursts(burst, burstsUnderWay)
  let handled = 0
  const sendBurst = (): void => {
    for (const id of entityIds) loop.tell(id, { type: 'add', by: 1 })
  }
  const handle = (): void => {
    if (++handled % burst === 0) bursts.heard(sendBurst)
  }
  for (const id of entityIds) loop.spawn(id, handle)
  return { round: (operations) => bursts.run(operations, sendBurst) }
}

async function askOurs(inFlight: number): Promise<Running> {
  const { refs, tearDown } = await startOurs()
  const get = (replyTo: ActorRef<number>): ToAccount => ({ type: 'get', replyTo })
  let turn = 0
  const caller = async (questions: number): Promise<number> => {
    let sum = 0
    for (let asked = 0; asked < questions; asked++) {
      const ref = refs[turn++ % entityCount]
      if (ref !== undefined) sum += await ref.ask(get)
    }
    return sum
  }
  return { round: (operations) => runCallers(operations, inFlight, caller), tearDown }
}

function askBare(inFlight: number): Running {
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
