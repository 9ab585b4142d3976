/** One entity type on this node: its region, its part in the coordinator, and what keeps both informed. */
import { type ActorRef, Behaviors, type Subscription, SystemTerminated } from '../actor/index.ts'
import { withoutDeadLetterLog, Gate, type LocalRef, spawnGated } from '../actor/internals.ts'
import type { ClusterEvent, MembersWith } from '../cluster/index.ts'
import { defaultDataCenter, describedDataCenter, isAmong } from '../cluster/internals.ts'
import { type Duration, toMs } from '../foundation/duration.ts'
import type { NodeId } from '../foundation/node-id.ts'
import { type Lane, PeerDisconnected, WaitingGivenUp } from '../remote/index.ts'
import { byAge } from '../singleton/internals.ts'
import type { ClusterShardingOptions } from './cluster-sharding.ts'
import { coordinatorActor } from './coordinator/coordinator-actor.ts'
import { CoordinatorJournal } from './coordinator/coordinator-journal.ts'
import type { CoordinatorStore } from './coordinator/coordinator-store.ts'
import type { AnyDefinition } from './region-definition.ts'
import type { ShardId } from './shard-id.ts'
import { encodeName } from './entity-name.ts'
import { Addressing } from './addressing.ts'
import { lookIntoCluster } from './inspection/cluster-look.ts'
import { RegionInspector } from './inspection/region-inspector.ts'
import { regionStateOf } from './inspection/region-state.ts'
import { type ChosenPassivation, chosenPassivation } from './passivation/chosen-passivation.ts'
import { Region } from './region/region.ts'
import {
  GetRegions,
  GetRegionState,
  GracefulShutdown,
  type RegionRequest,
} from './region-requests.ts'
import { serveRegion } from './region/region-endpoint.ts'
import { dutiesOf } from './region-duties.ts'
import { RegionRef } from './region/region-ref.ts'
import { candidatesAmong } from './region/registration-machine.ts'
import type { ClusterReport, HostingRegion } from './inspection/reports.ts'
import type { ToCoordinator, ToRegion } from './sharding-messages.ts'
import { shardingProtocol, type ShardingProtocol } from './sharding-wire.ts'
import { shardingSettings, type ShardingSettings } from './sharding-settings.ts'
import { identityOf, type TypeIdentity } from './type-identity.ts'

export interface RunningTypeOptions extends ClusterShardingOptions {
  readonly parent: LocalRef
  readonly definition: AnyDefinition
}

export interface LookOptions {
  readonly withIds: boolean
  readonly timeout: Duration | undefined
}

export class RunningType {
  readonly definition: AnyDefinition
  readonly settings: ShardingSettings
  readonly addressing: Addressing
  readonly passivation: ChosenPassivation
  readonly region: Region
  readonly inspector: RegionInspector
  readonly ref: ActorRef<unknown>
  readonly #options: RunningTypeOptions
  readonly #protocol: ShardingProtocol
  readonly #path: string
  /** The members that host this type. */
  readonly #hosts: MembersWith & { readonly dataCenter: string }
  /** The members that may run its coordinator. */
  readonly #deciders: MembersWith
  readonly #identity: TypeIdentity
  /** What keeps the coordinator on this node from deciding, in words. */
  #trouble: string | undefined
  /** The coordinator, while it is on this node. */
  #coordinator: ((message: ToCoordinator) => void) | undefined

  constructor(options: RunningTypeOptions) {
    const { cluster, definition, settings } = options
    this.definition = definition
    this.#options = options
    this.passivation = chosenPassivation(definition.passivation, definition.settings)
    const ofType = { ...definition.settings, ...this.passivation.settings }
    // One that is passivated is forgotten: that must be somebody's wish.
    const staying = definition.rememberEntities ? { passivateIdleAfterMs: Infinity } : {}
    this.settings = shardingSettings({ ...settings, ...staying, ...ofType })
    this.#protocol = shardingProtocol(this.settings.numberOfShards)
    const { entityType, role } = definition
    const { numberOfShards } = this.settings
    const { extractor, functions } = definition
    this.addressing = new Addressing({ entityType, numberOfShards, extractor, functions })
    this.#path = `/system/sharding/${encodeName(entityType)}`
    const attribute = options.hostAttribute?.(entityType)
    const { dataCenter = defaultDataCenter } = options
    this.#hosts = { role, attribute, dataCenter }
    const { coordinatorRole = role } = definition
    this.#deciders =
      coordinatorRole === role
        ? this.#hosts
        : {
            role: coordinatorRole,
            attribute: options.coordinatorAttribute?.(entityType),
            dataCenter,
          }
    this.#identity = identityOf(definition, this.addressing.extractorId)
    this.region = this.#makeRegion()
    this.inspector = this.#makeInspector()
    this.ref = new RegionRef(this.region, (request) => this.#serveRequest(request))
    this.#serve()
    const unsubscribe = cluster.follow((event) => this.#clusterChanged(event))
    const disconnections = this.#followLosses()
    void options.system.whenTerminated.then(() => {
      unsubscribe()
      for (const subscription of disconnections) subscription.unsubscribe()
    })
    if (definition.behavior !== undefined && this.#isAmong(this.#deciders)) this.#startCoordinator()
    this.region.start()
  }

  /** This node. */
  get self(): NodeId {
    return this.#options.remoting.node
  }

  get trouble(): string | undefined {
    return this.#trouble
  }

  /** Resolves when nothing of this type lives here any more; it is still routed to. A proxy has nothing to hand over. */
  handOver(): Promise<void> {
    const { region } = this
    if (region.isProxy) return Promise.resolve()
    region.leave(true)
    return region.whenEmptied
  }

  /** After `handOver` of all types: no entity is left here that could call one of this type. */
  end(): Promise<void> {
    const { region } = this
    if (region.isProxy) return Promise.resolve()
    region.step({ type: 'OthersEmptied' })
    return region.whenStopped
  }

  /** Time is up: what is still here is stopped by force. Resolves as `end`. */
  endNow(): Promise<void> {
    const { region } = this
    if (region.isProxy) return Promise.resolve()
    region.step({ type: 'EndNow' })
    return region.whenStopped
  }

  /** Resolves when the coordinator knows that the whole cluster is about to stop. */
  prepareForShutdown(): Promise<void> {
    this.region.step({ type: 'PrepareForShutdown' })
    return this.region.whenPrepared
  }

  /** What waits for the next connection is still under way, and a fence behind it too. */
  #followLosses(): readonly Subscription[] {
    const { eventStream } = this.#options.system
    const lost = (lane: Lane, node: NodeId): void => {
      if (lane === 'data') this.region.step({ type: 'AssociationLost', node })
    }
    return [
      eventStream.subscribe(PeerDisconnected, ({ lane, node, waiting }) => {
        if (waiting === 0) lost(lane, node)
      }),
      eventStream.subscribe(WaitingGivenUp, ({ lane, node }) => lost(lane, node)),
    ]
  }

  // ---- the region

  #makeRegion(): Region {
    const { system, remoting, definition, cluster, parent } = this.#options
    const { entityType, stopMessage } = definition
    const behavior = this.#isAmong(this.#hosts) ? definition.behavior : undefined
    const region: Region = new Region({
      ...{ system, remoting, entityType, behavior, stopMessage },
      addressing: this.addressing,
      identity: this.#identity,
      settings: this.settings,
      countsLoads: definition.allocationStrategy?.usesLoads === true,
      limited: this.passivation.limited,
      protocol: this.#protocol,
      ref: spawnRegion(parent, entityType, () => region),
      candidates: this.#findCandidates(),
      isFrozen: cluster.isFrozen,
      lookForFreeze: () => void cluster.lookForFreeze(),
      isMember: () => {
        const self = cluster.state.members.find(({ node }) => node === cluster.self)
        return self !== undefined && self.status !== 'Down'
      },
      sendToCoordinator: (to, message) => this.#sendToCoordinator(to, message),
      duties: dutiesOf(this.#options, this.#hosts.dataCenter),
    })
    return region
  }

  /** Without the role, or the attribute, this node routes to those that have it. */
  #isAmong(which: MembersWith): boolean {
    const { cluster } = this.#options
    const member = cluster.state.members.find(({ node }) => node === cluster.self)
    const { roles = member?.roles ?? [], attributes = member?.attributes ?? [] } = this.#options
    return isAmong({ roles, attributes, ...describedDataCenter(this.#hosts.dataCenter) }, which)
  }

  #serve(): void {
    const { remoting } = this.#options
    const end = serveRegion({
      ...{ remoting, region: this.region, protocol: this.#protocol },
      toCoordinator: (message) => this.#tellCoordinator(message),
      toInspector: (from, message) => this.inspector.receive(from, message),
    })
    void this.#options.system.whenTerminated.then(() => {
      end()
      this.inspector.end()
    })
  }

  // ---- looking

  #makeInspector(): RegionInspector {
    const { remoting, system } = this.#options
    const { timers, clock } = system.environment
    return new RegionInspector({
      ...{ self: remoting.node, region: this.region, timers, clock },
      numberOfShards: this.settings.numberOfShards,
      send: (to, message) => {
        const packed = withoutDeadLetterLog(this.#protocol.inspection.pack(message))
        remoting.refAt(to, `${this.#path}/inspection`).tell(packed)
      },
    })
  }

  /** What lives in all regions of this type, as far as they answer. Tells of whatever lives twice. */
  async look({ withIds, timeout }: LookOptions): Promise<ClusterReport> {
    const { cluster } = this.#options
    const { region, inspector } = this
    const { members, unreachable } = cluster.state
    const hosts = byAge(members, this.#hosts)
      .filter(({ status }) => status !== 'Down')
      .map(({ node }) => node)
    const report = await lookIntoCluster({
      ...{ region, inspector, hosts, unreachable, homes: this.homes, withIds },
      timeoutMs: this.timeoutOf(timeout),
    })
    for (const duplicate of report.duplicates) region.news.livesTwice(duplicate)
    return report
  }

  /** The homes that the region of this node knows. */
  get homes(): Map<ShardId, NodeId> {
    const homes = new Map<ShardId, NodeId>()
    for (let shard = 0; shard < this.settings.numberOfShards; shard++) {
      const { home } = this.region.explain(shard)
      if (home !== undefined) homes.set(shard, home)
    }
    return homes
  }

  /** Throws `InvalidDuration`. */
  timeoutOf(timeout: Duration | undefined): number {
    return timeout === undefined ? this.settings.queryTimeoutMs : toMs(timeout, 'timeout')
  }

  /** What the region was told itself, and not for an entity. */
  #serveRequest(request: RegionRequest): void {
    const answer = <T>(replyTo: ActorRef<T>, given: Promise<T>): void =>
      void given.then(
        (value) => replyTo.tell(value),
        (err: unknown) => {
          const { entityType } = this.definition
          this.#options.system.runtime.logger.warn(
            { err, entityType },
            `The region of ${entityType} cannot answer.`,
          )
        },
      )
    if (request instanceof GracefulShutdown) return this.region.leave()
    if (request instanceof GetRegionState) return request.replyTo.tell(regionStateOf(this.region))
    const { timeout } = request
    if (request instanceof GetRegions) {
      const timeoutMs = this.timeoutOf(timeout)
      const none = (): readonly HostingRegion[] => []
      const regions = this.region.questions.regions({ timeout: timeoutMs }).catch(none)
      return answer(request.replyTo, regions)
    }
    answer(request.replyTo, this.look({ withIds: false, timeout }))
  }

  /** Where there is none because of some trouble, who looks for it is told: calls wait for that, also on other nodes. */
  #tellCoordinator(message: ToCoordinator): void {
    const problem = this.#trouble
    if (this.#coordinator !== undefined) this.#coordinator(message)
    else if (message.type === 'Register' && problem !== undefined) {
      this.#sendToRegion(message.region, { type: 'CoordinatorTroubled', problem })
    }
  }

  #sendToCoordinator(to: NodeId, message: ToCoordinator): void {
    const { remoting } = this.#options
    if (to === remoting.node) return this.#coordinator?.(message)
    const packed = withoutDeadLetterLog(this.#protocol.toCoordinator.pack(message))
    remoting.refAt(to, `${this.#path}/coordinator`).tell(packed)
  }

  // ---- the coordinator

  #startCoordinator(): void {
    const { singletons, cluster, remoting, definition, journal } = this.#options
    const { entityType, allocationStrategy: strategy } = definition
    const { dataCenter } = this.#hosts
    const behavior = ({ term }: { readonly term: number }) =>
      coordinatorActor({
        ...{ entityType, term, cluster, strategy, journal, node: remoting.node, dataCenter },
        ...{ store: this.#openStore(), settings: this.settings, identity: this.#identity },
        send: (to, message) => this.#sendToRegion(to, message),
        listen: (tell) => void (this.#coordinator = tell),
        isPreparing: () => this.region.snapshot().isPreparing,
        troubled: (words) => void (this.#trouble = words),
      })
    const name = `${entityType}Coordinator`
    singletons.startOwn({ name, behavior }, { hosts: this.#deciders, movesToTheEnd: true })
  }

  #openStore(): CoordinatorStore {
    const { journal, adviceOnWriter, coordinatorStore, definition, remoting } = this.#options
    const { entityType } = definition
    const { numberOfShards } = this.settings
    const { dataCenter } = this.#hosts
    const options = { entityType, numberOfShards, writer: remoting.node, dataCenter }
    if (coordinatorStore !== undefined) return coordinatorStore(options)
    const { log, environment } = this.#options.system
    const { snapshotAfterEvents } = this.settings
    return new CoordinatorJournal({
      ...{ journal, adviceOnWriter, snapshotAfterEvents, ...options },
      wallMs: () => environment.clock.wallMs(),
      passedOver: (problem) =>
        log.warn({ entityType }, `What the coordinator of ${entityType} has stored: ${problem}`),
    })
  }

  #sendToRegion(to: NodeId, message: ToRegion): void {
    const { remoting } = this.#options
    const coordinator = remoting.node
    if (to === coordinator) {
      return this.region.step({ type: 'FromCoordinator', coordinator, message })
    }
    const packed = withoutDeadLetterLog(this.#protocol.toRegion.pack(message))
    remoting.refAt(to, this.#path).tell(packed)
  }

  // ---- the cluster

  #clusterChanged(event: ClusterEvent): void {
    if (event.type === 'Frozen' || event.type === 'Thawed') {
      return this.region.freeze(event.type === 'Frozen')
    }
    this.region.step({ type: 'CandidatesChanged', candidates: this.#findCandidates() })
    if (event.type !== 'MemberRemoved') return
    this.region.step({ type: 'NodeRemoved', node: event.member.node })
  }

  #findCandidates(): readonly NodeId[] {
    return candidatesAmong(byAge(this.#options.cluster.state.members, this.#deciders))
  }
}

/** The parent of the shards' actors, and the address of the region for other nodes. */
function spawnRegion(parent: LocalRef, entityType: string, region: () => Region): LocalRef {
  const behavior = Behaviors.receiveMessage<unknown>((incoming) =>
    region().routeIncoming(incoming, undefined),
  ).receiveSignal({ PostStop: () => region().abandon() })
  const cell = spawnGated(parent, behavior, encodeName(entityType), new Gate())
  if (cell === undefined) throw new SystemTerminated(parent.toString())
  return cell.ref
}
