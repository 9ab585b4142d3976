/** One entity type on this node: its region, its part in the coordinator, and what keeps both informed. */
import {
  type ActorRef,
  Behaviors,
  DeadLetter,
  type Subscription,
  SystemTerminated,
} from '../actor/index.ts'
import { withoutDeadLetterLog, Gate, type LocalRef, spawnGated } from '../actor/internals.ts'
import type { ClusterEvent, MembersWith } from '../cluster/index.ts'
import { isAmong } from '../cluster/internals.ts'
import type { NodeId } from '../foundation/node-id.ts'
import { type Lane, PeerDisconnected, WaitingGivenUp } from '../remote/index.ts'
import { byAge } from '../singleton/internals.ts'
import type { ClusterShardingOptions } from './cluster-sharding.ts'
import { coordinatorActor } from './coordinator/coordinator-actor.ts'
import { CoordinatorJournal } from './coordinator/coordinator-journal.ts'
import type { CoordinatorStore } from './coordinator/coordinator-store.ts'
import type { AnyDefinition } from './region-definition.ts'
import { encodeName } from './entity-name.ts'
import { HashCodeMessageExtractor, type MessageExtractor } from './message-extractor.ts'
import { Region } from './region/region.ts'
import { serveRegion } from './region/region-endpoint.ts'
import { RegionRef } from './region/region-ref.ts'
import { candidatesAmong } from './region/registration-machine.ts'
import type { ToCoordinator, ToRegion } from './sharding-messages.ts'
import { shardingProtocol, type ShardingProtocol } from './sharding-wire.ts'
import { shardingSettings, type ShardingSettings } from './sharding-settings.ts'
import { identityOf, type TypeIdentity } from './type-identity.ts'
import type { ShardingDeadLetterReason } from './sharding-drop-reasons.ts'

export interface RunningTypeOptions extends ClusterShardingOptions {
  readonly parent: LocalRef
  readonly definition: AnyDefinition
}

export class RunningType {
  readonly definition: AnyDefinition
  readonly settings: ShardingSettings
  readonly region: Region
  readonly ref: ActorRef<unknown>
  readonly #options: RunningTypeOptions
  readonly #protocol: ShardingProtocol
  readonly #path: string
  /** The members that host this type. */
  readonly #hosts: MembersWith
  /** The members that may run its coordinator. */
  readonly #deciders: MembersWith
  readonly #identity: TypeIdentity
  readonly #extractor: MessageExtractor<unknown, unknown>
  /** What keeps the coordinator on this node from deciding, in words. */
  #trouble: string | undefined
  /** The coordinator, while it is on this node. */
  #coordinator: ((message: ToCoordinator) => void) | undefined

  constructor(options: RunningTypeOptions) {
    const { cluster, definition, settings } = options
    this.definition = definition
    this.#options = options
    this.settings = shardingSettings({ ...settings, ...definition.settings })
    this.#protocol = shardingProtocol(this.settings.numberOfShards)
    const { entityType, role } = definition
    this.#path = `/system/sharding/${encodeName(entityType)}`
    const attribute = options.hostAttribute?.(entityType)
    this.#hosts = { role, attribute }
    const { coordinatorRole } = definition
    this.#deciders =
      coordinatorRole === undefined
        ? this.#hosts
        : { role: coordinatorRole, attribute: coordinatorRole === role ? attribute : undefined }
    const usual = new HashCodeMessageExtractor<unknown>(this.settings.numberOfShards)
    this.#extractor = definition.extractor ?? usual
    this.#identity = identityOf(definition, this.#extractor)
    this.region = this.#makeRegion()
    this.ref = new RegionRef(this.region)
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
      extractor: this.#extractor,
      identity: this.#identity,
      settings: this.settings,
      protocol: this.#protocol,
      ref: spawnRegion(parent, entityType, () => region),
      candidates: this.#findCandidates(),
      isFrozen: cluster.isFrozen,
      isMember: () => {
        const self = cluster.state.members.find(({ node }) => node === cluster.self)
        return self !== undefined && self.status !== 'Down'
      },
      sendToCoordinator: (to, message) => this.#sendToCoordinator(to, message),
    })
    return region
  }

  /** Without the role, or the attribute, this node routes to those that have it. */
  #isAmong(which: MembersWith): boolean {
    const { cluster } = this.#options
    const member = cluster.state.members.find(({ node }) => node === cluster.self)
    const { roles = member?.roles ?? [], attributes = member?.attributes ?? [] } = this.#options
    return isAmong({ roles, attributes }, which)
  }

  #serve(): void {
    const { remoting } = this.#options
    const end = serveRegion({
      ...{ remoting, region: this.region, protocol: this.#protocol },
      toCoordinator: (message) => this.#tellCoordinator(message),
    })
    void this.#options.system.whenTerminated.then(end)
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
    const { singletons, cluster, remoting, definition } = this.#options
    const { entityType, allocationStrategy: strategy } = definition
    const behavior = ({ term }: { readonly term: number }) =>
      coordinatorActor({
        ...{ entityType, term, cluster, strategy, node: remoting.node },
        store: this.#openStore(),
        settings: this.settings,
        identity: this.#identity,
        send: (to, message) => this.#sendToRegion(to, message),
        listen: (tell) => void (this.#coordinator = tell),
        troubled: (words) => void (this.#trouble = words),
      })
    singletons.start({ name: `${entityType}Coordinator`, behavior }, this.#deciders)
  }

  #openStore(): CoordinatorStore {
    const { journal, adviceOnWriter, coordinatorStore, definition, remoting } = this.#options
    const { entityType } = definition
    const { numberOfShards } = this.settings
    const options = { entityType, numberOfShards, writer: remoting.node }
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
  const behavior = Behaviors.receiveMessage<unknown>((incoming) => {
    const { runtime, ref } = region()
    try {
      region().routeIncoming(incoming, undefined)
    } catch (error) {
      runtime.logger.warn({ err: error, entityType }, 'A message names no entity.')
      runtime.lost(new DeadLetter(incoming, ref, 'no-entity' satisfies ShardingDeadLetterReason))
    }
  }).receiveSignal({ PostStop: () => region().abandon() })
  const cell = spawnGated(parent, behavior, encodeName(entityType), new Gate())
  if (cell === undefined) throw new SystemTerminated(parent.toString())
  return cell.ref
}
