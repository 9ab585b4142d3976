/**
 * Asks regions on other nodes what lives with them, and answers for the one on this node. A question has a time; who has not
 * answered by then has not answered. No question is repeated: whoever looks can look again.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Timer, Timers } from '../../foundation/timers.ts'
import type { Region } from '../region/region.ts'
import type { EntityId, ShardId } from '../shard-id.ts'
import type {
  EntityReported,
  GetEntityReport,
  GetRegionReport,
  InspectionMessage,
  RegionReported,
} from '../sharding-messages.ts'

/** Ids in one answer: their number is told whole. */
const idsMax = 1_000

/** Questions that wait at once; more are not put, and count as not answered. */
const openMax = 10_000

type Answer = RegionReported | EntityReported

interface OpenQuestion {
  readonly node: NodeId
  readonly type: Answer['type']
  readonly timer: Timer
  readonly resolve: (answer: Answer | undefined) => void
}

export interface RegionInspectorOptions {
  readonly self: NodeId
  readonly region: Region
  readonly timers: Timers
  readonly send: (to: NodeId, message: InspectionMessage) => void
}

export class RegionInspector {
  readonly #options: RegionInspectorOptions
  readonly #open = new Map<number, OpenQuestion>()
  #lastAsk = 0

  constructor(options: RegionInspectorOptions) {
    this.#options = options
  }

  /** A question of another node, or its answer. */
  receive(from: NodeId, message: InspectionMessage): void {
    const { region, send } = this.#options
    switch (message.type) {
      case 'GetRegionReport':
        return send(from, regionReport(region, message))
      case 'GetEntityReport':
        return send(from, entityReport(region, message))
      case 'RegionReported':
      case 'EntityReported':
        return this.#answered(from, message)
      default:
        return unreachable(message)
    }
  }

  /** What lives with that region; undefined when it does not answer in time. */
  async regionAt(
    node: NodeId,
    { withIds, timeoutMs }: { readonly withIds: boolean; readonly timeoutMs: number },
  ): Promise<RegionReported | undefined> {
    const question = { type: 'GetRegionReport', withIds } as const
    const answer = await this.#ask(node, question, timeoutMs)
    return answer?.type === 'RegionReported' ? answer : undefined
  }

  /** What its home knows of an entity; undefined when it does not answer in time. */
  async entityAt(
    node: NodeId,
    { shard, entityId }: { readonly shard: ShardId; readonly entityId: EntityId },
    timeoutMs: number,
  ): Promise<EntityReported | undefined> {
    const question = { type: 'GetEntityReport', shard, entityId } as const
    const answer = await this.#ask(node, question, timeoutMs)
    return answer?.type === 'EntityReported' ? answer : undefined
  }

  /** Nobody answers any more. */
  end(): void {
    for (const ask of [...this.#open.keys()]) this.#settle(ask, undefined)
  }

  #ask(
    node: NodeId,
    question: Omit<GetRegionReport, 'ask'> | Omit<GetEntityReport, 'ask'>,
    timeoutMs: number,
  ): Promise<Answer | undefined> {
    const { self, region, timers, send } = this.#options
    const ask = ++this.#lastAsk
    const isOfRegion = question.type === 'GetRegionReport'
    if (node === self) {
      const answer = isOfRegion
        ? regionReport(region, { ...question, ask })
        : entityReport(region, { ...question, ask })
      return Promise.resolve(answer)
    }
    if (timeoutMs <= 0 || this.#open.size >= openMax) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const timer = timers.after(timeoutMs, () => this.#settle(ask, undefined))
      const type = isOfRegion ? 'RegionReported' : 'EntityReported'
      this.#open.set(ask, { node, type, timer, resolve })
      send(node, { ...question, ask })
    })
  }

  /** From whoever was asked, and nobody else. */
  #answered(from: NodeId, answer: Answer): void {
    const open = this.#open.get(answer.ask)
    if (open?.node === from && open.type === answer.type) this.#settle(answer.ask, answer)
  }

  #settle(ask: number, answer: Answer | undefined): void {
    const open = this.#open.get(ask)
    this.#open.delete(ask)
    open?.timer.cancel()
    open?.resolve(answer)
  }
}

function regionReport(region: Region, { ask, withIds }: GetRegionReport): RegionReported {
  const { phase, isFrozen, buffered, hosted } = region.snapshot()
  let room = idsMax
  const shards = hosted.map((each) => {
    const entities = region.entityCountOf(each.shard)
    if (!withIds) return { ...each, entities }
    const entityIds = region.entityIdsOf(each.shard).slice(0, room)
    room -= entityIds.length
    return { ...each, entities, entityIds }
  })
  const { isProxy } = region
  return { type: 'RegionReported', ask, isProxy, phase, isFrozen, buffered, shards }
}

function entityReport(region: Region, { ask, shard, entityId }: GetEntityReport): EntityReported {
  const { buffered, here } = region.explain(shard)
  const epoch = region.snapshot().hosted.find((each) => each.shard === shard)?.epoch
  return {
    ...{ type: 'EntityReported', ask, phase: here, ...(epoch === undefined ? {} : { epoch }) },
    isRunning: region.isRunning(shard, entityId),
    waiting: region.waitingFor(shard, entityId),
    buffered,
  }
}
