/** Nodes that find each other, on links with latency: whatever each of them is told, and whenever, they never become two clusters. */
import { describe, expect, test } from 'vitest'
import type { Address } from '../../src/foundation/node-id.ts'
import { SeededRandom } from '../../src/simulation/seeded-random.ts'
import { cases } from '../how-long.ts'
import { Network, type Node } from './network.ts'

const five: readonly Address[] = ['a:1', 'b:1', 'c:1', 'd:1', 'e:1']
const required = 3

type Answer = readonly Address[] | Error | undefined

function networkOf(lookUp: (asker: Address) => Answer, { seed = 1 } = {}): Network {
  return new Network({
    seed,
    lookUp,
    requiredNodes: required,
    settings: { joinDeadlineMs: 60_000 },
  })
}

/** Who is let in, by cluster: two views of one cluster have a member in common. */
function clustersOf({ alive }: Network): string[] {
  const upOnes = ({ machine }: Node) =>
    machine.gossip.members.filter(({ status }) => status === 'Up').map(({ node }) => node)
  const views = alive.filter((node) => upOnes(node).length > 0)
  const groups: Set<string>[] = []
  for (const view of views) {
    const members = new Set([...upOnes(view), view.id])
    const known = groups.filter((group) => [...members].some((node) => group.has(node)))
    for (const group of known) {
      groups.splice(groups.indexOf(group), 1)
      for (const node of group) members.add(node)
    }
    groups.push(members)
  }
  return groups.map((group) => [...group].sort().join(' '))
}

const founded = ({ nodes }: Network) =>
  nodes.filter(({ machine }) => machine.gossip.members.length > 0)

describe('nodes that find each other', () => {
  test('become one cluster, in whatever order they come', () => {
    const network = networkOf(() => five)
    for (const address of [...five].reverse()) {
      network.start(address)
      network.run(700)
    }
    network.runUntil('all are up', () => network.isWhole, 30_000)
    expect(clustersOf(network)).toHaveLength(1)
  })

  test('too few found nothing; the one that was missing makes a cluster of them', () => {
    const network = networkOf((asker) => five.filter((each) => each <= 'c:1' || each === asker))
    network.start('a:1')
    network.start('b:1')
    network.run(30_000)
    expect(founded(network)).toEqual([])
    network.start('c:1')
    network.runUntil('all are up', () => network.isWhole, 30_000)
  })

  test('one that comes later joins, although it finds but one of them and would be the lowest', () => {
    const network = networkOf((asker) => (asker === 'a:1' ? ['a:1', 'e:1'] : five.slice(1)))
    for (const address of five.slice(1)) network.start(address)
    network.runUntil('four are up', () => network.isWhole, 30_000)
    network.start('a:1')
    network.runUntil('all are up', () => network.isWhole, 30_000)
    expect(clustersOf(network)).toHaveLength(1)
  })

  test('the founder dies before anybody has joined: the others found without it', () => {
    const network = networkOf(() => five)
    for (const address of five) network.start(address)
    const founder = (): Node | undefined => founded(network)[0]
    network.runUntil('one founds', () => founder() !== undefined, 30_000, 1)
    network.crash(founder()!)
    network.runUntil('the others are up', () => network.isWhole, 60_000)
    expect(network.alive).toHaveLength(4)
  })

  test('two groups that are cut off from each other: only the one that is large enough founds', () => {
    const network = networkOf((asker) => (asker <= 'b:1' ? ['a:1', 'b:1'] : ['c:1', 'd:1', 'e:1']))
    const nodes = five.map((address) => network.start(address))
    network.cut(nodes.slice(0, 2), nodes.slice(2))
    network.run(40_000)
    expect(nodes.map(({ machine }) => machine.gossip.members.length)).toEqual([0, 0, 3, 3, 3])
  })

  test('one that is found and silent keeps all from founding, and they say so', () => {
    const network = networkOf(() => five)
    const nodes = five.map((address) => network.start(address))
    network.crash(nodes[4]!, { silent: true })
    network.run(40_000)
    expect(founded(network)).toEqual([])
    const { troubles = [] } = nodes[0]!.machine.snapshot().discovery ?? {}
    expect(troubles.join()).toContain('e:1 may be in one: it is found, and has not said')
  })

  test('those who found each other and then do not come: who waits for them gives up', () => {
    const network = networkOf(() => five)
    const nodes = five.map((address) => network.start(address))
    const hasFounded = (): boolean => founded(network).length > 0
    network.runUntil('one founds', hasFounded, 30_000, 1)
    network.cut([nodes[0]!], nodes.slice(1))
    network.runUntil('it has given up', () => nodes[0]!.ended === 'join-failed', 70_000)
    expect(clustersOf(network)).toHaveLength(0)
  })

  test('all restart at once: one cluster again', () => {
    const network = networkOf(() => five)
    for (const address of five) network.start(address)
    network.runUntil('all are up', () => network.isWhole, 30_000)
    for (const node of network.alive) network.crash(node)
    const before = network.nodes.length
    for (const address of five) network.start(address)
    network.runUntil('all are up again', () => network.isWhole, 60_000)
    expect(network.nodes.length).toBe(before + 5)
  })
})

/** What DNS tells each of them: parts, errors, nothing, each for a while, until all are told of all. */
class UnsteadyAnswers {
  readonly #random: SeededRandom
  readonly #kept = new Map<Address, { readonly until: number; readonly answer: Answer }>()
  isSteady = false

  constructor(random: SeededRandom) {
    this.#random = random
  }

  of(asker: Address, now: number): Answer {
    if (this.isSteady) return five
    const known = this.#kept.get(asker)
    if (known !== undefined && now < known.until) return known.answer
    const answer = this.#draw()
    this.#kept.set(asker, { until: now + 1_000 * this.#random.below(15), answer })
    return answer
  }

  #draw(): Answer {
    const draw = this.#random.below(10)
    if (draw === 0) return new Error('SERVFAIL')
    if (draw === 1) return undefined
    return five.filter(() => this.#random.below(10) < 7)
  }
}

/** Who has ended is started again, as a process manager does. */
function restart(network: Network): void {
  const hasEnded = (address: Address): boolean =>
    network.nodes.some((node) => node.address === address) && !network.latest(address).isAlive
  for (const address of five.filter(hasEnded)) network.start(address)
}

/** Too few are outside to make another cluster, also without this one. */
function maySpare(network: Network, node: Node): boolean {
  const isUp = ({ machine, id }: Node): boolean =>
    machine.gossip.members.some((member) => member.node === id && member.status === 'Up')
  const up = network.alive.filter((other) => other !== node && isUp(other))
  return up.length === 0 || five.length - up.length < required
}

test('whatever each is told, and whoever crashes or is cut off, two clusters never come of it', () => {
  let foundings = 0
  for (let seed = 1; seed <= cases({ short: 40, full: 400 }); seed++) {
    const random = new SeededRandom(seed, 'answers')
    const answers = new UnsteadyAnswers(random)
    const network: Network = networkOf((asker) => answers.of(asker, network.now), { seed })
    for (const address of five) {
      network.start(address)
      network.run(random.below(3_000))
    }
    for (let round = 0; round < 12; round++) {
      network.run(random.below(5_000))
      if (network.alive.length === 0) restart(network)
      const [one, other] = [random.pick(network.alive), random.pick(network.alive)]
      const draw = random.below(6)
      if (draw === 0 && maySpare(network, one)) network.crash(one)
      if (draw === 1 && one !== other) network.cut([one], [other])
      if (draw === 2) network.heal()
      if (draw >= 3) restart(network)
      expect(clustersOf(network).length, `seed ${seed}: ${network.show()}`).toBeLessThan(2)
    }
    foundings += clustersOf(network).length
    answers.isSteady = true
    network.heal()
    const isWhole = (): boolean => {
      restart(network)
      return network.isWhole && network.alive.length === five.length
    }
    network.runUntil(`seed ${seed}: all are up`, isWhole, 200_000, 250)
    expect(clustersOf(network)).toHaveLength(1)
  }
  // Else nothing would have been tried.
  expect(foundings).toBeGreaterThan(5)
})
