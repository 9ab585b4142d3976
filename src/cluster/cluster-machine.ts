/**
 * Everything that one node decides about the cluster, as one machine: it passes inputs to the conversations and what one
 * of them finds out to the others.
 *
 *   discovery ──found, elected──▶ joining
 *   joining ──joined──▶ membership ──view──▶ detection, processes, downing, removal, pause, founding
 *      ▲                    ▲──suspicions, decisions──┘                              │
 *      └──────────────may found, may join───────────────────────────────────┘
 *
 * Invariant: the node is frozen while any of its parts holds it for the loser of a split, for out of touch with those
 * against whom it would lose, for asleep too long, for Exiting and out of somebody's reach, for a member of a founding
 * that may not be the one that lives, for one that the store may have given up, or Down.
 *
 * One file because it is one thing: which part hears of what.
 */
import { unreachable } from '../foundation/assert.ts'
import { type Address, type NodeId, addressOfNode } from '../foundation/node-id.ts'
import type { ClusterEvent, FreezeReason } from './cluster-events.ts'
import { type ClusterMessage, isGossipMessage, type Join } from './cluster-messages.ts'
import type {
  ClusterEffect,
  ClusterInput,
  ClusterOptions,
  ClusterSnapshot,
  Received,
  FreezeCause,
  ShutDownReason,
} from './cluster-inputs.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import type { DetectionInput } from './detection/detection-inputs.ts'
import { DetectionMachine } from './detection/detection-machine.ts'
import type { PauseEffect, PauseInput } from './detection/pause-inputs.ts'
import { PauseMachine } from './detection/pause-machine.ts'
import type { ProcessWatchInput } from './detection/process-watch-inputs.ts'
import { ProcessWatchMachine } from './detection/process-watch-machine.ts'
import type { DowningEffect, DowningInput } from './downing/downing-inputs.ts'
import { DowningMachine } from './downing/downing-machine.ts'
import type { DowningStrategy } from './downing/downing-strategy.ts'
import { mayGiveUp } from './downing/giving-up.ts'
import type { RemovalInput } from './downing/removal-inputs.ts'
import { RemovalMachine } from './downing/removal-machine.ts'
import { outOfTouchMs, silenceMs } from './downing/silent-members.ts'
import { downingViewOf, electorateOf } from './downing/split-view.ts'
import { StoreWatch, watchInputOf } from './downing/store-watch.ts'
import type { FoundingAnswer, FoundingEffect, FoundingInput } from './founding/founding-inputs.ts'
import { FreezeCauses } from './freeze-causes.ts'
import { FoundingMachine } from './founding/founding-machine.ts'
import { isExitDoubted, unreachableMembers } from './gossip/convergence.ts'
import { describedDataCenter, isNeighbour, neighboursOf } from './gossip/data-center.ts'
import { type Gossip, emptyGossip, hasTombstone, memberOf } from './gossip/gossip.ts'
import { problemWithGossip } from './gossip/gossip-exchange.ts'
import { addressOfMember } from './gossip/member.ts'
import type { DiscoveryInput } from './joining/discovery/discovery-inputs.ts'
import { DiscoveryMachine } from './joining/discovery/discovery-machine.ts'
import { isForming } from './joining/forming.ts'
import { firstSeedOf, type JoinCommand } from './joining/join-command.ts'
import type { JoiningEffect, JoiningInput, NotConnected } from './joining/joining-inputs.ts'
import { JoiningMachine } from './joining/joining-machine.ts'
import { Stranding } from './joining/stranding.ts'
import { MembershipMachine } from './membership-machine.ts'
import type { MembershipInput } from './membership-inputs.ts'

export class ClusterMachine {
  readonly #self: NodeId
  readonly #settings: ClusterSettings
  readonly #strategy: DowningStrategy
  readonly #joining: JoiningMachine
  readonly #membership: MembershipMachine
  readonly #detection: DetectionMachine
  readonly #downing: DowningMachine
  readonly #removal: RemovalMachine
  readonly #pause: PauseMachine
  /** Undefined where nobody can see which processes have ended. */
  readonly #processes: ProcessWatchMachine | undefined
  /** Undefined where the store keeps no founding: then the seeds alone decide. */
  readonly #founding: FoundingMachine | undefined
  /** Undefined where seeds are listed. */
  readonly #discovery: DiscoveryMachine | undefined
  readonly #frozen = new FreezeCauses()
  #effects: ClusterEffect[] = []
  #known: Gossip = emptyGossip
  #isStopped = false
  readonly #stranding: Stranding
  /** Where the store decides splits. */
  readonly #watch: StoreWatch | undefined

  constructor(options: ClusterOptions) {
    const { self, settings, strategy, store, founding, identity, discovery } = options
    const asksStore = store !== undefined && founding !== undefined
    this.#self = self
    this.#settings = settings
    this.#strategy = strategy
    const described = { ...options, ...describedDataCenter(settings.dataCenter) }
    this.#joining = new JoiningMachine({ ...described, address: addressOfNode(self), asksStore })
    const mayLetIn = (): boolean => !this.#pause.mayBeGivenUp
    this.#membership = new MembershipMachine({ ...described, mayLetIn })
    this.#detection = new DetectionMachine(self, settings, options.random)
    this.#downing = new DowningMachine({ self, settings, strategy })
    this.#removal = new RemovalMachine({ self, settings, keepsRecord: strategy.keepsRecord })
    this.#stranding = new Stranding(self, settings, discovery !== undefined)
    this.#pause = new PauseMachine({ self, settings, strategy })
    if (identity !== undefined) this.#processes = new ProcessWatchMachine({ identity, settings })
    if (discovery) this.#discovery = new DiscoveryMachine({ self, settings, ...discovery })
    if (!asksStore) return
    this.#founding = new FoundingMachine({ self, settings, store, ...founding })
    if (strategy.asksStore === true) this.#watch = new StoreWatch(settings)
  }

  step(input: ClusterInput, now: number): ClusterEffect[] {
    this.#effects = []
    // Before anything else: queued messages may be handled before overdue timers after a long sleep.
    this.#stepPause(input.type === 'Look' ? input : { type: 'Look' }, now)
    this.#stepFounding({ type: 'Look' }, now)
    if (!this.#isStopped) this.#route(input, now)
    return this.#effects
  }

  get gossip(): Gossip {
    return this.#membership.gossip
  }

  /** Nothing may be delivered to entities and singletons here. */
  get isFrozen(): boolean {
    return this.#frozen.isFrozen
  }

  /** Why; undefined while it is not frozen. */
  get frozenFor(): FreezeReason | undefined {
    return this.#frozen.reason
  }

  snapshot(): ClusterSnapshot {
    return {
      joining: this.#joining.snapshot(),
      membership: this.#membership.snapshot(),
      ...this.#detection.snapshot(),
      downing: this.#downing.snapshot(),
      removal: this.#removal.snapshot(),
      pause: this.#pause.snapshot(),
      processes: this.#processes?.snapshot(),
      founding: this.#founding?.snapshot(),
      discovery: this.#discovery?.snapshot(),
      frozen: this.#frozen.all,
    }
  }

  #route(input: ClusterInput, now: number): void {
    switch (input.type) {
      case 'JoinSeeds':
      case 'JoinNode':
      case 'JoinDiscovered':
        return this.#join(input, now)
      case 'Discovered':
      case 'NotDiscovered':
        return this.#stepDiscovery(input, now)
      case 'NotAccepted':
        return this.#stepJoining(input, now)
      case 'LookAtFounding':
        return this.#stepFounding({ type: 'LookNow' }, now)
      case 'FoundingRead':
      case 'FoundingNotRead':
      case 'FoundingWritten':
      case 'FoundingChanged':
      case 'FoundingNotWritten':
        return this.#hearStore(input, now)
      case 'NotConnected':
        return this.#notConnected(input, now)
      case 'Connected':
        return this.#connected(input.node, input.latest, now)
      case 'ConnectionLost':
      case 'ProcessesSeen':
      case 'LookDue':
        return this.#stepProcesses(input, now)
      case 'Quarantined':
        return this.#quarantined(input.by, now)
      case 'PeerGivenUp':
        // Not down: that is for the strategy to decide.
        return this.#stepMembership({ ...input, type: 'Observed', status: 'Terminated' }, now)
      case 'ArbiterAnswered':
        return this.#stepDowning(input, now)
      case 'RecordShown':
        return this.#stepRemoval(input, now)
      case 'Down':
        return this.#stepRemoval({ ...input, type: 'Remove', as: 'Down', isLasting: true }, now)
      case 'Received':
        return this.#receive(input, now)
      case 'Look':
        return
      case 'Tick':
        return this.#tick(now)
      default:
        return this.#stepMembership(input, now)
    }
  }

  #receive({ message, receivedAtMs }: Received, now: number): void {
    const problem =
      isGossipMessage(message) && problemWithGossip(this.gossip, message, now - receivedAtMs)
    if (problem) return this.#perform({ type: 'Refuse', message, problem })
    if (this.#isFromTheRemoved(message)) return
    switch (message.type) {
      case 'InitJoin':
        // Outside, and by discovery: then it is for that to say for whom this node stands.
        return this.#discovery?.snapshot().phase === 'looking'
          ? this.#stepDiscovery(message, now)
          : this.#stepMembership(message, now)
      case 'InitJoinNack':
        this.#stepDiscovery(message, now)
        return this.#stepJoining(message, now)
      case 'InitJoinAck':
      case 'Welcome':
        return this.#stepJoining(message, now)
      case 'Heartbeat':
        return this.#stepDetection(message, now)
      case 'HeartbeatResponse':
        this.#stepDetection(message, now)
        return this.#judgeSilence(now)
      case 'Standing':
        this.#stepJoining(message, now)
        this.#stepPause(message, now)
        this.#stepFounding(message, now)
        return this.#stepMembership(message, now)
      case 'Join':
        return this.#hearNewcomer(message, now)
      default:
        return this.#stepMembership(message, now)
    }
  }

  /** It comes again when former lives of it have been removed, if that takes a while. */
  #hearNewcomer(join: Join, now: number): void {
    const nodes = this.#removal.formerLivesOf(join.from)
    if (nodes.length === 0) return this.#stepMembership(join, now)
    this.#stepRemoval({ type: 'Remove', nodes, as: 'Died', isLasting: true }, now)
  }

  #tick(now: number): void {
    this.#stepPause({ type: 'Tick' }, now)
    this.#stepDiscovery({ type: 'Tick' }, now)
    this.#stepJoining({ type: 'Tick' }, now)
    this.#stepDetection({ type: 'Tick' }, now)
    this.#stepProcesses({ type: 'Tick' }, now)
    this.#stepMembership({ type: 'Tick' }, now)
    this.#stepDetection({ type: 'AskAround' }, now)
    this.#judgeSilence(now)
    this.#judgeStore(now)
    const loss = this.#detection.lossToTheSilent(outOfTouchMs(this.#settings), now, this.#strategy)
    const isOutOfTouch = this.#detection.isInDoubt || loss !== undefined
    this.#stepDowning({ type: 'Tick', isOutOfTouch }, now)
    this.#stepRemoval({ type: 'Tick' }, now)
    this.#stepFounding({ type: 'Tick' }, now)
    const problem = this.#stranding.look(this.gossip, now)
    if (problem !== undefined) this.#shutDown('join-failed', [problem])
  }

  #join(input: JoinCommand, now: number): void {
    const firstSeed = firstSeedOf(input)
    const isAlone = input.type === 'JoinNode' && firstSeed === addressOfNode(this.#self)
    this.#stepFounding({ type: 'JoinBegan', firstSeed, isAlone }, now)
    this.#stepJoining(input, now)
    if (input.type === 'JoinDiscovered') this.#stepDiscovery({ type: 'Begin' }, now)
  }

  #judgeSilence(now: number): void {
    const loss = this.#detection.lossToTheSilent(silenceMs(this.#settings), now, this.#strategy)
    if (loss !== undefined) this.#freeze('silence')
    else this.#reconnect('silence', now)
    if (loss === 'by-rule') this.#stepPause({ type: 'CutOff' }, now)
  }

  #hearStore(answer: FoundingAnswer, now: number): void {
    const { wish } = this.#downing
    this.#stepFounding({ ...answer, isHeld: this.#frozen.isHeldBut(), wish }, now)
    this.#judgeStore(now)
  }

  /** Where the store may have decided against this node, it goes on only while that shows that it has not. */
  #judgeStore(now: number): void {
    const [watch, founding] = [this.#watch, this.#founding]
    if (watch === undefined || founding === undefined || this.#isStopped) return
    const silent = this.#detection.silentAmongWatched(silenceMs(this.#settings), now)
    const input = watchInputOf(this.gossip, this.#self, {
      ...{ founding, downing: this.#downing, silent },
      isDoubting: this.#frozen.has('paused'),
    })
    for (const effect of watch.step(input, now)) {
      if (effect.type === 'LookSoon') this.#stepFounding(effect, now)
      else if (effect.type === 'Freeze') this.#freeze('store')
      else if (effect.type === 'Thaw') this.#thaw('store')
      else if (effect.type === 'ShownByStore') this.#stepPause(effect, now)
      else this.#perform(effect)
    }
  }

  /** A removed member that still speaks has not heard of its end: it is told, whatever it says. */
  #isFromTheRemoved(message: ClusterMessage): boolean {
    if (!hasTombstone(this.gossip, message.from)) return false
    const question = message.type === 'GetStanding' ? message.question : 0
    const answer = { type: 'Standing', from: this.#self, question, standing: 'removed' } as const
    this.#perform({ type: 'Send', to: message.from, message: answer })
    return true
  }

  #notConnected(input: NotConnected, now: number): void {
    this.#stepDiscovery(input, now)
    this.#stepJoining(input, now)
    if (!input.isRefused) return
    for (const member of this.gossip.members) {
      if (addressOfMember(member) !== input.address) continue
      this.#stepProcesses({ type: 'ConnectionLost', node: member.node }, now)
      // Whoever is leaving closes its port as a matter of course; if it died instead, its silence will tell.
      if (member.status !== 'Exiting') this.#gone(member.node, now)
    }
  }

  #connected(node: NodeId, latest: NodeId | undefined, now: number): void {
    const address = addressOfNode(node)
    this.#stepJoining({ type: 'Connected', address }, now)
    if (latest !== node) return // Old news: somebody else has come to live there since.
    const there = this.gossip.members.filter((member) => addressOfMember(member) === address)
    for (const member of there) if (member.node !== node) this.#gone(member.node, now)
  }

  /** The process of this member is no more. */
  #gone(node: NodeId, now: number): void {
    this.#stepDetection({ type: 'ConnectionRefused', node }, now)
    if (node === this.#self || !isNeighbour(this.gossip, node, this.#self)) return
    if (isForming(this.gossip, this.#self)) {
      this.#stepMembership({ type: 'Down', nodes: [node] }, now)
    }
  }

  /** Never more than ending itself: to give up the other in turn would make two clusters. */
  #quarantined(by: Address, now: number): void {
    const word = { self: this.#self, by }
    if (mayGiveUp(this.gossip, word, this.#strategy)) this.#stepMembership({ type: 'GivenUp' }, now)
  }

  #stepJoining(input: JoiningInput, now: number): void {
    for (const effect of this.#joining.step(input, now)) this.#performJoining(effect, now)
  }

  #performJoining(effect: JoiningEffect, now: number): void {
    switch (effect.type) {
      case 'Send':
      case 'SendToAddress':
      case 'Disagrees':
        return this.#perform(effect)
      case 'StillJoining':
        return this.#perform({ ...effect, troubles: effect.troubles.concat(this.#otherTroubles) })
      case 'WouldForm':
      case 'Invited':
        return this.#stepFounding(effect, now)
      case 'FormCluster':
      case 'Joined': {
        const founder = effect.type === 'Joined' ? effect.founder : this.#self
        this.#stepDiscovery({ type: 'Over' }, now)
        this.#stepFounding({ type: 'Entered', founder }, now)
        return this.#stepMembership(effect, now)
      }
      case 'GiveUp':
        return this.#shutDown(effect.reason, [
          ...effect.problems,
          ...(effect.reason === 'join-failed' ? this.#otherTroubles : []),
        ])
      default:
        return unreachable(effect)
    }
  }

  /** Besides those with seeds, or with whoever was found. */
  get #otherTroubles(): readonly string[] {
    const ways = [this.#discovery?.snapshot(), this.#founding?.snapshot()]
    return ways.flatMap((way) => way?.troubles ?? [])
  }

  #stepDiscovery(input: DiscoveryInput, now: number): void {
    if (this.#discovery === undefined || this.#isStopped) return
    for (const effect of this.#discovery.step(input, now)) {
      if (effect.type === 'LookUp' || effect.type === 'Send') this.#perform(effect)
      else this.#stepJoining(effect, now)
    }
  }

  #stepMembership(input: MembershipInput, now: number): void {
    for (const effect of this.#membership.step(input, now)) {
      if (effect.type === 'ShutDown') this.#shutDown(effect.reason, [])
      else if (effect.type === 'Publish') this.#published(effect.event, now)
      else this.#perform(effect)
    }
    this.#tellView(now)
  }

  /** Passes a changed view on; what follows from it may change the view again. */
  #tellView(now: number): void {
    const { gossip } = this
    const known = this.#known
    if (gossip === known) return
    this.#known = gossip
    const own = memberOf(gossip, this.#self)
    // Nobody will let it in any more.
    if (own?.status === 'Joining' && gossip.isEnding) {
      return this.#stepMembership({ type: 'Leave', node: this.#self }, now)
    }
    // Only more have seen it: that matters to who judges a split, and to nobody else.
    if (known.members === gossip.members && known.reachability === gossip.reachability) {
      if (gossip.reachability.some(({ rows }) => rows.length > 0)) this.#tellDowning(now)
      return
    }
    const cutOff = unreachableMembers(gossip, this.#self)
    if (own?.status === 'Down') this.#freeze('downed')
    if (isExitDoubted(gossip, this.#self)) this.#freeze('doubted')
    else this.#thaw('doubted')
    const { members } = gossip
    this.#stepRemoval({ type: 'ViewChanged', gossip }, now)
    const decisive = this.#strategy.decisiveOf?.(neighboursOf(gossip, this.#self))
    this.#stepDetection({ type: 'ViewChanged', gossip, decisive }, now)
    this.#stepProcesses({ type: 'MembersChanged', members, unreachable: cutOff }, now)
    this.#stepPause(
      { type: 'MembersChanged', members: electorateOf(gossip, this.#self), unreachable: cutOff },
      now,
    )
    this.#tellDowning(now)
    this.#stepFounding({ type: 'ViewChanged', gossip }, now)
  }

  #tellDowning(now: number): void {
    this.#stepDowning({ type: 'ViewChanged', view: downingViewOf(this.gossip, this.#self) }, now)
  }

  #stepDetection(input: DetectionInput, now: number): void {
    for (const effect of this.#detection.step(input, now)) {
      const status = effect.type === 'Suspect' ? 'Unreachable' : 'Reachable'
      if (effect.type === 'Send') this.#perform(effect)
      else this.#stepMembership({ type: 'Observed', node: effect.node, status }, now)
    }
  }

  #stepProcesses(input: ProcessWatchInput, now: number): void {
    for (const effect of this.#processes?.step(input, now) ?? []) {
      if (effect.type !== 'Died') {
        this.#perform(effect)
        continue
      }
      for (const node of effect.nodes) this.#perform({ type: 'ProvedDead', node })
      // No split to decide, and nobody to freeze first: what is dead does nothing any more.
      this.#stepRemoval({ type: 'Remove', nodes: effect.nodes, as: 'Died', isLasting: true }, now)
    }
  }

  #stepDowning(input: DowningInput, now: number): void {
    for (const effect of this.#downing.step(input, now)) this.#performDowning(effect, now)
  }

  #performDowning(effect: DowningEffect, now: number): void {
    switch (effect.type) {
      case 'Freeze':
        return this.#freeze('minority')
      case 'Thaw':
        return this.#reconnect('minority', now)
      case 'Down': {
        // Whoever may have been given up itself gives nobody else up; and if nobody has said by now that it was not, it was.
        const isOwnDecision = effect.why !== 'GivenUp'
        const nodes = isOwnDecision && this.#frozen.has('paused') ? [this.#self] : effect.nodes
        return this.#stepRemoval({ type: 'Remove', nodes, as: 'Down', isLasting: false }, now)
      }
      case 'AskStore':
        return this.#stepFounding({ type: 'LookSoon', withinMs: 0 }, now)
      case 'AskArbiter':
      case 'ArbiterIsOver':
        return this.#perform(effect)
      default:
        return unreachable(effect)
    }
  }

  #stepRemoval(input: RemovalInput, now: number): void {
    for (const effect of this.#removal.step(input, now)) {
      if (effect.type === 'RecordGivenUp') this.#perform(effect)
      else if (effect.type === 'ShownByStore') this.#stepPause(effect, now)
      else this.#stepMembership(effect, now)
    }
  }

  #stepPause(input: PauseInput, now: number): void {
    for (const effect of this.#pause.step(input, now)) this.#performPause(effect, now)
  }

  #performPause(effect: PauseEffect, now: number): void {
    switch (effect.type) {
      case 'Send':
        return this.#perform(effect)
      case 'Overslept':
        this.#doubts(now)
        this.#stepDetection(effect, now)
        this.#stepDowning({ type: 'Overslept' }, now)
        return this.#stepFounding({ type: 'Overslept' }, now)
      case 'Freeze':
        return this.#freeze('paused')
      case 'Thaw':
        return this.#thaw('paused')
      case 'Hopeless':
        return this.#stepMembership({ type: 'Down', nodes: [this.#self] }, now)
      default:
        return unreachable(effect)
    }
  }

  #stepFounding(input: FoundingInput, now: number): void {
    if (this.#founding === undefined || this.#isStopped) return
    for (const effect of this.#founding.step(input, now)) this.#performFounding(effect, now)
  }

  #performFounding(effect: FoundingEffect, now: number): void {
    switch (effect.type) {
      case 'ReadFounding':
      case 'WriteFounding':
      case 'Send':
        return this.#perform(effect)
      case 'WaitingToFound':
        this.#stepJoining({ type: 'MustWait', ms: effect.waitMs }, now)
        return this.#perform(effect)
      case 'Recorded':
      case 'Founded':
      case 'Cleared':
      case 'NotCleared':
        return this.#stepJoining(effect, now)
      case 'Freeze':
        return this.#freeze('founding')
      case 'Thaw':
        return this.#thaw('founding')
      case 'GivenUpShown':
        return this.#stepDowning(effect, now)
      case 'GivenUp':
        return this.#stepMembership(effect, now)
      case 'Succeeded':
        return this.#shutDown('succeeded', [effect.by])
      case 'LivesElsewhere':
        return this.#shutDown('cluster-elsewhere', effect.addresses)
      case 'Unreadable':
        return this.#shutDown('join-failed', [effect.problem])
      default:
        return unreachable(effect)
    }
  }

  #freeze(cause: FreezeCause): void {
    const isNew = this.#frozen.add(cause)
    const { reason } = this.#frozen
    if (isNew && reason !== undefined) this.#publish({ type: 'Frozen', reason })
  }

  /** Others can be reached again; but they may have given this node up meanwhile, so first it asks. */
  #reconnect(cause: 'silence' | 'minority', now: number): void {
    if (!this.#frozen.has(cause)) return
    this.#doubts(now)
    if (!this.#frozen.isHeldBut(cause)) this.#stepPause({ type: 'WasCutOff' }, now)
    this.#thaw(cause)
  }

  /** Whatever was shown so far is old. */
  #doubts(now: number): void {
    this.#watch?.doubts(now)
    this.#stepRemoval({ type: 'Doubted' }, now)
  }

  #thaw(cause: FreezeCause): void {
    if (this.#frozen.delete(cause)) this.#publish({ type: 'Thawed' })
  }

  #shutDown(reason: ShutDownReason, problems: readonly string[]): void {
    if (this.#isStopped) return
    this.#isStopped = true
    // Others may already do what was done here.
    if (reason === 'downing') this.#freeze('downed')
    this.#perform({ type: 'ShutDown', reason, problems })
  }

  #published(event: ClusterEvent, now: number): void {
    this.#publish(event)
    if (event.type !== 'MemberDowned' || event.member.node === this.#self) return
    this.#stepFounding({ type: 'Downed', node: event.member.node }, now)
    this.#stepRemoval({ type: 'Downed', node: event.member.node }, now)
  }

  #publish(event: ClusterEvent): void {
    // Before anybody builds on its end, nothing of it can come in any more.
    if (event.type === 'MemberRemoved' && event.member.node !== this.#self) {
      const isQuarantined = event.previousStatus === 'Down'
      this.#perform({ type: 'ForgetPeer', node: event.member.node, isQuarantined })
    }
    this.#perform({ type: 'Publish', event })
  }

  #perform(effect: ClusterEffect): void {
    this.#effects.push(effect)
  }
}
