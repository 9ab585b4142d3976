/**
 * Benchmark `sharded-remote`: messages and questions by entity ref to a thousand entities in a hundred shards, all of them
 * at home in another process. Messages go in bursts, one to each entity, six bursts under way; counted are those that an
 * entity has handled. Questions go round the entities, with 1, 64 and 1,024 of them in flight.
 *
 * Bare: the stream of `remote-tell`, where the entity is a number that the other side ignores.
 */
import { type ActorRef, Behaviors } from '../src/actor/index.ts'
import { askBare, tellBare } from './bare-remote.ts'
import type { Benchmark } from './benchmark.ts'
import { Bursts } from './bursts.ts'
import { inFlightCases, runCallers } from './callers.ts'
import { measure, type Running } from './harness.ts'
import {
  accounts,
  burst,
  entityCount,
  startHost,
  startMember,
  type ToAccount,
  wakeAll,
} from './sharded-shape.ts'

const burstsUnderWay = 6

export const shardedRemote: Benchmark = {
  name: 'sharded-remote',
  summary: 'messages and questions per second to entities of another process',
  async run() {
    const rows = [
      await measure({
        name: 'tell',
        unit: 'messages/s',
        operationsStep: burst * burstsUnderWay,
        contestants: [
          { name: 'ours', setUp: tellOurs },
          { name: 'bare', setUp: () => tellBare(entityCount, burst * burstsUnderWay, makeMessage) },
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
            { name: 'bare', setUp: () => askBare(entityCount, inFlight) },
          ],
        }),
      )
    }
    return rows
  },
}

const makeMessage = (): ToAccount => ({ type: 'add', by: 1 })

async function startOurs() {
  const host = await startHost()
  const member = await startMember(host.address)
  member.sharding.startProxy({ typeName: accounts.name })
  const refs = await wakeAll(member)
  const tearDown = async (): Promise<void> => {
    await member.system.terminate()
    host.end()
  }
  return { refs, system: member.system, tearDown }
}

async function tellOurs(): Promise<Running> {
  const { refs, system, tearDown } = await startOurs()
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
