/**
 * Gives every shard of one entity type its home. Requests gather; what they change is stored in one batch at a time, each
 * computed from the state before it; regions are told only what is stored.
 *
 *   requests gather ──▶ Store: regions come and go, lives end ──Stored──▶ speak ─┐
 *        ▲   └── none of these ──▶ AskStrategy ──answer──▶ Store: homes ──Stored──┤
 *        └────────────────────────────────────────────────────────────────────────┘
 *
 * Invariant: a home is told only after it was stored, never while its shard moves, and a shard gets another home only
 * after its home said that it stopped, or died. One file because all of it is one order: what is stored, then what is said.
 */
import { assert, unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { ReportedLoads } from '../allocation/reported-loads.ts'
import type { ClusterView } from '../allocation/shard-allocation-strategy.ts'
import type { StrategyAnswer } from '../allocation/strategy-questions.ts'
import { type ShardId, isShardId } from '../shard-id.ts'
import type {
  GetCurrentRegions,
  GetShardHistory,
  GracefulShutdownReq,
  Register,
  StopShards,
  ToRegion,
} from '../sharding-messages.ts'
import type { ShardingSettings } from '../sharding-settings.ts'
import { differencesOf, type TypeIdentity } from '../type-identity.ts'
import { Announcements } from './announcements.ts'
import { MoveHistory } from './move-history.ts'
import type {
  CoordinatorEffect,
  CoordinatorInput,
  CoordinatorTimer,
  RebalanceInput,
} from './coordinator-inputs.ts'
import type { CoordinatorEvent, CoordinatorState } from './coordinator-state.ts'
import { OpenQuestions } from './open-questions.ts'
import { PendingChanges } from './pending-changes.ts'
import { RebalanceMachine } from './rebalance-machine.ts'
import { RebalanceRounds } from './rebalance-rounds.ts'
import { ShardStops } from './shard-stops.ts'

const rememberedStopRefused =
  'its entities are remembered, so they would start again at once; stop them one by one, with passivation'
const stayed = {
  outcome: 'timed-out',
  reason: 'it has not stopped within handOffTimeoutMs, and stays where it is',
} as const

export interface CoordinatorOptions {
  /** Higher than that of every coordinator before. */
  readonly term: number
  /** All stored events, replayed. The machine owns it from now on. */
  readonly state: CoordinatorState
  readonly settings: ShardingSettings
  /** Whether it is known that the whole cluster is about to stop. */
  readonly isPreparing?: boolean | undefined
  /** What regions must agree on with the node of the coordinator. */
  readonly identity?: TypeIdentity | undefined
}

export class CoordinatorMachine {
  readonly #term: number
  readonly #state: CoordinatorState
  readonly #settings: ShardingSettings
  readonly #identity: TypeIdentity
  readonly #stops: ShardStops
  readonly #announcements: Announcements
  readonly #rebalance: RebalanceMachine
  readonly #questions: OpenQuestions
  readonly #pending: PendingChanges
  readonly #loads = new ReportedLoads()
  readonly #rounds = new RebalanceRounds()
  #cluster: ClusterView = { members: new Map(), unreachable: new Set() }
  #storing: readonly CoordinatorEvent[] | undefined
  /** Regions that leave and were not told yet that they get no shard any more. */
  readonly #leavers = new Set<NodeId>()
  readonly #history = new MoveHistory()
  /** The whole cluster is about to stop: nothing moves any more, and homes are given only to who asks. */
  #isPreparing: boolean
  #now = 0
  #effects: CoordinatorEffect[] = []

  constructor({ term, state, settings, isPreparing = false, identity = {} }: CoordinatorOptions) {
    this.#isPreparing = isPreparing
    this.#term = term
    this.#state = state
    this.#settings = settings
    this.#identity = identity
    this.#stops = new ShardStops({
      term,
      refusal: identity.rememberEntities === true ? rememberedStopRefused : undefined,
      isAtHome: (shard) => this.#pending.isAlive(shard),
    })
    const mayTell = (shard: ShardId) =>
      this.#pending.isAlive(shard) && !this.#rebalance.isMoving(shard)
    const isLeaving = (region: NodeId): boolean => this.#isOnItsWayOut(region)
    this.#announcements = new Announcements({ state, term, mayTell, isLeaving })
    this.#pending = new PendingChanges(state)
    this.#rebalance = new RebalanceMachine({
      state,
      settings,
      isAlive: (shard) => this.#pending.isAlive(shard),
      liveRegions: () => this.#pending.liveRegions(),
      renew: (shard) => this.#announcements.renew(shard),
    })
    this.#questions = new OpenQuestions({
      state,
      isEligible: (region) => this.#isEligible(region),
      announcements: this.#announcements,
      loads: this.#loads,
      isPreparing: () => this.#isPreparing,
    })
  }

  step(input: CoordinatorInput, now = 0): CoordinatorEffect[] {
    this.#now = now
    this.#effects = []
    this.#handle(input)
    if (this.#storing === undefined) this.#storeNext()
    if (this.#storing === undefined) this.#nextRound()
    return this.#effects
  }

  /** What a dashboard or a test may see; a copy. */
  snapshot() {
    return {
      regions: [...this.#state.regions],
      homes: new Map(this.#state.homes),
      homeless: [...this.#state.homeless],
      handOffs: this.#rebalance.snapshot(),
      asked: [...this.#announcements.asked],
      isStoring: this.#storing !== undefined,
    }
  }

  #handle(input: CoordinatorInput): void {
    switch (input.type) {
      case 'Started':
        return this.#start(input.cluster)
      case 'MembersChanged':
        return this.#seeMembers(input.cluster)
      case 'Stored':
        return this.#stored()
      case 'StrategyAnswered':
        return this.#answered(input.ask, input.answer)
      case 'TimerFired':
        return this.#timerFired(input.timer)
      case 'Register':
        return this.#register(input)
      case 'GetCurrentRegions':
        return this.#tellRegions(input)
      case 'StopShards':
        return this.#stopShards(input)
      case 'GetShardHome':
        return this.#getShardHome(input.shard, input.region)
      case 'ShardStarted':
        this.#effects.push(...this.#announcements.confirmed(input))
        return
      case 'RegionStopped':
        this.#history.leaves(input.region)
        this.#pending.depart(input.region)
        return this.#die(input.region)
      case 'BeginHandOffAck':
      case 'ShardStopped':
        return this.#stepRebalance(input)
      case 'GracefulShutdownReq':
        return this.#leave(input)
      case 'ShardLoads':
        return this.#loads.note(
          input,
          (shard) => this.#state.homeOf(shard)?.region === input.region,
        )
      case 'GetShardHistory':
        return this.#tellHistory(input)
      case 'PrepareForShutdown':
        this.#prepare()
        return this.#send(input.region, { type: 'ShutdownPrepared', term: this.#term })
      default:
        return unreachable(input)
    }
  }

  /** Says again what the coordinator before it may have left unsaid. */
  #start(cluster: ClusterView): void {
    this.#startTimer('retry', this.#settings.retryIntervalMs)
    this.#startTimer('rebalance', this.#settings.rebalanceIntervalMs)
    this.#seeMembers(cluster)
    this.#effects.push(...this.#announcements.announceAll(this.#pending.liveRegions()))
  }

  #seeMembers(cluster: ClusterView): void {
    this.#cluster = cluster
    this.#questions.askAnew()
    this.#rebalance.step({ type: 'Reconsider' })
    for (const region of this.#pending.gone(cluster.members)) this.#die(region)
  }

  #register(register: Register): void {
    const { region, isProxy, numberOfShards, isPreparing } = register
    if (isPreparing === true) this.#prepare()
    if (!this.#pending.isWelcome(region)) return
    const ours = { ...this.#identity, numberOfShards: this.#settings.numberOfShards }
    const differences = differencesOf(register, ours)
    if (differences.length > 0) return this.#refuse(region, differences)
    if (this.#state.hasRegion(region)) return this.#welcome(region)
    const isLeaving = this.#isOnItsWayOut(region)
    // Who leaves before it was known has messages too; it routes them and gets no shard.
    if (this.#cluster.members.get(region) !== 'Up' && !isLeaving) return
    const routesOnly = isProxy || isLeaving
    const registered = { region, isProxy: routesOnly, numberOfShards }
    this.#pending.register({ type: 'RegionRegistered', ...registered })
  }

  /** As with another number of shards: it would look for an entity in another one, and the entity would live twice. */
  #refuse(region: NodeId, differences: readonly string[]): void {
    const problem = `${differences.join('; ')}; give all nodes the same and restart this one`
    this.#send(region, { type: 'RegisterRefused', term: this.#term, problem })
    // The coordinators before had the settings that it has: what lives there must not stay.
    if (this.#state.hasRegion(region) && !this.#state.isProxy(region)) this.#expel(region)
  }

  #expel(region: NodeId): void {
    if (this.#isPreparing) return this.#rebalance.stops(region)
    this.#history.leaves(region)
    this.#stepRebalance({ type: 'GracefulShutdownReq', region })
  }

  /** Proxies left out. */
  #tellRegions({ region, ask }: GetCurrentRegions): void {
    const hosts = this.#state.hosts.filter((host) => !this.#pending.isDying(host))
    const regions = hosts.map((host) => ({ region: host, shards: this.#state.shardsOf(host) }))
    this.#send(region, { type: 'CurrentRegions', term: this.#term, ask, regions })
  }

  #tellHistory({ region, ask, shard }: GetShardHistory): void {
    if (!isShardId(shard, this.#settings.numberOfShards)) return
    const home = this.#state.homeOf(shard)
    const why = home === undefined ? undefined : this.#state.whyOf(shard)
    this.#send(region, {
      ...{ type: 'ShardHistory', term: this.#term, ask, shard },
      ...(home === undefined ? {} : { home: home.region, epoch: home.epoch }),
      ...(why === undefined ? {} : { whyHere: why }),
      isMoving: this.#rebalance.isMoving(shard),
      moves: this.#history.of(shard, this.#now),
    })
  }

  /** For good: a cluster that is about to stop does not think better of it. */
  #prepare(): void {
    if (this.#isPreparing) return
    this.#isPreparing = true
    this.#rebalance.holdStill()
    for (const region of this.#pending.liveRegions()) {
      this.#send(region, { type: 'ShutdownPrepared', term: this.#term })
    }
  }

  #stopShards(input: StopShards): void {
    const { wanted, effects } = this.#stops.request(input)
    this.#effects.push(...effects)
    if (wanted.length > 0) this.#stepRebalance({ type: 'StopWanted', shards: wanted })
  }

  #leave(input: GracefulShutdownReq): void {
    const { region } = input
    // With that it stops at once, if it had not heard of it, and nothing is moved. It must not be chosen either: it would say
    // no, have the fewest shards, and be chosen again.
    if (this.#isPreparing) {
      this.#rebalance.stops(region)
      this.#send(region, { type: 'ShutdownPrepared', term: this.#term })
      return this.#tellIfLast(region)
    }
    this.#history.leaves(region)
    if (this.#pending.isRegistering(region)) this.#rebalance.leaves(region)
    this.#stepRebalance(input)
    this.#tellIfLast(region)
    this.#leavers.add(region)
    this.#release()
  }

  /** Not before what is being stored is told: a shard of theirs may be in it. */
  #release(): void {
    if (this.#storing !== undefined) return
    for (const region of this.#leavers) {
      this.#send(region, { type: 'GracefulShutdownAck', term: this.#term })
    }
    this.#leavers.clear()
  }

  #tellIfLast(region: NodeId): void {
    if (!this.#hasHeir(region)) this.#send(region, { type: 'NoOtherRegion', term: this.#term })
  }

  /** Whether another region hosts what this one gives up, or may be about to come. */
  #hasHeir(leaving: NodeId): boolean {
    for (const [node, status] of this.#cluster.members) {
      const canStay = !this.#isOnItsWayOut(node) && status !== 'Down'
      if (node === leaving || !canStay || this.#state.isProxy(node)) continue
      if (this.#pending.isWelcome(node) && !this.#rebalance.isLeaving(node)) return true
    }
    return false
  }

  /** Proof of death: whatever lived there lives no more. */
  #die(region: NodeId): void {
    if (!this.#pending.die(region)) return
    this.#stops.forget(region)
    this.#stepRebalance({ type: 'RegionRemoved', region })
    // Those that waited for their turn have ended with it.
    for (const shard of this.#state.shardsIn(region)) this.#hasEnded(shard)
  }

  #getShardHome(shard: ShardId, region: NodeId): void {
    // Who is not registered is not asked to stop routing either, so it must not know homes.
    if (!this.#state.hasRegion(region)) return
    if (!isShardId(shard, this.#settings.numberOfShards)) return
    this.#announcements.ask(shard, region)
    this.#effects.push(...this.#announcements.answer(shard))
  }

  #welcome(region: NodeId): void {
    this.#effects.push(...this.#announcements.welcome(region))
    if (this.#isPreparing) this.#send(region, { type: 'ShutdownPrepared', term: this.#term })
  }

  #stepRebalance(input: RebalanceInput): void {
    this.#performRebalance(input)
    this.#performRebalance({ type: 'Continue' })
  }

  #performRebalance(input: RebalanceInput): void {
    for (const effect of this.#rebalance.step(input)) {
      switch (effect.type) {
        case 'Moved':
          this.#pending.end(effect.shard, effect.epoch)
          this.#announcements.withdraw(effect.shard)
          this.#hasEnded(effect.shard)
          break
        case 'Stayed':
          this.#rounds.failed()
          this.#effects.push(...this.#stops.ended({ shard: effect.shard, ...stayed }))
          this.#announcements.renew(effect.shard)
          this.#effects.push(...this.#announcements.announce(effect.shard))
          break
        default:
          this.#effects.push(effect)
      }
    }
  }

  #hasEnded(shard: ShardId): void {
    this.#effects.push(...this.#stops.ended({ shard, outcome: 'stopped' }))
  }

  #timerFired(timer: CoordinatorTimer): void {
    if (timer === 'retry') {
      this.#startTimer(timer, this.#settings.retryIntervalMs)
      this.#questions.askAnew()
      this.#stepRebalance({ type: 'Repeat' })
      this.#effects.push(...this.#announcements.repeat())
    } else if (timer === 'rebalance') {
      this.#startTimer(timer, this.#settings.rebalanceIntervalMs)
      if (this.#isPreparing) return
      this.#rounds.began()
      this.#effects.push(this.#questions.rebalance(this.#rebalance.moving, this.#cluster))
    } else {
      this.#stepRebalance({ type: 'TimedOut', shard: Number(timer.slice('hand-off/'.length)) })
    }
  }

  #answered(ask: number, answer: StrategyAnswer): void {
    if (!this.#questions.isAwaited(ask, answer.type)) return
    if (answer.type === 'Rebalance') {
      if (this.#isPreparing) return
      return this.#stepRebalance({ type: 'Chosen', shards: this.#rounds.chosen(answer) })
    }
    this.#store(this.#questions.allocated(answer))
  }

  /** As soon as the last one has ended: every shard that it moved has its next home. */
  #nextRound(): void {
    if (this.#isPreparing || !this.#rounds.mayFollow || !this.#rebalance.isAtRest) return
    if (this.#state.homeless.size > 0) return
    this.#rounds.follows()
    this.#effects.push(this.#questions.rebalance(this.#rebalance.moving, this.#cluster))
  }

  /** Regions and ended lives first: homes are chosen from what is left. */
  #storeNext(): void {
    this.#store(this.#pending.events())
    if (this.#storing !== undefined || !this.#areEnoughHere()) return
    this.#effects.push(...this.#questions.allocate(this.#cluster))
  }

  /** Only before the first home of all: when members are lost later, those who are left take over. */
  #areEnoughHere(): boolean {
    const { minMembers } = this.#settings
    if (minMembers <= 1 || this.#state.lastEpoch > 0) return true
    return this.#state.hosts.filter((host) => this.#isEligible(host)).length >= minMembers
  }

  #store(events: readonly CoordinatorEvent[]): void {
    if (events.length === 0) return
    assert(this.#storing === undefined, 'one batch of events is stored at a time')
    this.#storing = events
    this.#questions.forgetAllocation()
    this.#effects.push({ type: 'Store', events })
  }

  #stored(): void {
    assert(this.#storing !== undefined, 'what is stored was given to be stored')
    const events = this.#storing
    this.#storing = undefined
    for (const event of events) {
      const orphans = event.type === 'RegionTerminated' ? this.#state.shardsOf(event.region) : []
      this.#history.note(event, this.#state, this.#now)
      this.#state.apply(event)
      this.#pending.applied(event)
      this.#speak(event, orphans)
    }
    this.#release()
  }

  #speak(event: CoordinatorEvent, orphans: readonly ShardId[]): void {
    switch (event.type) {
      case 'RegionRegistered':
        if (!this.#pending.isDying(event.region)) this.#welcome(event.region)
        return
      case 'RegionTerminated':
        return this.#announcements.orphan(orphans, !this.#isPreparing)
      case 'ShardAllocated':
        this.#announcements.renew(event.shard)
        // Chosen before it asked to leave: it moves on, if it may now, and then nobody else hears of this home.
        if (this.#rebalance.isLeaving(event.home)) this.#performRebalance({ type: 'Continue' })
        this.#effects.push(...this.#announcements.announce(event.shard))
        return
      case 'ShardDeallocated':
        return
      default:
        return unreachable(event)
    }
  }

  #isOnItsWayOut(region: NodeId): boolean {
    const status = this.#cluster.members.get(region)
    return status === 'Leaving' || status === 'Exiting'
  }

  #isEligible(region: NodeId): boolean {
    const status = this.#cluster.members.get(region)
    if (status === undefined || status === 'Down') return false
    return !this.#pending.isDying(region) && !this.#rebalance.isLeaving(region)
  }

  #send(to: NodeId, message: ToRegion): void {
    this.#effects.push({ type: 'Send', to, message })
  }

  #startTimer(timer: CoordinatorTimer, delayMs: number): void {
    this.#effects.push({ type: 'StartTimer', timer, delayMs })
  }
}
