/**
 * Benchmark `passivation`: what each strategy adds to a message. The messages of `sharded-local`, in bursts of one to each of a
 * thousand entities in a hundred shards; the baseline `off` is the same without a strategy, in the same run.
 *
 * There is room for all, so that every message is one touch. In the cases with evictions, one message in twenty is for one of
 * 20,000 others of which 1,000 have room: each of these starts an entity and stops another, where `off` only starts it once.
 */
import { type ActorRef, Behaviors } from '../src/actor/index.ts'
import type { LimitedPassivation, Passivation } from '../src/sharding/index.ts'
import type { Benchmark, MeasuredCase } from './benchmark.ts'
import { Bursts } from './bursts.ts'
import { measure, type Running } from './harness.ts'
import { makeMessage } from './sharded-cases.ts'
import {
  accounts,
  burst,
  entityCount,
  hostAccounts,
  startMember,
  type ToAccount,
  wakeAll,
} from './sharded-shape.ts'

const burstsUnderWay = 2
const othersCount = 20_000
const othersPerBurst = burst / 20

type Strategy = Omit<LimitedPassivation, 'activeEntityLimit'>

const strategies: readonly (readonly [name: string, strategy: Strategy])[] = [
  ['lru', { replacement: 'least-recently-used' }],
  ['slru', { replacement: { policy: 'least-recently-used', proportions: [0.2, 0.8] } }],
  ['mru', { replacement: 'most-recently-used' }],
  ['lfu', { replacement: 'least-frequently-used' }],
  ['lfu, aging', { replacement: { policy: 'least-frequently-used', dynamicAging: true } }],
  ['adaptive', { replacement: 'adaptive' }],
]

export const passivation: Benchmark = {
  name: 'passivation',
  summary: 'messages per second to entities of this node, by strategy of passivation',
  run: async () => {
    const rows: MeasuredCase[] = []
    for (const [name, strategy] of strategies) {
      const limited = { activeEntityLimit: 100 * entityCount, ...strategy }
      rows.push(await measureCase(name, limited, 0))
    }
    for (const [name, strategy] of strategies) {
      if (name !== 'lru' && name !== 'adaptive') continue
      const limited = { activeEntityLimit: 2 * entityCount, ...strategy }
      rows.push(await measureCase(`${name}, evictions`, limited, othersPerBurst))
    }
    return rows
  },
}

function measureCase(name: string, limited: Passivation, others: number): Promise<MeasuredCase> {
  return measure({
    ...{ name, unit: 'messages/s', operationsStep: burst * burstsUnderWay },
    contestants: [
      { name: 'ours', setUp: () => tellAll(limited, others) },
      { name: 'off', setUp: () => tellAll('off', others) },
    ],
  })
}

/** Bursts of which so many messages are for entities that are not wanted again soon. */
async function tellAll(chosen: Passivation, others: number): Promise<Running> {
  const member = await startMember()
  hostAccounts(member, chosen)
  const refs = (await wakeAll(member)).slice(others)
  const strangers = Array.from({ length: others === 0 ? 0 : othersCount }, (_, index) =>
    member.sharding.entityRefFor<ToAccount>(accounts, `other-${index}`),
  )
  let turn = 0
  const bursts = new Bursts(burst, burstsUnderWay)
  const sendBurst = (): void => {
    for (const ref of refs) ref.tell(makeMessage())
    for (let count = 0; count < others; count++)
      strangers[turn++ % othersCount]?.tell(makeMessage())
  }
  const sender: ActorRef<string> = member.system.spawn(
    Behaviors.receiveMessage<string>(() => bursts.heard(sendBurst)),
  )
  refs[0]?.tell({ type: 'hello', sender })
  const round = (operations: number): Promise<void> => bursts.run(operations, sendBurst)
  return { round, tearDown: () => member.system.terminate() }
}
