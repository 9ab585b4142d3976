/**
 * What happens in the cluster, for the operator who reads the log of this node: one line for each event that matters, with
 * the address. A node's own start is one line, and those it finds there are not listed. What comes and goes, a member that
 * is reachable by turns or this node that freezes again and again, is told a few times; further changes are debug
 * lines, and once a minute it is told where they led.
 */
import { unreachable } from '../foundation/assert.ts'
import { formatMs, minutes, seconds } from '../foundation/duration.ts'
import type { Logger } from '../foundation/logger.ts'
import { type NodeId, addressOfNode } from '../foundation/node-id.ts'
import type { ClusterEvent, FreezeReason, MemberRemoved } from './cluster-events.ts'
import type { AwaitingStore } from './cluster-inputs.ts'
import type { WaitingToFound } from './founding/founding-inputs.ts'
import { type MissingMembers, missingInWords } from './joining/forming.ts'
import type { Disagrees, StillJoining } from './joining/joining-inputs.ts'

/** Lines about one that comes and goes, within a minute: there, back, and there and back again. */
const changesMax = 4
const periodMs = minutes(1)
const formingPeriodMs = seconds(5)

interface Line {
  readonly level: 'info' | 'warn'
  readonly text: string
}

/** The latest changes of one that may come and go. */
interface Changes {
  readonly sinceMs: number
  count: number
  latest: Line
}

const whyFrozen: Readonly<Record<FreezeReason, string>> = {
  minority: 'it is out of touch with the others, and they may be about to replace it',
  paused: 'its process did not run for a while, and the others may have replaced it',
  downed: 'the cluster has given it up',
  founding:
    'the store has not shown for a while that this cluster is still the one that lives, and another may have been founded in its place',
  store:
    'some members do not answer, and neither does the store, by which they may have given it up',
}

const untilWhen: Readonly<Partial<Record<FreezeReason, string>>> = {
  founding: 'the store shows it',
  store: 'the store shows that it was not',
}

export class ClusterLog {
  readonly #self: NodeId
  readonly #log: Logger
  /** By node; bounded by the members, since whoever is removed is forgotten. */
  readonly #changes = new Map<NodeId, Changes>()
  #isUp = false
  #frozenAtMs = 0
  /** When it was last told that a cluster waits for members, or since when it does. */
  #formingAtMs: number | undefined

  constructor(self: NodeId, log: Logger) {
    this.#self = self
    this.#log = log
  }

  /** `members`: how many there are now. */
  published(event: ClusterEvent, members: number, now: number): void {
    switch (event.type) {
      case 'Frozen':
        this.#frozenAtMs = now
        return this.#cameOrWent(this.#self, this.#frozen(event.reason), now)
      case 'Thawed': {
        const text = `${this.#own} goes on: it was frozen for ${formatMs(Math.round(now - this.#frozenAtMs))}`
        return this.#cameOrWent(this.#self, { level: 'warn', text }, now)
      }
      case 'PreparingForShutdown':
        return this.#write(this.#self, {
          level: 'info',
          text: 'The whole cluster is about to be stopped: nobody is let in any more, and nothing moves',
        })
      case 'ReadyForShutdown':
        return this.#write(this.#self, {
          level: 'info',
          text: `All ${members} members know that the cluster is about to be stopped: they may be, in any order`,
        })
      case 'UnreachableDataCenter':
        return this.#write(this.#self, {
          level: 'warn',
          text: `Data center ${event.dataCenter} is out of reach: no member that speaks for it answers those of this one. Both go on by themselves`,
        })
      case 'ReachableDataCenter':
        return this.#write(this.#self, {
          level: 'warn',
          text: `Data center ${event.dataCenter} is in reach again`,
        })
      case 'LeaderChanged':
      case 'ClusterShuttingDown':
        return
      default:
        return event.member.node === this.#self
          ? this.#ownChange(event, members)
          : this.#change(event, now)
    }
  }

  disagrees({ with: by, differences }: Disagrees): void {
    this.#log.warn(
      { member: by, differences },
      `This node joins a cluster of other settings, since \`mustAgreeOnSettings\` is false: ${differences.join('; ')}. Give all nodes the same: until then a split may leave two sides, or none`,
    )
  }

  stillJoining({ seeds, troubles }: StillJoining): void {
    this.#log.warn({ seeds }, `Still trying to join a cluster: ${troubles.join('; ')}`)
  }

  /** While a cluster is being formed, now and then: what it waits for. */
  forming(missing: readonly MissingMembers[], now: number): void {
    if (missing.length === 0) this.#formingAtMs = undefined
    else if ((this.#formingAtMs ??= now) <= now - formingPeriodMs) {
      this.#formingAtMs = now
      const waitsFor = missing.map(missingInWords).join('; ')
      this.#log.warn(
        { missing },
        `Nobody is let into the cluster before enough have come: ${waitsFor}. Start the others`,
      )
    }
  }

  waitingToFound({ addresses, waitMs }: WaitingToFound, store: string): void {
    this.#log.warn(
      { members: addresses },
      `By the record in ${store} a cluster of this name has members that may live: ${addresses.join(', ')}. This node looks for them, and founds the cluster anew when nobody has carried that record on for ${formatMs(Math.ceil(waitMs))}.`,
    )
  }

  /** While a split cannot be decided, now and then. */
  awaitingStore({ nodes, problem }: AwaitingStore, store: string): void {
    const members = nodes.map(addressOfNode)
    this.#log.warn(
      { members, problem },
      `${members.join(', ')} cannot be reached, and ${store}, which decides who goes on, has not answered (${problem}). Until it does, nobody is given up, and whoever may have been given up is frozen. Look at the store`,
    )
  }

  /** Before the event that it is downed: this is why. */
  provedDead(node: NodeId): void {
    const text = `The process of ${addressOfNode(node)} has ended, as this host shows: it is downed at once`
    this.#write(node, { level: 'warn', text })
  }

  /** Tells where those stand now that came and went so often that it was not told. */
  tick(now: number): void {
    for (const [node, { sinceMs, count, latest }] of this.#changes) {
      if (now - sinceMs < periodMs) continue
      this.#changes.delete(node)
      const untold = count - changesMax
      if (untold <= 0) continue
      const text = `${latest.text} (the latest of ${untold} more changes within ${formatMs(periodMs)})`
      this.#write(node, { ...latest, text })
    }
  }

  get #own(): string {
    return `This node, ${addressOfNode(this.#self)},`
  }

  #frozen(reason: FreezeReason): Line {
    const shown = untilWhen[reason] ?? 'most of them confirm it as a member'
    const until =
      reason === 'downed'
        ? ''
        : ` Until ${shown}, its entities get no messages and nothing is written.`
    return { level: 'warn', text: `${this.#own} is frozen: ${whyFrozen[reason]}.${until}` }
  }

  #ownChange({ type }: Extract<ClusterEvent, { readonly member: unknown }>, members: number): void {
    if (type === 'MemberUp') {
      this.#isUp = true
      const size = members === 1 ? 'the only member' : `one of ${members} members`
      this.#write(this.#self, { level: 'info', text: `${this.#own} is up, ${size} of the cluster` })
    }
    if (type === 'MemberLeft') {
      this.#write(this.#self, { level: 'info', text: `${this.#own} is leaving the cluster` })
    }
  }

  #change(event: Extract<ClusterEvent, { readonly member: unknown }>, now: number): void {
    const { node } = event.member
    const address = addressOfNode(node)
    const write = (level: Line['level'], text: string): void => this.#write(node, { level, text })
    switch (event.type) {
      case 'MemberJoined':
        return this.#isUp ? write('info', `${address} is joining the cluster`) : undefined
      case 'MemberUp':
        return this.#isUp ? write('info', `${address} is up`) : undefined
      case 'MemberLeft':
        return write('info', `${address} is leaving the cluster`)
      // Between leaving and removed, and told with them.
      case 'MemberExited':
        return
      case 'MemberDowned':
        return write('warn', `${address} is downed: the cluster gives it up for good`)
      case 'MemberRemoved':
        return this.#removed(event)
      case 'UnreachableMember':
        return this.#cameOrWent(node, { level: 'warn', text: `${address} is unreachable` }, now)
      case 'ReachableMember':
        return this.#cameOrWent(node, { level: 'info', text: `${address} is reachable again` }, now)
      default:
        return unreachable(event)
    }
  }

  #removed({ member: { node }, previousStatus }: MemberRemoved): void {
    this.#changes.delete(node)
    const address = addressOfNode(node)
    const text =
      previousStatus === 'Down'
        ? `${address} is removed from the cluster after it was downed`
        : `${address} has left the cluster`
    this.#write(node, { level: 'info', text })
  }

  #cameOrWent(node: NodeId, line: Line, now: number): void {
    const known = this.#changes.get(node)
    const changes = known ?? { sinceMs: now, count: 0, latest: line }
    changes.count++
    changes.latest = line
    this.#changes.set(node, changes)
    if (changes.count > changesMax) return this.#log.debug({ member: node }, line.text)
    const more =
      changes.count === changesMax
        ? '. This happens again and again, and is logged as debug for a while'
        : ''
    this.#write(node, { ...line, text: `${line.text}${more}` })
  }

  #write(node: NodeId, { level, text }: Line): void {
    this.#log[level]({ member: node }, text)
  }
}
