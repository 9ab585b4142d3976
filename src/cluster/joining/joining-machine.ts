/**
 * How a node finds its cluster.
 *
 *   idle ──seeds──▶ seeking ──InitJoinAck──▶ asking ──Welcome──▶ done
 *                     │  ▲────────no welcome in time──┘
 *                     └──first seed, and no cluster to be found──▶ done (forms the cluster)
 *
 * Invariant: only the first seed of the list, or a node told to join itself, ever forms a cluster.
 */
import { unreachable } from '../../foundation/assert.ts'
import { type Address, type NodeId, addressOfNode } from '../../foundation/node-id.ts'
import type { InitJoin, Standing, Welcome } from '../cluster-messages.ts'
import { agreementOf } from '../cluster-settings.ts'
import type {
  JoiningEffect,
  JoiningInput,
  JoiningOptions,
  JoiningSnapshot,
} from './joining-inputs.ts'

const refusalsThatCount = 3

export class JoiningMachine {
  readonly #options: JoiningOptions
  /** How often each seed has said or shown that no cluster is to be found there. */
  readonly #refusals = new Map<Address, number>()
  #phase: JoiningSnapshot['phase'] = 'idle'
  #seeds: readonly Address[] = []
  #mayForm = false
  #contact: NodeId | undefined
  #startedAt = 0
  #phaseSince = 0
  #askAgainAt = 0

  constructor(options: JoiningOptions) {
    this.#options = options
  }

  step(input: JoiningInput, now: number): JoiningEffect[] {
    switch (input.type) {
      case 'JoinSeeds':
        return this.#start(input.seeds, input.seeds[0] === this.#options.address, now)
      case 'JoinNode':
        return this.#start([input.address], input.address === this.#options.address, now)
      case 'ConnectionRefused':
        return this.#absent(input.address, 1)
      case 'StopJoining':
        return this.#isTrying ? this.#giveUp('join-failed', input.problems) : []
      case 'InitJoinNack':
        return this.#absent(addressOfNode(input.from), refusalsThatCount)
      case 'InitJoinAck':
        return this.#invited(input.from, input.problems, now)
      case 'Welcome':
        return this.#welcomed(input)
      case 'Standing':
        return this.#turnedAway(input)
      case 'Tick':
        return this.#tick(now)
      default:
        return unreachable(input)
    }
  }

  snapshot(): JoiningSnapshot {
    return { phase: this.#phase, seeds: this.#seeds, contact: this.#contact }
  }

  #start(seeds: readonly Address[], mayForm: boolean, now: number): JoiningEffect[] {
    if (this.#phase === 'done') return []
    this.#seeds = seeds.filter((seed) => seed !== this.#options.address)
    this.#mayForm = mayForm
    this.#startedAt = now
    if (mayForm && this.#seeds.length === 0) return this.#formCluster()
    return this.#seek(now)
  }

  #seek(now: number): JoiningEffect[] {
    this.#phase = 'seeking'
    this.#phaseSince = now
    this.#contact = undefined
    this.#refusals.clear()
    return this.#askSeeds(now)
  }

  #askSeeds(now: number): JoiningEffect[] {
    const { self, settings, store } = this.#options
    this.#askAgainAt = now + settings.seedRetryIntervalMs
    const agreement = agreementOf(settings, store)
    const message: InitJoin = { type: 'InitJoin', from: self, agreement }
    return this.#seeds.map((to) => ({ type: 'SendToAddress', to, message }))
  }

  #absent(address: Address, times: number): JoiningEffect[] {
    if (this.#phase !== 'seeking' || !this.#seeds.includes(address)) return []
    this.#refusals.set(address, (this.#refusals.get(address) ?? 0) + times)
    // A refused connection counts when it happens again and again: a process that is just being replaced is given a moment.
    const isAbsent = (seed: Address) => (this.#refusals.get(seed) ?? 0) >= refusalsThatCount
    return this.#mayForm && this.#seeds.every(isAbsent) ? this.#formCluster() : []
  }

  #invited(from: NodeId, problems: readonly string[], now: number): JoiningEffect[] {
    if (this.#phase !== 'seeking' || !this.#seeds.includes(addressOfNode(from))) return []
    if (problems.length > 0) return this.#giveUp('incompatible-config', problems)
    this.#phase = 'asking'
    this.#phaseSince = now
    this.#contact = from
    return [this.#join(from)]
  }

  #welcomed({ from, gossip, tombstoneAgesMs }: Welcome): JoiningEffect[] {
    if (this.#phase !== 'asking' || from !== this.#contact) return []
    if (!gossip.members.some(({ node }) => node === this.#options.self)) return []
    this.#phase = 'done'
    return [{ type: 'Joined', through: from, gossip, tombstoneAgesMs }]
  }

  /** Let in, given up and removed before the welcome arrived: only another incarnation can join. */
  #turnedAway({ from, standing }: Standing): JoiningEffect[] {
    if (!this.#isTrying || standing !== 'removed') return []
    if (!this.#seeds.includes(addressOfNode(from))) return []
    return this.#giveUp('join-failed', [`removed by ${from} before it was welcome; start it again`])
  }

  #tick(now: number): JoiningEffect[] {
    if (!this.#isTrying) return []
    const { settings } = this.#options
    if (now - this.#startedAt >= settings.joinDeadlineMs) {
      // What is wrong with each seed is known to whoever asked them.
      return this.#giveUp('join-failed', [])
    }
    const waited = now - this.#phaseSince
    if (this.#phase === 'asking') {
      return waited < settings.joinTimeoutMs ? [this.#join(this.#contact!)] : this.#seek(now)
    }
    if (this.#mayForm && waited >= settings.seedTimeoutMs) return this.#formCluster()
    return now >= this.#askAgainAt ? this.#askSeeds(now) : []
  }

  get #isTrying(): boolean {
    return this.#phase === 'seeking' || this.#phase === 'asking'
  }

  #join(to: NodeId): JoiningEffect {
    const { self, roles, appVersion } = this.#options
    return { type: 'Send', to, message: { type: 'Join', from: self, roles, appVersion } }
  }

  #formCluster(): JoiningEffect[] {
    this.#phase = 'done'
    return [{ type: 'FormCluster' }]
  }

  #giveUp(
    reason: 'join-failed' | 'incompatible-config',
    problems: readonly string[],
  ): JoiningEffect[] {
    this.#phase = 'done'
    return [{ type: 'GiveUp', reason, problems }]
  }
}
