/**
 * How a side of a split has others given up, in the record that all share. A side that must let others go first claims it, and
 * decides when its claim has stood for long enough; one that need not wait decides at once, whoever has claimed what. Pure.
 *
 * Invariant: nobody decides who is given up itself. A claim binds nobody, but those whom it names do not act while it stands.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import {
  type FoundingRecord,
  type SplitClaim,
  isGivenUp,
  withClaim,
  withGivenUp,
} from './founding-record.ts'

/** Whom a node would give up for its side. */
export interface SplitWish {
  readonly nodes: readonly NodeId[]
  /** How long its claim must have stood first; 0 decides at once. */
  readonly claimMs: number
}

export interface SplitSight {
  readonly record: FoundingRecord
  readonly self: NodeId
  /** How long the claim in it has stood, as far as this node has seen. */
  readonly claimStoodMs: number
}

/** The claim of a node that has vanished since is in nobody's way for longer than this many times what it waits itself. */
const patience = 2

/** What the node is to write for that; undefined when there is nothing to do, or not yet. */
export function towardsDecision(
  wish: SplitWish | undefined,
  { record, self, claimStoodMs }: SplitSight,
): FoundingRecord | undefined {
  if (isGivenUp(record, self)) return undefined
  const { claim } = record
  const isOurs = claim?.by === self
  if (wish === undefined) return isOurs ? withClaim(record, undefined) : undefined
  const { nodes, claimMs } = wish
  if (nodes.every((node) => isGivenUp(record, node))) return undefined
  const hasStood = isOurs && isSameClaim(claim, nodes) && claimStoodMs >= claimMs
  if (claimMs === 0 || hasStood) return withGivenUp(withClaim(record, undefined), nodes)
  if (isOurs && isSameClaim(claim, nodes)) return undefined
  const isInOurWay = claim !== undefined && !isOurs && claimStoodMs < patience * claimMs
  return isInOurWay ? undefined : withClaim(record, { by: self, nodes })
}

function isSameClaim(claim: SplitClaim, nodes: readonly NodeId[]): boolean {
  return claim.nodes.length === nodes.length && nodes.every((node) => claim.nodes.includes(node))
}
