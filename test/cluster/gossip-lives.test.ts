import { expect, test } from 'vitest'
import type { GossipMessage } from '../../src/cluster/cluster-messages.ts'
import { defaultClusterSettings } from '../../src/cluster/cluster-settings.ts'
import { clusterProtocol } from '../../src/cluster/cluster-wire.ts'
import type { GossipInput } from '../../src/cluster/gossip/gossip-inputs.ts'
import { GossipMachine } from '../../src/cluster/gossip/gossip-machine.ts'
import {
  type Gossip,
  changedBy,
  dropTombstones,
  emptyGossip,
  hasTombstone,
  memberOf,
  mergeGossip,
  putMember,
  putMembers,
  removeMembers,
  withObservation,
} from '../../src/cluster/gossip/gossip.ts'
import { ending, moveMembers } from '../../src/cluster/gossip/member-changes.ts'
import { asUp, joiningMember } from '../../src/cluster/gossip/member.ts'
import { type PackedOrigins, noOrigins } from '../../src/cluster/gossip/packed-origins.ts'
import { compareClocks, pruneClock } from '../../src/cluster/gossip/vector-clock.ts'
import { type NodeId, addressOfNode, nodeIdOf } from '../../src/foundation/node-id.ts'
import { NotAMessage } from '../../src/serialization/internals.ts'
import { SeededRandom } from '../../src/simulation/seeded-random.ts'
import { cases } from '../how-long.ts'

/** Of a full run. */
const timeoutMs = 900_000
const addresses = ['a:1', 'b:1', 'c:1', 'd:1', 'e:1', 'f:1']

interface Welcome {
  readonly type: 'Welcome'
  readonly to: NodeId
  readonly gossip: Gossip
  readonly origins: PackedOrigins
}

interface Letter {
  readonly message: GossipMessage | Welcome
  /** What its sender knew. */
  readonly view: Gossip
}

const contentOf = ({ members, reachability, lastUpNumber, isEnding }: Gossip): string =>
  JSON.stringify([members, reachability, lastUpNumber, isEnding])

/**
 * Nodes that gossip, come, go, and come again on the same address, while words are lost, late and repeated. Whoever was
 * removed goes on for a while and does not know it; whoever was let in by one that is gone is let in again.
 */
class Lives {
  readonly #random: SeededRandom
  readonly #machines = new Map<NodeId, GossipMachine>()
  readonly #contents = new Map<string, string>()
  /** Every version that a node has had. */
  readonly #had = new Map<NodeId, Set<string>>()
  #post: Letter[] = []
  #now = 0
  #incarnation = 10n
  readonly sent = { GossipStatus: 0, GossipNews: 0, GossipEnvelope: 0 }
  removals = 0

  constructor(seed: number) {
    this.#random = new SeededRandom(seed, 'lives')
    const founders = addresses.slice(0, 4).map((address) => nodeIdOf(address, 7n))
    const members = founders.map((node, index) => asUp(joiningMember(node), index + 1))
    const gossip = changedBy(putMembers(emptyGossip, members), founders[0]!)
    for (const node of founders) this.#had.set(node, new Set([JSON.stringify(gossip.version)]))
    for (const node of founders) {
      this.#begin(node)
      const settled = { ...gossip, seen: founders }
      this.#give(node, { type: 'Adopt', tell: [], origins: noOrigins, gossip: settled })
    }
  }

  get views(): Gossip[] {
    return [...this.#machines.values()].map(({ gossip }) => gossip)
  }

  get #living(): NodeId[] {
    return [...this.#machines.keys()]
  }

  step({ isCalm }: { isCalm: boolean }): void {
    this.#now += this.#random.below(100)
    const self = this.#random.pick(this.#living)
    const kind = this.#random.below(10)
    if (!isCalm && kind === 0) return this.#change(self)
    if (kind <= 3 || this.#post.length === 0) return this.#give(self, { type: 'Tick' })
    const place = this.#random.below(isCalm ? 1 : this.#post.length)
    const letter = this.#post[place]!
    const isRepeated = !isCalm && this.#random.chance(0.2)
    if (!isRepeated) this.#post.splice(place, 1)
    if (isCalm || !this.#random.chance(0.3)) this.#deliver(letter)
  }

  /** What was under way is lost, and those who were removed, or have not come in, end; what the others know together. */
  calmDown(): Gossip {
    this.#post = []
    const buried = new Set(this.views.flatMap(({ tombstones }) => tombstones))
    for (const [node, { gossip }] of this.#machines) {
      if (buried.has(node) || gossip.members.length === 0) this.#machines.delete(node)
    }
    // Who is there is heard again; as long as nobody was, nobody was listened to.
    for (const [self, machine] of this.#machines) {
      const heard = this.#living.filter((node) => node !== self && memberOf(machine.gossip, node))
      const gossip = heard.reduce(
        (view, node) => withObservation(view, self, node, 'Reachable'),
        machine.gossip,
      )
      if (gossip !== machine.gossip) this.#give(self, { type: 'Change', gossip, tell: [] })
    }
    return this.views.reduce(mergeGossip)
  }

  get isQuiet(): boolean {
    const living = this.#living
    return this.views.every(({ seen }) => living.every((node) => seen.includes(node)))
  }

  #begin(node: NodeId): void {
    const random = this.#random.fork(node)
    this.#machines.set(node, new GossipMachine(node, defaultClusterSettings, random))
  }

  #change(self: NodeId): void {
    const { gossip } = this.#machines.get(self)!
    if (gossip.members.length === 0) return
    const node = this.#random.pick(gossip.members).node
    const isOther = node !== self
    const isDown = memberOf(gossip, node)?.status === 'Down'
    const kinds: readonly (() => Gossip)[] = [
      () => moveMembers(gossip, [node], 'Leaving'),
      () => (isOther && this.#random.chance(0.5) ? moveMembers(gossip, [node], 'Down') : gossip),
      () => (isOther ? withObservation(gossip, self, node, 'Unreachable') : gossip),
      () => (isOther ? withObservation(gossip, self, node, 'Reachable') : gossip),
      () => (isOther && isDown ? removeMembers(gossip, new Set([node])) : gossip),
      () => this.#admit(self),
      () => this.#admit(self),
      () => this.#drop(gossip),
      () => (this.#random.chance(0.05) ? ending(gossip) : gossip),
    ]
    const next = this.#random.pick(kinds)()
    if (next.members.length < gossip.members.length) this.removals++
    if (next !== gossip) this.#give(self, { type: 'Change', gossip: next, tell: [] })
  }

  /** Lets one in, or welcomes it again; its welcome is sent from what is known then. */
  #admit(self: NodeId): Gossip {
    const machine = this.#machines.get(self)!
    const { gossip } = machine
    const waiting = [...this.#machines].filter(([, { gossip: own }]) => own.members.length === 0)
    let [node] = waiting.length > 0 ? this.#random.pick(waiting) : []
    if (node === undefined) {
      const used = gossip.members.map((member) => addressOfNode(member.node))
      const free = addresses.filter((address) => !used.includes(address))
      if (free.length === 0) return gossip
      node = nodeIdOf(this.#random.pick(free), this.#incarnation++)
      this.#begin(node)
    }
    const isKnown = memberOf(gossip, node) !== undefined || hasTombstone(gossip, node)
    if (!isKnown) {
      const joining = putMember(gossip, joiningMember(node, { roles: [node.slice(0, 1)] }))
      this.#give(self, { type: 'Change', gossip: joining, tell: [] })
    }
    if (!hasTombstone(gossip, node)) {
      const message = { type: 'Welcome', to: node, gossip: machine.gossip } as const
      this.#post.push({ message: { ...message, origins: machine.origins }, view: machine.gossip })
    }
    return machine.gossip
  }

  /** As the leader does: long after everybody has heard of the removal. */
  #drop(gossip: Gossip): Gossip {
    const isEverywhere = (node: NodeId): boolean =>
      !this.#machines.has(node) &&
      this.views.every((view) => view.members.length === 0 || hasTombstone(view, node)) &&
      this.#post.every(({ view }) => hasTombstone(view, node))
    return dropTombstones(gossip, new Set(gossip.tombstones.filter(isEverywhere)))
  }

  #deliver({ message, view }: Letter): void {
    const receiver = this.#machines.get(message.to)
    if (receiver === undefined) return
    const before = receiver.gossip
    if (message.type === 'Welcome') {
      if (before.members.length > 0) return
      return this.#give(message.to, { ...message, type: 'Adopt', tell: [] })
    }
    if (before.members.length === 0) return
    const { from } = message
    if (memberOf(before, from) === undefined && !hasTombstone(before, from)) {
      // It is told that it is a stranger, and asks to join.
      const gossip = putMember(before, joiningMember(from, { roles: [from.slice(0, 1)] }))
      if (!this.#machines.has(from)) return
      return this.#give(message.to, { type: 'Change', gossip, tell: [] })
    }
    this.#give(message.to, message)
    // What it tells is as good as the whole view, or nothing.
    const possible = [before, mergeGossip(before, view)]
    const downed = moveMembers(before, [message.to], 'Down')
    expect([...possible, downed].map(contentOf)).toContain(contentOf(receiver.gossip))
  }

  #give(self: NodeId, input: GossipInput): void {
    const machine = this.#machines.get(self)!
    const before = machine.gossip
    const effects = machine.step(input, this.#now)
    const { gossip } = machine
    for (const { message } of effects) {
      const taken = clusterProtocol.unpack(clusterProtocol.pack(message))
      if (taken instanceof NotAMessage) throw new Error(taken.problem)
      this.sent[message.type]++
      if (this.#post.length < 200) this.#post.push({ message, view: gossip })
    }
    this.#check(self, before, gossip)
  }

  #check(self: NodeId, before: Gossip, after: Gossip): void {
    if (before === after) return
    const living = new Set(after.members.map(({ node }) => node))
    const gone = new Set(before.members.map(({ node }) => node).filter((node) => !living.has(node)))
    expect(['same', 'after']).toContain(
      compareClocks(after.version, pruneClock(before.version, gone)),
    )
    const version = JSON.stringify(after.version)
    const content = JSON.stringify([contentOf(after), after.tombstones])
    expect(this.#contents.get(version) ?? content).toBe(content)
    this.#contents.set(version, content)
    const had = this.#had.get(self) ?? new Set()
    this.#had.set(self, had.add(version))
    // A seen set names only who has seen: had that very version.
    for (const node of after.seen) expect(this.#had.get(node)).toContain(version)
  }
}

test(
  'who comes, goes and comes again learns by news what whole views would have told, and all come to know the same',
  () => {
    const sent = { GossipStatus: 0, GossipNews: 0, GossipEnvelope: 0 }
    let removals = 0
    for (let seed = 1; seed <= cases({ short: 60, full: 4_000 }); seed++) {
      const run = new Lives(seed)
      for (let step = 0; step < 400; step++) run.step({ isCalm: false })
      const known = run.calmDown()
      for (let steps = 0; !run.isQuiet; steps++) {
        run.step({ isCalm: true })
        if (steps > 10_000) throw new Error(`seed ${seed}: they do not come to an end`)
      }
      const [first, ...rest] = run.views
      for (const view of rest) expect(view).toEqual(first)
      const statuses = ({ members }: Gossip) => members.map(({ node, status }) => [node, status])
      expect(statuses(first!)).toEqual(statuses(known))
      removals += run.removals
      for (const type of ['GossipStatus', 'GossipNews', 'GossipEnvelope'] as const) {
        sent[type] += run.sent[type]
      }
    }
    expect(removals).toBeGreaterThan(0)
    // The whole view is for those who are lost, such as one that was let in by somebody who was never heard of again.
    expect(sent.GossipEnvelope * 50).toBeLessThan(sent.GossipNews)
  },
  timeoutMs,
)
