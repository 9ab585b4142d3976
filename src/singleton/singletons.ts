/**
 * The singletons of one node: starts them, finds them, and hands them over when the node leaves. Their actors live under
 * `/system/singleton`, those that only find one of another data center under `/system/far-singleton`; what nodes say about them
 * goes to `/system/singletons`, which is no actor and on the control lane.
 */
import {
  type ActorRef,
  type ActorSystem,
  type Behavior,
  Behaviors,
  UnhandledMessage,
} from '../actor/index.ts'
import { encodeActorName, withoutDeadLetterLog } from '../actor/internals.ts'
import type { ClusterEvent, Member, MembersWith } from '../cluster/index.ts'
import { type ClusterMembership, dataCenterOf, defaultDataCenter } from '../cluster/internals.ts'
import { InvalidSettings } from '../foundation/invalid-settings.ts'
import type { NodeId } from '../foundation/node-id.ts'
import type { Lease, LeaseImplementation } from '../lease/index.ts'
import type { Remoting } from '../remote/index.ts'
import { NotAMessage } from '../serialization/internals.ts'
import { singletonActor, SingletonWord } from './singleton-actor.ts'
import { SingletonRoleConflict } from './singleton-errors.ts'
import { SingletonGates } from './singleton-gates.ts'
import { singletonLease } from './singleton-lease.ts'
import type { SingletonMessage } from './singleton-messages.ts'
import { SingletonProxy } from './singleton-proxy.ts'
import {
  checkStartSingleton,
  proxyOptions,
  type SingletonProxyOptions,
  type StartSingletonOptions,
} from './start-singleton-options.ts'
import { type SingletonSettings, singletonSettingsTable } from './singleton-settings.ts'
import { singletonProtocol } from './singleton-wire.ts'

export interface SingletonsOptions {
  readonly system: ActorSystem
  readonly remoting: Remoting
  readonly cluster: ClusterMembership
  /** What makes leases where a singleton wants one and does not say by what. */
  readonly leases?: LeaseImplementation | undefined
  /** Where this node is; the default one when not given. */
  readonly dataCenter?: string
  readonly settings?: Partial<SingletonSettings>
}

/** What the runtime says of the singletons of its own. */
export interface RuntimeSingleton {
  /** Who may run it, when a role is not enough. */
  readonly hosts: MembersWith
  /** It goes on moving when the whole cluster is about to be stopped, since others need it to stop. */
  readonly movesToTheEnd?: boolean
}

interface Entry {
  readonly hosts: MembersWith
  readonly proxy: SingletonProxy
  /** Undefined until its actor has been made. */
  actor: ActorRef<unknown> | undefined
  /** What it is to be told then. */
  readonly early: SingletonWord[]
}

/** To the parent of all singletons of this node: make this one. A class, so that no other node can say it. */
class Open {
  readonly name: string
  readonly behavior: Behavior<unknown>
  readonly opened: (actor: ActorRef<unknown>) => void

  constructor(
    name: string,
    behavior: Behavior<unknown>,
    opened: (actor: ActorRef<unknown>) => void,
  ) {
    this.name = name
    this.behavior = behavior
    this.opened = opened
  }
}

/** Under `/system`: of those of this data center, and of others. */
const parents = { near: 'singleton', far: 'far-singleton' } as const
const talkPath = '/system/singletons'

export class Singletons {
  readonly #system: ActorSystem
  readonly #remoting: Remoting
  readonly #cluster: ClusterMembership
  readonly #settings: SingletonSettings
  readonly #gates = new SingletonGates()
  readonly #leases: LeaseImplementation | undefined
  readonly #dataCenter: string
  readonly #parents: Readonly<Record<keyof typeof parents, ActorRef<unknown>>>
  /** By data center, and the name as it stands in a path. */
  readonly #entries = new Map<string, Entry>()
  #isLeaving = false
  /** The whole cluster is about to be stopped. */
  #isPreparing = false
  /** This node's own record, once it was removed. */
  #removed: Member | undefined

  constructor(options: SingletonsOptions) {
    const { system, remoting, cluster, leases, dataCenter, settings } = options
    this.#system = system
    this.#remoting = remoting
    this.#cluster = cluster
    this.#leases = leases
    this.#dataCenter = dataCenter ?? defaultDataCenter
    this.#settings = singletonSettingsTable.complete(settings)
    const problems = singletonSettingsTable.problemsWith(this.#settings, {
      'actor.handlerStopTimeoutMs': system.settings.handlerStopTimeoutMs,
      'the time of the phase cluster-exiting': system.shutdown.timeoutOf('cluster-exiting'),
    })
    if (problems.length > 0) throw new InvalidSettings('The settings of singletons', problems)
    const parent = Behaviors.receive<unknown>((context, message) => {
      if (!(message instanceof Open)) return Behaviors.unhandled
      return message.opened(context.spawn(message.behavior, message.name))
    })
    this.#parents = {
      near: system.spawnSystemActor(parent, parents.near),
      far: system.spawnSystemActor(parent, parents.far),
    }
    remoting.serve(
      talkPath,
      (name, from) => ({ tell: (value) => this.#take(name, from, value) }),
      'control',
    )
    cluster.follow((event) => this.#heardOf(event))
    this.#guard()
    system.shutdown.addTask('cluster-exiting', 'hand singletons over', () => this.#handOver())
    cluster.holdExit(() => this.#handOver())
  }

  /**
   * Runs it when this node is the oldest with the role; answers the proxy. Same name twice: same proxy. Throws
   * `InvalidSettings`, `NotThereYet`, `InvalidActorName`, `InvalidLease` and `SingletonRoleConflict`.
   */
  start<T>(options: StartSingletonOptions<T>): ActorRef<T> {
    checkStartSingleton(options)
    return this.startOwn(options, { hosts: { role: options.role } })
  }

  /** @internal For singletons of the runtime. */
  startOwn<T>(options: StartSingletonOptions<T>, runtime: RuntimeSingleton): ActorRef<T> {
    const { name, behavior, stopMessage } = options
    const entry = this.#entry(name, runtime)
    const hosting = { behavior, stopMessage, lease: this.#leaseOf(options, entry) }
    this.#tell(entry, new SingletonWord({ type: 'Host', hosting }))
    if (this.#isLeaving) this.#tell(entry, new SingletonWord({ type: 'HandOver', done() {} }))
    return entry.proxy
  }

  /**
   * The address of a singleton that runs on other nodes, or is started on this one later; with `dataCenter`, of the instance
   * there. A text is its role. Throws as `start`.
   */
  proxy<T>(name: string, options?: string | SingletonProxyOptions): ActorRef<T> {
    const { role, dataCenter } = proxyOptions(name, options)
    return this.#entry(name, { hosts: { role, dataCenter } }).proxy
  }

  #leaseOf(
    { name, lease: chosen }: Pick<StartSingletonOptions<never>, 'name' | 'lease'>,
    entry: Entry,
  ): Lease | undefined {
    const { name: system, environment } = this.#system
    const path = `/system/${parents.near}/${entry.proxy.path.name}`
    const place = { name, system, path, dataCenter: this.#dataCenter, owner: this.#cluster.self }
    return singletonLease({ ...place, chosen, implementation: this.#leases, environment })
  }

  #entry(name: string, runtime: RuntimeSingleton): Entry {
    const hosts = { ...runtime.hosts, dataCenter: runtime.hosts.dataCenter ?? this.#dataCenter }
    const known = this.#entries.get(keyOf(hosts.dataCenter, encodeActorName(name)))
    if (known === undefined) return this.#open(name, { ...runtime, hosts })
    const { role, attribute } = known.hosts
    if (role === hosts.role && attribute === hosts.attribute) return known
    throw new SingletonRoleConflict(name, known.hosts, hosts)
  }

  #open(
    name: string,
    { hosts, movesToTheEnd = false }: RuntimeSingleton & { hosts: { dataCenter: string } },
  ): Entry {
    const settings = this.#settings
    const encoded = encodeActorName(name)
    const side = hosts.dataCenter === this.#dataCenter ? 'near' : 'far'
    const actorName = side === 'near' ? name : `${hosts.dataCenter}/${name}`
    const { runtime } = this.#system
    const proxy = new SingletonProxy(
      parents[side],
      encodeActorName(actorName),
      runtime,
      settings.bufferedMessagesMax,
    )
    const entry: Entry = { hosts, proxy, actor: undefined, early: [] }
    this.#entries.set(keyOf(hosts.dataCenter, encoded), entry)
    const send = (to: NodeId, message: SingletonMessage): void => this.#send(encoded, to, message)
    const behavior = singletonActor({
      name,
      hosts,
      settings,
      proxy,
      send,
      gates: this.#gates,
      movesToTheEnd,
      isPreparing: () => this.#isPreparing,
      cluster: this.#cluster,
      members: () => this.#members(),
    })
    const opened = (actor: ActorRef<unknown>): void => {
      entry.actor = actor
      for (const word of entry.early.splice(0)) actor.tell(word)
    }
    this.#parents[side].tell(new Open(actorName, behavior, opened))
    return entry
  }

  #tell(entry: Entry, word: SingletonWord): void {
    if (entry.actor === undefined) entry.early.push(word)
    else entry.actor.tell(word)
  }

  // ---- the cluster

  #heardOf(event: ClusterEvent): void {
    this.#guard()
    const isOwnEnd = event.type === 'MemberRemoved' && event.member.node === this.#cluster.self
    if (isOwnEnd) this.#removed = event.member
    if (event.type === 'PreparingForShutdown') this.#isPreparing = true
    for (const { actor } of this.#entries.values()) actor?.tell(new SingletonWord({ type: 'Look' }))
  }

  /** A node that was removed keeps the last it has heard; its own end must be in it, also for who looks only now. */
  #members(): readonly Member[] {
    const { state, self } = this.#cluster
    if (this.#removed === undefined) return state.members
    return [...state.members.filter(({ node }) => node !== self), this.#removed]
  }

  /** In the very turn in which the node learns it: nothing may slip through. */
  #guard(): void {
    const { isFrozen } = this.#cluster
    if (isFrozen === this.#gates.isClosed) return
    if (isFrozen) this.#gates.close()
    else this.#gates.open()
  }

  async #handOver(): Promise<void> {
    this.#isLeaving = true
    const handedOver = [...this.#entries.values()].map(
      (entry) =>
        new Promise<void>((done) =>
          this.#tell(entry, new SingletonWord({ type: 'HandOver', done })),
        ),
    )
    await Promise.all(handedOver)
  }

  // ---- other nodes

  #send(encoded: string, to: NodeId, message: SingletonMessage): void {
    if (to === this.#cluster.self) return this.#heard(encoded, message)
    const there = this.#remoting.refAt(to, `${talkPath}/${encoded}`)
    there.tell(withoutDeadLetterLog(singletonProtocol.pack(message)))
  }

  #take(encoded: string, from: NodeId, value: unknown): void {
    const message = singletonProtocol.unpack(value)
    const isSigned = !(message instanceof NotAMessage) && message.from === from
    if (isSigned) return this.#heard(encoded, message)
    const problem =
      message instanceof NotAMessage ? message.problem : `it claims to be from ${message.from}`
    const { log, runtime } = this.#system
    log.warn(
      { peer: from, singleton: encoded },
      `A message about a singleton is refused: ${problem}.`,
    )
    runtime.lost(new UnhandledMessage(value, this.#parents.near))
  }

  /** Of a singleton that is not used here nothing can be said; whoever asks will ask again. */
  #heard(encoded: string, message: SingletonMessage): void {
    const actor = this.#entries.get(keyOf(this.#meantBy(message), encoded))?.actor
    actor?.tell(new SingletonWord({ type: 'Heard', message }))
  }

  /** What a host says is about its own instance; what a host is asked is about the one of this data center. */
  #meantBy({ type, from }: SingletonMessage): string {
    if (type !== 'InstanceIsHere' && type !== 'InstanceStops') return this.#dataCenter
    return dataCenterOf(this.#cluster.state.members.find(({ node }) => node === from))
  }
}

/** No name of a data center has a slash in it. */
function keyOf(dataCenter: string, encoded: string): string {
  return `${dataCenter}/${encoded}`
}
