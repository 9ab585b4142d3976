/** The cases of the sharded benchmarks: messages in bursts, one to each entity, and questions that go round the entities. */
import { type ActorRef, Behaviors } from '../src/actor/index.ts'
import type { EntityRef } from '../src/sharding/index.ts'
import type { MeasuredCase } from './benchmark.ts'
import { Bursts } from './bursts.ts'
import { inFlightCases, runCallers } from './callers.ts'
import { measure, type Running } from './harness.ts'
import { type BenchMember, burst, entityCount, type ToAccount } from './sharded-shape.ts'

/** A node that speaks to entities which all run. */
export interface ShardedStage {
  readonly refs: readonly EntityRef<ToAccount>[]
  readonly system: BenchMember['system']
  readonly tearDown: () => Promise<void>
}

export interface ShardedCases {
  readonly burstsUnderWay: number
  readonly startOurs: () => Promise<ShardedStage>
  readonly tellBare: () => Running | Promise<Running>
  readonly askBare: (inFlight: number) => Running | Promise<Running>
}

export const makeMessage = (): ToAccount => ({ type: 'add', by: 1 })

export async function measureSharded(cases: ShardedCases): Promise<MeasuredCase[]> {
  const { burstsUnderWay, startOurs, tellBare, askBare } = cases
  const rows = [
    await measure({
      name: 'tell',
      unit: 'messages/s',
      operationsStep: burst * burstsUnderWay,
      contestants: [
        { name: 'ours', setUp: async () => tellOurs(await startOurs(), burstsUnderWay) },
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
          { name: 'ours', setUp: async () => askOurs(await startOurs(), inFlight) },
          { name: 'bare', setUp: () => askBare(inFlight) },
        ],
      }),
    )
  }
  return rows
}

function tellOurs({ refs, system, tearDown }: ShardedStage, burstsUnderWay: number): Running {
  const bursts = new Bursts(burst, burstsUnderWay)
  const sendBurst = (): void => {
    for (const ref of refs) ref.tell(makeMessage())
  }
  const sender: ActorRef<string> = system.spawn(
    Behaviors.receiveMessage<string>(() => bursts.heard(sendBurst)),
  )
  refs[0]?.tell({ type: 'hello', sender })
  return { round: (operations) => bursts.run(operations, sendBurst), tearDown }
}

function askOurs({ refs, tearDown }: ShardedStage, inFlight: number): Running {
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
