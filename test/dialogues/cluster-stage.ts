/** Members of a cluster for dialogues: what can happen to them, and what they say. */
import type { ClusterMessage, GossipNews } from '../../src/cluster/cluster-messages.ts'
import type { Gossip } from '../../src/cluster/gossip/gossip.ts'
import { joiningMember } from '../../src/cluster/gossip/member.ts'
import { unpackNews } from '../../src/cluster/gossip/news.ts'
import type { Reachability } from '../../src/cluster/gossip/reachability.ts'
import type { ViewSummary } from '../../src/cluster/gossip/replica.ts'
import { unpackSeen } from '../../src/cluster/gossip/seen-marks.ts'
import { shortNameOf } from '../../src/cluster/gossip/short-names.ts'
import type { VectorClock } from '../../src/cluster/gossip/vector-clock.ts'
import type { NodeId } from '../../src/foundation/node-id.ts'
import { Network, type Node } from '../cluster/network.ts'
import { type MachineNetwork, nameOf } from '../machines/network.ts'
import { NoChance } from '../machines/no-chance.ts'
import type { Act, Settings, Stage } from './stage.ts'

const seeds = ['a:1', 'b:1', 'c:1']

export class ClusterStage implements Stage {
  readonly network: MachineNetwork
  readonly #cluster: Network

  readonly acts: readonly Act[] = [
    [/^(\w) starts$/, (name) => this.#cluster.start(`${name}:1`, seeds)],
    [/^(\w) leaves$/, (name) => this.#leave(this.#node(name))],
    [/^(\w) crashes$/, (name) => this.#cluster.crash(this.#node(name))],
    [/^(\w) falls silent$/, (name) => this.#cluster.crash(this.#node(name), { silent: true })],
    [/^(\w) sleeps for (\d+) s$/, (name, s) => this.#cluster.sleep(this.#node(name), 1_000 * +s)],
    [/^(\w) is cut off$/, (name) => this.#cluster.cut([this.#node(name)], this.#cluster.nodes)],
    [/^links heal$/, () => this.#cluster.heal()],
  ]

  /** With names, they are a whole cluster that has been so for long enough to know its rhythm. */
  constructor(names: readonly string[], { exitingTasksMs = 200, ...settings }: Settings) {
    const random = new NoChance()
    this.#cluster = new Network({ random, latencyMs: [0, 0], settings, exitingTasksMs })
    this.network = this.#cluster.machines
    for (const name of names) this.#cluster.start(`${name}:1`, seeds)
    this.#cluster.runUntil('a whole cluster', () => this.#cluster.isWhole, 30_000)
    this.#cluster.run(10_000 - (this.#cluster.now % 1_000))
  }

  inWords(message: ClusterMessage): string {
    if ('gossip' in message) return gossipInWords(message.gossip)
    if (message.type === 'GossipStatus') return this.#summaryInWords(message.summary)
    if (message.type === 'GossipNews') return this.#newsInWords(message)
    return message.type === 'Standing' ? message.standing : ''
  }

  #summaryInWords([, , changes, seen]: ViewSummary): string {
    const nodes = new Map(this.#cluster.nodes.map(({ id }) => [shortNameOf(id), id]))
    const counted: [NodeId, number][] = []
    for (let at = 0; at < changes.length; at += 2) {
      counted.push([nodes.get(changes[at]!) ?? '?', changes[at + 1]!])
    }
    const news = counted.length > 0 ? `news ${clockInWords(counted)}` : 'no news'
    const members = Array.from({ length: seen[0]! }, (_, index) => joiningMember(`${index}`))
    return `${news}, seen by ${unpackSeen(members, seen)?.length} of ${members.length}`
  }

  #newsInWords({ news: packed, summary }: GossipNews): string {
    const { members, observers, tombstones } = unpackNews(packed)
    const said = [
      ...members.map(([{ node, status }]) => `${nameOf(node)}:${status}`),
      ...observers.flatMap(([rows]) => rowsInWords([rows])),
      ...tombstones.map(([node]) => `${nameOf(node)} removed`),
    ]
    return [...(said.length > 0 ? [said.join(' ')] : []), this.#summaryInWords(summary)].join(', ')
  }

  #node(name = ''): Node {
    return this.#cluster.latest(`${name}:1`)
  }

  #leave(node: Node): void {
    this.#cluster.give(node, { type: 'Leave', node: node.id })
  }
}

function gossipInWords({ members, reachability, version, seen }: Gossip): string {
  const rows = rowsInWords(reachability)
  return [
    members.map(({ node, status }) => `${nameOf(node)}:${status}`).join(' '),
    ...(rows.length > 0 ? [rows.join(' ')] : []),
    `version ${clockInWords(version)}`,
    `seen ${seen.length > 0 ? seen.map(nameOf).join(' ') : 'by nobody'}`,
  ].join(', ')
}

function rowsInWords(reachability: Reachability): string[] {
  return reachability.flatMap(({ observer, rows }) =>
    rows.map(({ subject }) => `${nameOf(observer)}!${nameOf(subject)}`),
  )
}

function clockInWords(clock: VectorClock): string {
  return clock.map(([node, changes]) => `${nameOf(node)}${changes}`).join(' ')
}
