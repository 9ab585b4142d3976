/**
 * Benchmark `sharded-remote`: messages and questions by entity ref to a thousand entities in a hundred shards, all of them
 * at home in another process. Messages go in bursts, one to each entity, six bursts under way; counted are those that an
 * entity has handled. Questions go round the entities, with 1, 64 and 1,024 of them in flight.
 *
 * Bare: the stream of `remote-tell`, where the entity is a number that the other side ignores.
 */
import { askBare, tellBare } from './bare-remote.ts'
import type { Benchmark } from './benchmark.ts'
import { makeMessage, measureSharded, type ShardedStage } from './sharded-cases.ts'
import { accounts, burst, entityCount, startHost, startMember, wakeAll } from './sharded-shape.ts'

const burstsUnderWay = 6

export const shardedRemote: Benchmark = {
  name: 'sharded-remote',
  summary: 'messages and questions per second to entities of another process',
  run: () =>
    measureSharded({
      burstsUnderWay,
      startOurs,
      tellBare: () => tellBare(entityCount, burst * burstsUnderWay, makeMessage),
      askBare: (inFlight) => askBare(entityCount, inFlight),
    }),
}

export async function startOurs(): Promise<ShardedStage> {
  const host = await startHost()
  const member = await startMember(host.address)
  member.sharding.startProxy({ entityType: accounts.name })
  const refs = await wakeAll(member)
  const tearDown = async (): Promise<void> => {
    await member.system.terminate()
    host.end()
  }
  return { refs, system: member.system, tearDown }
}
