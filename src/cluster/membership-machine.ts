/**
 * One node's part in keeping the list of members: it lets newcomers in, carries out leave and down, leads when it is its
 * turn, publishes what has changed, and ends when its own record does.
 *
 *   outside ──formed or joined──▶ inside ──(departure-machine)──▶ stopped
 *
 * Invariants: only the leader, and only on convergence, lets in, moves out and removes; no removed node comes back;
 * while exiting the node does not say that it has seen anything.
 */
import { assert, unreachable } from '../foundation/assert.ts'
import type { NodeId } from '../foundation/node-id.ts'
import { type EventView, eventsBetween, removalOf } from './cluster-events.ts'
import type {
  ClusterMessage,
  ExitingConfirmed,
  GossipMessage,
  Join,
  Standing,
  Welcome,
} from './cluster-messages.ts'
import { agreementOf, disagreements } from './cluster-settings.ts'
import type { DepartureEffect, DepartureInput } from './departure-inputs.ts'
import { DepartureMachine } from './departure-machine.ts'
import { bestLeaders, isKnownEverywhere, knowsEveryDowned } from './gossip/convergence.ts'
import { isNeighbour } from './gossip/data-center.ts'
import type { GossipInput } from './gossip/gossip-inputs.ts'
import { GossipMachine } from './gossip/gossip-machine.ts'
import { type Gossip, emptyGossip, memberOf, putMember } from './gossip/gossip.ts'
import { Graveyard } from './gossip/graveyard.ts'
import {
  buryMembers,
  ending,
  moveMembers,
  noteReachability,
  standingOf,
} from './gossip/member-changes.ts'
import { descriptionOf, joiningMember } from './gossip/member.ts'
import { admit, buryFormerIncarnations, canAdmit, maySpeak } from './joining/admission.ts'
import { problemsWithStore } from './joining/shared-store.ts'
import { LeaderMachine } from './leader-machine.ts'
import type {
  MembershipEffect,
  MembershipInput,
  MembershipOptions,
  MembershipSnapshot,
} from './membership-inputs.ts'

/** After so many rounds of gossip those who live have heard of a newcomer. */
const spreadRounds = 3

export class MembershipMachine {
  readonly #self: NodeId
  readonly #options: MembershipOptions
  readonly #gossiping: GossipMachine
  readonly #departure: DepartureMachine
  readonly #leading: LeaderMachine
  readonly #graveyard: Graveyard
  #effects: MembershipEffect[] = []
  #published: Gossip = emptyGossip
  #isInside = false
  /** Everybody was seen to know that the cluster ends. */
  #isReady = false
  #joinedAt = 0
  /** Of the cluster that this node is in. */
  #founder: NodeId

  constructor(options: MembershipOptions) {
    this.#self = options.self
    this.#founder = options.self
    this.#options = options
    this.#gossiping = new GossipMachine(options.self, options.settings, options.random)
    this.#departure = new DepartureMachine(options.settings)
    this.#leading = new LeaderMachine(options.self, options.settings)
    this.#graveyard = new Graveyard(options.settings.pruneTombstonesAfterMs)
  }

  get gossip(): Gossip {
    return this.#gossiping.gossip
  }

  snapshot(): MembershipSnapshot {
    const phase = this.#isInside ? this.#departure.snapshot() : 'outside'
    const { exitingConfirmed } = this.#leading.snapshot()
    return { phase, gossip: this.gossip, isReady: this.#isReady, exitingConfirmed }
  }

  step(input: MembershipInput, now: number): MembershipEffect[] {
    this.#effects = []
    const before = this.gossip
    if (this.#isInside) this.#handleInside(input, now)
    else this.#handleOutside(input, now)
    if (this.#isInside && this.#departure.snapshot() !== 'stopped') this.#settle(now)
    if (this.gossip !== before) this.#options.viewed?.(this.gossip)
    return this.#effects
  }

  #handleOutside(input: MembershipInput, now: number): void {
    const { self } = this.#options
    if (input.type === 'FormCluster') {
      this.#isInside = true
      const gossip = putMember(emptyGossip, joiningMember(self, this.#options))
      this.#gossip({ type: 'Change', gossip, tell: [] }, now)
    } else if (input.type === 'Joined') {
      this.#isInside = true
      this.#founder = input.founder
      this.#joinedAt = now
      this.#graveyard.learn(input.gossip.tombstones, input.tombstoneAgesMs, now)
      const { gossip, origins, through } = input
      this.#gossip({ type: 'Adopt', gossip, origins, tell: [through] }, now)
    } else if (input.type === 'InitJoin') {
      this.#send(input.from, { type: 'InitJoinNack', from: self, isEnding: false })
    } else if (input.type === 'Leave' && input.node === self) {
      this.#effects.push({ type: 'ShutDown', reason: 'leaving' })
    }
  }

  #handleInside(input: MembershipInput, now: number): void {
    if (this.#departure.snapshot() === 'stopped') return
    switch (input.type) {
      case 'FormCluster':
      case 'Joined':
        return
      case 'Leave':
        return this.#change(moveMembers(this.gossip, [input.node], 'Leaving'), [input.node], now)
      case 'Down':
        return this.#change(moveMembers(this.gossip, input.nodes, 'Down'), input.nodes, now)
      case 'PrepareForShutdown':
        return this.#change(ending(this.gossip), [], now)
      case 'Died':
        return this.#change(buryMembers(this.gossip, this.#self, input.nodes), [], now)
      case 'Observed':
        return this.#change(noteReachability(this.gossip, this.#self, input), [], now)
      case 'ExitingDone':
        return this.#exitingDone(now)
      case 'GivenUp':
        return this.#depart({ type: 'Removed' }, now)
      case 'Tick':
        return this.#tick(now)
      case 'InitJoin':
        return this.#invite(input.from, input.agreement)
      case 'Join':
        return this.#join(input, now)
      case 'GossipStatus':
      case 'GossipNews':
      case 'GossipEnvelope':
        return this.#hear(input, now)
      case 'ExitingConfirmed':
        return this.#confirmed(input, now)
      case 'GetStanding':
        return this.#tellStanding(input.from, input.question)
      case 'Standing':
        return this.#standing(input, now)
      default:
        return unreachable(input)
    }
  }

  #exitingDone(now: number): void {
    this.#gossip({ type: 'ExitingDone' }, now)
    const isAlone = bestLeaders(this.gossip, this.#self).length === 0
    this.#depart({ type: 'ExitingDone', isAlone }, now)
  }

  #tick(now: number): void {
    this.#gossip({ type: 'Tick' }, now)
    const isDown = this.#departure.snapshot() === 'downed'
    const hasNewsSpread = isDown && knowsEveryDowned(this.gossip, this.#self)
    this.#depart({ type: 'Tick', hasNewsSpread }, now)
  }

  #invite(to: NodeId, theirs: Readonly<Record<string, string>>): void {
    const from = this.#self
    const { members, isEnding } = this.gossip
    if (!canAdmit(this.gossip, from)) {
      const isOurs = isEnding && maySpeak(memberOf(this.gossip, from))
      return this.#send(to, { type: 'InitJoinNack', from, isEnding: isOurs })
    }
    const problems = problemsWithStore(members, to, theirs['store'], theirs['dataCenter'])
    const differences = disagreements(agreementOf(this.#options.settings), theirs)
    const answer = { type: 'InitJoinAck', from, problems, differences } as const
    this.#send(to, { ...answer, founder: this.#founder })
  }

  #join(join: Join, now: number): void {
    const { outcome, gossip } = admit(this.gossip, this.#self, join)
    // The newcomer learns by its welcome; the others are told.
    this.#change(gossip, [], now)
    if (outcome !== 'admitted' && outcome !== 'known') return
    const { gossip: all } = this
    const tombstoneAgesMs = this.#graveyard.agesMs(all.tombstones, now)
    const { origins } = this.#gossiping
    const welcome: Welcome = {
      type: 'Welcome',
      from: this.#self,
      gossip: all,
      tombstoneAgesMs,
      origins,
    }
    this.#send(join.from, welcome)
  }

  #confirmed(confirmation: ExitingConfirmed, now: number): void {
    this.#leading.step(confirmation, now)
    // It asks again because the good news was lost.
    if (standingOf(this.gossip, confirmation.from) === 'removed') {
      this.#tellStanding(confirmation.from, 0)
    }
  }

  #tellStanding(to: NodeId, question: number): void {
    const standing = standingOf(this.gossip, to)
    this.#send(to, { type: 'Standing', from: this.#self, question, standing })
  }

  #hear(message: GossipMessage, now: number): void {
    if (standingOf(this.gossip, message.from) === 'stranger') this.#tellStanding(message.from, 0)
    else this.#gossip(message, now)
  }

  /** Only a member in good standing can tell us that we are none. */
  #standing({ from, standing }: Standing, now: number): void {
    if (!maySpeak(memberOf(this.gossip, from))) return
    if (standing === 'removed') this.#depart({ type: 'Removed' }, now)
    // Whoever let us in died before it told anybody; or it has told, and the word has not come to everybody yet.
    const own = memberOf(this.gossip, this.#self)
    const isOldNews = now - this.#joinedAt >= spreadRounds * this.#options.settings.gossipIntervalMs
    // Or while the two were cut off from each other all whom it knew here have been replaced, and who is here now is new to it.
    const isApart = maySpeak(own) && !isNeighbour(this.gossip, from, this.#self)
    const mayJoin = isApart || (own?.status === 'Joining' && isOldNews)
    if (standing !== 'stranger' || !mayJoin || own === undefined) return
    this.#send(from, { type: 'Join', from: this.#self, ...descriptionOf(own) })
  }

  /** Draws the conclusions of a step: whatever it was, its consequences are the same. */
  #settle(now: number): void {
    if (this.gossip.members !== this.#published.members) {
      this.#change(buryFormerIncarnations(this.gossip, this.#self, this.#self), [], now)
    }
    // Until there is nothing more to do: alone in its cluster, a node has convergence again at once.
    do this.#publish()
    while (this.#lead(now))
    const own = memberOf(this.gossip, this.#self)
    assert(own !== undefined, 'a member is in its own view')
    this.#depart({ type: 'OwnStatus', status: own.status }, now)
  }

  #lead(now: number): boolean {
    const { gossip } = this
    const overdueTombstones = this.#graveyard.overdue(gossip.tombstones, now)
    const mayLetIn = this.#options.mayLetIn?.() ?? true
    const look = { type: 'Look', gossip, overdueTombstones, mayLetIn } as const
    const effects = this.#leading.step(look, now)
    for (const effect of effects) {
      if (effect.type === 'Change') this.#change(effect.gossip, effect.tell, now)
      else this.#tellStanding(effect.node, 0)
    }
    return effects.length > 0
  }

  get #view(): EventView {
    const { crossDataCenterConnections: connections } = this.#options.settings
    return { self: this.#self, connections }
  }

  #publish(): void {
    if (this.#published === this.gossip) return
    for (const event of eventsBetween(this.#published, this.gossip, this.#view)) {
      this.#effects.push({ type: 'Publish', event })
    }
    this.#published = this.gossip
    if (this.#isReady || !this.gossip.isEnding) return
    if (!isKnownEverywhere(this.gossip, this.#self)) return
    this.#isReady = true
    this.#effects.push({ type: 'Publish', event: { type: 'ReadyForShutdown' } })
  }

  #depart(input: DepartureInput, now: number): void {
    for (const effect of this.#departure.step(input, now)) this.#performDeparture(effect, now)
  }

  #performDeparture(effect: DepartureEffect, now: number): void {
    switch (effect.type) {
      case 'BeginExiting':
        this.#effects.push(effect)
        return
      case 'ConfirmExiting':
        for (const to of bestLeaders(this.gossip, this.#self)) {
          this.#send(to, { type: 'ExitingConfirmed', from: this.#self })
        }
        return
      case 'SpreadNews':
        return this.#gossip({ type: 'Spread' }, now)
      case 'ShutDown':
        return this.#shutDown(effect)
      default:
        return unreachable(effect)
    }
  }

  #shutDown(effect: MembershipEffect): void {
    this.#publish()
    this.#effects.push({ type: 'Publish', event: { type: 'ClusterShuttingDown' } })
    const own = memberOf(this.gossip, this.#self)
    if (own) this.#effects.push({ type: 'Publish', event: removalOf(own) })
    this.#effects.push(effect)
  }

  #change(gossip: Gossip, tell: readonly NodeId[], now: number): void {
    if (gossip === this.gossip) return
    this.#gossip({ type: 'Change', gossip, tell }, now)
  }

  #gossip(input: GossipInput, now: number): void {
    this.#effects.push(...this.#gossiping.step(input, now))
  }

  #send(to: NodeId, message: ClusterMessage): void {
    this.#effects.push({ type: 'Send', to, message })
  }
}
