/**
 * Sees to it that one founding of a cluster lives, by the record in the store that its nodes share.
 *
 *   outside ──nobody can act in the founding there, or it has stood still for T──▶ claims ──written──▶ founds
 *      └──invited by a member of the founding there──▶ puts itself in ──written──▶ joins
 *   inside  ──every look: the best placed of its members carries the record on──▶ inside
 *      ├──not shown for T' that it lives, or slept──▶ frozen ──shown──▶ inside
 *      ├──would give others up for its side of a split──▶ writes that, unless it was given up itself──▶ inside
 *      └──another founding stands there, or it is given up there──▶ over
 *
 * Invariant: a node that is not frozen stands in the record of its own founding, and no more than T' ago either that had
 * not stood still, or the first seed lived, which alone would found another one. Whoever claims the next founding has a
 * proof that all who stand there have ended, or has seen the record stand still for T, which is longer. Whoever gives
 * others up (`split-decision.ts`) was not given up itself, by the revision that its write took the place of.
 *
 * Several data centers may share a store. Each of them carries the record on, and what only gossip can tell of a member, its own
 * data center alone says: whom another one does not know, or takes for reachable, may be news that has not come through.
 *
 * One file because all of it is about one record: what follows from a look depends on all the rest.
 */
import { unreachable } from '../../foundation/assert.ts'
import { type Address, type NodeId, addressOfNode } from '../../foundation/node-id.ts'
import { compareForLeading, unreachableMembers } from '../gossip/convergence.ts'
import { describedDataCenter, isNeighbour, neighboursOf } from '../gossip/data-center.ts'
import { type Gossip, emptyGossip, hasTombstone, memberOf } from '../gossip/gossip.ts'
import { addressOfMember } from '../gossip/member.ts'
import { attributeOfStore } from '../joining/shared-store.ts'
import { FirstSeedQuestions } from './first-seed-questions.ts'
import { FoundingCalls } from './founding-calls.ts'
import type {
  FoundingEffect,
  FoundingInput,
  FoundingOptions,
  FoundingRead,
  FoundingSnapshot,
} from './founding-inputs.ts'
import {
  type FoundingRecord,
  type RecordedMember,
  addressesIn,
  isGivenUp,
  isRecorded,
  isReplaced,
  nextFounding,
  withClaim,
  withGivenUp,
  withMember,
  withoutMembers,
} from './founding-record.ts'
import { foundingFreezeMs } from './founding-times.ts'
import { RecordWatch } from './record-watch.ts'
import { towardsDecision } from './split-decision.ts'

/** So many looks long a claim may stand of a member that others reach: it may have lost the store since. */
const claimPatienceLooks = 5

/** Of the node, when an answer comes. */
type Situation = Pick<Extract<FoundingInput, { type: 'FoundingRead' }>, 'isHeld' | 'wish'>

export class FoundingMachine {
  readonly #options: FoundingOptions
  readonly #self: NodeId
  readonly #address: Address
  readonly #member: RecordedMember
  readonly #intervalMs: number
  readonly #watch: RecordWatch
  readonly #calls: FoundingCalls
  readonly #questions: FirstSeedQuestions
  #effects: FoundingEffect[] = []
  #phase: FoundingSnapshot['phase'] = 'outside'
  #gossip: Gossip = emptyGossip

  // ---- outside
  #hasBegun = false
  /** Undefined where anybody may found. */
  #firstSeed: Address | undefined
  #isAlone = false
  #wouldForm = false
  /** The founding that this node was invited to. */
  #invitedTo: NodeId | undefined
  #invitedAt = -Infinity
  #dialled = ''
  #isWaiting = false
  #hasFounded = false

  // ---- inside
  #founder: NodeId | undefined
  /** Of the own founding, as it stood in the record. */
  #ownNumber: number | undefined
  #advancesAtEntry = 0
  #isFrozen = false
  /** When the last call began that showed that this node may act. */
  #shownAt = -Infinity
  #shownGivenUp = ''
  /** Somebody is about to have this node given up. */
  #isClaimed = false
  #claim = ''
  /** Since when that claim stands, as far as this node has seen. */
  #claimSeenAt = 0
  /** Whom the cluster has downed, and the record does not show it yet. */
  readonly #downed = new Set<NodeId>()
  /** Since when nothing that was known before counts. */
  #doubtsSince: number | undefined
  /** Recorded and not known by gossip, since when. */
  #unknownSince = new Map<NodeId, number>()

  constructor(options: FoundingOptions) {
    const { self, identity, settings } = options
    this.#options = options
    this.#self = self
    this.#address = addressOfNode(self)
    this.#member = {
      node: self,
      ...(identity !== undefined && { identity }),
      ...describedDataCenter(settings.dataCenter),
    }
    this.#intervalMs = settings.foundingLookIntervalMs
    this.#watch = new RecordWatch(2 * this.#intervalMs)
    this.#calls = new FoundingCalls(this.#intervalMs)
    this.#questions = new FirstSeedQuestions(self, this.#intervalMs)
  }

  step(input: FoundingInput, now: number): FoundingEffect[] {
    this.#effects = []
    if (this.#phase !== 'over') this.#take(input, now)
    if (this.#phase === 'inside') this.#judge(now)
    return this.#effects
  }

  /** No later than this the store has shown that this node stands in its record, and nobody gives it up. */
  get shownAt(): number {
    return this.#shownAt
  }

  /** Somebody is about to have this node given up, by the last look. */
  get isClaimed(): boolean {
    return this.#isClaimed
  }

  /** Why the store does not answer, in words; undefined when it does. */
  get problem(): string | undefined {
    return this.#calls.problem
  }

  snapshot(): FoundingSnapshot {
    return {
      phase: this.#phase,
      founder: this.#founder,
      revision: this.#watch.revision,
      record: this.#watch.record,
      isFrozen: this.#isFrozen,
      troubles: this.#troubles,
    }
  }

  #take(input: FoundingInput, now: number): void {
    switch (input.type) {
      case 'JoinBegan':
        this.#hasBegun = true
        this.#firstSeed = input.firstSeed
        this.#isAlone = input.isAlone
        return this.#beginLook(now)
      case 'WouldForm':
        this.#wouldForm = true
        return this.#goOnOutside(now)
      case 'Invited':
        return this.#invited(input.founder, input.by, now)
      case 'Entered':
        return this.#entered(input.founder)
      case 'ViewChanged':
        this.#gossip = input.gossip
        return
      case 'Downed':
        this.#downed.add(input.node)
        return
      case 'Overslept':
        return this.#overslept(now)
      case 'LookNow':
        return this.#beginLook(now)
      case 'LookSoon':
        return this.#calls.hurry(input.withinMs)
      case 'Look':
        return
      case 'Tick':
        return this.#tick(now)
      case 'Standing':
        return this.#questions.heard(input)
      case 'FoundingRead':
        return this.#read(input, input, now)
      case 'FoundingNotRead':
        return this.#notRead(input.number, input.problem, input.isUnreadable)
      case 'FoundingWritten':
        return this.#written(input.number, input.revision, now)
      case 'FoundingChanged':
        return this.#changed(input.number, now)
      case 'FoundingNotWritten':
        return this.#notWritten(input.number, input.problem, now)
      default:
        return unreachable(input)
    }
  }

  // ---- looks

  #tick(now: number): void {
    this.#calls.expire(now)
    if (this.#calls.isLookDue(now)) this.#beginLook(now)
    if (this.#phase === 'outside') this.#goOnOutside(now)
    else this.#askFirstSeed(now)
  }

  #beginLook(now: number): void {
    this.#effects.push(this.#calls.look(now))
  }

  #read(
    { number, revision, record, areAllGone }: FoundingRead,
    situation: Situation,
    now: number,
  ): void {
    const look = this.#calls.lookAnswered(number)
    if (look === undefined) return
    const { beganAt } = look
    this.#watch.saw({ revision, record, areAllGone, beganAt }, now)
    const isShown = this.#phase === 'outside' || this.#isOwn
    if (beganAt >= (this.#doubtsSince ?? Infinity) && isShown) this.#doubtsSince = undefined
    if (this.#phase === 'outside') return this.#goOnOutside(now)
    this.#show(beganAt, now)
    this.#goOnInside(situation, now)
  }

  #notRead(number: number, problem: string, isUnreadable: boolean): void {
    const look = this.#calls.lookAnswered(number, problem)
    if (look === undefined || !isUnreadable || this.#phase === 'inside') return
    this.#phase = 'over'
    this.#effects.push({ type: 'Unreadable', problem })
  }

  // ---- writes

  #write(record: FoundingRecord, now: number): void {
    if (this.#calls.isWriting) return
    this.#effects.push(this.#calls.write(record, this.#watch.revision ?? 0, now))
  }

  #written(number: number, revision: number, now: number): void {
    const write = this.#calls.writeAnswered(number)
    if (write === undefined) return
    const { record, beganAt } = write
    this.#watch.wrote({ revision, record, beganAt }, now)
    this.#calls.nextLookAt = Math.max(now, beganAt + this.#intervalMs)
    // Nobody else had written: that is as good as a look.
    if (beganAt >= (this.#doubtsSince ?? Infinity)) this.#doubtsSince = undefined
    if (this.#phase === 'outside') return this.#goOnOutside(now)
    this.#ownNumber = record.number
    this.#show(beganAt, now)
  }

  #changed(number: number, now: number): void {
    if (this.#calls.writeAnswered(number) !== undefined) this.#beginLook(now)
  }

  /** What became of it, the next look shows. Not at once: a store that takes no writes would be asked without end. */
  #notWritten(number: number, problem: string, now: number): void {
    if (this.#calls.writeAnswered(number, problem) === undefined) return
    this.#calls.nextLookAt = now + this.#intervalMs
  }

  // ---- outside

  #goOnOutside(now: number): void {
    const { record, revision } = this.#watch
    if (revision === undefined || this.#calls.isWriting) return
    // Also when nobody could tell whether the claim was stored.
    if (record?.founder === this.#self) return this.#foundedHere()
    this.#dial(record)
    if (this.#isAlone && record !== undefined && this.#watch.advances > 0 && !this.#watch.isOver) {
      return this.#livesElsewhere(addressesIn(record))
    }
    if (this.#invitedTo !== undefined) return this.#answerInvitation(this.#invitedTo, now)
    if (!this.#wouldForm) return
    if (this.#isFree(now)) this.#write(this.#nextFounding(this.#self), now)
    else this.#wait(now)
  }

  #foundedHere(): void {
    if (this.#hasFounded) return
    this.#hasFounded = true
    this.#effects.push({ type: 'Founded' })
  }

  /** Nobody who stands there can act any more. */
  #isFree(now: number): boolean {
    return this.#watch.isOver || this.#watch.stillForMs(now) >= this.#stillMs
  }

  get #stillMs(): number {
    return Math.max(this.#options.settings.foundingStillMs, this.#watch.record?.stillMs ?? 0)
  }

  #nextFounding(founder: NodeId): FoundingRecord {
    const { foundingStillMs: stillMs } = this.#options.settings
    return nextFounding(this.#watch.record, { founder, member: this.#member, stillMs })
  }

  #wait(now: number): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    const { record } = this.#watch
    const waitMs = this.#stillMs - this.#watch.stillForMs(now)
    const addresses = record === undefined ? [] : addressesIn(record)
    this.#effects.push({ type: 'WaitingToFound', addresses, waitMs })
  }

  #dial(record: FoundingRecord | undefined): void {
    const all = record === undefined ? [] : addressesIn(record)
    const addresses = all.filter((address) => address !== this.#address)
    if (addresses.join() === this.#dialled) return
    this.#dialled = addresses.join()
    this.#effects.push({ type: 'Recorded', addresses })
  }

  #invited(founder: NodeId, by: NodeId, now: number): void {
    if (this.#isAlone) {
      const { record } = this.#watch
      const recorded = record?.founder === founder ? addressesIn(record) : []
      return this.#livesElsewhere([...new Set([addressOfNode(by), ...recorded])])
    }
    this.#wouldForm = false
    this.#isWaiting = false
    this.#invitedTo = founder
    this.#invitedAt = now
    if (this.#watch.record?.founder === founder) this.#goOnOutside(now)
    // It may have been founded since the last look.
    else this.#beginLook(now)
  }

  #answerInvitation(founder: NodeId, now: number): void {
    const { record } = this.#watch
    const isThere = record?.founder === founder
    if (isThere && !isRecorded(record, this.#self)) {
      return this.#write(withMember(record, this.#member), now)
    }
    if (!isThere && this.#watch.beganAt < this.#invitedAt) return
    this.#invitedTo = undefined
    // A founding that was never recorded is joined when there is no other, and its members see to the record.
    this.#effects.push({ type: isThere || this.#isFree(now) ? 'Cleared' : 'NotCleared' })
  }

  #livesElsewhere(addresses: readonly Address[]): void {
    this.#phase = 'over'
    this.#effects.push({ type: 'LivesElsewhere', addresses })
  }

  // ---- inside

  #entered(founder: NodeId): void {
    this.#phase = 'inside'
    this.#founder = founder
    this.#advancesAtEntry = this.#watch.advances
    if (this.#isOwn) this.#ownNumber = this.#watch.record?.number
  }

  get #isOwn(): boolean {
    return this.#founder !== undefined && this.#watch.record?.founder === this.#founder
  }

  /** What stands there about those who may act, this node among them. */
  #show(beganAt: number, now: number): void {
    const { record } = this.#watch
    if (record === undefined || !this.#isOwn || isGivenUp(record, this.#self)) return
    for (const node of this.#downed) {
      if (isGivenUp(record, node) || !isRecorded(record, node)) this.#downed.delete(node)
    }
    const { claim } = record
    const words = claim === undefined ? '' : `${claim.by} ${claim.nodes.join()}`
    if (words !== this.#claim) this.#claimSeenAt = now
    this.#claim = words
    this.#isClaimed = claim?.nodes.includes(this.#self) === true
    const mayAct = isRecorded(record, this.#self) && !this.#isClaimed
    if (mayAct) this.#shownAt = Math.max(this.#shownAt, beganAt)
    const shown = record.givenUp.join()
    if (shown === this.#shownGivenUp) return
    this.#shownGivenUp = shown
    this.#effects.push({ type: 'GivenUpShown', nodes: record.givenUp })
  }

  #goOnInside({ isHeld, wish }: Situation, now: number): void {
    const { record } = this.#watch
    const founder = this.#founder as NodeId
    if (record === undefined || record.founder !== founder) {
      if (record !== undefined && this.#isSucceededBy(record))
        return this.#succeeded(record.founder)
      // Founded by a node without a store, and so never recorded.
      const claims = !isHeld && this.#rank === 0 && this.#isFree(now)
      return claims ? this.#write(this.#nextFounding(founder), now) : undefined
    }
    this.#ownNumber = record.number
    if (isGivenUp(record, this.#self)) return this.#givenUp()
    if (isRecorded(record, this.#self)) {
      const claimStoodMs = now - this.#claimSeenAt
      const next = towardsDecision(wish, { record, self: this.#self, claimStoodMs })
      if (next !== undefined) return this.#write({ ...next, counter: next.counter + 1 }, now)
    }
    if (this.#rank === undefined) return
    // Also while it is held: others may have missed it for long, and only who stands there can be shown that it may act.
    if (!isRecorded(record, this.#self)) return this.#write(withMember(record, this.#member), now)
    if (isHeld) return
    // The others stand in, one after the other, for one that does not get through to the store.
    const isTurn = now - this.#watch.firstSeenAt >= this.#rank * 2 * this.#intervalMs
    // Who takes a stream over looks too: not each of those looks is followed by a write.
    const isDue = now - this.#watch.boundAt >= this.#intervalMs
    if (isTurn && isDue) this.#write(this.#carriedOn(record, now), now)
  }

  #isSucceededBy({ number }: FoundingRecord): boolean {
    if (this.#ownNumber !== undefined) return number > this.#ownNumber
    return this.#watch.advances > this.#advancesAtEntry
  }

  #succeeded(by: NodeId): void {
    this.#setFrozen(true)
    this.#phase = 'over'
    this.#effects.push({ type: 'Succeeded', by })
  }

  #givenUp(): void {
    this.#setFrozen(true)
    this.#phase = 'over'
    this.#effects.push({ type: 'GivenUp' })
  }

  /** The place of this node among those who can carry the record on; undefined when it is none of them. */
  get #rank(): number | undefined {
    const cutOff = unreachableMembers(this.#gossip, this.#self)
    const attribute = attributeOfStore(this.#options.store)
    const able = neighboursOf(this.#gossip, this.#self).filter(
      ({ node, status, attributes }) =>
        (status === 'Joining' || status === 'Up' || status === 'Leaving') &&
        attributes.includes(attribute) &&
        !cutOff.has(node),
    )
    const place = able.sort(compareForLeading).findIndex(({ node }) => node === this.#self)
    return place < 0 ? undefined : place
  }

  #carriedOn(record: FoundingRecord, now: number): FoundingRecord {
    const { dataCenter } = this.#member
    const unknown = record.members.filter(
      (each) => each.dataCenter === dataCenter && !memberOf(this.#gossip, each.node),
    )
    const unknownSince = unknown.map(
      ({ node }) => [node, this.#unknownSince.get(node) ?? now] as const,
    )
    this.#unknownSince = new Map(unknownSince)
    // Also those whom a proof of death or a person has downed: if they live they learn it here, and decide nothing.
    const downed = [...this.#downed].filter((node) => isRecorded(record, node))
    const all = withoutMembers(withGivenUp(record, downed), (node) =>
      this.#isGone(record, node, now),
    )
    const { claim } = all
    const kept =
      claim !== undefined && this.#isIdle(record, claim.by, now) ? withClaim(all, undefined) : all
    return { ...kept, counter: record.counter + 1 }
  }

  /**
   * One that has ended decides nothing any more; nor does one that can be reached and leaves its claim standing. Of one that stands
   * there for another data center its own says that: whom gossip does not know here may have joined there since a cut.
   */
  #isIdle(record: FoundingRecord, claimer: NodeId, now: number): boolean {
    const recorded = record.members.find(({ node }) => node === claimer)
    if (recorded !== undefined && recorded.dataCenter !== this.#member.dataCenter) return false
    if (memberOf(this.#gossip, claimer) === undefined) return true
    if (!isNeighbour(this.#gossip, claimer, this.#self)) return false
    if (now - this.#claimSeenAt < claimPatienceLooks * this.#intervalMs) return false
    return !unreachableMembers(this.#gossip, this.#self).has(claimer)
  }

  /** Whoever has put itself there may not be known by gossip yet; and may never be, when it died before. */
  #isGone(record: FoundingRecord, node: NodeId, now: number): boolean {
    if (memberOf(this.#gossip, node) !== undefined) return false
    if (isReplaced(record, node) || hasTombstone(this.#gossip, node)) return true
    return now - (this.#unknownSince.get(node) ?? now) >= this.#options.settings.foundingStillMs
  }

  // ---- frozen or not

  #judge(now: number): void {
    this.#setFrozen(this.#mustFreeze(now))
  }

  #setFrozen(isFrozen: boolean): void {
    if (isFrozen === this.#isFrozen) return
    this.#isFrozen = isFrozen
    this.#effects.push({ type: isFrozen ? 'Freeze' : 'Thaw' })
  }

  #mustFreeze(now: number): boolean {
    const { record } = this.#watch
    if (!this.#isOwn || record === undefined || !isRecorded(record, this.#self)) return true
    if (this.#doubtsSince !== undefined) return true
    if (this.#isFirstSeedKnown && this.#firstSeed === this.#address) return false
    const shownAt = Math.max(this.#watch.boundAt, this.#questions.livedAt)
    return now - shownAt >= foundingFreezeMs(this.#options.settings)
  }

  /** Only the first seed founds. Where seeds were changed, another one may have founded than would found next. */
  get #isFirstSeedKnown(): boolean {
    return this.#founder !== undefined && addressOfNode(this.#founder) === this.#firstSeed
  }

  /** Only the store tells whether another founding has begun: a process without seeds may have found all asleep. */
  #overslept(now: number): void {
    this.#watch.slept()
    // Also outside: a claim may have been stored before the sleep, and succeeded while it lasted.
    this.#doubtsSince = now
    if (this.#phase === 'inside') this.#beginLook(now)
  }

  /** Only when the store does not show that our founding lives. */
  #askFirstSeed(now: number): void {
    const isShown = now - this.#watch.boundAt < 3 * this.#intervalMs
    if (isShown || !this.#isOwn || !this.#isFirstSeedKnown) return
    const seed = this.#gossip.members.find((member) => addressOfMember(member) === this.#firstSeed)
    if (seed === undefined || seed.node === this.#self) return
    const message = this.#questions.ask(seed.node, now)
    if (message !== undefined) this.#effects.push({ type: 'Send', to: seed.node, message })
  }

  // ---- for people

  get #troubles(): string[] {
    if (this.#phase !== 'outside' || !this.#hasBegun) return []
    const { problem } = this.#calls
    if (problem !== undefined) return [`the store does not answer: ${problem}`]
    const { record, revision } = this.#watch
    if (revision === undefined) return ['the store has not answered yet']
    if (!this.#isWaiting || record === undefined || this.#watch.isOver) return []
    const addresses = addressesIn(record).join(', ')
    return [
      `the store has a record of this cluster with ${addresses}: it is founded anew only when nobody has carried that record on for a while`,
    ]
  }
}
