/**
 * A node's part in its cluster, for everybody who wants to join, leave or know: the door of this room. Its actor is
 * `/system/cluster`. Leaves the cluster when the system shuts down, and shuts the system down when the cluster is over
 * for this node. One file because each of its methods is a few lines: a command to the actor, or a look at what it published.
 */
import type { ActorSystem, ShutdownReason } from '../actor/index.ts'
import { InvalidSettings } from '../foundation/invalid-settings.ts'
import { show } from '../foundation/show.ts'
import type { Address, NodeId } from '../foundation/node-id.ts'
import type { LeaseImplementation } from '../lease/index.ts'
import type { Remoting } from '../remote/index.ts'
import { ClusterActor, type ClusterEnd, type ClusterOwner } from './cluster-actor.ts'
import { InvalidAddress, NeverUp } from './cluster-errors.ts'
import { removedInWords, succeededInWords } from './end-in-words.ts'
import { type ClusterEvent, eventsBetween } from './cluster-events.ts'
import type {
  ClusterMembership,
  ClusterState,
  CurrentState,
  InitialState,
} from './cluster-membership.ts'
import type { ClusterSnapshot } from './cluster-inputs.ts'
import {
  type ChosenClusterSettings,
  type ClusterSettings,
  clusterSettingsTable,
} from './cluster-settings.ts'
import type { ClusterWitness } from './cluster-witness.ts'
import { leaveOnShutdown } from './cluster-shutdown.ts'
import { clusterExitCodeOf } from './cluster-shutdown-reason.ts'
import { attributeOfProcess } from './detection/process-of-member.ts'
import { shownIdentity } from './founding/founding-record.ts'
import { type ConvergenceExplanation, explainConvergence } from './explain-convergence.ts'
import type { FoundingStore } from './founding/founding-store.ts'
import { leaderOf, unreachableMembers } from './gossip/convergence.ts'
import { unreachableDataCenters } from './gossip/data-center.ts'
import { defaultAppVersion, problemsWithAppVersion } from './gossip/app-version.ts'
import { type Gossip, emptyGossip, memberOf } from './gossip/gossip.ts'
import { problemsWithRoles, problemsWithAttributes } from './gossip/member.ts'
import { unreachableOrTerminated } from './gossip/reachability.ts'
import type { Discovery } from './joining/discovery/discovery.ts'
import { beginningWith } from './joining/forming.ts'
import { refuseBadAddress } from './joining/seed-address.ts'
import { type SharedStore, attributeOfStore } from './joining/shared-store.ts'
import { whyNeverUp } from './joining/never-up.ts'
import { Latch } from './latch.ts'
import { arbitrated, problemsWithLease } from './downing/lease-arbiter.ts'
import { arbiterAttribute } from './downing/store-majority.ts'

export interface ClusterStartOptions {
  readonly system: ActorSystem
  readonly remoting: Remoting
  /** What this node is for: singletons and entity types may be bound to a role. */
  readonly roles?: readonly string[]
  /** What the runtime on this node lets the others know, such as which entity types it hosts. */
  readonly attributes?: readonly string[]
  /** What the application calls its version, such as `1.2.3`, for the others to see; `0.0.0` when not given. */
  readonly appVersion?: string
  readonly settings?: ChosenClusterSettings
  /** Of a node that hosts entities: it cannot join others that use another one. */
  readonly store?: SharedStore | undefined
  /** Where that store keeps the founding of the cluster. Without it the seeds alone decide who founds. */
  readonly founding?: FoundingStore | undefined
  /** Others cannot have that store: it decides no split. */
  readonly isStorePrivate?: boolean | undefined
  /** How nodes are found where no seeds are listed. As many as it requires must have come before the first is let in. */
  readonly discovery?: Discovery | undefined
  /** What makes the lease of the strategy lease-majority, where its settings do not say. */
  readonly leases?: LeaseImplementation | undefined
}

export class Cluster implements ClusterMembership {
  readonly self: NodeId
  readonly settings: ClusterSettings
  readonly #system: ActorSystem
  readonly #address: Address
  readonly #actor: ClusterActor
  readonly #canDiscover: boolean
  readonly #listeners = new Set<(event: ClusterEvent) => void>()
  readonly #exitHolds: (() => Promise<unknown>)[] = []
  readonly #up = new Latch()
  readonly #exiting = new Latch()
  readonly #ended = new Latch()
  #witness: ClusterWitness | undefined
  #gossip: Gossip | undefined
  #state: ClusterState = {
    members: [],
    unreachable: new Set(),
    unreachableDataCenters: new Set(),
    leader: undefined,
  }

  /** Outside any cluster until it is told whom to join. Throws `InvalidSettings`. */
  static start(options: ClusterStartOptions): Cluster {
    const chosen = clusterSettingsTable.complete(options.settings)
    const settings = beginningWith(chosen, options.discovery)
    const problems = [
      ...clusterSettingsTable.problemsWith(settings),
      ...problemsWithRoles(options.roles),
      ...problemsWithAttributes(options.attributes),
      ...problemsWithAppVersion(options.appVersion),
      ...problemsWithLease(settings.downing, options.leases),
    ]
    if (problems.length > 0) throw new InvalidSettings('The settings of the cluster', problems)
    return new Cluster(options, settings)
  }

  private constructor(options: ClusterStartOptions, settings: ClusterSettings) {
    const { system, remoting, store, founding, leases, discovery } = options
    const { roles = [], appVersion = defaultAppVersion } = options
    const identity = identityOf(system, settings)
    const isShared = founding !== undefined && store !== undefined && !options.isStorePrivate
    const asksStore = settings.downing.strategy === 'store-majority' && isShared
    const attributes = [
      ...(options.attributes ?? []),
      ...(store === undefined ? [] : [attributeOfStore(store)]),
      ...(asksStore ? [arbiterAttribute] : []),
      ...(identity === undefined ? [] : [attributeOfProcess(identity)]),
    ]
    this.#system = system
    this.#address = remoting.address
    this.self = remoting.node
    this.#canDiscover = discovery !== undefined
    this.settings = settings
    const owner: ClusterOwner = {
      published: (event) => this.#published(event),
      beginExiting: () => this.#beginExiting(),
      shutDown: (reason, problems) => this.#shutDown(reason, problems),
      viewed: (view) => this.#witness?.viewed(view),
      heard: (from) => this.#witness?.heard(from),
    }
    this.#actor = new ClusterActor({
      ...{ system, remoting, roles, attributes, appVersion, settings, owner, store, founding },
      ...{ identity, discovery },
      strategy: arbitrated(settings, { system, owner: this.self, leases, asksStore }),
    })
    leaveOnShutdown(system, {
      exiting: this.#exiting.promise,
      ended: this.#ended.promise,
      isExiting: () => this.#exiting.isSet && !this.#ended.isSet,
      handedOver: async () => {
        await Promise.all(this.#exitHolds.map((handedOver) => handedOver()))
        // When it is removed, others take its actors for dead: what those have sent comes before that.
        const { members, unreachable } = this.state
        const nodes = members.map(({ node }) => node)
        await remoting.settled(nodes.filter((node) => node !== this.self && !unreachable.has(node)))
      },
      leave: () => this.leave(),
      exitingDone: () => this.#actor.command({ type: 'ExitingDone' }),
    })
  }

  // ---- what to do

  /**
   * Joins through the first of these that answers. All nodes list the same seeds in the same order: only the first of
   * the list forms a cluster when there is none yet.
   */
  joinSeeds(seeds: readonly Address[]): void {
    if (seeds.length === 0) throw new InvalidAddress('')
    for (const seed of seeds) refuseBadAddress(seed)
    this.#sayIfInside()
    this.#actor.command({ type: 'JoinSeeds', seeds: [...new Set(seeds)] })
  }

  /** Joins through this node; without an address, or with the node's own: forms a cluster of one. */
  join(address: Address = this.#address): void {
    refuseBadAddress(address)
    this.#sayIfInside()
    this.#actor.command({ type: 'JoinNode', address })
  }

  /** Joins through whomever the discovery finds that this was started with. */
  joinDiscovered(): void {
    if (!this.#canDiscover) {
      const problem =
        'joinDiscovered needs a discovery: give one, or join by an address or by seeds'
      throw new InvalidSettings('The settings of the cluster', [problem])
    }
    this.#sayIfInside()
    this.#actor.command({ type: 'JoinDiscovered' })
  }

  /** Asks a member, or this node itself, to leave in good order. Whoever has left shuts down. */
  leave(node: NodeId = this.self): void {
    this.#actor.command({ type: 'Leave', node })
  }

  /** Gives a member up for good, without asking it. For operators who know that it is dead. */
  down(node: NodeId): void {
    this.#actor.command({ type: 'Down', nodes: [node] })
  }

  /**
   * Prepares the stop of the whole cluster: from now on nobody is let in, on any member, and nothing moves. Cannot be taken back.
   * `PreparingForShutdown` and `ReadyForShutdown` tell when this member and all of them know.
   */
  prepareForShutdown(): void {
    this.#actor.command({ type: 'PrepareForShutdown' })
  }

  // ---- what is known

  /** Who keeps the members from agreeing on one view of the cluster, and why: until they do nobody is let in or removed. */
  explainConvergence(): ConvergenceExplanation {
    const { self, settings } = this
    const now = this.#system.environment.clock.monotonicMs()
    return explainConvergence({ self, settings, snapshot: this.snapshot(), now })
  }

  /** How far the stop of the whole cluster is prepared, as this node knows it. `ready`: every member knows of it. */
  get shutdownPhase(): 'none' | 'preparing' | 'ready' {
    const { gossip, isReady } = this.snapshot().membership
    return isReady ? 'ready' : gossip.isEnding ? 'preparing' : 'none'
  }

  get address(): Address {
    return this.#address
  }

  get state(): ClusterState {
    const { gossip } = this.#actor.machine
    if (gossip !== this.#gossip) {
      this.#gossip = gossip
      this.#state = {
        members: gossip.members,
        unreachable: unreachableMembers(gossip, this.self),
        unreachableDataCenters: unreachableDataCenters(
          gossip,
          this.self,
          this.settings.crossDataCenterConnections,
        ),
        leader: leaderOf(gossip, this.self),
      }
    }
    return this.#state
  }

  get isFrozen(): boolean {
    return this.#actor.isFrozen
  }

  /** @internal */
  lookForFreeze(): boolean {
    this.#actor.look()
    return this.isFrozen
  }

  /**
   * @internal Resolves when the store has shown which founding of the cluster lives, or has not answered. Whoever asks `isFrozen`
   * then knows whether this one does.
   */
  lookAtFounding(): Promise<void> {
    return this.#actor.lookAtFounding()
  }

  /**
   * Calls the listener for every event from now on, in order; `state` and `isFrozen` are already as the event says. What
   * it throws is logged. Answers how to end that. With `initial` it is first told, before this returns, what is there
   * already; who subscribes from within a listener may hear some of that once more. Throws `InvalidSettings`.
   */
  subscribe(
    listener: (event: ClusterEvent) => void,
    options?: { readonly initial?: Exclude<InitialState, 'snapshot'> },
  ): () => void
  subscribe(
    listener: (event: ClusterEvent | CurrentState) => void,
    options: { readonly initial: InitialState },
  ): () => void
  subscribe(
    listener: (event: never) => void,
    { initial = 'none' }: { readonly initial?: InitialState } = {},
  ): () => void {
    const tell = (event: ClusterEvent | CurrentState): void => {
      try {
        const result: unknown = listener(event as never)
        // An async listener fails later; it must not end the process either.
        if (isThenable(result)) result.then(undefined, (err) => this.#listenerFailed(err, event))
      } catch (err) {
        this.#listenerFailed(err, event)
      }
    }
    for (const event of this.#initialEvents(initial)) tell(event)
    return this.follow(tell)
  }

  #initialEvents(initial: InitialState): readonly (ClusterEvent | CurrentState)[] {
    if (initial === 'none') return []
    if (initial === 'snapshot') return [{ type: 'CurrentState', state: this.state }]
    if (initial !== 'events') {
      throw new InvalidSettings('The options of subscribe', [
        `initial must be 'none', 'snapshot' or 'events', not ${show(initial)}`,
      ])
    }
    const { frozenFor: reason, machine } = this.#actor
    const connections = this.settings.crossDataCenterConnections
    const events = eventsBetween(emptyGossip, machine.gossip, { self: this.self, connections })
    return reason === undefined ? events : [...events, { type: 'Frozen', reason }]
  }

  /** @internal */
  follow(listener: (event: ClusterEvent) => void): () => void {
    // Its own entry, even when somebody comes with the same function twice.
    const entry = (event: ClusterEvent): void => listener(event)
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  /** @internal */
  holdExit(handedOver: () => Promise<unknown>): void {
    this.#exitHolds.push(handedOver)
  }

  /** Resolves when this node is Up. Rejects with `JoinFailed`, `IncompatibleSettings` or `NeverUp`. */
  get whenUp(): Promise<void> {
    return this.#up.promise
  }

  /** Resolves when the cluster is over for this node: it has left, was removed, or never got in. */
  get whenRemoved(): Promise<void> {
    return this.#ended.promise
  }

  /** @internal Everything the machine knows, for people who look for the reason of something. */
  snapshot(): ClusterSnapshot {
    return this.#actor.machine.snapshot()
  }

  /** @internal Tells it of every view and of whoever is heard. To be called before the node joins. */
  witnessMembership(witness: ClusterWitness): void {
    this.#witness = witness
  }

  /** Two clusters never become one: whoever is in one stays there. */
  #sayIfInside(): void {
    if (this.selfMember === undefined) return
    this.#system.log.warn(
      { members: this.state.members.length },
      'This node is in a cluster already, and joins no other: that it was told to is ignored. Start it anew to join another one',
    )
  }

  // ---- from the actor

  #published(event: ClusterEvent): void {
    if (event.type === 'MemberUp' && event.member.node === this.self) this.#up.set()
    for (const listener of [...this.#listeners]) {
      if (this.#listeners.has(listener)) this.#tell(listener, event)
    }
  }

  #tell(listener: (event: ClusterEvent) => void, event: ClusterEvent): void {
    try {
      listener(event)
    } catch (err) {
      // The others must hear of it all the same; whoever has missed an event is not to be trusted any more.
      this.#system.log.error(
        { err, event: event.type },
        'A part of this node could not follow the cluster; the node ends.',
      )
      this.#shutSystemDown({ type: 'broken-invariant' })
    }
  }

  #listenerFailed(err: unknown, { type }: ClusterEvent | CurrentState): void {
    this.#system.log.error(
      { err, event: type },
      'A listener for cluster events threw; the node goes on.',
    )
  }

  #beginExiting(): void {
    this.#exiting.set()
    this.#shutSystemDown({ type: 'leaving' })
  }

  #shutDown(reason: ClusterEnd, problems: readonly string[]): void {
    const { joining } = this.#actor.machine.snapshot()
    const error = whyNeverUp(this.self, { reason, problems, joining })
    if (!(error instanceof NeverUp)) this.#system.log.error({ err: error }, error.message)
    this.#up.fail(error)
    if (reason === 'downing') this.#sayThatWeAreRemoved()
    if (reason === 'succeeded') this.#sayThatWeAreSucceeded(problems[0] ?? '')
    this.#ended.set()
    this.#shutSystemDown({ type: reason })
  }

  #sayThatWeAreRemoved(): void {
    const members = this.state.members.length
    // Not as in `state`: what a member says that is Down, as this one is now, does not count there.
    const unreachable = unreachableOrTerminated(this.#actor.machine.gossip.reachability)
    unreachable.delete(this.self)
    const text = removedInWords(members, unreachable.size, this.#system.settings)
    this.#system.log.error({ members, unreachable: [...unreachable] }, text)
  }

  #sayThatWeAreSucceeded(founder: string): void {
    this.#system.log.error({ founder }, succeededInWords(founder, this.#system.settings))
  }

  #shutSystemDown(reason: ShutdownReason): void {
    // A failing shutdown logs itself, and there is nobody here to tell.
    const exitCode = clusterExitCodeOf(reason)
    this.#system.shutdown.run(reason, { exitCode }).catch(() => undefined)
  }

  /** This node's own record; undefined before it has joined. */
  get selfMember(): ClusterState['members'][number] | undefined {
    return memberOf(this.#actor.machine.gossip, this.self)
  }
}

/** Of this process, where the ends of others are to be seen by such. */
function identityOf({ environment }: ActorSystem, settings: ClusterSettings): string | undefined {
  if (settings.processLookIntervalMs === Infinity) return undefined
  return shownIdentity(environment.process.identity)
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | undefined)?.then === 'function'
}
