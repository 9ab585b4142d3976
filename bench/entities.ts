/**
 * Benchmark `entities`: how fast entities of this node come to life, and what an idle one weighs.
 *   started      plain actor entities, each started by its first message, which it has handled; a thousand at a time, up
 *                to 100,000 per round, in a hundred shards. A fresh node per round, made outside the clock.
 *   plain actor  heap bytes per idle entity of a million, after one message each
 *   defined      the same for a durable entity made by `defineEntity`, after one call that stores nothing; its journal
 *                answers at once and keeps nothing, so that only the entity is weighed
 *
 * Bare: an id, an entry in a Map and an object of eight fields.
 */
import { Behaviors } from '../src/actor/index.ts'
import { IdleEntities } from './bare/idle-entities.ts'
import type { Benchmark } from './benchmark.ts'
import { Countdown } from './countdown.ts'
import { measure, type Running } from './harness.ts'
import { measureApart } from './memory.ts'
import { accounts, type BenchMember, startMember } from './sharded-shape.ts'

const entitiesMax = 100_000
const entitiesAtOnce = 1000
const idleEntities = 1_000_000

export const entities: Benchmark = {
  name: 'entities',
  summary: 'entities started per second, and heap bytes per idle entity',
  async run() {
    const started = await measure({
      name: 'started, first message included',
      unit: 'entities/s',
      operationsStep: entitiesAtOnce,
      operationsMax: entitiesMax,
      contestants: [
        { name: 'ours', setUp: startOurs },
        { name: 'bare', setUp: startBare },
      ],
    })
    const bare = measureApart('bare', idleEntities).afterOneMessage
    const weighed = (name: string, contestant: string) => {
      console.error(`weighing ${name}`)
      const ours = measureApart(contestant, idleEntities).afterOneMessage
      const contestants = [
        { name: 'ours', samples: [ours] },
        { name: 'bare', samples: [bare] },
      ]
      return { name, unit: 'bytes', contestants }
    }
    return [
      started,
      weighed('idle plain actor entity', 'sharded'),
      weighed('idle defined entity', 'defined'),
    ]
  },
}

async function startOurs(): Promise<Running> {
  const countdown = new Countdown()
  const behavior = Behaviors.receiveMessage(countdown.one)
  const start = async (): Promise<BenchMember> => {
    const member = await startMember()
    member.sharding.init({ key: accounts, behavior: () => behavior })
    // All shards get their homes outside the clock.
    const homes = countdown.from(entitiesAtOnce)
    for (let index = 0; index < entitiesAtOnce; index++) greet(member, `warm-up-${index}`)
    await homes
    return member
  }
  let member = await start()
  return {
    async round(operations) {
      for (let first = 0; first < operations; first += entitiesAtOnce) {
        const all = countdown.from(entitiesAtOnce)
        for (let index = first; index < first + entitiesAtOnce; index++) {
          greet(member, `account-${index}`)
        }
        await all
      }
    },
    async afterRound() {
      await member.system.terminate()
      member = await start()
    },
    tearDown: () => member.system.terminate(),
  }
}

function greet({ sharding }: BenchMember, id: string): void {
  sharding.entityRefFor(accounts, id).tell({ type: 'add', by: 1 })
}

function startBare(): Running {
  const countdown = new Countdown()
  const behavior = { start: () => {}, handle: countdown.one }
  let idle = new IdleEntities()
  return {
    async round(operations) {
      for (let first = 0; first < operations; first += entitiesAtOnce) {
        const all = countdown.from(entitiesAtOnce)
        for (let index = first; index < first + entitiesAtOnce; index++) {
          idle.spawn(`account-${index}`, behavior)
          idle.tell(`account-${index}`, { type: 'add', by: 1 })
        }
        await all
      }
    },
    afterRound() {
      idle = new IdleEntities()
    },
  }
}
