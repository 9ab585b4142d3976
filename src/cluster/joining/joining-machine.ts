/**
 * How a node finds its cluster.
 *
 *   idle ──seeds──▶ seeking ──InitJoinAck──▶ asking ──Welcome──▶ done
 *                     │  ▲────────no welcome in time──┘
 *                     └──first seed, and no cluster to be found──▶ done (forms the cluster)
 *
 * With a discovery in place of seeds, `Contacts` are asked, and `Elected` takes the place of being the first seed.
 *
 * Where the store keeps the founding it is asked before either: a founder seeks on until `Founded`, and one that was
 * invited waits for `Cleared` before it asks to be let in.
 *
 * Invariant: only the first seed of the list, a node that was elected or one told to join itself ever forms a cluster.
 */
import { unreachable } from '../../foundation/assert.ts'
import { seconds } from '../../foundation/duration.ts'
import { type Address, type NodeId, addressOfNode } from '../../foundation/node-id.ts'
import type { InitJoin, InitJoinAck, Standing, Welcome } from '../cluster-messages.ts'
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
  /** It was said that this node would form a cluster; since then the store has to agree. */
  #wouldForm = false
  /** Members by the store, besides the seeds. */
  #recorded: readonly Address[] = []
  #contact: NodeId | undefined
  #founder: NodeId | undefined
  #isCleared = false
  /** By the store another cluster lives than the one of this founder: its members are not heard until then. */
  #passedOver: { readonly founder: NodeId | undefined; readonly until: number } | undefined
  #startedAt = 0
  #phaseSince = 0
  #askAgainAt = 0
  #reportAt = Infinity
  /** How long the store keeps this node from founding, by what it has said. */
  #mustWaitMs = 0

  constructor(options: JoiningOptions) {
    this.#options = options
  }

  step(input: JoiningInput, now: number): JoiningEffect[] {
    switch (input.type) {
      case 'JoinSeeds':
        return this.#start(input.seeds, input.seeds[0], now)
      case 'JoinNode':
        return this.#start([input.address], undefined, now)
      case 'JoinDiscovered':
        return this.#start([], undefined, now)
      case 'Contacts':
        return this.#found(input.addresses)
      case 'Elected':
        return this.#phase === 'seeking' ? this.#formCluster() : []
      case 'NotConnected':
        return this.#notConnected(input)
      case 'NotAccepted':
        return this.#notAccepted(input)
      case 'Connected':
        this.#troubles.connected(input.address)
        return []
      case 'InitJoinNack':
        return input.isEnding ? this.#ending(input.from) : this.#notInACluster(input.from)
      case 'InitJoinAck':
        return this.#invited(input, now)
      case 'Welcome':
        return this.#welcomed(input)
      case 'Standing':
        return this.#turnedAway(input)
      case 'Tick':
        return this.#tick(now)
      case 'Recorded':
        return this.#learn(input.addresses)
      case 'MustWait':
        this.#mustWaitMs = input.ms
        return []
      case 'Founded':
        return this.#phase === 'done' ? [] : this.#form()
      case 'Cleared':
        return this.#cleared()
      case 'NotCleared':
        return this.#notCleared(now)
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
    const asks = this.#seek(now)
    return this.#mayForm && others.length === 0 ? [...asks, ...this.#formCluster()] : asks
  }

  #found(addresses: readonly Address[]): JoiningEffect[] {
    const before = this.#seeds
    this.#troubles = this.#troubles.of(addresses)
    if (this.#phase !== 'seeking') return []
    const news = addresses.filter((address) => !before.includes(address))
    return news.map((to) => this.#initJoin(to))
  }

  #seek(now: number): JoiningEffect[] {
    this.#phase = 'seeking'
    this.#phaseSince = now
    this.#contact = undefined
    this.#wouldForm = false
    this.#refusals.clear()
    return this.#askSeeds(now)
  }

  #askSeeds(now: number): JoiningEffect[] {
    this.#askAgainAt = now + this.#options.settings.seedRetryIntervalMs
    return [...this.#seeds, ...this.#recorded].map((to) => this.#initJoin(to))
  }

  #initJoin(to: Address): JoiningEffect {
    const { self, settings, store } = this.#options
    const agreement = agreementOf(settings, store)
    const message: InitJoin = { type: 'InitJoin', from: self, agreement }
    return { type: 'SendToAddress', to, message }
  }

  #learn(addresses: readonly Address[]): JoiningEffect[] {
    const before = this.#recorded
    this.#recorded = addresses.filter((address) => !this.#seeds.includes(address))
    if (this.#phase !== 'seeking') return []
    const news = this.#recorded.filter((address) => !before.includes(address))
    return news.map((to) => this.#initJoin(to))
  }

  #isAsked(node: NodeId): boolean {
    const address = addressOfNode(node)
    return this.#seeds.includes(address) || this.#recorded.includes(address)
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

  /** To found another one beside it, or to wait for its end, is not what a newcomer was started for. */
  #ending(by: NodeId): JoiningEffect[] {
    if (!this.#isTrying || !this.#isAsked(by)) return []
    const problem = `the cluster of ${addressOfNode(by)} is about to be stopped and lets nobody in; start this node again when it has stopped`
    return this.#giveUp('join-failed', [problem])
  }

  #notInACluster(by: NodeId): JoiningEffect[] {
    const address = addressOfNode(by)
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

  #invited(invitation: InitJoinAck, now: number): JoiningEffect[] {
    const { from, problems, differences, founder } = invitation
    if (this.#phase !== 'seeking' || !this.#isAsked(from)) return []
    const matters = this.#options.settings.mustAgreeOnSettings && differences.length > 0
    if (problems.length > 0 || matters) {
      return this.#giveUp('incompatible-config', [...problems, ...differences])
    }
    if (founder === this.#passedOver?.founder && now < this.#passedOver.until) return []
    this.#phase = 'asking'
    this.#phaseSince = now
    this.#contact = from
    this.#founder = founder
    this.#isCleared = this.#options.asksStore !== true
    const differs: JoiningEffect[] =
      differences.length > 0 ? [{ type: 'Disagrees', with: from, differences }] : []
    return [...differs, this.#isCleared ? this.#join(from) : { type: 'Invited', founder, by: from }]
  }

  #cleared(): JoiningEffect[] {
    if (this.#phase !== 'asking' || this.#isCleared) return []
    this.#isCleared = true
    return [this.#join(this.#contact!)]
  }

  /** As if it had not answered. Nor does it the next time: else it would always be quicker than those of the other cluster. */
  #notCleared(now: number): JoiningEffect[] {
    if (this.#phase !== 'asking' || this.#isCleared) return []
    const until = now + 1.5 * this.#options.settings.seedRetryIntervalMs
    this.#passedOver = { founder: this.#founder, until }
    this.#phase = 'seeking'
    this.#contact = undefined
    this.#wouldForm = false
    return []
  }

  #welcomed({ from, gossip, tombstoneAgesMs, origins }: Welcome): JoiningEffect[] {
    if (this.#phase !== 'asking' || from !== this.#contact || !this.#isCleared) return []
    if (!gossip.members.some(({ node }) => node === this.#options.self)) return []
    this.#phase = 'done'
    const view = { gossip, tombstoneAgesMs, origins }
    return [{ type: 'Joined', through: from, founder: this.#founder!, ...view }]
  }

  /** Let in, given up and removed before the welcome arrived: only another incarnation can join. */
  #turnedAway({ from, standing }: Standing): JoiningEffect[] {
    if (!this.#isTrying || standing !== 'removed' || !this.#isAsked(from)) return []
    return this.#giveUp('join-failed', [`removed by ${from} before it was welcome; start it again`])
  }

  #tick(now: number): JoiningEffect[] {
    if (!this.#isTrying) return []
    const { settings } = this.#options
    if (now - this.#startedAt >= this.#deadlineMs) return this.#giveUp('join-failed', [])
    const waited = now - this.#phaseSince
    const forms =
      this.#phase === 'seeking' && this.#mayForm && waited >= settings.seedTimeoutMs
        ? this.#formCluster()
        : []
    return this.#isTrying ? [...forms, ...this.#report(now), ...this.#tryOn(waited, now)] : forms
  }

  /** Who would form a cluster is given the time that the store asks for besides: else it would never be over. */
  get #deadlineMs(): number {
    const { settings, asksStore = false } = this.#options
    const { joinDeadlineMs, foundingStillMs } = settings
    if (!(this.#mayForm || this.#wouldForm) || !asksStore) return joinDeadlineMs
    return joinDeadlineMs + Math.max(foundingStillMs, this.#mustWaitMs)
  }

  #report(now: number): JoiningEffect[] {
    if (now < this.#reportAt) return []
    this.#reportAt = now + reportIntervalMs
    return [{ type: 'StillJoining', seeds: this.#seeds, troubles: this.#troubles.lines }]
  }

  #tryOn(waited: number, now: number): JoiningEffect[] {
    if (this.#phase === 'asking') {
      const { joinTimeoutMs } = this.#options.settings
      if (waited >= joinTimeoutMs) return this.#seek(now)
      return this.#isCleared ? [this.#join(this.#contact!)] : []
    }
    return now >= this.#askAgainAt ? this.#askSeeds(now) : []
  }

  get #isTrying(): boolean {
    return this.#phase === 'seeking' || this.#phase === 'asking'
  }

  #join(to: NodeId): JoiningEffect {
    const { self: from, roles, attributes, appVersion, dataCenter } = this.#options
    const described = {
      roles,
      attributes,
      appVersion,
      ...(dataCenter !== undefined && { dataCenter }),
    }
    return { type: 'Send', to, message: { type: 'Join', from, ...described } }
  }

  #formCluster(): JoiningEffect[] {
    if (this.#options.asksStore !== true) return this.#form()
    if (this.#wouldForm) return []
    this.#wouldForm = true
    return [{ type: 'WouldForm' }]
  }

  #form(): JoiningEffect[] {
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
