/**
 * The shell of the cluster machine: an actor, `/system/cluster`, that gives it messages, ticks and what remoting has
 * found out, one at a time, and carries out what it decides, in order and completely before the next input. Nothing is
 * decided here. One file because all that the machine decides is carried out here, in one order.
 */
import {
  type ActorRef,
  type ActorSystem,
  type Behavior,
  Behaviors,
  type TimerScheduler,
  UnhandledMessage,
} from '../actor/index.ts'
import { withoutDeadLetterLog } from '../actor/internals.ts'
import { assert, AssertionFailed, unreachable } from '../foundation/assert.ts'
import { show } from '../foundation/show.ts'
import { type Address, addressOfNode, type NodeId } from '../foundation/node-id.ts'
import {
  ConnectionFailed,
  HandshakeFailed,
  PeerConnected,
  PeerDisconnected,
  PeerQuarantined,
  type Remoting,
  ThisNodeQuarantined,
} from '../remote/index.ts'
import { NotAMessage } from '../serialization/internals.ts'
import type { ClusterEvent, FreezeReason } from './cluster-events.ts'
import { ClusterLog } from './cluster-log.ts'
import { ClusterMachine } from './cluster-machine.ts'
import type { ClusterMessage } from './cluster-messages.ts'
import type { ClusterEffect, ClusterInput } from './cluster-inputs.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import type { ClusterWitness } from './cluster-witness.ts'
import { clusterProtocol } from './cluster-wire.ts'
import { lookAtProcesses } from './detection/process-of-member.ts'
import type { CutDecision } from './downing/clean-cut.ts'
import type { AskArbiter } from './downing/downing-inputs.ts'
import type { DowningStrategy } from './downing/downing-strategy.ts'
import type { RecordGivenUp } from './downing/removal-inputs.ts'
import { FoundingDesk } from './founding/founding-desk.ts'
import { shownIdentity } from './founding/founding-record.ts'
import type { FoundingStore } from './founding/founding-store.ts'
import { neighboursOf } from './gossip/data-center.ts'
import type { MemberDescription } from './gossip/member.ts'
import { type Discovery, lookUp } from './joining/discovery/discovery.ts'
import type { LookUp } from './joining/discovery/discovery-inputs.ts'
import { type MissingMembers, missingMembers } from './joining/forming.ts'
import type { SharedStore } from './joining/shared-store.ts'

const clusterPath = '/system/cluster'

/** What a peer sent, as it came. */
interface Arrived {
  readonly type: 'Arrived'
  readonly from: NodeId
  readonly value: unknown
  readonly atMs: number
}

export type ToClusterActor =
  | { readonly type: 'Command'; readonly input: ClusterInput }
  | { readonly type: 'Tick' }
  | Arrived
  | ConnectionFailed
  | HandshakeFailed
  | PeerConnected
  | PeerDisconnected
  | PeerQuarantined
  | ThisNodeQuarantined

/** What the machine's decisions mean to the rest of the node. */
export interface ClusterOwner extends Partial<ClusterWitness> {
  published(event: ClusterEvent): void
  beginExiting(): void
  /** The last thing that happens. */
  shutDown(reason: ClusterEnd, problems: readonly string[]): void
}

export type ClusterEnd = Extract<ClusterEffect, { type: 'ShutDown' }>['reason'] | 'broken-invariant'

export interface ClusterActorOptions extends MemberDescription {
  readonly system: ActorSystem
  readonly remoting: Remoting
  readonly settings: ClusterSettings
  readonly strategy: DowningStrategy
  /** Of this process; undefined where nobody can tell, or nobody is to look. */
  readonly identity?: string | undefined
  readonly store: SharedStore | undefined
  /** Where that store keeps the founding of the cluster; undefined when it does not. */
  readonly founding: FoundingStore | undefined
  /** How nodes are found where no seeds are listed. */
  readonly discovery?: Discovery | undefined
  readonly owner: ClusterOwner
}

export class ClusterActor {
  readonly ref: ActorRef<ToClusterActor>
  readonly #options: ClusterActorOptions
  readonly #machine: ClusterMachine
  readonly #endings: (() => void)[] = []
  readonly #log: ClusterLog
  readonly #founding: FoundingDesk | undefined
  /** Those of the actor, once it runs. */
  #timers: TimerScheduler<ToClusterActor> | undefined
  #lookedAtMs: number
  #lookedAtWallMs: number
  /** Of the strategy, about the members that there are. */
  #warning: string | undefined
  #isStepping = false
  #isBroken = false
  #hasEnded = false

  constructor(options: ClusterActorOptions) {
    const { system, remoting, roles, attributes, appVersion } = options
    const { settings, strategy, store, founding, identity, discovery } = options
    this.#options = options
    const { random, dispatcher } = system.environment
    this.#machine = new ClusterMachine({
      ...{ self: remoting.node, roles, attributes, appVersion },
      ...{ settings, strategy, store, random, identity, discovery },
      founding: founding && { identity: shownIdentity(founding.identity) },
      viewed: (view) => options.owner.viewed?.(view),
    })
    this.#log = new ClusterLog(remoting.node, system.log)
    this.#founding = founding && new FoundingDesk(founding, (input) => this.command(input))
    this.#lookedAtMs = this.#now
    this.#lookedAtWallMs = this.#wall
    this.ref = system.spawnSystemActor(this.#behavior(), 'cluster')
    this.#endings.push(
      remoting.serve(
        clusterPath,
        (_, from) => ({ tell: (value) => this.#heard(from, value) }),
        'control',
      ),
      dispatcher.beforeTurns(() => this.look(), settings.tickIntervalMs),
    )
    // Ends with the actor.
    system.eventStream.subscribe(ConnectionFailed, this.ref)
    system.eventStream.subscribe(HandshakeFailed, this.ref)
    system.eventStream.subscribe(PeerConnected, this.ref)
    system.eventStream.subscribe(PeerDisconnected, this.ref)
    system.eventStream.subscribe(PeerQuarantined, this.ref)
    system.eventStream.subscribe(ThisNodeQuarantined, this.ref)
  }

  /** To be read only: `step` is called here alone. */
  get machine(): Pick<ClusterMachine, 'gossip' | 'isFrozen' | 'snapshot'> {
    return this.#machine
  }

  /** A broken machine knows nothing any more, so nothing may be done on its word. */
  get isFrozen(): boolean {
    return this.#isBroken || this.#machine.isFrozen
  }

  /** Why; undefined while it is not frozen. */
  get frozenFor(): FreezeReason | undefined {
    return this.#isBroken ? 'downed' : this.#machine.frozenFor
  }

  /** In its turn, after what is already on its way. */
  command(input: ClusterInput): void {
    this.ref.tell({ type: 'Command', input })
  }

  /** See `FoundingDesk`. */
  async lookAtFounding(): Promise<void> {
    if (!this.#hasEnded) await this.#founding?.look()
  }

  /** What a cluster that this node is in waits for before it lets anybody in. */
  get #missing(): readonly MissingMembers[] {
    const { gossip } = this.#machine
    return gossip.members.length === 0 ? [] : missingMembers(gossip, this.#options.settings)
  }

  get #now(): number {
    return this.#options.system.environment.clock.monotonicMs()
  }

  get #wall(): number {
    return this.#options.system.environment.clock.wallMs()
  }

  // ---- in

  #behavior(): Behavior<ToClusterActor> {
    const { tickIntervalMs } = this.#options.settings
    return Behaviors.setup<ToClusterActor>(({ timers }) => {
      this.#timers = timers
      timers.startFixedDelay('tick', tickIntervalMs, { type: 'Tick' })
      return Behaviors.receiveMessage<ToClusterActor>((message) =>
        this.#receive(message),
      ).receiveSignal({ PostStop: () => this.#stopped() })
    })
  }

  #receive(message: ToClusterActor): void {
    switch (message.type) {
      case 'Command':
        this.#step(message.input)
        return this.#founding?.stepped(message.input)
      case 'Tick':
        this.#log.tick(this.#now)
        this.#log.forming(this.#missing, this.#now)
        return this.#step({ type: 'Tick' })
      case 'Arrived':
        return this.#takeMessage(message)
      case 'ConnectionFailed':
        return this.#notConnected(message)
      case 'HandshakeFailed':
        return this.#handshakeFailed(message)
      case 'PeerConnected':
        return this.#connected(message.node)
      case 'PeerDisconnected':
        return this.#step({ type: 'ConnectionLost', node: message.node })
      case 'PeerQuarantined':
        return this.#givenUp(message)
      case 'ThisNodeQuarantined':
        return this.#step({ type: 'Quarantined', by: message.by })
      default:
        return unreachable(message)
    }
  }

  /** Runs when the peer's bytes are read, outside any turn. */
  #heard(from: NodeId, value: unknown): void {
    this.#options.owner.heard?.(from)
    this.ref.tell({ type: 'Arrived', from, value, atMs: this.#now })
  }

  #takeMessage({ from, value, atMs }: Arrived): void {
    const message = clusterProtocol.unpack(value)
    if (message instanceof NotAMessage) return this.#refuse(from, value, message.problem)
    if (message.from !== from)
      return this.#refuse(from, value, `it claims to be from ${message.from}`)
    this.#step({ type: 'Received', message, receivedAtMs: atMs })
  }

  #refuse(from: NodeId, value: unknown, problem: string): void {
    const { system } = this.#options
    system.log.warn(
      { peer: from, problem },
      `A message from ${from} to the cluster is ignored: ${problem}`,
    )
    system.runtime.lost(new UnhandledMessage(value, this.ref))
  }

  #notConnected({ address, reason, text }: ConnectionFailed): void {
    this.#step({ type: 'NotConnected', address, isRefused: reason === 'refused', text })
  }

  #handshakeFailed({ called: address, error: { code, message: text } }: HandshakeFailed): void {
    // Whoever calls us and does not belong here is no trouble of ours.
    if (address !== undefined) this.#step({ type: 'NotAccepted', address, code, text })
  }

  /** One that has given this node up is not accused in return: two clusters would come of it. */
  #givenUp({ node, isInReturn }: PeerQuarantined): void {
    if (!isInReturn) this.#step({ type: 'PeerGivenUp', node })
  }

  #connected(node: NodeId): void {
    const latest = this.#options.remoting.peerAt(addressOfNode(node))
    this.#step({ type: 'Connected', node, latest })
  }

  /**
   * Before the first turn after a sleep, and for whoever asks before that: whatever was due to run must find the node
   * frozen. Whoever asks while a step is carried out knows what the step has found.
   */
  look(): void {
    if (this.#isStepping) return
    const { tickIntervalMs } = this.#options.settings
    const isLongAgo = this.#now - this.#lookedAtMs >= tickIntervalMs
    // The monotonic clock may have stood still while the machine was suspended.
    if (!isLongAgo && this.#wall - this.#lookedAtWallMs < tickIntervalMs) return
    this.#step()
  }

  // ---- out

  /** Looks at the clocks, and takes the input if there is one. */
  #step(input?: ClusterInput): void {
    if (this.#hasEnded) return
    assert(!this.#isStepping, 'an input is carried out before the next one comes')
    this.#isStepping = true
    try {
      this.#lookedAtMs = this.#now
      this.#lookedAtWallMs = this.#wall
      this.#carryOut({ type: 'Look', wallMs: this.#lookedAtWallMs })
      if (input !== undefined) this.#carryOut(input)
    } catch (err) {
      this.#broke(err, input)
    } finally {
      this.#isStepping = false
    }
  }

  #carryOut(input: ClusterInput): void {
    for (const effect of this.#machine.step(input, this.#lookedAtMs)) this.#perform(effect)
  }

  #perform(effect: ClusterEffect): void {
    switch (effect.type) {
      case 'Send':
      case 'SendToAddress':
        return this.#send(effect.to, effect.message)
      case 'Publish':
        return this.#publish(effect.event)
      case 'AskArbiter':
        return this.#ask(effect)
      case 'LookAtProcesses':
        return this.command(lookAtProcesses(this.#options.system.environment.process, effect))
      case 'LookAgain':
        return this.#lookAgain(effect.afterMs)
      case 'ProvedDead':
        return this.#log.provedDead(effect.node)
      case 'ArbiterIsOver':
        return this.#options.strategy.arbiter?.isOver?.()
      case 'RecordGivenUp':
        return this.#record(effect)
      case 'ReadFounding':
        return this.#founding?.read(effect)
      case 'WriteFounding':
        return this.#founding?.write(effect)
      case 'AwaitingStore':
        return this.#log.awaitingStore(effect, this.#storeName)
      case 'WaitingToFound':
        return this.#log.waitingToFound(effect, this.#storeName)
      case 'LookUp':
        return this.#lookUp(effect)
      case 'Disagrees':
        return this.#log.disagrees(effect)
      case 'StillJoining':
        return this.#log.stillJoining(effect)
      case 'Refuse':
        return this.#refuse(
          effect.message.from,
          clusterProtocol.pack(effect.message),
          effect.problem,
        )
      case 'ForgetPeer':
        return this.#forget(effect.node, effect.isQuarantined)
      case 'BeginExiting':
        return this.#options.owner.beginExiting()
      case 'ShutDown':
        return this.#end(effect.reason, effect.problems)
      default:
        return unreachable(effect)
    }
  }

  get #storeName(): string {
    return this.#options.store?.name ?? 'the store'
  }

  /** To that node, or to whoever lives at that address. */
  #send(to: Address, message: ClusterMessage): void {
    const packed = withoutDeadLetterLog(clusterProtocol.pack(message))
    this.#options.remoting.refAt(to, clusterPath).tell(packed)
  }

  #publish(event: ClusterEvent): void {
    this.#log.published(event, this.#machine.gossip.members.length, this.#lookedAtMs)
    if (event.type === 'MemberUp') this.#warnOfMembers()
    this.#tellRemoting(event)
    this.#options.owner.published(event)
  }

  /** Of every member that appears, in whatever status it is by then. Of one that is removed, `ForgetPeer` tells. */
  #tellRemoting(event: ClusterEvent): void {
    const { remoting } = this.#options
    if (!('member' in event) || event.type === 'MemberRemoved') return
    if (event.member.node !== remoting.node) remoting.nodeJoined(event.member.node)
  }

  /** The operator can still do something about it. */
  #warnOfMembers(): void {
    const { strategy, system, remoting } = this.#options
    // Each data center decides its own splits.
    const warning = strategy.warningOf?.(neighboursOf(this.#machine.gossip, remoting.node))
    if (warning !== undefined && warning !== this.#warning) system.log.warn({}, `${warning}.`)
    this.#warning = warning
  }

  #ask({ number, question }: AskArbiter): void {
    const { strategy, system } = this.#options
    const { arbiter } = strategy
    assert(arbiter !== undefined, 'a strategy with questions has an arbiter')
    const answer = (decision: CutDecision | undefined): void =>
      this.command({ type: 'ArbiterAnswered', number, decision })
    // Async, so that one that throws has failed to decide, and nothing more.
    const decide = async (): Promise<CutDecision> => arbiter.decide(question)
    decide().then(answer, (err: unknown) => {
      system.log.warn({ err, question }, 'The arbiter of the downing strategy could not be asked')
      answer(undefined)
    })
  }

  #record({ number, nodes }: RecordGivenUp): void {
    const { strategy, system } = this.#options
    const answer = (shown: readonly NodeId[] | undefined): void =>
      this.command({ type: 'RecordShown', number, nodes: shown })
    const give = async (): Promise<readonly NodeId[] | undefined> =>
      strategy.arbiter?.giveUp?.(nodes)
    give().then(answer, (err: unknown) => {
      const members = nodes.map(addressOfNode)
      system.log.warn(
        { err, members },
        'The record of those who were given up, beside the lease that decides splits, could not be asked. Until it can, nobody is removed from the cluster. Look at the store of the lease',
      )
      answer(undefined)
    })
  }

  #lookUp(question: LookUp): void {
    const { discovery } = this.#options
    assert(discovery !== undefined, 'only who has a discovery asks it')
    void lookUp(discovery, question).then((answer) => this.command(answer))
  }

  #lookAgain(afterMs: number): void {
    const message: ToClusterActor = { type: 'Command', input: { type: 'LookDue' } }
    this.#timers?.startSingle('look', afterMs, message)
  }

  #forget(node: NodeId, isQuarantined: boolean): void {
    const { remoting } = this.#options
    remoting.nodeRemoved(node)
    if (isQuarantined) remoting.quarantine(node, 'it was downed and removed from the cluster')
  }

  // ---- the end

  #broke(err: unknown, input: ClusterInput | undefined): void {
    const { system, owner } = this.#options
    const wasFrozen = this.isFrozen
    this.#isBroken = true
    system.log.error(
      { err, input: show(input) },
      'The cluster membership of this node failed; it freezes and ends.',
    )
    if (!wasFrozen) owner.published({ type: 'Frozen', reason: 'downed' })
    if (err instanceof AssertionFailed) system.runtime.brokenInvariant(err)
    this.#end('broken-invariant', [])
  }

  /** The actor has stopped: as the last of an orderly end, or because something is wrong. */
  #stopped(): void {
    for (const end of this.#endings) end()
    this.#end('leaving', [])
  }

  #end(reason: ClusterEnd, problems: readonly string[]): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    // Nobody looks any more: whoever waits finds the node frozen, or stopping.
    this.#founding?.end()
    this.#options.owner.shutDown(reason, problems)
  }
}
