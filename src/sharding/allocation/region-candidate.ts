/**
 * Regions as the strategies that we bring compare them, and when balance is worth anything: while members come or cannot be
 * reached, or one version replaces another, the optimum is about to change.
 */
import { compareAppVersions, defaultAppVersion } from '../../cluster/internals.ts'
import { type NodeId, compareNodes } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type { Allocations, ClusterView } from './shard-allocation-strategy.ts'

export interface RegionCandidate {
  readonly node: NodeId
  readonly isLeaving: boolean
  /** Of its application. */
  readonly appVersion: string
  readonly shards: readonly ShardId[]
}

/** Regions whose nodes are members; the view may be behind for the others. */
export function candidatesOf(
  allocations: Allocations,
  { members, appVersions }: ClusterView,
): RegionCandidate[] {
  const candidates: RegionCandidate[] = []
  for (const [node, shards] of allocations) {
    const status = members.get(node)
    if (status === undefined) continue
    const isLeaving = status !== 'Up' && status !== 'Joining'
    const appVersion = appVersions?.get(node) ?? defaultAppVersion
    candidates.push({ node, isLeaving, appVersion, shards })
  }
  return candidates
}

/** Best first: not leaving, then newer, then fewer shards, then by address. A strict order, so that every node would agree. */
export function bySuitability(a: RegionCandidate, b: RegionCandidate): number {
  return byStanding(a, b) || a.shards.length - b.shards.length || compareNodes(a.node, b.node)
}

/** Zero for two that differ only in what they host. */
function byStanding(a: RegionCandidate, b: RegionCandidate): number {
  if (a.isLeaving !== b.isLeaving) return a.isLeaving ? 1 : -1
  return compareAppVersions(b.appVersion, a.appVersion)
}

/** Those to which new shards should go: they stay, and none that stays is newer. All of them when all leave. */
export function bestOf(candidates: readonly RegionCandidate[]): RegionCandidate[] {
  let best: RegionCandidate[] = []
  for (const candidate of candidates) {
    const order = best.length === 0 ? -1 : byStanding(candidate, best[0]!)
    if (order < 0) best = [candidate]
    else if (order === 0) best.push(candidate)
  }
  return best
}

/** Whether moving shards for balance makes sense now. */
export function isGoodTime(
  candidates: readonly RegionCandidate[],
  { members, unreachable }: ClusterView,
): boolean {
  const [first] = candidates
  if (first === undefined || unreachable.size > 0) return false
  const isOther = ({ appVersion }: RegionCandidate): boolean =>
    compareAppVersions(appVersion, first.appVersion) !== 0
  if (candidates.some(isOther)) return false
  for (const status of members.values()) if (status === 'Joining') return false
  return true
}

/** `5 nodes`, or which of them were looked at. */
export function nodesInWords(
  best: readonly RegionCandidate[],
  all: readonly RegionCandidate[],
): string {
  const count = best.length === 1 ? '1 node' : `${best.length} nodes`
  const [first] = best
  if (first?.isLeaving === true) return `${count}, on the way out as all are`
  return first === undefined || best.length === all.length
    ? count
    : `${count} with the newest version, ${first.appVersion}`
}
