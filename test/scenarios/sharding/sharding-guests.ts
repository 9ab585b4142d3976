/**
 * Entities that are remembered, beside those of the spine. Counters are durable and never rest; nappers rest when they are idle;
 * of a crowd only some have room; porters are plain actors that fail now and then, or stop by themselves.
 */
import { Behaviors } from '../../../src/actor/index.ts'
import { defineEntity } from '../../../src/entity/index.ts'
import { EntityTypeKey, type Passivation } from '../../../src/sharding/index.ts'
import type { ClusterChecks, SeededRandom, Simulation } from '../../../src/simulation/index.ts'
import type { Running } from '../spine/spine-cluster.ts'
import type { Hosting } from '../spine/spine-entities.ts'
import { drawLease, drawLimit } from './sharding-kinds.ts'

/** A message with its place among those of its sender. */
interface Load {
  readonly sender: string
  readonly number: number
}

const porterKey = new EntityTypeKey<Load>('Porter')
const ids = Array.from({ length: 8 }, (_, index) => `g${index}`)
const crowdIds = Array.from({ length: 24 }, (_, index) => `c${index}`)
const PAUSE_MS = 250
const PORTER_ENDS = 0.05
const PORTER_SHARDS = 6
export const guestPlaces = [
  'a porter fails',
  'a porter stops by itself',
  'shards have leases',
  'shards have no leases',
]

export class ShardingGuests {
  readonly #simulation: Simulation
  readonly #checks: ClusterChecks
  readonly #random: SeededRandom
  readonly #crowdLimit: Passivation
  readonly #porterHosting: Hosting
  readonly #counter
  readonly #napper
  readonly #crowd
  /** By id, the highest count that a caller was told. */
  readonly #acknowledged = new Map<string, number>()
  /** Ids of porters that have got a message. */
  readonly #porters = new Set<string>()
  /** Numbers of messages that porters were sent in the end, and got. */
  readonly #carried = new Set<string>()
  /** Which shards porters are in: another one after all nodes were down. */
  #rule = 0
  #isOver = false

  constructor(simulation: Simulation, checks: ClusterChecks) {
    this.#simulation = simulation
    this.#checks = checks
    this.#random = simulation.random.fork('guests')
    const lease = drawLease(this.#random)
    const hosting = { rememberEntities: true, numberOfShards: 6, ...lease }
    simulation.reached(lease.lease ? 'shards have leases' : 'shards have no leases')
    this.#crowdLimit = drawLimit(this.#random)
    this.#porterHosting = { rememberEntities: true, ...drawLease(this.#random) }
    this.#counter = this.#counters('Counter', hosting)
    this.#napper = this.#counters('Napper', { ...hosting, passivateAfter: '1s' })
    this.#crowd = this.#counters('Crowd', { ...hosting, passivation: this.#crowdLimit })
    for (const { name } of this.entities) checks.remembered.watch(name)
    checks.remembered.watch(porterKey.name)
  }

  /** What every node hosts. */
  get entities() {
    return [this.#counter, this.#napper, this.#crowd]
  }

  host({ node }: Running): void {
    node.sharding.init({
      key: porterKey,
      ...this.#porterHosting,
      extractorId: `porters@${this.#rule}`,
      extractShardId: (entityId) => (Number(entityId.slice(1)) + this.#rule) % PORTER_SHARDS,
      behavior: ({ entityId }) =>
        Behaviors.receiveMessage<Load>(({ sender, number }) =>
          this.#carry(entityId, sender, number),
        ),
    })
  }

  /** Calls from that node until it is gone, or all is over. */
  begin(running: Running): void {
    const random = this.#simulation.random.fork(`guests of ${running.life.label}`)
    let sent = 0
    const goOn = (): void => {
      if (this.#isOver) return
      const draw = random.below(4)
      if (draw === 0) this.#count(running, random.pick(ids))
      else if (draw === 1)
        void this.#quietly(running.node.entity(this.#napper, random.pick(ids)).add(1))
      else if (draw === 2)
        void this.#quietly(running.node.entity(this.#crowd, random.pick(crowdIds)).add(1))
      else {
        const load = { sender: running.life.label, number: ++sent }
        running.node.sharding.entityRefFor(porterKey, random.pick(ids)).tell(load)
      }
      running.life.environment.timers.after(2 * PAUSE_MS * random.float(), goOn)
    }
    goOn()
  }

  end(): void {
    this.#isOver = true
  }

  /** While no node runs: from now on porters are in other shards than before. */
  move(): void {
    this.#rule++
  }

  /** What is not as it must be when all faults have ended and nobody calls, in words, one at a time. */
  *problems(nodes: readonly Running[]): Generator<string, void> {
    const { remembered } = this.#checks
    yield* remembered.problems()
    for (const id of this.#acknowledged.keys()) {
      if (!remembered.isRunning(this.#counter.name, id)) {
        yield `Counter/${id} has answered and does not run`
      }
    }
    for (const id of this.#porters) {
      if (!remembered.isRunning(porterKey.name, id)) {
        yield `Porter/${id} has worked and does not run`
      }
    }
    for (const id of ids) {
      if (remembered.isRunning(this.#napper.name, id)) yield `Napper/${id} runs and is idle`
    }
    for (const each of nodes) yield* this.#tooMany(each)
  }

  /** Every counter still has what its callers were told, and every porter gets what it is sent. */
  async conclude([first]: readonly Running[], when: string): Promise<void> {
    const load = { sender: when, number: 1 }
    for (const id of this.#porters) {
      first?.node.sharding.entityRefFor(porterKey, id).tell(load)
    }
    const haveAll = (): boolean =>
      [...this.#porters].every((id) => this.#carried.has(`${when} ${id}`))
    await this.#simulation.runUntil(haveAll, { within: '30s', what: 'every porter gets a message' })
    for (const [id, count] of this.#acknowledged) {
      const patient = first?.node.entity(this.#counter, id, { timeout: '30s' })
      const now = await this.#simulation.settle(patient?.get() ?? Promise.resolve(0))
      this.#simulation.check(
        'D1: what was acknowledged is there',
        now >= count,
        `Counter/${id} has ${now}, and a caller was told ${count}`,
      )
    }
  }

  /** Every shard has room for one, however low the limit is. */
  #tooMany({ node, life }: Running): string[] {
    const { shards } = node.sharding.regionState(this.#crowd.name)
    const limit = this.#crowdLimit as { readonly activeEntityLimit: number }
    const max = Math.max(limit.activeEntityLimit, shards.length)
    const count = shards.reduce((sum, { entityIds }) => sum + entityIds.length, 0)
    return count <= max ? [] : [`${count} of a crowd run on ${life.label}, and ${max} may`]
  }

  #counters(name: string, options: object) {
    const acted = (id: string): void => this.#checks.acted(this.#simulation.here, name, id)
    return defineEntity(name, {
      state: () => ({ count: 0 }),
      events: { Added: (state, by: number) => ({ count: state.count + by }) },
      commands: {
        add: (self, by: number) => {
          acted(self.id)
          return self.persist('Added', by).count
        },
        get: (self) => {
          acted(self.id)
          return self.state.count
        },
      },
      ...options,
    })
  }

  #count({ node }: Running, id: string): void {
    node
      .entity(this.#counter, id)
      .add(1)
      .then(
        (count) =>
          void this.#acknowledged.set(id, Math.max(count, this.#acknowledged.get(id) ?? 0)),
        () => undefined,
      )
  }

  #carry(entityId: string, sender: string, number: number) {
    this.#checks.acted(this.#simulation.here, porterKey.name, entityId)
    this.#checks.order.received(sender, `${porterKey.name}/${entityId}`, number)
    this.#porters.add(entityId)
    this.#carried.add(`${sender} ${entityId}`)
    if (this.#random.chance(PORTER_ENDS)) {
      this.#simulation.reached('a porter fails')
      throw new Error('it is too heavy')
    }
    if (!this.#random.chance(PORTER_ENDS)) return Behaviors.same
    this.#simulation.reached('a porter stops by itself')
    return Behaviors.stopped()
  }

  #quietly(call: Promise<unknown>): Promise<unknown> {
    return call.catch(() => undefined)
  }
}
