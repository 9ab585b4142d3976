import { expect, test } from 'vitest'
import { cases } from '../how-long.ts'
import { Network, type Node } from './network.ts'
import { SharedRegister } from './shared-register.ts'

/** Two data centers of three: by random faults in each, and cuts of the line between them. */
const addresses = ['a:1', 'b:1', 'c:1', 'd:1', 'e:1', 'f:1']
const kinds = ['crash', 'host', 'restart', 'split', 'sleep', 'leave'] as const
const from = Number(process.env['CLUSTER_SEED'] ?? 1)
const count = Number(process.env['CLUSTER_SEEDS'] ?? cases({ short: 6, full: 300 }))

class TwoPlaces {
  readonly network: Network
  #isLineDown = false

  constructor(seed: number, hasStore: boolean) {
    this.network = new Network({
      seed,
      // The first seed waits for those it cannot reach: a second cluster is not what is tested here.
      settings: { seedTimeoutMs: 90_000, joinDeadlineMs: 90_000 },
      latencyMs: [1, 5 + (seed % 5) * 20],
      ...(hasStore && { register: new SharedRegister() }),
    })
    for (const address of addresses) this.start(address)
    this.network.runUntil('a whole cluster', () => this.network.isWhole, 60_000, 250)
  }

  start(address: string): Node {
    const dataCenter = address < 'd' ? 'one' : 'two'
    const node = this.network.start(address, addresses, { dataCenter })
    if (this.#isLineDown) this.network.cut([node], this.#others(node))
    return node
  }

  /** The line is cut for so long, and meanwhile this happens. */
  cutLine(forMs: number, meanwhile: () => void): void {
    const { network } = this
    this.#isLineDown = true
    const one = network.alive.filter(({ address }) => address < 'd')
    network.cut(
      one,
      network.alive.filter((node) => !one.includes(node)),
    )
    const until = network.now + forMs
    meanwhile()
    network.run(Math.max(0, until - network.now))
    this.#isLineDown = false
    network.heal()
  }

  strike(kind: (typeof kinds)[number]): void {
    const { network } = this
    const { random } = network
    if (network.alive.length === 0) return
    const victim = random.pick(network.alive)
    switch (kind) {
      case 'crash':
      case 'host':
        network.crash(victim, { silent: kind === 'host' })
        network.run(random.below(20_000))
        return void this.start(victim.address)
      case 'restart':
        network.crash(victim)
        return void this.start(victim.address)
      case 'sleep':
        return network.sleep(victim, random.below(20_000))
      case 'leave':
        return network.give(victim, { type: 'Leave', node: victim.id })
      case 'split': {
        const near = network.alive.filter((node) => !this.#others(victim).includes(node))
        const side = near.filter(() => random.chance(0.5))
        network.cut(
          side,
          near.filter((node) => !side.includes(node)),
        )
        return network.run(random.below(20_000))
      }
    }
  }

  #others({ address }: Node): Node[] {
    return this.network.alive.filter((node) => node.address < 'd' !== address < 'd')
  }
}

function play(seed: number, hasStore: boolean): TwoPlaces {
  const places = new TwoPlaces(seed, hasStore)
  const { network } = places
  const { random } = network
  const rounds = 2 + random.below(3)
  for (let round = 0; round < rounds; round++) {
    network.run(random.below(10_000))
    places.cutLine(random.below(40_000), () => {
      network.run(random.below(20_000))
      places.strike(random.pick(kinds))
    })
  }
  network.run(60_000)
  for (const address of addresses) {
    if (!network.alive.some((node) => node.address === address)) places.start(address)
  }
  network.runUntil('a whole cluster again', () => network.isWhole, 120_000, 250)
  return places
}

test.each([false, true])(
  `CL-019 ${count} random runs of two data centers break no promise, and become whole again; with a shared store: %s`,
  (hasStore) => {
    let removals = 0
    for (let seed = from; seed < from + count; seed++) {
      try {
        removals += play(seed, hasStore).network.checks.removals
      } catch (error) {
        const how = `CLUSTER_SEED=${seed} CLUSTER_SEEDS=1`
        throw new Error(`${how}: ${(error as Error).message}`, { cause: error })
      }
    }
    expect(removals).toBeGreaterThan(count)
  },
  600_000,
)

test.each([false, true])(
  'CL-019 a cut of the line alone freezes nobody and gives nobody up; with a shared store: %s',
  (hasStore) => {
    for (let seed = 1; seed <= 10; seed++) {
      const places = new TwoPlaces(seed, hasStore)
      const { network } = places
      const begun = network.now
      places.cutLine(90_000, () => undefined)
      network.runUntil('all agree', () => network.isWhole, 30_000)
      const told = network.nodes.flatMap(({ events }) => events.map(({ event }) => event.type))
      // Nobody is given a word of it but that of data centers.
      expect(told.filter((type) => /Unreachable|Reachable|Removed|Downed/.test(type))).toHaveLength(
        2 * addresses.length,
      )
      const frozen = network.nodes.flatMap(({ events }) =>
        events.filter(({ at, event }) => event.type === 'Frozen' && at >= begun),
      )
      expect(frozen).toEqual([])
    }
  },
)
