import { describe, expect, test } from 'vitest'
import { cases } from '../how-long.ts'
import { LeastShardAllocationStrategy } from '../../src/sharding/allocation/least-shard-allocation-strategy.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import type { Letter } from '../machines/network.ts'
import { type RegionNode, World } from './machine-world.ts'

const numberOfShards = 4
const strategy = new LeastShardAllocationStrategy({ shardsMax: 10, shareMax: 1 })

const isOn = (lane: string) => (letter: Letter) => letter.lane === lane
const isBetweenNodes = (letter: Letter): boolean => letter.message !== undefined

/** What may happen in a world of machines, drawn by chance; and how it comes to rest when the faults end. */
class Chaos {
  readonly isFaultFree: boolean
  readonly canLose: boolean
  readonly world: World
  readonly #random: SeededRandom
  #isQuiet = false

  constructor(seed: number) {
    const random = new SeededRandom(seed, 'interleaving')
    this.#random = random
    this.isFaultFree = seed % 4 === 0
    this.canLose = seed % 4 >= 2
    const settings = { numberOfShards, handOffsMax: 2 }
    this.world = new World({ random, settings, releasedMax: 2 })
    this.world.trouble = { loss: this.canLose ? 0.02 : 0, repetition: 0.08 }
    this.world.strategy = {
      allocateShard: (request) => strategy.allocateShard(request),
      rebalance: (request) =>
        this.#isQuiet ? strategy.rebalance(request) : [random.below(numberOfShards)],
    }
    for (let index = 0; index < 3; index++) this.#addNode()
    this.world.startCoordinator()
    for (const node of this.world.nodes) this.world.join(node)
  }

  act(): void {
    const { network, alive, working } = this.world
    const random = this.#random
    const dice = random.below(1000)
    if (dice < 560) network.deliverAny(isBetweenNodes)
    else if (dice < 760) this.world.send(random.pick(working), random.below(numberOfShards))
    else if (dice < 840) network.deliverAny(isOn('store'))
    else if (dice < 880) network.deliverAny(isOn('answer'))
    else if (dice < 930) this.#stopOne(random.pick(alive))
    else if (dice < 950) this.#fireRetry()
    else if (dice < 962) network.fire(this.world.coordinator, 'rebalance')
    else if (dice < 970) this.#fireHandOff()
    else if (dice < 975) this.#freezeOrThaw(random.pick(alive))
    else if (dice < 979) this.world.tellCandidates(random.pick(alive))
    else if (!this.isFaultFree) this.#fault(dice)
  }

  #fault(dice: number): void {
    const { world } = this
    const random = this.#random
    const staying = world.working.filter(({ isLeaving }) => !isLeaving)
    if (dice < 983) this.#replaceCoordinator()
    else if (dice < 985) {
      if (staying.length > 1) world.crash(random.pick(staying))
    } else if (dice < 987) {
      if (staying.length > 1) world.leave(random.pick(staying))
    } else if (dice < 989) {
      if (world.nodes.length < 6) world.join(this.#addNode())
    } else if (dice < 991) {
      if (this.canLose) world.breakStream(random.pick(world.nodes), random.pick(world.nodes))
    } else if (dice < 993) {
      const finished = world.alive.filter(({ isFinished }) => isFinished)
      if (finished.length > 0) world.crash(random.pick(finished))
    } else this.#removeDead()
  }

  #addNode(): RegionNode {
    return this.world.addNode(`n${this.world.nodes.length + 1}`)
  }

  #replaceCoordinator(): void {
    this.world.network.crash(this.world.coordinator)
    this.world.startCoordinator()
  }

  #freezeOrThaw(node: RegionNode): void {
    node.isFrozen = !node.isFrozen
    this.world.network.give(node, { type: node.isFrozen ? 'Frozen' : 'Thawed' })
  }

  #stopOne({ id }: RegionNode): void {
    this.world.network.deliverAny(({ from, lane }) => from === id && lane === 'stop')
  }

  /** One observer hears that a dead node was removed. */
  #removeDead(): void {
    const { alive, nodes, coordinator } = this.world
    const dead = nodes.filter(({ isAlive }) => !isAlive)
    if (dead.length === 0) return
    const { id } = this.#random.pick(dead)
    const observers = alive.filter(({ knowsRemoved }) => !knowsRemoved.has(id))
    this.world.remove(id, this.#random.pick([...observers, coordinator]))
  }

  #fireRetry(): void {
    const { network, alive, coordinator } = this.world
    if (this.#random.chance(0.3)) return network.fire(coordinator, 'retry')
    const node = this.#random.pick(alive)
    // Among them the one that ends a leave.
    const timers = [...node.timers.keys()]
    if (timers.length > 0) network.fire(node, this.#random.pick(timers))
  }

  #fireHandOff(): void {
    const { network, coordinator } = this.world
    const timers = [...coordinator.timers.keys()].filter((timer) => timer.startsWith('hand-off'))
    if (timers.length > 0) network.fire(coordinator, this.#random.pick(timers))
  }

  // -- the end: faults stop, and everything must come to rest

  settle(): void {
    const { world } = this
    this.#isQuiet = true
    world.trouble = {}
    for (const node of world.alive) {
      if (node.isFrozen) this.#freezeOrThaw(node)
      world.tellCandidates(node)
    }
    for (let round = 0; round < 40; round++) {
      this.#drain()
      for (const node of world.alive)
        if (node.timers.has('retry')) world.network.fire(node, 'retry')
      world.network.fire(world.coordinator, 'retry')
      for (let index = 0; index < 20; index++) this.#removeDead()
    }
    this.#drain()
  }

  #drain(): void {
    const { world } = this
    for (let count = 0; count < 20_000; count++) {
      const releasing = world.alive.find(({ timers }) => timers.has('release'))
      if (releasing !== undefined) world.network.fire(releasing, 'release')
      else if (!world.network.deliverAny()) return
    }
    world.check(false, 'messages go round for ever')
  }
}

function checkRest(world: World): void {
  const { handOffs, asked, isStoring } = world.coordinator.machine.snapshot()
  const moving = world.alive.map(({ machine }) => machine.explain(handOffs[0]?.shard ?? 0))
  world.check(handOffs.length === 0, `L1: still moves: ${JSON.stringify([handOffs, moving])}`)
  world.check(asked.length === 0, `L2: shards ${asked} have no home`)
  world.check(!isStoring, 'still storing')
  for (const node of world.working) {
    const { buffered, phase } = node.machine.snapshot()
    world.check(buffered === 0, `L3: ${buffered} wait at ${node.id}`)
    world.check(phase === 'serving', `${node.id} is still ${phase}`)
  }
  for (const [shard, home] of world.stored.homes) {
    const host = world.find(home.region)
    world.check(host?.isAlive && host.hosts.get(shard) === 'running', `L2: nobody hosts ${shard}`)
  }
}

function checkConservation({ world, canLose, isFaultFree }: Chaos): void {
  const crashed = new Set(world.nodes.filter(({ isAlive }) => !isAlive).map(({ id }) => id))
  for (const { id, held, shard, sender } of world.sent) {
    const reason = world.dropped.get(id)
    const isDrop = reason === 'region-stopped' || (reason !== undefined && canLose)
    if (world.delivered.has(id) || isDrop || world.lost.has(id)) continue
    // Lost with a node that died while it, or what came back from it, was under way.
    const isExcused = [...held].some((node) => crashed.has(node))
    const what = `message ${id} of ${sender} for shard ${shard}`
    world.check(isExcused, `S3: ${what} ${reason ? `is dropped: ${reason}` : 'is nowhere'}`)
  }
  if (!isFaultFree) return
  world.check(world.delivered.size === world.sent.length, 'S3: without faults everything arrives')
}

function run(seed: number): World {
  const chaos = new Chaos(seed)
  const { world } = chaos
  for (let count = 0; count < 1_500; count++) chaos.act()
  chaos.settle()
  checkRest(world)
  for (const node of world.working) {
    for (let shard = 0; shard < numberOfShards; shard++) world.send(node, shard)
  }
  chaos.settle()
  checkRest(world)
  checkConservation(chaos)
  return world
}

describe('regions and coordinators under random interleavings', () => {
  const seeds = cases({ short: 300, full: 3_000 })

  test('keep one home, the order, and every message', { timeout: 300_000 }, () => {
    let delivered = 0
    let hosted = 0
    for (let seed = 0; seed < seeds; seed++) {
      try {
        const world = run(seed)
        delivered += world.delivered.size
        hosted += world.stored.lastEpoch
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
      }
    }
    expect(delivered).toBeGreaterThan(seeds * 100)
    expect(hosted).toBeGreaterThan(seeds * numberOfShards)
  })
})
