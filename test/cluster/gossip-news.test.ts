import { expect, test } from 'vitest'
import type { GossipMessage } from '../../src/cluster/cluster-messages.ts'
import { defaultClusterSettings } from '../../src/cluster/cluster-settings.ts'
import { clusterProtocol } from '../../src/cluster/cluster-wire.ts'
import type { GossipEffect, GossipInput } from '../../src/cluster/gossip/gossip-inputs.ts'
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
import { moveMembers } from '../../src/cluster/gossip/member-changes.ts'
import { asUp, joiningMember } from '../../src/cluster/gossip/member.ts'
import { noOrigins } from '../../src/cluster/gossip/packed-origins.ts'
import { compareClocks, pruneClock } from '../../src/cluster/gossip/vector-clock.ts'
import { type NodeId, nodeIdOf } from '../../src/foundation/node-id.ts'
import { NotAMessage } from '../../src/serialization/internals.ts'
import { SeededRandom } from '../../src/simulation/seeded-random.ts'
import { cases } from '../how-long.ts'

const id = (name: string): NodeId => nodeIdOf(`${name}:1`, 7n)
/** Those who gossip; and those of whom they do. */
const speakers = ['a', 'b', 'c', 'd', 'e'].map(id)
const others = ['p', 'q', 'r', 's', 't'].map(id)

/**
 * Five that gossip while each changes what it likes; words are lost, come twice and in any order. After every step: a
 * version never goes back, and the same version is the same content wherever it is.
 */
class Run {
  readonly #random: SeededRandom
  readonly #machines = new Map<NodeId, GossipMachine>()
  readonly #views = new Map<NodeId, Gossip>()
  readonly #contents = new Map<string, string>()
  #post: GossipMessage[] = []
  #now = 0
  envelopes = 0

  constructor(seed: number) {
    this.#random = new SeededRandom(seed, 'news')
    const members = speakers.map((node, index) => asUp(joiningMember(node), index + 1))
    const gossip = changedBy(putMembers(emptyGossip, members), speakers[0]!)
    for (const self of speakers) {
      const random = this.#random.fork(self)
      const machine = new GossipMachine(self, defaultClusterSettings, random)
      this.#machines.set(self, machine)
      this.#give(self, {
        ...{ type: 'Adopt', tell: [], origins: noOrigins },
        gossip: { ...gossip, seen: speakers },
      })
    }
  }

  get views(): Gossip[] {
    return [...this.#machines.values()].map(({ gossip }) => gossip)
  }

  step({ losesAndRepeats, changes }: { losesAndRepeats: boolean; changes: boolean }): void {
    this.#now += this.#random.below(100)
    const self = this.#random.pick(speakers)
    const kind = this.#random.below(10)
    if (changes && kind === 0) return this.#change(self)
    if (kind <= 3 || this.#post.length === 0) return this.#give(self, { type: 'Tick' })
    const place = this.#random.below(losesAndRepeats ? this.#post.length : 1)
    const message = this.#post[place]!
    const isRepeated = losesAndRepeats && this.#random.chance(0.2)
    if (!isRepeated) this.#post.splice(place, 1)
    if (!losesAndRepeats || !this.#random.chance(0.3)) this.#give(message.to, message)
  }

  get isQuiet(): boolean {
    return this.views.every(
      ({ seen, members }) => speakers.every((node) => seen.includes(node)) && members.length > 0,
    )
  }

  #change(self: NodeId): void {
    const { gossip } = this.#machines.get(self)!
    const node = this.#random.pick(others)
    const member = memberOf(gossip, node)
    const kinds: readonly (() => Gossip)[] = [
      () =>
        member === undefined && !hasTombstone(gossip, node)
          ? putMember(gossip, joiningMember(node, { roles: [node.slice(0, 1)] }))
          : gossip,
      () => moveMembers(gossip, [node], 'Leaving'),
      () => moveMembers(gossip, [node], 'Down'),
      () => (member ? withObservation(gossip, self, node, 'Unreachable') : gossip),
      () => (member ? withObservation(gossip, self, node, 'Reachable') : gossip),
      () => (member?.status === 'Down' ? removeMembers(gossip, new Set([node])) : gossip),
      () => dropTombstones(gossip, new Set(this.#random.chance(0.05) ? [node] : [])),
    ]
    const next = this.#random.pick(kinds)()
    if (next !== gossip) this.#give(self, { type: 'Change', gossip: next, tell: [] })
  }

  #give(self: NodeId, input: GossipInput): void {
    // Those of whom they gossip never answer.
    const machine = this.#machines.get(self)
    if (machine === undefined) return
    this.#send(machine.step(input, this.#now))
    const { gossip } = machine
    const before = this.#views.get(self)
    this.#views.set(self, gossip)
    if (before === gossip) return
    if (before !== undefined) {
      const gone = new Set([...before.tombstones, ...gossip.tombstones, ...others])
      const [was, is] = [before, gossip].map(({ version }) => pruneClock(version, gone))
      expect(['same', 'after']).toContain(compareClocks(is!, was!))
    }
    const content = JSON.stringify([gossip.members, gossip.reachability, gossip.tombstones])
    const version = JSON.stringify(gossip.version)
    expect(this.#contents.get(version) ?? content).toBe(content)
    this.#contents.set(version, content)
  }

  #send(effects: readonly GossipEffect[]): void {
    for (const { message } of effects) {
      const taken = clusterProtocol.unpack(clusterProtocol.pack(message))
      if (taken instanceof NotAMessage) throw new Error(taken.problem)
      if (message.type === 'GossipEnvelope') this.envelopes++
      if (this.#post.length < 200) this.#post.push(message)
    }
  }
}

test('whatever is lost, late or told twice, all come to know the same, and what any of them knew', () => {
  let envelopes = 0
  for (let seed = 1; seed <= cases({ short: 120, full: 3_000 }); seed++) {
    const run = new Run(seed)
    for (let step = 0; step < 300; step++) run.step({ losesAndRepeats: true, changes: true })
    const known = run.views.reduce(mergeGossip)
    let steps = 0
    while (!run.isQuiet) {
      run.step({ losesAndRepeats: false, changes: false })
      if (++steps > 5_000) throw new Error(`seed ${seed}: they do not come to an end`)
    }
    const [first, ...rest] = run.views
    for (const view of rest) expect(view).toEqual(first)
    expect(first!.members.map(({ node, status }) => [node, status])).toEqual(
      known.members.map(({ node, status }) => [node, status]),
    )
    expect(first!.reachability).toEqual(known.reachability)
    envelopes += run.envelopes
  }
  // Nobody was ever lost: the whole view is for those who got something wrong.
  expect(envelopes).toBe(0)
})
