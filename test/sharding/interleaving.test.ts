import { describe, expect, test } from 'vitest'
import { cases } from '../how-long.ts'
import { type Node, World, numberOfShards, parcelsOf } from './machine-world.ts'

/** What may happen in a world of machines, drawn by chance; and how it comes to rest when the faults end. */
class Chaos {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  act(): void {
    const { random } = this.#world
    const dice = random.below(1000)
    if (dice < 560) {
      const busy = [...this.#world.links.values()].filter(({ items }) => items.length > 0)
      if (busy.length > 0) this.#world.deliverFrom(random.pick(busy))
    } else if (dice < 760)
      this.#world.send(random.pick(this.#world.working), random.below(numberOfShards))
    else if (dice < 840) this.#world.store()
    else if (dice < 880) this.#world.answer()
    else if (dice < 930) this.#world.stopOne(random.pick(this.#world.alive))
    else if (dice < 950) this.fireRetry()
    else if (dice < 962) this.#world.fire('rebalance')
    else if (dice < 970) this.fireHandOff()
    else if (dice < 975) this.freezeOrThaw(random.pick(this.#world.alive))
    else if (dice < 979) this.tellCandidates()
    else this.fault(dice)
  }

  fault(dice: number): void {
    if (!this.#world.faults.canCrash) return
    const { random } = this.#world
    const staying = this.#world.working.filter(({ isLeaving }) => !isLeaving)
    if (dice < 983) this.#world.startCoordinator()
    else if (dice < 985) {
      if (staying.length > 1) this.#world.crash(random.pick(staying))
    } else if (dice < 987) {
      if (staying.length > 1) this.leave(random.pick(staying))
    } else if (dice < 989) {
      if (this.#world.nodes.length < 6) this.join()
    } else if (dice < 991) {
      if (this.#world.faults.canLose)
        this.breakStream(random.pick(this.#world.nodes), random.pick(this.#world.nodes))
    } else if (dice < 993) {
      const finished = this.#world.alive.filter(({ isFinished }) => isFinished)
      if (finished.length > 0) this.#world.crash(random.pick(finished))
    } else this.#world.removeDead()
  }

  breakStream(a: Node, b: Node): void {
    this.#world.story.push(`stream ${a.id} ${b.id} breaks`)
    for (const link of this.#world.links.values()) {
      const isBetween =
        (link.from === a.id && link.to === b.id) || (link.from === b.id && link.to === a.id)
      if (link.isControl || !isBetween) continue
      for (const item of link.items.splice(0)) {
        if (item.type === 'Peer')
          for (const { id } of parcelsOf(item.message)) this.#world.lost.add(id)
      }
    }
    if (a.isAlive) this.#world.step(a, { type: 'AssociationLost', node: b.id })
    if (b.isAlive) this.#world.step(b, { type: 'AssociationLost', node: a.id })
  }

  leave(node: Node): void {
    this.#world.story.push(`${node.id} leaves`)
    node.isLeaving = true
    this.#world.step(node, { type: 'GracefulShutdown', isMember: true })
  }

  join(): void {
    const node = this.#world.addNode()
    this.#world.story.push(`${node.id} joins`)
    this.#world.perform(
      this.#world.coordinator.machine.step({ type: 'MembersChanged', cluster: this.#world.view() }),
    )
    this.#world.step(node, { type: 'Started', candidates: [this.#world.coordinator.id] })
  }

  fireRetry(): void {
    if (this.#world.random.chance(0.3)) return this.#world.fire('retry')
    const node = this.#world.random.pick(this.#world.alive)
    // Among them the one that ends a leave.
    const timers = [...node.timers]
    if (timers.length > 0) this.#world.fireFor(node, this.#world.random.pick(timers))
  }

  fireHandOff(): void {
    const timers = [...this.#world.coordinator.timers].filter((timer) =>
      timer.startsWith('hand-off'),
    )
    if (timers.length > 0) this.#world.fire(this.#world.random.pick(timers))
  }

  freezeOrThaw(node: Node): void {
    node.isFrozen = !node.isFrozen
    this.#world.step(node, { type: node.isFrozen ? 'Frozen' : 'Thawed' })
  }

  tellCandidates(): void {
    const node = this.#world.random.pick(this.#world.alive)
    this.#world.step(node, { type: 'CandidatesChanged', candidates: [this.#world.coordinator.id] })
  }

  // -- the end: faults stop, and everything must come to rest

  settle(): void {
    this.#world.isQuiet = true
    for (const node of this.#world.alive) {
      if (node.isFrozen) this.freezeOrThaw(node)
      this.#world.step(node, {
        type: 'CandidatesChanged',
        candidates: [this.#world.coordinator.id],
      })
    }
    for (let round = 0; round < 40; round++) {
      this.drain()
      for (const node of this.#world.alive)
        if (node.timers.has('retry')) this.#world.fireFor(node, 'retry')
      this.#world.fire('retry')
      for (let index = 0; index < 20; index++) this.#world.removeDead()
    }
    this.drain()
  }

  drain(): void {
    for (let count = 0; count < 20_000; count++) {
      const busy = [...this.#world.links.values()].filter(({ items }) => items.length > 0)
      const stopping = this.#world.alive.filter(({ hosts }) =>
        [...hosts.values()].includes('stopping'),
      )
      const releasing = this.#world.alive.find(({ timers }) => timers.has('release'))
      if (busy.length > 0) this.#world.deliverFrom(this.#world.random.pick(busy))
      else if (releasing !== undefined) this.#world.fireFor(releasing, 'release')
      else if (stopping.length > 0) this.#world.stopOne(this.#world.random.pick(stopping))
      else if (this.#world.coordinator.storing !== undefined) this.#world.store()
      else if (this.#world.coordinator.answers.length > 0) this.#world.answer()
      else return
    }
    this.#world.check(false, 'messages go round for ever')
  }
}

/** What every node makes of a shard. */
function explained(world: World, shard: number): string {
  return world.alive
    .map(({ id, machine }) => `${id} ${JSON.stringify(machine.explain(shard))}`)
    .join('\n')
}

function checkRest(world: World): void {
  const { handOffs, asked, isStoring } = world.coordinator.machine.snapshot()
  world.check(
    handOffs.length === 0,
    `L1: still moves: ${JSON.stringify(handOffs)} ${explained(world, handOffs[0]?.shard ?? 0)}`,
  )
  world.check(asked.length === 0, `L2: shards ${asked} have no home`)
  world.check(!isStoring, 'still storing')
  for (const node of world.working) {
    const { buffered, phase } = node.machine.snapshot()
    world.check(buffered === 0, `L3: ${buffered} wait at ${node.id}`)
    world.check(phase === 'serving', `${node.id} is still ${phase}`)
  }
  for (const [shard, home] of world.shadow.homes) {
    const host = world.find(home.region)
    world.check(host?.isAlive && host.hosts.get(shard) === 'running', `L2: nobody hosts ${shard}`)
  }
}

function checkConservation(world: World): void {
  const crashed = new Set(world.nodes.filter(({ isAlive }) => !isAlive).map(({ id }) => id))
  for (const { id, held, shard, sender } of world.sent) {
    const reason = world.dropped.get(id)
    const isDrop = reason === 'region-stopped' || (reason !== undefined && world.faults.canLose)
    if (world.delivered.has(id) || isDrop || world.lost.has(id)) continue
    // Lost with a node that died while it, or what came back from it, was under way.
    const isExcused = [...held].some((node) => crashed.has(node))
    const what = `message ${id} of ${sender} for shard ${shard}`
    world.check(isExcused, `S3: ${what} ${reason ? `is dropped: ${reason}` : 'is nowhere'}`)
  }
  if (!world.faults.isFaultFree) return
  world.check(world.delivered.size === world.sent.length, 'S3: without faults everything arrives')
}

function run(seed: number): World {
  const world = new World(seed)
  const chaos = new Chaos(world)
  for (let count = 0; count < 1_500; count++) chaos.act()
  chaos.settle()
  checkRest(world)
  for (const node of world.working) {
    for (let shard = 0; shard < numberOfShards; shard++) world.send(node, shard)
  }
  chaos.settle()
  checkRest(world)
  checkConservation(world)
  return world
}

test('a world of machines brings a message to its shard', () => {
  const world = new World(0)
  world.send(world.nodes[0]!, 1)
  for (let round = 0; round < 9; round++) {
    for (const link of world.links.values()) while (link.items.length > 0) world.deliverFrom(link)
    world.store()
    world.answer()
  }
  expect(world.delivered.size).toBe(1)
})

describe('regions and coordinators under random interleavings', () => {
  const seeds = cases({ short: 300, full: 3_000 })

  test('keep one home, the order, and every message', { timeout: 600_000 }, () => {
    let delivered = 0
    let hosted = 0
    for (let seed = 0; seed < seeds; seed++) {
      try {
        const world = run(seed)
        delivered += world.delivered.size
        hosted += world.shadow.lastEpoch
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
      }
    }
    expect(delivered).toBeGreaterThan(seeds * 100)
    expect(hosted).toBeGreaterThan(seeds * numberOfShards)
  })
})
