/**
 * The region of one entity type on this node: runs its machine, and carries messages whose way is known without asking
 * it. `routeBy` is the hot path: one lookup, then the mailbox of the entity or the stream to another node. Nothing is
 * decided here. One file because it is one shell: all that the machine's inputs and effects are in this process.
 */
import { type ActorSystem, DeadLetter, Dropped, Behaviors } from '../../actor/index.ts'
import {
  failAsker,
  type LocalRef,
  type Question,
  type Runtime,
  spawnGated,
  Gate,
} from '../../actor/internals.ts'
import { assert, AssertionFailed, unreachable } from '../../foundation/assert.ts'
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import type { Timer } from '../../foundation/timers.ts'
import { withoutStack } from '../../foundation/without-stack.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Remoting } from '../../remote/index.ts'
import type { EntityContext, Passivate } from '../entity-context.ts'
import { encodeName } from '../entity-name.ts'
import { RoutedEntityRef } from '../entity-ref.ts'
import { type Addressing, reasonOf } from '../addressing.ts'
import type { EntityId, ShardId } from '../shard-id.ts'
import { LocalShardStarted, LocalShardStopped } from '../sharding-events.ts'
import type { Returned, ToCoordinator } from '../sharding-messages.ts'
import { ActiveEntityLimit } from '../passivation/active-entity-limit.ts'
import { problemsWithLimit } from '../passivation/passivation-check.ts'
import type { LimitedPassivation } from '../passivation/passivation-options.ts'
import type { SetActiveEntityLimit } from '../passivation/set-active-entity-limit.ts'
import {
  EntityMessageDropped,
  ExtractorUnstable,
  NoActiveEntityLimit,
  RegionRefused,
} from '../sharding-errors.ts'
import type { ShardingProtocol } from '../sharding-wire.ts'
import type { ShardingSettings } from '../sharding-settings.ts'
import type { TypeIdentity } from '../type-identity.ts'
import { type LocalAddress, Shard, type ShardDutiesWorld, type ShardWorld } from '../shard/shard.ts'
import type { HostedPage } from './hosted-shards.ts'
import { KeptRefs } from './kept-refs.ts'
import { ShardFamily } from '../shard/shard-family.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { afterWaiting, type Parcel } from './parcel.ts'
import { PeerLines, sendBy } from './peer-lines.ts'
import { RegionMachine } from './region-machine.ts'
import { RegionNews } from './region-news.ts'
import { RegionQuestions } from './region-questions.ts'
import { RegionStarts } from './region-starts.ts'
import { lonelyAfter } from './registration-machine.ts'
import type { RegionDropReason, ShardDropReason } from '../sharding-drop-reasons.ts'
import type { RegionEffect, RegionInput, RegionTimer } from './region-inputs.ts'
import type { RoutingTable } from './routing-table.ts'
import type { Origin } from './shard-buffers.ts'
import { ShardLoadCounts } from './shard-load-counts.ts'

export interface RegionOptions {
  readonly system: ActorSystem
  readonly remoting: Remoting
  readonly entityType: string
  /** undefined for a proxy. */
  readonly behavior: ((context: EntityContext<never>) => unknown) | undefined
  readonly stopMessage: unknown
  readonly addressing: Addressing
  readonly settings: ShardingSettings
  /** Whether the allocation strategy wants to know what shards have to do. */
  readonly countsLoads: boolean
  /** Where no more than so many entities may be active. */
  readonly limited?: LimitedPassivation | undefined
  /** What all regions of the type must agree on. */
  readonly identity: TypeIdentity
  readonly protocol: ShardingProtocol
  /** The parent of the actors of all shards. */
  readonly ref: LocalRef
  readonly candidates: readonly NodeId[]
  readonly isFrozen: boolean
  /** After a sleep the region is frozen by it, before anything has told. */
  readonly lookForFreeze: () => void
  /** Whether this node is in the cluster, and was not given up by it. */
  readonly isMember: () => boolean
  readonly sendToCoordinator: (to: NodeId, message: ToCoordinator) => void
  /** What shards of this type do besides: undefined when they remember nothing and have no lease. */
  readonly duties: Pick<ShardDutiesWorld, 'openStore' | 'leaseOf'> | undefined
}

type Superseded = Extract<RegionEffect<Parcel>, { type: 'Superseded' }>

export class Region {
  readonly entityType: string
  readonly isProxy: boolean
  readonly runtime: Runtime
  readonly ref: LocalRef
  /** Resolves when nothing lives here any more and nothing will. Until it has stopped it still routes. */
  readonly whenEmptied: Promise<void>
  /** Resolves when it has stopped: it routes nothing any more. */
  readonly whenStopped: Promise<void>
  /** Resolves when a coordinator has taken this region in, or has said why not: with that. */
  readonly whenRegistered: Promise<{ readonly refusal: string | undefined }>
  /** Resolves when the coordinator knows that the whole cluster is about to stop. */
  readonly whenPrepared: Promise<void>
  readonly news: RegionNews
  readonly starts: RegionStarts
  readonly questions: RegionQuestions
  readonly #options: RegionOptions
  readonly #machine: RegionMachine<Parcel>
  readonly #table: RoutingTable
  readonly #turns: OneAtATime
  readonly #lines: PeerLines
  readonly #shards: (Shard | undefined)[] = []
  readonly #shardRefs: (LocalRef | undefined)[] = []
  readonly #world: ShardWorld
  readonly #refs = new KeptRefs((entityId) => this.#makeRef(entityId))
  readonly #timers = new Map<RegionTimer, Timer>()
  /** undefined where nobody wants to know. */
  readonly #loads: ShardLoadCounts | undefined
  #loadTimer: Timer | undefined
  readonly #limit: ActiveEntityLimit | undefined
  /** Of shards that have failed. */
  readonly #restarts = new Map<ShardId, Timer>()
  #isFrozen: boolean
  #refusal: RegionRefused | undefined
  #emptied: () => void = () => undefined
  #stopped: () => void = () => undefined
  #prepared: () => void = () => undefined
  #registered: (answer: { readonly refusal: string | undefined }) => void = () => undefined

  constructor(options: RegionOptions) {
    const { system, remoting, entityType, behavior, settings, protocol, limited } = options
    this.entityType = entityType
    this.isProxy = behavior === undefined
    this.runtime = system.runtime
    this.news = new RegionNews(entityType, system.runtime)
    this.ref = options.ref
    this.whenEmptied = new Promise((resolve) => (this.#emptied = resolve))
    this.whenStopped = new Promise((resolve) => (this.#stopped = resolve))
    this.whenPrepared = new Promise((resolve) => (this.#prepared = resolve))
    this.whenRegistered = new Promise((resolve) => (this.#registered = resolve))
    this.#options = options
    this.#isFrozen = options.isFrozen
    this.#limit = limited && new ActiveEntityLimit(limited)
    const { isProxy } = this
    const { identity, duties, lookForFreeze: lookFirst } = options
    const machine = { self: remoting.node, isProxy, settings, identity }
    this.#machine = new RegionMachine({ ...machine, isReadyAtOnce: duties === undefined })
    this.#table = this.#machine.table
    const onError = (error: unknown): void => this.#failed(error)
    this.#turns = new OneAtATime({ lookFirst, onError })
    this.#lines = new PeerLines(remoting, `/system/shards/${encodeName(entityType)}`, protocol)
    this.starts = this.#makeStarts()
    this.#world = this.#makeWorld()
    if (options.countsLoads && !this.isProxy) {
      const { clock } = this.runtime.environment
      this.#loads = new ShardLoadCounts(settings.numberOfShards, clock.monotonicMs())
    }
    this.questions = new RegionQuestions({
      ...{ entityType, runtime: this.runtime, retryIntervalMs: settings.retryIntervalMs },
      send: (question) => this.step({ type: 'AskCoordinator', question }),
    })
  }

  start(): void {
    if (this.#isFrozen) this.step({ type: 'Frozen' })
    this.step({ type: 'Started', candidates: this.#options.candidates })
    if (this.#loads !== undefined) this.#reportLater(this.#loads)
  }

  /** Hands over what is here, and stops then; with `staysForOthers` only after `OthersEmptied`. */
  leave(staysForOthers = false): void {
    const isMember = this.#options.isMember()
    this.step({ type: 'GracefulShutdown', isMember, staysForOthers })
  }

  // ---- messages

  /** The hot path. Throws CannotSerialize for a question that cannot travel. */
  routeBy(ref: RoutedEntityRef<unknown>, message: unknown, question: Question | undefined): void {
    const { shard } = ref
    const route = this.#table.homeOf(shard)
    if (route === undefined || this.#turns.isBusy) {
      const parcel = { entityId: ref.entityId, message, question }
      return this.step({ type: 'Message', shard, parcel })
    }
    if (route.node === undefined) {
      if (this.#loads !== undefined) this.#loads.messages[shard]!++
      return this.#shardHere(shard).deliverBy(ref, message, question)
    }
    if (ref.route !== route) {
      ref.remote = this.#lines.to(route, shard, ref.entityId)
      ref.route = route
    }
    sendBy(ref.remote!, message, question)
  }

  /** A message that another node sent by a route of its own. */
  receive(
    shard: ShardId,
    address: LocalAddress,
    message: unknown,
    origin: Origin,
    bytes: number,
  ): void {
    const { node, stamp } = origin
    if (!this.#turns.isBusy && this.#table.isServedTo(shard, node, stamp)) {
      if (this.#loads !== undefined) {
        this.#loads.messages[shard]!++
        this.#loads.bytes[shard]! += bytes
      }
      return this.#shardHere(shard).deliverBy(address, message, undefined)
    }
    const parcel = { entityId: address.entityId, message, question: undefined }
    const forwarded = { type: 'Forwarded', shard, stamp, parcel } as const
    this.step({ type: 'FromRegion', region: node, message: forwarded })
  }

  /** What another node gave back. It names the shard as its own extractor does: one that differs would break the order. */
  returned(from: NodeId, message: Returned<Parcel>): void {
    const { shard } = message
    const parcels = message.parcels.filter((parcel) => {
      const { entityId, question } = parcel
      const here = this.refOf(entityId).shard
      if (here === shard) return true
      const error = new ExtractorUnstable(this.entityType, entityId, [here, shard])
      this.unaddressed(parcel.message, error, question)
      return false
    })
    if (parcels.length === 0) return
    this.step({ type: 'FromRegion', region: from, message: { ...message, parcels } })
  }

  /** Throws `InvalidEntityId`, `InvalidShardId`, `ExtractorFailed` and `ExtractorUnstable`. */
  refOf(entityId: EntityId): RoutedEntityRef<unknown> {
    return this.#refs.of(entityId)
  }

  #makeRef(entityId: EntityId): RoutedEntityRef<unknown> {
    return new RoutedEntityRef<unknown>(this, entityId, this.shardOf(entityId))
  }

  /** Throws as `refOf`. */
  shardOf(entityId: EntityId): ShardId {
    return this.#options.addressing.shardOf(entityId)
  }

  /** A message in a form that the type takes. One that names no entity is a dead letter, and whoever asked hears why. */
  routeIncoming(incoming: unknown, question: Question | undefined): void {
    let message: unknown
    let ref: RoutedEntityRef<unknown>
    try {
      const found = this.#options.addressing.read(incoming)
      message = found.message
      ref = this.refOf(found.entityId)
    } catch (error) {
      return this.unaddressed(incoming, error, question)
    }
    this.routeBy(ref, message, question)
  }

  /** For a message of which nobody knows for whom it is. */
  unaddressed(message: unknown, error: unknown, question?: Question): void {
    const reason = reasonOf(error)
    if (reason === undefined) throw error
    this.news.unaddressed(reason, error)
    question?.fail(error)
    this.runtime.lost(new DeadLetter(message, this.ref, reason))
  }

  /** What the type's extractor finds in a message. */
  entityIdIn(incoming: unknown): EntityId | undefined {
    try {
      return this.#options.addressing.read(incoming).entityId
    } catch {
      return undefined
    }
  }

  // ---- inputs

  step(input: RegionInput<Parcel>): void {
    this.#turns.run(() => {
      for (const effect of this.#machine.step(input)) this.#perform(effect)
    })
  }

  /** Shards first when they may go on: what waits in them is older than what waits here. */
  freeze(isFrozen: boolean): void {
    this.#turns.run(() => {
      this.#isFrozen = isFrozen
      for (const shard of this.#shards) {
        if (isFrozen) shard?.freeze()
        else shard?.thaw()
      }
    })
    this.step({ type: isFrozen ? 'Frozen' : 'Thawed' })
  }

  /** For shards that come later as well. Throws where the type has no limit. */
  setActiveEntityLimit({ perRegion }: SetActiveEntityLimit): void {
    const problems = problemsWithLimit('activeEntityLimit', perRegion)
    if (problems.length > 0) throw new InvalidSettings(`The limit of ${this.entityType}`, problems)
    if (this.isProxy) return
    if (this.#limit === undefined) throw new NoActiveEntityLimit(this.entityType)
    this.#limit.set(perRegion)
    this.#turns.run(() => this.#tellLimit())
  }

  passivate(shard: ShardId, passivate: Passivate): void {
    this.#shards[shard]?.passivate(passivate)
  }

  /** All actors of this node are being stopped: nothing fires any more. */
  abandon(): void {
    for (const timer of this.#timers.values()) timer.cancel()
    this.#loadTimer?.cancel()
    for (const shard of this.#shards) shard?.abandon()
    this.step({ type: 'Abandoned' })
    this.questions.cancelTimer()
    this.#cancelStarts()
    this.#stopped()
  }

  // ---- looking

  snapshot(page?: HostedPage) {
    return this.#machine.snapshot(page)
  }

  explain(shard: ShardId) {
    return this.#machine.explain(shard)
  }

  entityCountOf(shard: ShardId): number {
    return this.#shards[shard]?.entityCount ?? 0
  }

  entityIdsOf(shard: ShardId): readonly EntityId[] {
    return this.#shards[shard]?.entityIds ?? []
  }

  isRunning(shard: ShardId, entityId: EntityId): boolean {
    return this.#shards[shard]?.isRunning(entityId) ?? false
  }

  /** Messages in the mailbox of an entity. */
  waitingFor(shard: ShardId, entityId: EntityId): number {
    return this.#shards[shard]?.waitingFor(entityId) ?? 0
  }

  // ---- effects

  #perform(effect: RegionEffect<Parcel>): void {
    switch (effect.type) {
      case 'Deliver': {
        const { entityId, message, question } = effect.parcel
        if (this.#loads !== undefined) this.#loads.messages[effect.shard]!++
        return this.#shardHere(effect.shard).deliver(entityId, message, question)
      }
      case 'SendToPeer':
        return this.#sendToPeer(effect)
      case 'SendToCoordinator':
        return this.#options.sendToCoordinator(effect.to, effect.message)
      case 'Drop':
        return this.#drop(effect.parcel, effect.reason)
      case 'StartShard':
        return this.#startShard(effect.shard, effect.epoch)
      case 'RestartShardLater':
        return this.#restartLater(effect.shard, effect.delayMs)
      case 'StopShard':
        return this.#shards[effect.shard]?.handOff(effect.isForced)
      case 'StartTimer':
        return this.#startTimer(effect.timer, effect.delayMs)
      case 'Registered':
        return this.#registered({ refusal: undefined })
      case 'Refused':
        return this.#refused(effect.problem)
      case 'Lonely':
        return this.news.lonely(effect.asked, lonelyAfter * this.#options.settings.retryIntervalMs)
      case 'Answer':
        return this.questions.answered(effect.answer)
      case 'Prepared':
        return this.#prepared()
      case 'Superseded':
        return this.#superseded(effect)
      case 'LeftBehind':
        return this.#leftBehind(effect)
      case 'Emptied':
        return this.#emptied()
      case 'Finish':
        return this.#finish()
      default:
        return unreachable(effect)
    }
  }

  #superseded({ shard, epoch, home, laterEpoch }: Superseded): void {
    const ours = { node: this.#options.remoting.node, epoch }
    this.news.livesTwice({ shard, owners: [ours, { node: home, epoch: laterEpoch }] })
  }

  #leftBehind({ shards, buffered }: Extract<RegionEffect<Parcel>, { type: 'LeftBehind' }>): void {
    const left = shards.map((shard) => ({ shard, entities: this.entityCountOf(shard) }))
    this.news.leftBehind(left, this.#options.remoting.node, buffered)
  }

  /** The table says that it is served here, so it is. */
  #shardHere(shard: ShardId): Shard {
    const here = this.#shards[shard]
    if (here !== undefined) return here
    throw new AssertionFailed(`shard ${shard} is here while it is served here`)
  }

  #sendToPeer({ to, message }: Extract<RegionEffect<Parcel>, { type: 'SendToPeer' }>): void {
    if (message.type === 'Forwarded') {
      const route = { node: to, stamp: message.stamp }
      const parcel = afterWaiting(message.parcel)
      if (parcel === undefined) return this.#drop(message.parcel, 'expired')
      return this.#lines.forward(route, message.shard, parcel)
    }
    if (message.type !== 'Returned') return this.#lines.send(to, message)
    // A message that came from there has no question of this node.
    const parcels = message.parcels.map((parcel) => ({
      entityId: parcel.entityId,
      message: parcel.message,
    }))
    this.#lines.send(to, { ...message, parcels })
  }

  #drop(parcel: Parcel, reason: RegionDropReason | ShardDropReason, entity = this.ref): void {
    const { entityId, message, question } = parcel
    const lost =
      reason === 'region-stopped' || reason === 'region-refused'
        ? new DeadLetter(message, entity, reason)
        : new Dropped(message, entity, reason)
    const waiting = reason === 'mailbox-full' ? entity.cell?.mailbox?.size : undefined
    // First, so that whoever hears of the loss finds the question answered.
    question?.fail(
      reason === 'region-refused' && this.#refusal !== undefined
        ? this.#refusal
        : withoutStack(() => new EntityMessageDropped(this.entityType, entityId, reason, waiting)),
    )
    this.runtime.lost(lost)
    if (question === undefined) this.#lines.tellAsker(entityId, message, reason)
  }

  /** Whoever asked hears at once of a message that was lost in the actor of its entity. */
  tellAsker(entityId: EntityId, message: unknown, reason: string): void {
    const { entityType } = this
    failAsker(message, () =>
      withoutStack(() => new EntityMessageDropped(entityType, entityId, reason)),
    )
    this.#lines.tellAsker(entityId, message, reason)
  }

  #refused(problem: string): void {
    this.#refusal = new RegionRefused(this.entityType, problem)
    this.runtime.logger.error({ entityType: this.entityType }, this.#refusal.message)
    this.#registered({ refusal: problem })
  }

  #tellLimit(): void {
    const perShard = this.#limit?.changed()
    if (perShard === undefined) return
    for (const shard of this.#shards) shard?.limitActiveEntities(perShard)
  }

  #startShard(shard: ShardId, epoch: number): void {
    this.#limit?.shardStarted()
    this.#tellLimit()
    const started = new Shard(this.#world, this.#shardRef(shard), shard, epoch)
    this.#shards[shard] = started
    this.#loads?.started(shard)
    if (this.#isFrozen) started.freeze()
    const { eventStream } = this.runtime
    if (eventStream.hasListeners(LocalShardStarted)) {
      eventStream.publish(
        new LocalShardStarted(this.entityType, shard, epoch, this.#options.remoting.node),
      )
    }
    started.begin()
  }

  #restartLater(shard: ShardId, delayMs: number): void {
    this.#restarts.get(shard)?.cancel()
    const timer = this.runtime.environment.timers.after(delayMs, () => {
      this.#restarts.delete(shard)
      this.step({ type: 'RestartShard', shard })
    })
    this.#restarts.set(shard, timer)
  }

  /** One actor per shard for as long as the region lives: the parent of all its entities. */
  #shardRef(shard: ShardId): LocalRef {
    const known = this.#shardRefs[shard]
    if (known !== undefined) return known
    const behavior = Behaviors.receiveMessage<Passivate>((message) =>
      this.passivate(shard, message),
    )
    const cell = spawnGated(this.ref, behavior, String(shard), new Gate())
    if (cell !== undefined) cell.state().children = new ShardFamily(() => this.#shards[shard])
    const ref = cell?.ref ?? this.ref
    this.#shardRefs[shard] = ref
    return ref
  }

  #shardFinished(ended: Shard, restartAfterMs: number | undefined): void {
    const { shard, epoch } = ended
    this.#shards[shard] = undefined
    this.#limit?.shardStopped()
    this.#tellLimit()
    this.starts.recovery.remove(ended)
    const { eventStream } = this.runtime
    if (eventStream.hasListeners(LocalShardStopped)) {
      const { node } = this.#options.remoting
      eventStream.publish(new LocalShardStopped(this.entityType, shard, epoch, node))
    }
    this.step({ type: 'ShardTerminated', shard, restartAfterMs })
  }

  #startTimer(timer: RegionTimer, delayMs: number): void {
    this.#timers.get(timer)?.cancel()
    const started = this.runtime.environment.timers.after(delayMs, () => {
      this.step({ type: 'TimerFired', timer })
    })
    this.#timers.set(timer, started)
  }

  #reportLater(loads: ShardLoadCounts): void {
    const { clock, timers } = this.runtime.environment
    const { settings, remoting } = this.#options
    this.#loadTimer = timers.after(settings.loadReportIntervalMs, () => {
      const { shards } = this.#machine.snapshot()
      const reports = loads.take(shards, remoting.node, clock.monotonicMs())
      this.step({ type: 'ReportLoads', reports })
      this.#reportLater(loads)
    })
  }

  #finish(): void {
    for (const timer of this.#timers.values()) timer.cancel()
    this.#loadTimer?.cancel()
    this.#cancelStarts()
    this.ref.cell?.stop()
    this.#emptied()
    this.#stopped()
  }

  #cancelStarts(): void {
    this.starts.cancel()
    for (const timer of this.#restarts.values()) timer.cancel()
  }

  #makeStarts(): RegionStarts {
    const { settings, remoting } = this.#options
    return new RegionStarts({
      ...{ settings, runtime: this.runtime, node: remoting.node },
      shardHere: (shard) => this.#shards[shard],
      shardOf: (entityId) => this.shardOf(entityId),
      homeOf: (shard) => this.#machine.explain(shard).home,
      findHome: (shard) => this.step({ type: 'FindHome', shard }),
      send: (to, message) => this.#lines.send(to, message),
    })
  }

  #makeWorld(): ShardWorld {
    const { entityType, settings, stopMessage, behavior, remoting } = this.#options
    return {
      ...{ entityType, settings, stopMessage, node: remoting.node, runtime: this.runtime },
      turns: this.#turns,
      behavior: (context) => {
        assert(behavior !== undefined, 'a proxy hosts nothing')
        return behavior(context)
      },
      activeEntities: () => this.#limit?.activeEntities(),
      dropped: (parcel, reason, entity) => this.#drop(parcel, reason, entity),
      finished: (shard, restartAfterMs) => this.#shardFinished(shard, restartAfterMs),
      ready: ({ shard }, isReady) => this.step({ type: 'ShardReady', shard, isReady }),
      started: (entityIds, asker) => this.starts.tell(entityIds, asker),
      duties: this.#makeDuties(),
    }
  }

  #makeDuties(): ShardDutiesWorld | undefined {
    const { duties } = this.#options
    if (duties === undefined) return undefined
    return {
      ...duties,
      shardOf: (entityId) => this.shardOf(entityId),
      recover: (shard) => this.starts.recovery.add(shard),
      startElsewhere: (shard, home, entityIds) =>
        this.starts.startElsewhere(shard, home, entityIds),
    }
  }

  #failed(error: unknown): void {
    if (error instanceof AssertionFailed) return this.runtime.brokenInvariant(error)
    const fields = { err: error, entityType: this.entityType }
    this.runtime.logger.error(fields, 'Sharding failed to handle an input.')
  }
}
