/**
 * Who gives signs of life: the members that this node monitors (`heartbeat-machine.ts`), those whom it asks when it doubts itself
 * (`touch-machine.ts`), and, if it speaks for its data center, those of others (`far-heartbeat-machine.ts`).
 *
 * Invariant: who is monitored, asked and judged by is of this node's own data center; other data centers have their own detector,
 * and their silence makes nobody here the loser of anything.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Random } from '../../foundation/random.ts'
import type { HeartbeatResponse } from '../cluster-messages.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import type { DowningStrategy } from '../downing/downing-strategy.ts'
import { type Loss, lossToTheSilent } from '../downing/silent-members.ts'
import { unreachableMembers } from '../gossip/convergence.ts'
import { neighboursOf } from '../gossip/data-center.ts'
import { type Gossip, emptyGossip, exitingNodes } from '../gossip/gossip.ts'
import type { DetectionEffect, DetectionInput, DetectionSnapshot } from './detection-inputs.ts'
import { doubtfulAfterMs } from './detection-time.ts'
import { FarHeartbeatMachine } from './far-heartbeat-machine.ts'
import { HeartbeatMachine } from './heartbeat-machine.ts'
import { TouchMachine } from './touch-machine.ts'

export class DetectionMachine {
  readonly #self: NodeId
  readonly #settings: ClusterSettings
  readonly #heartbeat: HeartbeatMachine
  readonly #touch: TouchMachine
  readonly #far: FarHeartbeatMachine
  #gossip: Gossip = emptyGossip

  constructor(self: NodeId, settings: ClusterSettings, random: Random) {
    this.#self = self
    this.#settings = settings
    this.#heartbeat = new HeartbeatMachine(self, settings)
    this.#touch = new TouchMachine(self, settings, random)
    this.#far = new FarHeartbeatMachine(self, settings)
  }

  step(input: DetectionInput, now: number): DetectionEffect[] {
    switch (input.type) {
      case 'ViewChanged':
        return this.#changeView(input, now)
      case 'Heartbeat':
        return this.#heartbeat.step(input, now)
      case 'HeartbeatResponse':
        return this.#answered(input, now)
      case 'ConnectionRefused':
      case 'Tick':
        return [...this.#heartbeat.step(input, now), ...this.#far.step(input, now)]
      case 'Overslept':
        this.#touch.step({ type: 'Overslept' }, now)
        return [...this.#heartbeat.step(input, now), ...this.#far.step(input, now)]
      case 'AskAround': {
        const monitored = this.#heartbeat.monitored(doubtfulAfterMs(this.#settings), now)
        return this.#touch.step({ type: 'Tick', monitored }, now)
      }
      default:
        return unreachable(input)
    }
  }

  snapshot(): DetectionSnapshot {
    return {
      heartbeat: this.#heartbeat.snapshot(),
      touch: this.#touch.snapshot(),
      farHeartbeat: this.#far.snapshot(),
    }
  }

  /** So many of those it monitors were silent just now that it cannot tell whether it is them or this node. */
  get isInDoubt(): boolean {
    return this.#touch.snapshot().isInDoubt
  }

  /** Monitored members that have not answered for so long. */
  silentAmongWatched(ms: number, now: number): NodeId[] {
    return this.#heartbeat.silentAmongWatched(ms, now)
  }

  /** How this node would lose against those who have been silent for so long; undefined when it would not. */
  lossToTheSilent(ms: number, now: number, strategy: DowningStrategy): Loss | undefined {
    const silent = new Set(this.#heartbeat.silentFor(ms, now))
    for (const node of this.#touch.snapshot().silent) silent.add(node)
    if (silent.size === 0) return undefined
    const members = neighboursOf(this.#gossip, this.#self)
    return lossToTheSilent({ self: this.#self, members, silent }, strategy)
  }

  #changeView(
    { gossip, decisive }: Extract<DetectionInput, { readonly type: 'ViewChanged' }>,
    now: number,
  ): DetectionEffect[] {
    this.#gossip = gossip
    const neighbours = neighboursOf(gossip, this.#self)
    const members = neighbours.map(({ node }) => node)
    const unheard = new Set([
      ...unreachableMembers(gossip, this.#self),
      ...exitingNodes({ members: neighbours }),
    ])
    const near = { type: 'MembersChanged', members, unheard } as const
    return [
      ...this.#heartbeat.step(near, now),
      ...this.#touch.step({ ...near, decisive }, now),
      ...this.#far.step({ type: 'ViewChanged', gossip }, now),
    ]
  }

  #answered(answer: HeartbeatResponse, now: number): DetectionEffect[] {
    this.#touch.step(answer, now)
    return [...this.#heartbeat.step(answer, now), ...this.#far.step(answer, now)]
  }
}
