/**
 * One node's part in keeping one instance in the whole cluster: it runs on the oldest member in service.
 *
 *   waiting ──is the oldest──▶ asking ──all older ones are done or removed──▶ (leasing ──▶) running ⇄ pausing (ended by itself)
 *      └──────────┴──exiting, down or removed──▶ ended ◀──(releasing ◀──) terminated── stopping ◀──┴──┘
 *
 * Every older member answers for itself: it is done when it has ended, and it never leaves that state. So nobody's word is
 * needed about a third. Invariant: an instance starts only when every older member with the role is done or removed, which
 * means dead or frozen, and with a term above all that this node has run or heard of, if there can be such a term. One with a
 * lease starts only while this node holds it; when it is lost the instance is forced to end (losing) and the lease is asked for
 * anew. A node says that it is done only after it has given back the lease, and what it may have been granted; where the store does
 * not answer, that runs out. Where the whole cluster is about to be stopped, an instance starts only on a node that had one:
 * nothing moves.
 *
 * Terms begin with the number by which a member became Up, so that a younger member is above an older one it never spoke to.
 * Nobody waits because of a term: a number can be less than it was, when two views of it merge, and both sides of a split
 * may give the same one. Whoever hears of a higher term goes above it.
 */
import { assert, unreachable } from '../foundation/assert.ts'
import type { Member } from '../cluster/index.ts'
import type { NodeId } from '../foundation/node-id.ts'
import { LeaseHold } from './lease-hold.ts'
import { byAge, isInService } from './oldest.ts'
import type {
  HandOverDone,
  HandOverInProgress,
  HandOverMessage,
  HandOverToMe,
  WhereIsInstance,
} from './singleton-messages.ts'
import type {
  SingletonEffect,
  SingletonInput,
  SingletonOptions,
  SingletonPhase,
  SingletonSnapshot,
  SingletonTimer,
} from './singleton-inputs.ts'
import { heededTermLimit, livesMax } from './singleton-terms.ts'

/** Questions without an answer after which the operator is told, and told again. */
const askingLoudEvery = 15

export class SingletonMachine {
  readonly #options: SingletonOptions
  #phase: SingletonPhase = 'waiting'
  #members: readonly Member[] = []
  #own: Member | undefined
  #isFrozen = false
  #lives = 0
  #term = 0
  /** The highest term that somebody else has told of. */
  #heard = 0
  #startedAt = 0
  #failures = 0
  #asked = 0
  #isPreparing = false
  readonly #lease = new LeaseHold()
  /** Older members that have ended and said so. */
  readonly #done = new Set<NodeId>()
  /** Older members that answered that they have not. */
  readonly #inProgress = new Set<NodeId>()
  /** Whoever wants to know when this node is done. */
  readonly #askers = new Set<NodeId>()
  /** Whose proxies want to know where the instance is. */
  readonly #proxies = new Set<NodeId>()

  constructor(options: SingletonOptions) {
    this.#options = options
  }

  step(input: SingletonInput, now: number): SingletonEffect[] {
    switch (input.type) {
      case 'MembersChanged':
        return this.#membersChanged(input.members, now)
      case 'FreezeChanged':
        this.#isFrozen = input.isFrozen
        return this.#consider(now)
      case 'HandOver':
        return this.#leave(false)
      case 'PreparingForShutdown':
        this.#isPreparing = true
        return this.#consider(now)
      case 'InstanceTerminated':
        return this.#terminated(input.term, now)
      case 'LeaseAcquired':
        return this.#leaseAcquired(now)
      case 'LeaseRefused':
        return this.#leaseRefused(input.isDoubtful === true)
      case 'LeaseLost':
        return this.#leaseLost()
      case 'LeaseReleased':
        return this.#leaseReleased()
      case 'TimerFired':
        return this.#timerFired(input.timer, now)
      case 'HandOverToMe':
        return this.#asksForIt(input)
      case 'HandOverInProgress':
        return this.#isNotDone(input)
      case 'HandOverDone':
        return this.#isDone(input, now)
      case 'WhereIsInstance':
        return this.#proxyAsks(input)
      default:
        return unreachable(input)
    }
  }

  snapshot(): SingletonSnapshot {
    const waitsFor = this.#phase === 'asking' ? this.#missing().map(({ node }) => node) : []
    return { phase: this.#phase, term: this.#term, isFrozen: this.#isFrozen, waitsFor }
  }

  // ---- who is the oldest

  #membersChanged(members: readonly Member[], now: number): SingletonEffect[] {
    const { self } = this.#options
    const wasMember = this.#own !== undefined
    this.#members = members
    this.#own = members.find(({ node }) => node === self)
    const known = new Set(members.map(({ node }) => node))
    for (const set of [this.#done, this.#inProgress, this.#askers, this.#proxies]) {
      for (const node of set) if (!known.has(node)) set.delete(node)
    }
    const status = this.#own?.status ?? (wasMember ? 'Removed' : 'Joining')
    // Others may take over at any moment: there is no time for the stop message.
    if (status === 'Down' || status === 'Removed') return this.#leave(true)
    // What runs goes on until the shutdown asks for it; nothing new begins.
    if (status === 'Exiting' && !this.#isAlive()) return this.#leave(false)
    return this.#consider(now)
  }

  /** Starts the instance if this is the node and the moment, or asks whoever, or for what, stands in the way. */
  #consider(now: number): SingletonEffect[] {
    if (!['waiting', 'asking', 'leasing'].includes(this.#phase)) return []
    const missing = this.#mayRun() ? this.#missing() : undefined
    if (missing === undefined || missing.some(isInService)) return this.#wait()
    if (missing.length === 0) return this.#startOrLease(now)
    if (this.#phase === 'asking') return []
    const effects = this.#wait()
    this.#phase = 'asking'
    this.#asked = 0
    return [...effects, ...this.#ask(missing)]
  }

  #mayRun(): boolean {
    const own = this.#own
    if (own === undefined || this.#isFrozen || this.#age(own) < 0 || !isInService(own)) return false
    return !this.#isPreparing || this.#lives > 0 || this.#options.movesToTheEnd === true
  }

  /** Older members that have not said that they are done. */
  #missing(): Member[] {
    const own = this.#own
    const all = byAge(this.#members, this.#options.hosts)
    const older = own === undefined ? all : all.slice(0, Math.max(0, this.#age(own)))
    return older.filter(({ node }) => !this.#done.has(node))
  }

  /** How many are older; -1 for a member without the role or not yet up. */
  #age({ node }: Member): number {
    return byAge(this.#members, this.#options.hosts).findIndex((member) => member.node === node)
  }

  #wait(): SingletonEffect[] {
    const phase = this.#phase
    if (phase === 'waiting') return []
    this.#phase = 'waiting'
    if (phase === 'asking') return [{ type: 'CancelTimer', timer: 'ask-again' }]
    // Others may need it, and nobody knows for how long this node does not.
    return [{ type: 'CancelTimer', timer: 'lease' }, ...this.#lease.giveBack()]
  }

  // ---- asking

  #ask(missing: readonly Member[]): SingletonEffect[] {
    this.#asked++
    const effects = missing.map(({ node }) => this.#send(node, 'HandOverToMe', this.#nextTerm()))
    if (this.#asked % askingLoudEvery === 0) effects.push(this.#log('warn', this.#whoIsMissing()))
    const { retryIntervalMs: delayMs } = this.#options.settings
    return [...effects, { type: 'StartTimer', timer: 'ask-again', delayMs }]
  }

  #whoIsMissing(): string {
    const who = this.#missing().map(({ node }) =>
      this.#inProgress.has(node) ? `${node} (has not stopped it yet)` : `${node} (does not answer)`,
    )
    return `has asked ${this.#asked} times and still waits for ${who.join(', ')}; it does not wait for nodes that are removed`
  }

  #isNotDone({ from }: HandOverInProgress): SingletonEffect[] {
    if (this.#knows(from)) this.#inProgress.add(from)
    return []
  }

  #isDone({ from, term }: HandOverDone, now: number): SingletonEffect[] {
    if (!this.#knows(from)) return []
    this.#hear(term)
    this.#done.add(from)
    return this.#consider(now)
  }

  #knows(node: NodeId): boolean {
    return this.#members.some((member) => member.node === node)
  }

  // ---- the lease

  #startOrLease(now: number): SingletonEffect[] {
    if (this.#phase === 'leasing') return []
    const effects = this.#wait()
    if (this.#options.hasLease !== true || this.#lease.isHad) {
      return [...effects, ...this.#start(now)]
    }
    this.#phase = 'leasing'
    return [...effects, ...this.#lease.ask()]
  }

  #leaseAcquired(now: number): SingletonEffect[] {
    if (!this.#lease.acquired()) return []
    assert(this.#phase === 'leasing', 'whoever waits for nothing has taken its question back')
    return this.#start(now)
  }

  #leaseRefused(isDoubtful: boolean): SingletonEffect[] {
    if (!this.#lease.refused(isDoubtful)) return []
    const { leaseRetryIntervalMs: delayMs } = this.#options.settings
    return [{ type: 'StartTimer', timer: 'lease', delayMs }]
  }

  #leaseLost(): SingletonEffect[] {
    if (!this.#lease.isHad || this.#phase === 'losing') return []
    // Another may have it: there is no time for the stop message.
    if (this.#phase === 'stopping') return [{ type: 'StopInstance', isForced: true }]
    if (this.#phase !== 'running') return this.#lease.giveBack()
    this.#phase = 'losing'
    return [
      ...this.#tellProxies('InstanceStops', [...this.#proxies]),
      { type: 'StopInstance', isForced: true },
    ]
  }

  #leaseReleased(): SingletonEffect[] {
    if (!this.#lease.released()) return []
    if (this.#phase === 'releasing') return this.#end()
    return this.#phase === 'leasing' ? this.#lease.ask() : []
  }

  // ---- the instance

  #isAlive(): boolean {
    return ['running', 'losing', 'stopping'].includes(this.#phase)
  }

  #nextTerm(): number {
    assert(this.#own !== undefined, 'only a member has terms')
    return Math.max(this.#own.upNumber * livesMax, this.#term, this.#heard) + 1
  }

  #hear(term: number): void {
    if (term < heededTermLimit) this.#heard = Math.max(this.#heard, term)
  }

  #start(now: number): SingletonEffect[] {
    assert(this.#lives + 1 < livesMax, `at most ${livesMax} lives on one node`)
    const term = this.#nextTerm()
    assert(term > this.#term && term > this.#heard, 'terms grow')
    this.#lives++
    this.#term = term
    this.#phase = 'running'
    this.#startedAt = now
    return [
      this.#log('debug', `starts here, term ${term}`),
      { type: 'StartInstance', term },
      ...this.#tellProxies('InstanceIsHere', [...this.#proxies]),
    ]
  }

  #terminated(term: number, now: number): SingletonEffect[] {
    if (term !== this.#term || !this.#isAlive()) return []
    if (this.#phase === 'stopping') {
      return [{ type: 'CancelTimer', timer: 'force-stop' }, ...this.#end()]
    }
    // On its way out a node starts nothing any more.
    if (this.#own?.status === 'Exiting') return this.#end()
    if (this.#phase === 'losing') {
      this.#phase = 'waiting'
      return [...this.#lease.giveBack(), ...this.#consider(now)]
    }
    const { restartMinMs, restartMaxMs, restartResetAfterMs } = this.#options.settings
    if (now - this.#startedAt >= restartResetAfterMs) this.#failures = 0
    const delayMs = Math.min(restartMaxMs, restartMinMs * 2 ** Math.min(this.#failures++, 30))
    this.#phase = 'pausing'
    return [
      this.#log('warn', `ended by itself, term ${term}; it starts again in ${delayMs} ms`),
      ...this.#tellProxies('InstanceStops', [...this.#proxies]),
      { type: 'StartTimer', timer: 'restart', delayMs },
    ]
  }

  #timerFired(timer: SingletonTimer, now: number): SingletonEffect[] {
    switch (timer) {
      case 'ask-again':
        return this.#phase === 'asking' ? this.#ask(this.#missing()) : []
      case 'restart':
        if (this.#phase !== 'pausing') return []
        this.#phase = 'waiting'
        return this.#consider(now)
      case 'lease':
        return this.#phase === 'leasing' ? this.#lease.ask() : []
      case 'force-stop':
        if (this.#phase !== 'stopping') return []
        return [
          this.#log('warn', `has not stopped in time, term ${this.#term}; it is forced to`),
          { type: 'StopInstance', isForced: true },
        ]
      default:
        return unreachable(timer)
    }
  }

  // ---- the end

  #leave(isForced: boolean): SingletonEffect[] {
    const phase = this.#phase
    if (phase === 'ended' || phase === 'releasing') return []
    if (phase === 'stopping') return isForced ? [{ type: 'StopInstance', isForced }] : []
    if (!this.#isAlive()) return this.#end()
    this.#phase = 'stopping'
    // It is forced already.
    if (phase === 'losing') return []
    const { stopTimeoutMs: delayMs } = this.#options.settings
    return [
      this.#log('debug', `stops here, term ${this.#term}`),
      ...this.#tellProxies('InstanceStops', [...this.#proxies]),
      { type: 'StopInstance', isForced },
      { type: 'StartTimer', timer: 'force-stop', delayMs },
    ]
  }

  #end(): SingletonEffect[] {
    const effects: SingletonEffect[] = []
    if (this.#phase === 'asking') effects.push({ type: 'CancelTimer', timer: 'ask-again' })
    if (this.#phase === 'pausing') effects.push({ type: 'CancelTimer', timer: 'restart' })
    if (this.#phase === 'leasing') effects.push({ type: 'CancelTimer', timer: 'lease' })
    if (!this.#lease.isNone) {
      this.#phase = 'releasing'
      return [...effects, ...this.#lease.giveBack()]
    }
    this.#phase = 'ended'
    const { self, hosts } = this.#options
    const others = byAge(this.#members, hosts).filter(({ node }) => node !== self)
    const next = others.find(isInService)?.node
    if (next !== undefined) this.#askers.add(next)
    for (const asker of this.#askers) effects.push(this.#send(asker, 'HandOverDone', this.#term))
    return [...effects, { type: 'HandedOver' }]
  }

  #asksForIt({ from }: HandOverToMe): SingletonEffect[] {
    if (this.#phase === 'ended') return [this.#send(from, 'HandOverDone', this.#term)]
    if (this.#knows(from)) this.#askers.add(from)
    return [this.#send(from, 'HandOverInProgress', this.#term)]
  }

  // ---- proxies

  #proxyAsks({ from, term }: WhereIsInstance): SingletonEffect[] {
    if (this.#knows(from)) {
      this.#proxies.add(from)
      this.#hear(term)
    }
    return this.#phase === 'running' ? this.#tellProxies('InstanceIsHere', [from]) : []
  }

  #tellProxies(
    news: 'InstanceIsHere' | 'InstanceStops',
    nodes: readonly NodeId[],
  ): SingletonEffect[] {
    return nodes.length === 0 ? [] : [{ type: 'TellProxies', nodes, news, term: this.#term }]
  }

  // ---- small things

  #send(to: NodeId, type: HandOverMessage['type'], term: number): SingletonEffect {
    return { type: 'Send', to, message: { type, from: this.#options.self, term } }
  }

  #log(level: 'debug' | 'warn', what: string): SingletonEffect {
    return { type: 'Log', level, text: `Singleton ${this.#options.name} ${what}.` }
  }
}
