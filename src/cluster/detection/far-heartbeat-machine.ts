/**
 * Finds out which members of other data centers answer. Only the oldest few of each data center ask, and only the oldest few
 * of the others are asked: so the lines between them are few, however many members there are. When one of the few is on its
 * way out the next oldest takes its place.
 *
 *   asked ──answer──▶ available ◀──answer──  suspected
 *     └──silence for interval and pause, or connection refused──▲
 *
 * Invariant: this node says that it cannot reach a member of another data center only while it is to watch it. Who begins
 * to watch one that others here cannot reach, or one of a data center of which it reaches nobody, says so until it answers: a
 * change of who watches whom is no sign of life.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import { unreachableFromHere } from '../gossip/convergence.ts'
import { areApart, dataCenterOf, dataCentersIn, speakersOf } from '../gossip/data-center.ts'
import { type Gossip, memberOf } from '../gossip/gossip.ts'
import { DeadlineDetector } from './deadline-detector.ts'
import type {
  FarHeartbeatEffect,
  FarHeartbeatInput,
  FarHeartbeatSnapshot,
} from './far-heartbeat-inputs.ts'

export class FarHeartbeatMachine {
  readonly #self: NodeId
  readonly #settings: ClusterSettings
  /** Those that are asked. */
  readonly #watched = new Map<NodeId, DeadlineDetector>()
  readonly #suspected = new Set<NodeId>()
  #sequence = 0
  #nextHeartbeatAt = -Infinity

  constructor(self: NodeId, settings: ClusterSettings) {
    this.#self = self
    this.#settings = settings
  }

  step(input: FarHeartbeatInput, now: number): FarHeartbeatEffect[] {
    switch (input.type) {
      case 'ViewChanged':
        return this.#changeView(input.gossip, now)
      case 'HeartbeatResponse':
        return this.#answered(input.from, now)
      case 'ConnectionRefused':
        return this.#watched.has(input.node) ? this.#suspect(input.node) : []
      case 'Overslept':
        for (const detector of this.#watched.values()) detector.forgive(input.ms, now)
        return []
      case 'Tick':
        return [...this.#beat(now), ...this.#reap(now)]
      default:
        return unreachable(input)
    }
  }

  snapshot(): FarHeartbeatSnapshot {
    return { watched: [...this.#watched.keys()], suspected: [...this.#suspected] }
  }

  #changeView(gossip: Gossip, now: number): FarHeartbeatEffect[] {
    const watched = this.#toWatch(gossip)
    if (watched.size === 0 && this.#watched.size === 0) return []
    const effects: FarHeartbeatEffect[] = []
    for (const node of this.#watched.keys()) {
      if (watched.has(node)) continue
      this.#watched.delete(node)
      if (this.#suspected.delete(node)) effects.push({ type: 'Trust', node })
    }
    const cutOff = unreachableFromHere(gossip, this.#self)
    const lost = this.#lostDataCenters(gossip)
    for (const node of watched) {
      if (this.#watched.has(node)) continue
      this.#watched.set(node, this.#expect(now))
      effects.push(this.#ask(node))
      const isLost = cutOff.has(node) || lost.has(dataCenterOf(memberOf(gossip, node)))
      if (isLost) effects.push(...this.#suspect(node))
    }
    return effects
  }

  /** Data centers of which nobody answers who was watched before. */
  #lostDataCenters(gossip: Gossip): Set<string> {
    const lost = new Set<string>()
    const centerOf = (node: NodeId): string => dataCenterOf(memberOf(gossip, node))
    for (const node of this.#suspected) lost.add(centerOf(node))
    for (const node of this.#watched.keys()) {
      if (!this.#suspected.has(node)) lost.delete(centerOf(node))
    }
    return lost
  }

  #toWatch({ members }: Gossip): Set<NodeId> {
    const watched = new Set<NodeId>()
    if (!areApart(members)) return watched
    const { crossDataCenterConnections: count } = this.#settings
    const own = dataCenterOf(members.find(({ node }) => node === this.#self))
    if (!speakersOf(members, own, count).some(({ node }) => node === this.#self)) return watched
    for (const dataCenter of dataCentersIn(members)) {
      if (dataCenter === own) continue
      for (const { node } of speakersOf(members, dataCenter, count)) watched.add(node)
    }
    return watched
  }

  #answered(node: NodeId, now: number): FarHeartbeatEffect[] {
    const detector = this.#watched.get(node)
    if (detector === undefined) return []
    detector.heartbeat(now)
    return this.#suspected.delete(node) ? [{ type: 'Trust', node }] : []
  }

  #beat(now: number): FarHeartbeatEffect[] {
    if (now < this.#nextHeartbeatAt || this.#watched.size === 0) return []
    this.#nextHeartbeatAt = now + this.#settings.crossDataCenterHeartbeatIntervalMs
    this.#sequence++
    return [...this.#watched.keys()].map((node) => this.#ask(node))
  }

  #reap(now: number): FarHeartbeatEffect[] {
    return [...this.#watched]
      .filter(([, detector]) => !detector.isAvailable(now))
      .flatMap(([node]) => this.#suspect(node))
  }

  /** Its silence counts from the first question on. */
  #expect(now: number): DeadlineDetector {
    const { crossDataCenterHeartbeatIntervalMs, crossDataCenterPauseMs } = this.#settings
    const detector = new DeadlineDetector({
      intervalMs: crossDataCenterHeartbeatIntervalMs,
      acceptablePauseMs: crossDataCenterPauseMs,
    })
    detector.expect(now)
    return detector
  }

  #suspect(node: NodeId): FarHeartbeatEffect[] {
    if (this.#suspected.has(node)) return []
    this.#suspected.add(node)
    return [{ type: 'Suspect', node }]
  }

  #ask(to: NodeId): FarHeartbeatEffect {
    const message = { type: 'Heartbeat', from: this.#self, sequence: this.#sequence } as const
    return { type: 'Send', to, message }
  }
}
