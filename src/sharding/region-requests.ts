/**
 * What a region takes for itself, beside the messages for its entities. For actors that hold a region and not the node:
 * whoever has `ClusterSharding` finds the same there. They stay on their node.
 */
import type { ActorRef } from '../actor/index.ts'
import type { Duration } from '../foundation/duration.ts'
import { isInstance } from '../foundation/is-instance.ts'
import type { RegionState } from './inspection/region-state.ts'
import type { ClusterReport, HostingRegion } from './inspection/reports.ts'

/** Hand over all shards, then stop. Watch the region to hear of its end. */
export class GracefulShutdown {
  readonly type = 'GracefulShutdown'
}

/** What lives in this region? */
export class GetRegionState {
  readonly type = 'GetRegionState'
  readonly replyTo: ActorRef<RegionState>

  constructor(replyTo: ActorRef<RegionState>) {
    this.replyTo = replyTo
  }
}

/** Which regions host this type, with their shards? Answered with none when no coordinator answers in time. */
export class GetRegions {
  readonly type = 'GetRegions'
  readonly replyTo: ActorRef<readonly HostingRegion[]>
  readonly timeout: Duration | undefined

  constructor(replyTo: ActorRef<readonly HostingRegion[]>, timeout?: Duration) {
    this.replyTo = replyTo
    this.timeout = timeout
  }
}

/** How much lives in all regions of this type? Answered in any case: who has not answered in time is told as failed. */
export class GetClusterStats {
  readonly type = 'GetClusterStats'
  readonly replyTo: ActorRef<ClusterReport>
  readonly timeout: Duration | undefined

  constructor(replyTo: ActorRef<ClusterReport>, timeout?: Duration) {
    this.replyTo = replyTo
    this.timeout = timeout
  }
}

export type RegionRequest = GracefulShutdown | GetRegionState | GetRegions | GetClusterStats

const kinds: readonly (abstract new (...args: never[]) => RegionRequest)[] = [
  GracefulShutdown,
  GetRegionState,
  GetRegions,
  GetClusterStats,
]

export function isRegionRequest(message: unknown): message is RegionRequest {
  if (typeof message !== 'object' || message === null) return false
  return kinds.some((kind) => isInstance(message, kind))
}
