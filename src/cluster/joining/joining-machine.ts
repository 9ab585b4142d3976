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
import { seconds } from '../../foundation/duration.ts'
import { type Address, type NodeId, addressOfNode } from '../../foundation/node-id.ts'
import type { InitJoin, Standing, Welcome } from '../cluster-messages.ts'
import { agreementOf } from '../cluster-settings.ts'
import type {
  JoiningEffect,
  JoiningInput,
  JoiningOptions,
  JoiningSnapshot,
  NotAccepted,
  NotConnected,
} from './joining-inputs.ts'
import { SeedTroubles } from './seed-troubles.ts'

const refusalsThatCount = 3
const reportIntervalMs = seconds(5)

export class JoiningMachine {
  readonly #options: JoiningOptions
  /** How often each seed has said or shown that no cluster is to be found there. */
  readonly #refusals = new Map<Address, number>()
  #phase: JoiningSnapshot['phase'] = 'idle'
  #troubles = new SeedTroubles([])
  #mayForm = false
  #contact: NodeId | undefined
  #startedAt = 0
  #phaseSince = 0
  #askAgainAt = 0
  #reportAt = Infinity

  constructor(options: JoiningOptions) {
    this.#options = options
  }

  step(input: JoiningInput, now: number): JoiningEffect[] {
    switch (input.type) {
      case 'JoinSeeds':
        return this.#start(input.seeds, input.seeds[0], now)
      case 'JoinNode':
        return this.#start([input.address], undefined, now)
      case 'NotConnected':
        return this.#notConnected(input)
      case 'NotAccepted':
        return this.#notAccepted(input)
      case 'Connected':
        this.#troubles.connected(input.address)
        return []
      case 'InitJoinNack':
        return this.#notInACluster(addressOfNode(input.from))
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
    const { seeds, lines: troubles, founder } = this.#troubles
    return { phase: this.#phase, seeds, contact: this.#contact, troubles, founder }
  }

  get #seeds(): readonly Address[] {
    return this.#troubles.seeds
  }

  #start(seeds: readonly Address[], founder: Address | undefined, now: number): JoiningEffect[] {
    if (this.#phase === 'done') return []
    const { address } = this.#options
    const others = seeds.filter((seed) => seed !== address)
    this.#mayForm = seeds[0] === address
    this.#troubles = new SeedTroubles(others, this.#mayForm ? undefined : founder)
    this.#startedAt = now
    this.#reportAt = now + reportIntervalMs
    if (this.#mayForm && others.length === 0) return this.#formCluster()
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

  #notConnected({ address, isRefused, text }: NotConnected): JoiningEffect[] {
    this.#troubles.notConnected(address, text)
    return isRefused ? this.#absent(address, 1) : []
  }

  #notAccepted({ address, code, text }: NotAccepted): JoiningEffect[] {
    if (!this.#isTrying) return []
    this.#troubles.notAccepted(address, code, text)
    // To try on makes no sense.
    return this.#troubles.areFinal ? this.#giveUp('join-failed', []) : []
  }

  #notInACluster(address: Address): JoiningEffect[] {
    this.#troubles.notInACluster(address)
    return this.#absent(address, refusalsThatCount)
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
    if (now - this.#startedAt >= settings.joinDeadlineMs) return this.#giveUp('join-failed', [])
    const waited = now - this.#phaseSince
    if (this.#phase === 'seeking' && this.#mayForm && waited >= settings.seedTimeoutMs) {
      return this.#formCluster()
    }
    return [...this.#report(now), ...this.#tryOn(waited, now)]
  }

  #report(now: number): JoiningEffect[] {
    if (now < this.#reportAt) return []
    this.#reportAt = now + reportIntervalMs
    return [{ type: 'StillJoining', seeds: this.#seeds, troubles: this.#troubles.lines }]
  }

  #tryOn(waited: number, now: number): JoiningEffect[] {
    if (this.#phase === 'asking') {
      const { joinTimeoutMs } = this.#options.settings
      return waited < joinTimeoutMs ? [this.#join(this.#contact!)] : this.#seek(now)
    }
    return now >= this.#askAgainAt ? this.#askSeeds(now) : []
  }

  get #isTrying(): boolean {
    return this.#phase === 'seeking' || this.#phase === 'asking'
  }

  #join(to: NodeId): JoiningEffect {
    const { self: from, roles, attributes, appVersion } = this.#options
    return { type: 'Send', to, message: { type: 'Join', from, roles, attributes, appVersion } }
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
