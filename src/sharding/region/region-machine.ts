/**
 * One node's door to an entity type: finds the coordinator, learns homes, hosts shards, and lets go of them. One file because
 * all of it is one life, and most of it is how that ends.
 *
 *   serving ──GracefulShutdown──▶ leaving ──nothing hosted, nothing waits──▶ flushing ──nothing comes back──▶ stopped
 *       │                            └──time is up, cut off───┴──▶ forcing ──nothing hosted───────────────────┤
 *       └──GracefulShutdown, and the whole cluster is about to stop──▶ ending ──nothing hosted───────────────────┘
 *
 * A coordinator may have chosen this region for a shard before it heard that the region leaves. So a leaving region hosts
 * what it is told to, until the coordinator has said that nothing more will come; then it is handed over like the rest.
 *
 * Invariant: a message goes to a shard here only while that shard runs, its home is here by the newest word, and the node
 * is not frozen; every message is delivered, sent on, returned to its origin, or dropped with a reason.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type { Placement, ToCoordinator, ToRegion } from '../sharding-messages.ts'
import type { ShardingSettings } from '../sharding-settings.ts'
import type { TypeIdentity } from '../type-identity.ts'
import { type HostedPage, HostedShards } from './hosted-shards.ts'
import type {
  HostingEffect,
  RegionEffect,
  RegionInput,
  RegionTimer,
  RoutesEffect,
} from './region-inputs.ts'
import { RegistrationMachine } from './registration-machine.ts'
import { RoutingTable } from './routing-table.ts'
import { ShardBuffers } from './shard-buffers.ts'
import { ShardRoutes } from './shard-routes.ts'
import { stepStoppedRegion } from './stopped-region.ts'

export interface RegionMachineOptions {
  readonly self: NodeId
  /** Routes and never hosts. */
  readonly isProxy: boolean
  readonly settings: ShardingSettings
  /** False for types whose shards say when they take messages. */
  readonly isReadyAtOnce?: boolean | undefined
  /** What all regions of the type must agree on. */
  readonly identity?: TypeIdentity | undefined
  /** Messages that the first of several turns sends to other nodes of those that waited. */
  readonly releasedMax?: number | undefined
}

export class RegionMachine<Parcel> {
  /** For the synchronous path: whoever finds no route here brings the message as an input. */
  readonly table: RoutingTable
  readonly #self: NodeId
  readonly #isProxy: boolean
  readonly #settings: ShardingSettings
  readonly #registration: RegistrationMachine
  readonly #buffers: ShardBuffers<Parcel>
  readonly #routes: ShardRoutes<Parcel>
  readonly #hosted: HostedShards
  #phase: 'serving' | 'leaving' | 'flushing' | 'ending' | 'forcing' | 'stopped' = 'serving'
  #isFrozen = false
  /** Why the coordinator does not let this region take part. */
  #refusal: string | undefined
  /** Why no coordinator decides, as the node says that should have it. */
  #trouble: string | undefined
  /** Whether another region could host what this one gives up, as far as the coordinator has said. */
  #hasHeir = true
  /** The term of the coordinator that gives this region no shard any more. */
  #releasedBy: number | undefined
  /** Whether entities of other types on this node may still call by this region. */
  #staysForOthers = false
  #isEmptied = false
  /** The whole cluster is about to stop. */
  #isPreparing = false
  /** The term of the coordinator that knows it. */
  #preparedBy: number | undefined
  #effects: RegionEffect<Parcel>[] = []

  constructor(options: RegionMachineOptions) {
    const { self, isProxy, settings, isReadyAtOnce, identity, releasedMax } = options
    this.#self = self
    this.#isProxy = isProxy
    this.#settings = settings
    const { retryIntervalMs, numberOfShards, bufferedMessagesMax } = settings
    this.table = new RoutingTable(numberOfShards)
    const registration = { self, isProxy, numberOfShards, retryIntervalMs, identity }
    this.#registration = new RegistrationMachine(registration)
    this.#buffers = new ShardBuffers(bufferedMessagesMax)
    this.#hosted = new HostedShards(self, isReadyAtOnce)
    const isServed = (shard: ShardId) => !this.#isFrozen && this.#hosted.isRunning(shard)
    const { table } = this
    this.#routes = new ShardRoutes({ self, table, buffers: this.#buffers, isServed, releasedMax })
  }

  step(input: RegionInput<Parcel>): RegionEffect<Parcel>[] {
    if (this.#phase === 'stopped') return stepStoppedRegion(this.#self, input)
    this.#effects = []
    this.#handle(input)
    this.#giveUpWaiting()
    this.#leaveWhenDone()
    return this.#effects
  }

  /** With all shards that it hosts, or those of a page. */
  snapshot(page?: HostedPage) {
    const hosted = page === undefined ? this.#hosted.all : this.#hosted.page(page)
    return {
      phase: this.#phase,
      isFrozen: this.#isFrozen,
      refusal: this.#refusal,
      isRegistered: this.#registration.isRegistered && this.#refusal === undefined,
      trouble: this.#trouble,
      coordinator: this.#registration.coordinator,
      term: this.#registration.term,
      shards: hosted.map(({ shard }) => shard),
      hosted,
      buffered: this.#buffers.size,
      isPreparing: this.#isPreparing,
    }
  }

  /** Everything this region knows about one shard, for people who look for a message. */
  explain(shard: ShardId) {
    const place = this.#routes.placeOf(shard)
    return {
      shard,
      home: place?.home,
      epoch: place?.epoch,
      waitsForFlushOf: place?.fence?.node,
      isMoving: place?.handOff !== undefined && place.home === undefined,
      isRouted: this.table.routeOf(shard) !== undefined,
      here: this.#hosted.stateOf(shard),
      isReady: this.#hosted.isRunning(shard),
      buffered: this.#buffers.sizeOf(shard),
      coordinator: this.#registration.coordinator,
      trouble: this.#trouble,
    }
  }

  #handle(input: RegionInput<Parcel>): void {
    switch (input.type) {
      case 'Started':
        this.#startTimer('retry', this.#settings.retryIntervalMs)
        return this.#register({ type: 'CandidatesChanged', candidates: input.candidates })
      case 'Message':
        return this.#message(input.shard, input.parcel)
      case 'FromRegion':
        return this.#perform(this.#routes.fromRegion(input.region, input.message))
      case 'FromCoordinator':
        return this.#fromCoordinator(input.coordinator, input.message)
      case 'CandidatesChanged':
        return this.#register(input)
      case 'NodeRemoved':
        return this.#nodeRemoved(input.node)
      case 'AssociationLost':
        return this.#perform(this.#routes.associationLost(input.node))
      case 'ShardTerminated':
        return this.#shardTerminated(input.shard, input.restartAfterMs)
      case 'ShardReady':
        return this.#shardReady(input.shard, input.isReady)
      case 'RestartShard':
        return this.#perform(this.#hosted.restart(input.shard))
      case 'FindHome':
        return this.#perform(this.#routes.ask(input.shard))
      case 'GracefulShutdown':
        this.#staysForOthers = input.staysForOthers === true
        this.#leave()
        // Nobody would take the shards, or nobody may be told: what is here ends here.
        if (this.#isFrozen || !input.isMember) this.#force()
        return
      case 'OthersEmptied':
        this.#staysForOthers = false
        return
      case 'EndNow':
        this.#leave()
        return this.#timeIsUp()
      case 'Abandoned':
        return this.#abandon()
      case 'AskCoordinator': {
        const message = { ...input.question, region: this.#self }
        return void this.#effects.push(...this.#registration.toAll(message))
      }
      case 'ReportLoads':
        return input.reports.forEach((report) => this.#tell(report))
      case 'PrepareForShutdown':
        this.#isPreparing = true
        return this.#requestPreparation()
      case 'Frozen':
      case 'Thawed':
        return this.#freeze(input.type === 'Frozen')
      case 'TimerFired':
        return this.#timerFired(input.timer)
      default:
        return unreachable(input)
    }
  }

  #message(shard: ShardId, parcel: Parcel): void {
    if (this.#refusal !== undefined) {
      return void this.#effects.push({ type: 'Drop', parcel, reason: 'region-refused' })
    }
    // Nothing is left to do but to hear what comes back: who sends still is told at once.
    if (this.#phase === 'flushing') {
      return void this.#effects.push({ type: 'Drop', parcel, reason: 'region-stopped' })
    }
    this.#perform(this.#routes.route(shard, parcel))
  }

  #nodeRemoved(node: NodeId): void {
    this.#register({ type: 'NodeRemoved', node })
    this.#perform(this.#routes.nodeRemoved(node))
  }

  #fromCoordinator(coordinator: NodeId, message: ToRegion): void {
    if (message.type === 'CoordinatorTroubled') {
      this.#trouble = message.problem
      return
    }
    const { term } = message
    if (!this.#registration.isCurrent(term)) return
    const isNew = coordinator !== this.#registration.coordinator || term > this.#registration.term
    const isAnswer = message.type === 'RegisterAck' || message.type === 'RegisterRefused'
    this.#register({ type: 'Heard', coordinator, term, isAnswer })
    if (isNew) this.#askAgain()
    this.#trouble = undefined
    switch (message.type) {
      case 'RegisterAck':
        this.#letIn()
        this.#effects.push({ type: 'Registered' })
        return this.#register({ type: 'Acknowledged' })
      case 'RegisterRefused':
        return this.#refused(message.problem)
      case 'NoOtherRegion':
        this.#hasHeir = false
        return
      case 'GracefulShutdownAck':
        this.#releasedBy = term
        return
      case 'CurrentRegions':
      case 'ShardHistory':
      case 'ShardsStopped':
        return void this.#effects.push({ type: 'Answer', answer: message })
      case 'ShutdownPrepared':
        return this.#prepared(term)
      case 'ShardHomes':
        return message.homes.forEach((home) => this.#learn(home))
      case 'ShardHome':
      case 'HostShard':
        return this.#learn(message)
      case 'BeginHandOff':
        if (this.#routes.isNews(message)) this.#perform(this.#routes.begin(message))
        return
      case 'HandOff':
        return this.#handOff(message)
      default:
        return unreachable(message)
    }
  }

  #refused(problem: string): void {
    if (problem === this.#refusal) return
    this.#refusal = problem
    // By its rule an entity may be in another shard. What it hosts still is for others, until it is taken from here. So it
    // stays until a coordinator lets it in, also when this one is gone: by its routes it could reach what others host.
    this.table.shut(true)
    this.#effects.push({ type: 'Refused', problem })
  }

  #letIn(): void {
    this.#refusal = undefined
    this.table.shut(false)
  }

  #learn(word: Placement): void {
    if (!this.#routes.isNews(word)) return
    if (word.home !== this.#self) {
      this.#alarm(word)
      this.#perform(this.#hosted.superseded(word))
      return this.#perform(this.#routes.learn(word))
    }
    if (this.#isProxy) return
    this.#perform(this.#hosted.host(word))
    const isHere = this.#hosted.stateOf(word.shard) !== 'absent'
    this.#perform(isHere ? this.#routes.learn(word) : this.#routes.deny(word))
  }

  /** Before what runs here is stopped: whoever looks for the cause of two instances has to know of both. */
  #alarm({ shard, home, epoch: laterEpoch }: Placement): void {
    const epoch = this.#hosted.epochOf(shard)
    if (epoch === undefined || laterEpoch <= epoch || !this.#hosted.isRunning(shard)) return
    this.#effects.push({ type: 'Superseded', shard, epoch, home, laterEpoch })
  }

  #handOff(word: Placement): void {
    if (word.home !== this.#self || !this.#routes.isNews(word)) return
    this.#perform(this.#routes.stopServing(word.shard))
    this.#perform(this.#hosted.handOff(word))
  }

  #shardReady(shard: ShardId, isReady: boolean): void {
    this.#hosted.ready(shard, isReady)
    this.#perform(this.#routes.settle(shard))
  }

  #shardTerminated(shard: ShardId, restartAfterMs: number | undefined): void {
    this.#perform(this.#hosted.terminated(shard, restartAfterMs))
    if (this.#hosted.stateOf(shard) === 'running') return this.#perform(this.#routes.settle(shard))
    this.#perform(this.#routes.stopServing(shard))
    if (this.#buffers.has(shard)) this.#perform(this.#routes.ask(shard))
  }

  /** Nothing reaches entities of this node until the thaw; it waits, and others may still be reached. */
  #freeze(isFrozen: boolean): void {
    this.#isFrozen = isFrozen
    for (const shard of this.#hosted.shards) this.#perform(this.#routes.settle(shard))
  }

  #askAgain(): void {
    this.#perform(this.#routes.askAll())
    if (this.#phase !== 'serving') this.#requestShutdown()
    this.#requestPreparation()
  }

  /** Also of the next coordinator: whoever decides must know it. */
  #requestPreparation(): void {
    if (!this.#isPreparing || this.#preparedBy === this.#registration.term) return
    const message = { type: 'PrepareForShutdown', region: this.#self } as const
    this.#effects.push(...this.#registration.toAll(message))
  }

  #prepared(term: number): void {
    this.#isPreparing = true
    this.#preparedBy = term
    this.#registration.prepare()
    this.#effects.push({ type: 'Prepared' })
    if (this.#phase === 'leaving' || this.#phase === 'flushing') this.#stopHere()
  }

  /** Nobody shall take what lives here: it ends here, in good order and as long as there is time. */
  #stopHere(): void {
    this.#hosted.refuseAll()
    for (const shard of this.#hosted.shards) this.#perform(this.#routes.stopServing(shard))
    this.#perform(this.#hosted.stopAll(false))
    this.#phase = 'ending'
    this.#requestShutdown()
  }

  #leave(): void {
    if (this.#phase !== 'serving') return
    this.#phase = 'leaving'
    this.#startTimer('shutdown', this.#settings.gracefulShutdownTimeoutMs)
    if (this.#preparedBy === undefined) this.#requestShutdown()
    else this.#stopHere()
  }

  #requestShutdown(): void {
    // Nothing shall move: it has stopped what lives here, and needs nobody for that, unless it stays: then it must not be chosen.
    if (this.#preparedBy !== undefined && !this.#staysForOthers) return
    const message = { type: 'GracefulShutdownReq', region: this.#self } as const
    this.#effects.push(...this.#registration.toAll(message))
  }

  /** Whoever sent it hears so at once, and the region does not stay for it. */
  #giveUpWaiting(): void {
    if (this.#refusal !== undefined) this.#perform(this.#routes.giveUpOwn('region-refused'))
    else if (!this.#hasHeir && (this.#phase === 'leaving' || this.#phase === 'ending')) {
      this.#perform(this.#routes.giveUp('region-stopped'))
    }
  }

  /** What is on its way to others may still come back, so one flush follows it before the region stops. */
  #leaveWhenDone(): void {
    const isFree = this.#isReleased && this.#hosted.isEmpty && this.#routes.isEmpty
    const isEnding = this.#phase === 'ending' && this.#hosted.isEmpty
    const hasLeft = this.#phase === 'leaving' && isFree
    if ((hasLeft || isEnding) && this.#staysForOthers) return this.#stay()
    if (hasLeft) {
      this.#phase = 'flushing'
      this.#perform(this.#routes.flushAll())
    }
    const isFlushed = this.#phase === 'flushing' && this.#isReleased && this.#routes.isEmpty
    const isDone = this.#phase === 'forcing' || isEnding || isFlushed
    if (isDone && this.#hosted.isEmpty) this.#finish()
  }

  /** Nothing lives here any more, and it goes on routing. */
  #stay(): void {
    if (!this.#isEmptied) this.#effects.push({ type: 'Emptied' })
    this.#isEmptied = true
  }

  /** Whether nobody gives it a shard any more, as far as a coordinator has ever heard of it and let it take part. */
  get #isReleased(): boolean {
    const { term } = this.#registration
    const isUnknown = this.#isProxy || term === 0 || this.#refusal !== undefined
    return isUnknown || term === this.#releasedBy
  }

  #finish(): void {
    this.#abandon()
    this.#tell({ type: 'RegionStopped', region: this.#self })
    this.#effects.push({ type: 'Finish' })
  }

  /** Nothing is routed any more, and what waits is given up. */
  #abandon(): void {
    this.#phase = 'stopped'
    this.table.closeAll()
    this.#perform(this.#routes.giveUp('region-stopped'))
  }

  #timerFired(timer: RegionTimer): void {
    switch (timer) {
      case 'register':
        return this.#register({ type: 'RetryFast' })
      case 'retry':
        this.#startTimer('retry', this.#settings.retryIntervalMs)
        this.#register({ type: 'Retry', isWaiting: this.#buffers.size > 0 })
        this.#perform(this.#routes.retry())
        if (this.#phase !== 'serving') this.#requestShutdown()
        this.#requestPreparation()
        return
      case 'release':
        return this.#perform(this.#routes.release())
      case 'shutdown':
        return this.#timeIsUp()
      default:
        return unreachable(timer)
    }
  }

  /** Somebody has to know what was not handed over. */
  #timeIsUp(): void {
    const { shards } = this.#hosted
    const buffered = this.#buffers.size
    if (shards.length > 0) this.#effects.push({ type: 'LeftBehind', shards, buffered })
    this.#force()
  }

  /** What is here stops now, and what waits then is given up. */
  #force(): void {
    this.#hosted.refuseAll()
    for (const shard of this.#hosted.shards) this.#perform(this.#routes.stopServing(shard))
    this.#perform(this.#hosted.stopAll())
    this.#phase = 'forcing'
  }

  #register(input: Parameters<RegistrationMachine['step']>[0]): void {
    for (const effect of this.#registration.step(input)) {
      // One that was refused, or hears of trouble, has had its answer.
      const isAnswered = this.#refusal !== undefined || this.#trouble !== undefined
      if (effect.type !== 'Lonely' || !isAnswered) this.#effects.push(effect)
    }
  }

  #perform(effects: readonly (HostingEffect | RoutesEffect<Parcel>)[]): void {
    for (const effect of effects) {
      if (effect.type === 'Tell') this.#tell(effect.message)
      else this.#effects.push(effect)
    }
  }

  /** Without a coordinator it is lost; every question is repeated, and every answer asked for again. */
  #tell(message: ToCoordinator): void {
    const to = this.#registration.coordinator
    if (to !== undefined) this.#effects.push({ type: 'SendToCoordinator', to, message })
  }

  #startTimer(timer: RegionTimer, delayMs: number): void {
    this.#effects.push({ type: 'StartTimer', timer, delayMs })
  }
}
