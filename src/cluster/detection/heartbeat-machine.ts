/**
 * Finds out who has fallen silent. Asks the members next on the ring for signs of life; only an answer counts.
 *
 *   asked ──answer──▶ available ◀──answer──  suspected
 *     └──silence, or connection refused──────────▲
 *
 * Invariant: there is a detector only for a member that is on the ring or suspected, keyed by its incarnation.
 */
import { assert, unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { HeartbeatMessage } from '../cluster-messages.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import { detectorOptions } from './detection-time.ts'
import type { HeartbeatEffect, HeartbeatInput, HeartbeatSnapshot } from './heartbeat-inputs.ts'
import { receiversOf } from './heartbeat-ring.ts'
import { PhiAccrual } from './phi-accrual.ts'
import type { Monitored } from './touch-inputs.ts'

export class HeartbeatMachine {
  readonly #self: NodeId
  readonly #settings: ClusterSettings
  readonly #watched = new Map<NodeId, PhiAccrual>()
  readonly #suspected = new Set<NodeId>()
  /** When each watched member last answered; at first, when it was first asked. */
  readonly #heardAt = new Map<NodeId, number>()
  /** Watched members that have answered at all. */
  readonly #answering = new Set<NodeId>()
  #members: ReadonlySet<NodeId> = new Set()
  #receivers: ReadonlySet<NodeId> = new Set()
  #unheard: ReadonlySet<NodeId> = new Set()
  #sequence = 0
  #nextHeartbeatAt = -Infinity

  constructor(self: NodeId, settings: ClusterSettings) {
    this.#self = self
    this.#settings = settings
  }

  step(input: HeartbeatInput, now: number): HeartbeatEffect[] {
    switch (input.type) {
      case 'MembersChanged':
        return this.#changeMembers(input.members, input.unheard, now)
      case 'Heartbeat':
        return [this.#send(input.from, 'HeartbeatResponse', input.sequence)]
      case 'HeartbeatResponse':
        return this.#answered(input.from, now)
      case 'ConnectionRefused':
        return this.#refused(input.node)
      case 'Overslept':
        for (const detector of this.#watched.values()) detector.forgive(input.ms, now)
        return []
      case 'Tick':
        return [...this.#beat(now), ...this.#reap(now)]
      default:
        return unreachable(input)
    }
  }

  snapshot(): HeartbeatSnapshot {
    return {
      receivers: [...this.#receivers],
      suspected: [...this.#suspected],
      phi: (node, now) => this.#watched.get(node)?.phi(now) ?? 0,
    }
  }

  /** Watched members that have not answered for so long; undefined where not every member is watched from here. */
  silentFor(ms: number, now: number): Set<NodeId> | undefined {
    // This node is a member, and does not watch itself.
    if (this.#watched.size < this.#members.size - 1) return undefined
    const silent = new Set<NodeId>()
    for (const [node, heardAt] of this.#heardAt) if (now - heardAt > ms) silent.add(node)
    return silent
  }

  /** How it stands with those on this node's part of the ring, without those to whom nobody listens, and who never answered yet. */
  monitored(ms: number, now: number): Monitored {
    const silent = new Set<NodeId>()
    const heard = new Set<NodeId>()
    for (const node of this.#receivers) {
      if (this.#unheard.has(node)) continue
      const isSilent = now - (this.#heardAt.get(node) ?? now) > ms
      if (isSilent) silent.add(node)
      else if (this.#answering.has(node)) heard.add(node)
    }
    return { silent, heard }
  }

  /** Watched members that have not answered for so long, whether or not all are watched. */
  silentAmongWatched(ms: number, now: number): NodeId[] {
    return [...this.#heardAt].filter(([, heardAt]) => now - heardAt > ms).map(([node]) => node)
  }

  #changeMembers(
    members: readonly NodeId[],
    unheard: ReadonlySet<NodeId>,
    now: number,
  ): HeartbeatEffect[] {
    const { monitoredByMembers } = this.#settings
    this.#members = new Set(members)
    this.#unheard = unheard
    this.#receivers = receiversOf(this.#self, members, unheard, monitoredByMembers)
    const news = [...this.#receivers].filter((node) => !this.#watched.has(node))
    const effects = news.map((node) => this.#watch(node, now))
    for (const node of this.#watched.keys()) {
      // One that already fails is kept until it answers or is removed: nobody else may know.
      if (!this.#members.has(node) || (!this.#receivers.has(node) && this.#isFine(node, now))) {
        this.#forget(node)
      }
    }
    assert(this.#watched.size <= members.length, 'detectors are bounded by membership')
    return effects
  }

  #watch(node: NodeId, now: number): HeartbeatEffect {
    const detector = new PhiAccrual(detectorOptions(this.#settings))
    detector.expect(now)
    this.#watched.set(node, detector)
    this.#heardAt.set(node, now)
    return this.#send(node, 'Heartbeat', this.#sequence)
  }

  #forget(node: NodeId): void {
    this.#watched.delete(node)
    this.#heardAt.delete(node)
    this.#answering.delete(node)
    this.#suspected.delete(node)
  }

  #answered(node: NodeId, now: number): HeartbeatEffect[] {
    const detector = this.#watched.get(node)
    if (detector === undefined) return []
    detector.heartbeat(now)
    this.#heardAt.set(node, now)
    this.#answering.add(node)
    if (!this.#suspected.delete(node)) return []
    if (!this.#receivers.has(node)) this.#forget(node)
    return [{ type: 'Trust', node }]
  }

  #refused(node: NodeId): HeartbeatEffect[] {
    // One that others monitor is theirs to tell of: they are refused too. Of a process that ends, all who were connected
    // with it hear at once, and if each of them said so, the word of its end would grow with the cluster.
    return this.#watched.has(node) ? this.#suspect(node) : []
  }

  #beat(now: number): HeartbeatEffect[] {
    if (now < this.#nextHeartbeatAt) return []
    // From now on, not from when it was due: after a pause there is one question, not a burst.
    this.#nextHeartbeatAt = now + this.#settings.heartbeatIntervalMs
    this.#sequence++
    return [...this.#watched.keys()].map((node) => this.#send(node, 'Heartbeat', this.#sequence))
  }

  #reap(now: number): HeartbeatEffect[] {
    const effects: HeartbeatEffect[] = []
    for (const [node, detector] of this.#watched) {
      if (!detector.isAvailable(now)) effects.push(...this.#suspect(node))
    }
    return effects
  }

  #suspect(node: NodeId): HeartbeatEffect[] {
    if (this.#suspected.has(node)) return []
    this.#suspected.add(node)
    return [{ type: 'Suspect', node }]
  }

  #isFine(node: NodeId, now: number): boolean {
    return !this.#suspected.has(node) && this.#watched.get(node)?.isAvailable(now) === true
  }

  #send(to: NodeId, type: HeartbeatMessage['type'], sequence: number): HeartbeatEffect {
    return { type: 'Send', to, message: { type, from: this.#self, sequence } }
  }
}
