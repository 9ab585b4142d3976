/**
 * All checkers of a cluster, fed by what its nodes tell: attach every life of every node before it joins. What only the
 * load knows (what was sent, what was acknowledged) it tells the checkers itself.
 */
import { DeadLetter, Dropped, type LostMessage, UnhandledMessage } from '../../actor/index.ts'
import type { ClusterEvent } from '../../cluster/index.ts'
import type { SherdNode } from '../../node/index.ts'
import { bytesOfEvent } from '../../persistence/index.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { PeerDisconnected } from '../../remote/index.ts'
import {
  CoordinatorStarted,
  EntityStarted,
  EntityStopped,
  LocalShardStarted,
  LocalShardStopped,
} from '../../sharding/index.ts'
import type { SimulatedStore } from '../storage/simulated-store.ts'
import { CallsEnd } from './calls-end.ts'
import type { Findings, WatchedLife } from './findings.ts'
import { MembershipChecks } from './membership-checks.ts'
import { NoLateWrites } from './no-late-writes.ts'
import { type Holders, NoSilentLoss } from './no-silent-loss.ts'
import { NothingAcknowledgedIsLost } from './nothing-acknowledged-is-lost.ts'
import { OneActiveInstance } from './one-active-instance.ts'
import { OneCoordinator } from './one-coordinator.ts'
import { OneFounding } from './one-founding.ts'
import { RememberedEntitiesRun } from './remembered-entities-run.ts'
import { SenderOrder } from './sender-order.ts'
import { ShardMap } from './shard-map.ts'
import { StopComesLast } from './stop-comes-last.ts'

/** What a scenario may say of its own load, and what it excuses. */
export interface ClusterChecksOptions {
  /** Why two instances may be active now, by a rule that was written down before; undefined when they may not. */
  readonly excuseForTwo?: () => string | undefined
  /** The ids of the load's messages in this one: it may be one of them, or carry some. */
  readonly idsIn?: (message: unknown) => readonly string[]
  /**
   * How long after something went wrong it may still be the reason why a message is given up; a minute when not given.
   * With settings by which a cluster decides sooner, less finds more.
   */
  readonly lingersMs?: number
  /** Where the coordinators keep what they decide. */
  readonly store?: SimulatedStore
}

/** Holds a cluster to what it promises, at every step: attach every life of every node before it joins. */
export class ClusterChecks {
  /** @internal */
  readonly instances: OneActiveInstance
  /** @internal */
  readonly coordinators: OneCoordinator
  /** @internal */
  readonly foundings: OneFounding
  /** @internal */
  readonly members: MembershipChecks
  readonly order: SenderOrder
  /** @internal */
  readonly shards: ShardMap
  readonly losses: NoSilentLoss
  readonly ledger: NothingAcknowledgedIsLost
  readonly calls: CallsEnd
  /** @internal */
  readonly remembered: RememberedEntitiesRun
  readonly #stops: StopComesLast
  readonly #lateWrites: NoLateWrites
  readonly #findings: Findings
  readonly #idsIn: (message: unknown) => readonly string[]
  readonly #lives = new Map<string, WatchedLife>()
  readonly #labels = new Map<NodeId, string>()
  readonly #shardOf = new Map<string, Pick<EntityStarted, 'entityType' | 'shard'>>()

  constructor(findings: Findings, options: ClusterChecksOptions = {}) {
    const { excuseForTwo, idsIn, store, lingersMs } = options
    this.#findings = findings
    this.instances = new OneActiveInstance(findings, excuseForTwo)
    this.coordinators = new OneCoordinator(findings)
    this.foundings = new OneFounding(findings)
    this.members = new MembershipChecks(findings, excuseForTwo)
    this.order = new SenderOrder(findings)
    this.shards = new ShardMap(findings)
    this.#lateWrites = new NoLateWrites(findings)
    this.remembered = new RememberedEntitiesRun(findings, excuseForTwo)
    if (store !== undefined) {
      store.onAppended = ({ persistenceId, events }) => {
        const bytes = events.map(bytesOfEvent)
        this.shards.stored(persistenceId, bytes)
        this.remembered.stored(persistenceId, bytes)
      }
      store.writes = {
        asked: (label, id, epoch) => this.#lateWrites.asked(label, entityOf(id), epoch),
        claimed: (label, id, epoch) => this.#lateWrites.claimed(label, entityOf(id), epoch),
      }
    }
    this.losses = new NoSilentLoss(findings, (entity) => this.#holdersOf(entity), lingersMs)
    this.ledger = new NothingAcknowledgedIsLost(findings, excuseForTwo)
    this.calls = new CallsEnd(findings)
    this.#stops = new StopComesLast(findings)
    this.#idsIn = idsIn ?? (() => [])
  }

  attach(node: SherdNode, life: WatchedLife): void {
    this.#lives.set(life.label, life)
    this.#labels.set(node.id, life.label)
    this.members.attach(node, life)
    const { eventStream } = node.system
    eventStream.subscribe(EntityStarted, (event) => {
      this.#shardOf.set(entityName(event), event)
      this.#stops.isOver(life, entityName(event))
      this.#lateWrites.started(life.label, entityName(event))
      this.instances.started(life, entityName(event), instanceName(event))
      this.remembered.started(life, event)
    })
    eventStream.subscribe(EntityStopped, (event) => {
      this.#stops.isOver(life, entityName(event))
      this.#lateWrites.stopped(life.label, entityName(event))
      this.instances.stopped(life, entityName(event), instanceName(event))
      this.remembered.stopped(life, event)
    })
    eventStream.subscribe(LocalShardStarted, (event) => this.shards.started(life, event))
    eventStream.subscribe(LocalShardStopped, (event) => this.shards.stopped(event))
    eventStream.subscribe(CoordinatorStarted, ({ entityType, term }) =>
      this.coordinators.started(life, entityType, term),
    )
    eventStream.subscribe(PeerDisconnected, ({ node: peer, lane, unconfirmed }) => {
      if (lane === 'control') return
      this.losses.connectionBroke({ by: life.label, peer: this.#labelOf(peer), unconfirmed })
    })
    const lost = (event: LostMessage): void => this.#lost(event, life.label)
    eventStream.subscribe<LostMessage>(DeadLetter, lost)
    eventStream.subscribe<LostMessage>(Dropped, lost)
    eventStream.subscribe<LostMessage>(UnhandledMessage, lost)
    node.cluster.subscribe((event) => this.#changed(node, life, event))
    // Also of one that ends without having been removed, as after a join that failed.
    void node.system.whenTerminated.then(() => this.foundings.left(life))
  }

  #changed({ id, cluster }: SherdNode, life: WatchedLife, event: ClusterEvent): void {
    if (event.type === 'Frozen') {
      this.instances.frozen(life)
      this.foundings.frozen(life)
      this.#findings.reached(`a node freezes: ${event.reason}`)
    } else if (event.type === 'Thawed') {
      this.instances.thawed(life)
      this.foundings.thawed(life)
      this.#findings.reached('a node thaws')
    } else if (event.type === 'ClusterShuttingDown') {
      this.foundings.left(life)
    } else if (event.type === 'MemberJoined' && event.member.node === id) {
      const founder = cluster.snapshot().founding?.founder
      if (founder !== undefined) this.foundings.entered(life, founder, cluster.isFrozen)
    }
  }

  /** The process of that node is about to die without a word. */
  crashed(name: string): void {
    for (const { label, isAlive } of this.#lives.values()) {
      if (isAlive && label.startsWith(`${name}#`)) this.losses.crashed(label)
    }
  }

  /** An entity handles a message in the life of that label. */
  acted(label: string, entityType: string, entityId: string): void {
    const life = this.#lives.get(label)
    if (life === undefined) return
    this.#stops.acted(life, `${entityType}/${entityId}`)
    this.instances.acted(life, `${entityType}/${entityId}`)
    this.foundings.acted(life)
  }

  /** An entity in the life of that label has got its stop message: from now on it may not act. */
  stops(label: string, entityType: string, entityId: string): void {
    const life = this.#lives.get(label)
    if (life !== undefined) this.#stops.told(life, `${entityType}/${entityId}`)
  }

  #holdersOf(entity: string): Holders | undefined {
    const place = this.#shardOf.get(entity)
    if (place === undefined) return undefined
    const { entityType, shard } = place
    const chosen = [...this.shards.chosenFor(entityType, shard)].map((node) => this.#labelOf(node))
    return {
      homes: this.shards.hostsOf(entityType, shard),
      chosen: new Set(chosen),
      isAtHome: this.shards.isRunning(entityType, shard),
    }
  }

  /** Every life is attached before anybody can know it. */
  #labelOf(node: NodeId): string {
    return this.#labels.get(node) ?? node
  }

  #lost(event: LostMessage, by: string): void {
    const reason = event.type === 'UnhandledMessage' ? 'unhandled' : event.reason
    const ids = this.#idsIn(event.message)
    for (const id of ids) this.losses.lost(id, { reason, by })
    // Calls: their callers hear of it.
    if (ids.length === 0 && event.type === 'Dropped') {
      this.#findings.reached(`a message is given up: ${reason}`)
    }
  }
}

function entityName({ entityType, entityId }: EntityStarted | EntityStopped): string {
  return `${entityType}/${entityId}`
}

/** `Cart/ann` of `Cart|ann`. */
function entityOf(persistenceId: string): string {
  return persistenceId.replace('|', '/')
}

function instanceName({ shard, instance }: EntityStarted | EntityStopped): string {
  return `${shard}.${instance}`
}
