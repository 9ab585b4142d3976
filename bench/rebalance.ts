/**
 * `rebalance`: what moving shards costs. With very many shards on simulated nodes, where the time of the cluster is virtual
 * and the work is counted in CPU of all nodes together; and with 100,000 entities in one process, in entities moved per
 * second.
 */
import type { Benchmark, MeasuredCase } from './benchmark.ts'
import { ManyShards } from './many-shards.ts'

const nodes = 10
const shards = 10_000

export const rebalance: Benchmark = {
  name: 'rebalance',
  summary: 'shards that move: nodes come and go, and entities are started elsewhere',
  smallerIsBetter: true,
  run: async () => [...(await tenThousand()), ...(await hundredThousand()), await entitiesMoved()],
}

function one(name: string, unit: string, sample: number): MeasuredCase {
  return { name, unit, contestants: [{ name: 'ours', samples: [sample] }] }
}

async function tenThousand(): Promise<MeasuredCase[]> {
  const many = new ManyShards({ numberOfShards: shards })
  console.error(`measuring ${shards} shards on ${nodes} simulated nodes`)
  await many.start(nodes)
  await many.place()
  const leave = await many.leave()
  const join = await many.join()
  await many.end()
  return [
    one('leave, 10,000 shards', 'ms of CPU', leave.cpuMs),
    one('leave, virtual', 'virtual s', leave.virtualMs / 1000),
    one('join balanced', 'virtual s', join.virtualMs / 1000),
    one('join balanced, work', 'ms of CPU', join.cpuMs),
  ]
}

async function hundredThousand(): Promise<MeasuredCase[]> {
  const many = new ManyShards({ numberOfShards: 100_000 })
  console.error('measuring 100,000 shards on 3 simulated nodes')
  await many.start(3)
  const { cpuMs } = await many.place()
  await many.end()
  return [one('100,000 shards placed', 's of CPU', cpuMs / 1000)]
}

/** A node leaves three others, and takes in no time of the machine but the work itself. */
async function entitiesMoved(): Promise<MeasuredCase> {
  const entities = 100_000
  console.error(`measuring ${entities} entities on 4 simulated nodes`)
  const many = new ManyShards({ numberOfShards: 128, entities })
  await many.start(4)
  await many.place()
  const { cpuMs } = await many.leave()
  await many.end()
  return one('entities moved', 'us of CPU each', (1000 * cpuMs) / (entities / 4))
}
