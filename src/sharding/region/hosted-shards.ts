/**
 * The shards that live here, and the lives that have ended here.
 *
 *   absent ──hosted──▶ running ──HandOff──▶ stopping ──all entities stopped──▶ absent (epoch ended)
 *                         ▲                    └──and hosted again meanwhile──┐
 *                         └───────────────────────────────────────────────────┘
 *
 * A shard that remembers its entities or has a lease is ready only some time after it has started, and may fail: then it is
 * down for a while, and starts again in the same epoch. Meanwhile it is hosted here and takes no messages: they wait.
 *
 * Invariant: one epoch is one life. What ended in an epoch never starts again in it; `ShardStopped` is true for ever.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type { Placement } from '../sharding-messages.ts'
import type { HostingEffect, Tell } from './region-inputs.ts'

/** What a shard that lives here is doing. */
export type HostingPhase = 'running' | 'stopping'

/** At most `max` of the shards with these numbers, both included. */
export interface HostedPage {
  readonly from: ShardId
  readonly to: ShardId
  readonly max: number
}

/** What one looks like from outside. */
export interface HostedLook {
  readonly shard: ShardId
  readonly epoch: number
  readonly phase: HostingPhase
}

export type HostingStep = HostingEffect | Tell

interface Hosted {
  epoch: number
  isStopping: boolean
  /** Whether it takes messages, unless it stops. */
  isReady: boolean
  /** It has failed and ended, and will be started again. */
  isDown: boolean
  /** The epoch in which it shall live again once it has stopped. */
  next: number | undefined
}

export class HostedShards {
  readonly #self: NodeId
  readonly #hosted = new Map<ShardId, Hosted>()
  readonly #endedEpochs = new Map<ShardId, number>()
  readonly #isReadyAtOnce: boolean
  #isRefusing = false

  constructor(self: NodeId, isReadyAtOnce = true) {
    this.#self = self
    this.#isReadyAtOnce = isReadyAtOnce
  }

  get shards(): ShardId[] {
    return [...this.#hosted.keys()]
  }

  /** With the epoch of each, and what it is doing. */
  get all(): HostedLook[] {
    return [...this.#hosted].map(([shard, hosted]) => lookAt(shard, hosted))
  }

  /** The same of some of them, in the order of their numbers. */
  page({ from, to, max }: HostedPage): HostedLook[] {
    const looks: HostedLook[] = []
    for (let shard = from; shard <= to && looks.length < max; shard++) {
      const hosted = this.#hosted.get(shard)
      if (hosted !== undefined) looks.push(lookAt(shard, hosted))
    }
    return looks
  }

  epochOf(shard: ShardId): number | undefined {
    return this.#hosted.get(shard)?.epoch
  }

  get isEmpty(): boolean {
    return this.#hosted.size === 0
  }

  /** Whether it takes messages. */
  isRunning(shard: ShardId): boolean {
    const hosted = this.#hosted.get(shard)
    return hosted !== undefined && hosted.isReady && !hosted.isStopping
  }

  /** It says so itself. */
  ready(shard: ShardId, isReady: boolean): void {
    const hosted = this.#hosted.get(shard)
    if (hosted !== undefined) hosted.isReady = isReady
  }

  stateOf(shard: ShardId): 'absent' | 'running' | 'stopping' {
    const hosted = this.#hosted.get(shard)
    if (hosted === undefined) return 'absent'
    return hosted.isStopping ? 'stopping' : 'running'
  }

  /** No new shards from now on: there is no time for them. */
  refuseAll(): void {
    this.#isRefusing = true
  }

  host({ shard, epoch }: Placement): HostingStep[] {
    if (epoch <= this.#ended(shard)) return [this.#stopped(shard, epoch)]
    const hosted = this.#hosted.get(shard)
    if (hosted === undefined)
      return this.#isRefusing ? this.#refuse(shard, epoch) : this.#start(shard, epoch)
    if (hosted.isStopping) {
      // Answered by ShardStopped or by a new start, when the present life is over.
      if (epoch > hosted.epoch) hosted.next = epoch
      return []
    }
    hosted.epoch = Math.max(hosted.epoch, epoch)
    return [this.#started(shard, hosted.epoch)]
  }

  handOff({ shard, epoch }: Placement): HostingStep[] {
    const hosted = this.#hosted.get(shard)
    if (hosted === undefined) return this.#refuse(shard, epoch)
    if (epoch < hosted.epoch) return []
    hosted.epoch = epoch
    hosted.next = undefined
    return this.#stop(shard, hosted, false)
  }

  /**
   * Someone else hosts it in a later epoch: whatever we still run here must not live on. Coordinators of this cluster never
   * bring that about; one of another cluster that writes to the same store does.
   */
  superseded({ shard, epoch }: Placement): HostingStep[] {
    const hosted = this.#hosted.get(shard)
    if (hosted === undefined || epoch <= hosted.epoch) return []
    hosted.next = undefined
    return this.#stop(shard, hosted, true)
  }

  stopAll(isForced = true): HostingStep[] {
    return [...this.#hosted].flatMap(([shard, hosted]): HostingStep[] => {
      hosted.isStopping = true
      hosted.next = undefined
      return hosted.isDown ? this.terminated(shard) : [{ type: 'StopShard', shard, isForced }]
    })
  }

  /** `restartAfterMs` of one that has failed: it lives on in its epoch. */
  terminated(shard: ShardId, restartAfterMs?: number): HostingStep[] {
    const hosted = this.#hosted.get(shard)
    if (hosted === undefined) return []
    const { epoch, isStopping, next } = hosted
    if (!isStopping) {
      hosted.isReady = this.#isReadyAtOnce
      // Stopped without being told: its entities are gone, its home is not.
      if (restartAfterMs === undefined) return [{ type: 'StartShard', shard, epoch }]
      hosted.isDown = true
      return [{ type: 'RestartShardLater', shard, delayMs: restartAfterMs }]
    }
    this.#hosted.delete(shard)
    this.#endedEpochs.set(shard, epoch)
    if (next === undefined) return [this.#stopped(shard, epoch)]
    return this.#isRefusing ? this.#refuse(shard, next) : this.#start(shard, next)
  }

  /** The time that a failed one had to wait is over. */
  restart(shard: ShardId): HostingStep[] {
    const hosted = this.#hosted.get(shard)
    if (hosted?.isDown !== true) return []
    hosted.isDown = false
    return [{ type: 'StartShard', shard, epoch: hosted.epoch }]
  }

  #ended(shard: ShardId): number {
    return this.#endedEpochs.get(shard) ?? 0
  }

  #start(shard: ShardId, epoch: number): HostingStep[] {
    const isReady = this.#isReadyAtOnce
    this.#hosted.set(shard, { epoch, isStopping: false, isReady, isDown: false, next: undefined })
    return [{ type: 'StartShard', shard, epoch }, this.#started(shard, epoch)]
  }

  #stop(shard: ShardId, hosted: Hosted, isForced: boolean): HostingStep[] {
    if (hosted.isStopping) return []
    hosted.isStopping = true
    // Nothing of it is left that would have to be stopped.
    if (hosted.isDown) return this.terminated(shard)
    return [{ type: 'StopShard', shard, isForced }]
  }

  /** A life that never began is over: it can be had elsewhere at once. */
  #refuse(shard: ShardId, epoch: number): HostingStep[] {
    this.#endedEpochs.set(shard, Math.max(epoch, this.#ended(shard)))
    const told = this.#stopped(shard, epoch)
    if (!this.#isRefusing) return [told]
    return [{ type: 'Tell', message: { type: 'GracefulShutdownReq', region: this.#self } }, told]
  }

  #started(shard: ShardId, epoch: number): HostingStep {
    return { type: 'Tell', message: { type: 'ShardStarted', shard, epoch, region: this.#self } }
  }

  #stopped(shard: ShardId, epoch: number): HostingStep {
    return { type: 'Tell', message: { type: 'ShardStopped', shard, epoch, region: this.#self } }
  }
}

function lookAt(shard: ShardId, { epoch, isStopping }: Hosted): HostedLook {
  return { shard, epoch, phase: isStopping ? 'stopping' : 'running' }
}
