/**
 * The region of one entity type on this node: runs its machine, and carries messages whose way is known without asking
 * it. `routeBy` is the hot path: one lookup, then the mailbox of the entity or the stream to another node. Nothing is
 * decided here. One file because it is one shell: all that the machine's inputs and effects are in this process.
 */
import {
  type ActorSystem,
  type AskOptions,
  DeadLetter,
  Dropped,
  Behaviors,
} from '../../actor/index.ts'
import {
  failAsker,
  type LocalRef,
  type Question,
  type Runtime,
  spawnGated,
  Gate,
} from '../../actor/internals.ts'
import { assert, AssertionFailed, unreachable } from '../../foundation/assert.ts'
import type { Timer } from '../../foundation/timers.ts'
import { withoutStack } from '../../foundation/without-stack.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Remoting } from '../../remote/index.ts'
import type { EntityContext, Passivate } from '../entity-context.ts'
import { encodeName } from '../entity-name.ts'
import { RoutedEntityRef } from '../entity-ref.ts'
import type { MessageExtractor } from '../message-extractor.ts'
import { checkEntityId, type EntityId, isShardId, type ShardId } from '../shard-id.ts'
import {
  EntityMessageDropped,
  InvalidShardId,
  NoEntityInMessage,
  RegionRefused,
} from '../sharding-errors.ts'
import { LocalShardStarted, LocalShardStopped } from '../sharding-events.ts'
import type { ShardStop } from '../shard-stop.ts'
import type { HostingRegion, ToCoordinator } from '../sharding-messages.ts'
import type { ShardingProtocol } from '../sharding-wire.ts'
import type { ShardingSettings } from '../sharding-settings.ts'
import type { TypeIdentity } from '../type-identity.ts'
import { Shard, type ShardWorld } from '../shard/shard.ts'
import { KeptRefs } from './kept-refs.ts'
import { ShardFamily } from '../shard/shard-family.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { afterWaiting, type Parcel } from './parcel.ts'
import { PeerLines, sendBy } from './peer-lines.ts'
import { RegionMachine } from './region-machine.ts'
import { RegionQuestions } from './region-questions.ts'
import { lonelyAfter } from './registration-machine.ts'
import type { RegionDropReason, ShardDropReason } from '../sharding-drop-reasons.ts'
import type { RegionEffect, RegionInput, RegionTimer } from './region-inputs.ts'
import type { RoutingTable } from './routing-table.ts'
import type { Origin } from './shard-buffers.ts'

export interface RegionOptions {
  readonly system: ActorSystem
  readonly remoting: Remoting
  readonly entityType: string
  /** undefined for a proxy. */
  readonly behavior: ((context: EntityContext<never>) => unknown) | undefined
  readonly stopMessage: unknown
  readonly extractor: MessageExtractor<unknown, unknown>
  readonly settings: ShardingSettings
  /** What all regions of the type must agree on. */
  readonly identity: TypeIdentity
  readonly protocol: ShardingProtocol
  /** The parent of the actors of all shards. */
  readonly ref: LocalRef
  readonly candidates: readonly NodeId[]
  readonly isFrozen: boolean
  /** Whether this node is in the cluster, and was not given up by it. */
  readonly isMember: () => boolean
  readonly sendToCoordinator: (to: NodeId, message: ToCoordinator) => void
}

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
  readonly #questions: RegionQuestions
  #isFrozen: boolean
  #refusal: RegionRefused | undefined
  #emptied: () => void = () => undefined
  #stopped: () => void = () => undefined
  #registered: (answer: { readonly refusal: string | undefined }) => void = () => undefined

  constructor(options: RegionOptions) {
    const { system, remoting, entityType, behavior, settings, protocol } = options
    this.entityType = entityType
    this.isProxy = behavior === undefined
    this.runtime = system.runtime
    this.ref = options.ref
    this.whenEmptied = new Promise((resolve) => (this.#emptied = resolve))
    this.whenStopped = new Promise((resolve) => (this.#stopped = resolve))
    this.whenRegistered = new Promise((resolve) => (this.#registered = resolve))
    this.#options = options
    this.#isFrozen = options.isFrozen
    const { node: self } = remoting
    const { identity } = options
    this.#machine = new RegionMachine({ self, isProxy: this.isProxy, settings, identity })
    this.#table = this.#machine.table
    this.#turns = new OneAtATime((error) => this.#failed(error))
    this.#lines = new PeerLines(remoting, `/system/shards/${encodeName(entityType)}`, protocol)
    this.#world = this.#makeWorld()
    this.#questions = new RegionQuestions({
      ...{ entityType, runtime: this.runtime, retryIntervalMs: settings.retryIntervalMs },
      send: (question) => this.step({ type: 'AskCoordinator', question }),
    })
  }

  start(): void {
    if (this.#isFrozen) this.step({ type: 'Frozen' })
    this.step({ type: 'Started', candidates: this.#options.candidates })
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
      return this.#shardHere(shard).deliver(ref.entityId, message, question)
    }
    if (ref.route !== route) {
      ref.remote = this.#lines.to(route, shard, ref.entityId)
      ref.route = route
    }
    sendBy(ref.remote!, message, question)
  }

  /** A message that another node sent by a route of its own. */
  receive(shard: ShardId, entityId: EntityId, message: unknown, origin: Origin): void {
    const { node, stamp } = origin
    if (!this.#turns.isBusy && this.#table.isServedTo(shard, node, stamp)) {
      return this.#shardHere(shard).deliver(entityId, message, undefined)
    }
    const parcel = { entityId, message, question: undefined }
    const forwarded = { type: 'Forwarded', shard, stamp, parcel } as const
    this.step({ type: 'FromRegion', region: node, message: forwarded })
  }

  /** Throws `InvalidEntityId`, `InvalidShardId`, or what the extractor throws. */
  refOf(entityId: EntityId): RoutedEntityRef<unknown> {
    return this.#refs.of(entityId)
  }

  #makeRef(entityId: EntityId): RoutedEntityRef<unknown> {
    checkEntityId(entityId)
    return new RoutedEntityRef<unknown>(this, entityId, this.shardOf(entityId))
  }

  shardOf(entityId: EntityId): ShardId {
    const { extractor, settings } = this.#options
    const shard = extractor.shardId(entityId)
    if (isShardId(shard, settings.numberOfShards)) return shard
    throw new InvalidShardId(this.entityType, shard, settings.numberOfShards)
  }

  /** A message in the form that the type's extractor takes. */
  routeIncoming(incoming: unknown, question: Question | undefined): void {
    const { extractor } = this.#options
    const entityId = this.entityIdIn(incoming)
    if (entityId === undefined) throw new NoEntityInMessage(this.entityType, incoming)
    const message = extractor.unwrapMessage(incoming)
    if (message === undefined) throw new NoEntityInMessage(this.entityType, incoming)
    this.routeBy(this.refOf(entityId), message, question)
  }

  /** What the type's extractor finds in a message. */
  entityIdIn(incoming: unknown): EntityId | undefined {
    return this.#options.extractor.entityId(incoming)
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

  passivate(shard: ShardId, passivate: Passivate): void {
    this.#shards[shard]?.passivate(passivate)
  }

  /** All actors of this node are being stopped: nothing fires any more. */
  abandon(): void {
    for (const timer of this.#timers.values()) timer.cancel()
    for (const shard of this.#shards) shard?.abandon()
    this.step({ type: 'Abandoned' })
    this.#questions.cancelTimer()
    this.#stopped()
  }

  // ---- looking

  snapshot() {
    return this.#machine.snapshot()
  }

  explain(shard: ShardId) {
    return this.#machine.explain(shard)
  }

  /** What the coordinator has stored, asked now. */
  currentRegions(options: AskOptions | undefined): Promise<readonly HostingRegion[]> {
    return this.#questions.regions(options)
  }

  /** Rejects with `AskTimeout` and `AskAborted`. */
  stopShards(
    shards: readonly ShardId[],
    options: AskOptions | undefined,
  ): Promise<readonly ShardStop[]> {
    return this.#questions.stopShards(shards, options)
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
      case 'StopShard':
        return this.#shards[effect.shard]?.handOff(effect.isForced)
      case 'StartTimer':
        return this.#startTimer(effect.timer, effect.delayMs)
      case 'Registered':
        return this.#registered({ refusal: undefined })
      case 'Refused':
        return this.#refused(effect.problem)
      case 'Lonely':
        return this.#lonely(effect.asked)
      case 'Answer':
        return this.#questions.answered(effect.answer)
      case 'Emptied':
        return this.#emptied()
      case 'Finish':
        return this.#finish()
      default:
        return unreachable(effect)
    }
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

  /** Said aloud: nothing can be called, and nobody else knows. */
  #lonely(asked: readonly NodeId[]): void {
    const { entityType } = this
    const where =
      asked.length === 0 ? 'there is no member that could be it' : `asked: ${asked.join(', ')}`
    this.runtime.logger.error(
      { entityType, asked },
      `No coordinator of ${entityType} has answered for ${lonelyAfter * this.#options.settings.retryIntervalMs} ms; ${where}. Has ClusterSharding been started on all nodes, with the type ${entityType}? The oldest node with its role decides where its entities live, and calls wait for it.`,
    )
  }

  #startShard(shard: ShardId, epoch: number): void {
    const started = new Shard(this.#world, this.#shardRef(shard), shard, epoch)
    this.#shards[shard] = started
    if (this.#isFrozen) started.freeze()
    const { eventStream } = this.runtime
    if (!eventStream.hasListeners(LocalShardStarted)) return
    eventStream.publish(
      new LocalShardStarted(this.entityType, shard, epoch, this.#options.remoting.node),
    )
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

  #shardFinished({ shard, epoch }: Shard): void {
    this.#shards[shard] = undefined
    const { eventStream } = this.runtime
    if (eventStream.hasListeners(LocalShardStopped)) {
      const { node } = this.#options.remoting
      eventStream.publish(new LocalShardStopped(this.entityType, shard, epoch, node))
    }
    this.step({ type: 'ShardTerminated', shard })
  }

  #startTimer(timer: RegionTimer, delayMs: number): void {
    this.#timers.get(timer)?.cancel()
    const started = this.runtime.environment.timers.after(delayMs, () => {
      this.step({ type: 'TimerFired', timer })
    })
    this.#timers.set(timer, started)
  }

  #finish(): void {
    for (const timer of this.#timers.values()) timer.cancel()
    this.ref.cell?.stop()
    this.#emptied()
    this.#stopped()
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
      dropped: (parcel, reason, entity) => this.#drop(parcel, reason, entity),
      finished: (shard) => this.#shardFinished(shard),
    }
  }

  #failed(error: unknown): void {
    if (error instanceof AssertionFailed) return this.runtime.brokenInvariant(error)
    const fields = { err: error, entityType: this.entityType }
    this.runtime.logger.error(fields, 'Sharding failed to handle an input.')
  }
}
