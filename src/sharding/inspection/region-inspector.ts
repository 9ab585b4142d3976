/**
 * Asks regions on other nodes what lives with them, and answers for the one on this node. A question has a time; who has not
 * answered by then has not answered. No question is repeated: whoever looks can look again. What lives in a region of many shards is
 * asked for part by part, so that no answer is too large for a frame, and none holds the event loop for long.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Timer, Timers } from '../../foundation/timers.ts'
import type { Region } from '../region/region.ts'
import type { EntityId, ShardId } from '../shard-id.ts'
import type {
  EntityReported,
  GetEntityReport,
  GetRegionReport,
  HostedShard,
  InspectionMessage,
  RegionReported,
} from '../sharding-messages.ts'

/** Ids in one answer: their number is told whole. */
const idsMax = 1_000

/** Shards in one answer: some hundred kilobytes, some milliseconds of work. */
const shardsMax = 2_000

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
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly numberOfShards: number
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
        return send(from, this.#regionReport(message))
      case 'GetEntityReport':
        return send(from, entityReport(region, message))
      case 'RegionReported':
      case 'EntityReported':
        return this.#answered(from, message)
      default:
        return unreachable(message)
    }
  }

  /** What lives with that region; undefined when it does not answer in time. What changes meanwhile may be seen or not. */
  async regionAt(
    node: NodeId,
    { withIds, timeoutMs }: { readonly withIds: boolean; readonly timeoutMs: number },
  ): Promise<RegionReported | undefined> {
    const { clock, self, timers } = this.#options
    const deadlineMs = clock.monotonicMs() + timeoutMs
    const shards: HostedShard[] = []
    let idsLeft = withIds ? idsMax : 0
    for (let from: ShardId | undefined = 0; ;) {
      const question = { type: 'GetRegionReport', withIds: idsLeft > 0, from } as const
      const answer = await this.#ask(node, question, deadlineMs - clock.monotonicMs())
      if (answer?.type !== 'RegionReported') return undefined
      for (const shard of answer.shards) {
        const entityIds = shard.entityIds?.slice(0, idsLeft) ?? []
        idsLeft -= entityIds.length
        shards.push(withIds ? { ...shard, entityIds } : shard)
      }
      const { next, ...rest } = answer
      if (next === undefined || next <= from) return { ...rest, shards }
      from = next
      // Others have their turn, too, where nothing has to travel.
      if (node === self) await new Promise<void>((resolve) => void timers.after(0, resolve))
    }
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
        ? this.#regionReport({ ...question, ask })
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

  #regionReport({ ask, withIds, from }: GetRegionReport): RegionReported {
    const { region, numberOfShards } = this.#options
    const to = numberOfShards - 1
    const page = from === undefined ? undefined : { from, to, max: shardsMax }
    const { phase, isFrozen, buffered, hosted } = region.snapshot(page)
    let room = idsMax
    const shards = hosted.map((each) => {
      const entities = region.entityCountOf(each.shard)
      if (!withIds) return { ...each, entities }
      const entityIds = room === 0 ? [] : region.entityIdsOf(each.shard).slice(0, room)
      room -= entityIds.length
      return { ...each, entities, entityIds }
    })
    const last = hosted.at(-1)?.shard ?? to
    const isMore = page !== undefined && hosted.length === shardsMax && last < to
    const { isProxy } = region
    const status = { ask, isProxy, phase, isFrozen, buffered }
    return { type: 'RegionReported', ...status, shards, ...(isMore && { next: last + 1 }) }
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

function entityReport(region: Region, { ask, shard, entityId }: GetEntityReport): EntityReported {
  const { buffered, here } = region.explain(shard)
  const [hosted] = region.snapshot({ from: shard, to: shard, max: 1 }).hosted
  const epoch = hosted?.epoch
  return {
    ...{ type: 'EntityReported', ask, phase: here, ...(epoch === undefined ? {} : { epoch }) },
    isRunning: region.isRunning(shard, entityId),
    waiting: region.waitingFor(shard, entityId),
    buffered,
  }
}
