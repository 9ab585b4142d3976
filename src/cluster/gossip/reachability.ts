/**
 * Who cannot reach whom. Each observer writes only its own rows, and every change of them gets the next version; when
 * two tables meet, the rows of an observer are taken whole from the side with the higher version, never mixed. No row
 * means reachable. Immutable, sorted by observer and subject.
 *
 *   (no row) ◀──▶ Unreachable        either ──▶ Terminated, which is final for the pair
 */
import { assert } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { compareTexts, findInSorted } from '../../foundation/sorted-list.ts'

export type ReachabilityStatus = 'Reachable' | 'Unreachable' | 'Terminated'

export interface ReachabilityRow {
  readonly subject: NodeId
  readonly status: 'Unreachable' | 'Terminated'
  /** The observer's version when it wrote this row. */
  readonly version: number
}

export interface ObserverRows {
  readonly observer: NodeId
  /** Changes this observer has made, also when no row is left. */
  readonly version: number
  readonly rows: readonly ReachabilityRow[]
}

/** One statement of the table, flat. */
export interface ReachabilityRecord {
  readonly observer: NodeId
  readonly subject: NodeId
  readonly status: 'Unreachable' | 'Terminated'
}

export type Reachability = readonly ObserverRows[]

export const allReachable: Reachability = Object.freeze([])

/** The table after `observer` has found `subject` in this status; the same table when that is no news. */
export function observe(
  table: Reachability,
  observer: NodeId,
  subject: NodeId,
  status: ReachabilityStatus,
): Reachability {
  assert(observer !== subject, 'nobody observes itself')
  const before = statusOfPair(table, observer, subject)
  if (before === status || before === 'Terminated') return table

  const own = rowsOf(table, observer)
  const version = (own?.version ?? 0) + 1
  const rows = (own?.rows ?? []).filter((row) => row.subject !== subject)
  if (status !== 'Reachable') rows.push({ subject, status, version })
  rows.sort((a, b) => (a.subject < b.subject ? -1 : 1))
  return sorted([
    ...table.filter((entry) => entry.observer !== observer),
    { observer, version, rows },
  ])
}

export function statusOfPair(
  table: Reachability,
  observer: NodeId,
  subject: NodeId,
): ReachabilityStatus {
  const row = rowsOf(table, observer)?.rows.find((entry) => entry.subject === subject)
  return row?.status ?? 'Reachable'
}

/** What all observers together say of a node. */
export function statusOf(table: Reachability, subject: NodeId): ReachabilityStatus {
  const rows = table.flatMap((entry) => entry.rows.filter((row) => row.subject === subject))
  if (rows.some((row) => row.status === 'Terminated')) return 'Terminated'
  return rows.length > 0 ? 'Unreachable' : 'Reachable'
}

/** Everyone whom somebody cannot reach. */
export function unreachableOrTerminated(table: Reachability): Set<NodeId> {
  return new Set(table.flatMap((entry) => entry.rows.map((row) => row.subject)))
}

/** Whom `observer` itself cannot reach. */
export function unreachableFrom(table: Reachability, observer: NodeId): Set<NodeId> {
  return new Set(rowsOf(table, observer)?.rows.map((row) => row.subject))
}

export function recordsOf(table: Reachability): ReachabilityRecord[] {
  return table.flatMap(({ observer, rows }) =>
    rows.map(({ subject, status }) => ({ observer, subject, status })),
  )
}

/** The table without what these observers say. */
export function withoutObservers(table: Reachability, nodes: ReadonlySet<NodeId>): Reachability {
  return table.some(({ observer }) => nodes.has(observer))
    ? table.filter(({ observer }) => !nodes.has(observer))
    : table
}

/** The table of two tables, about `allowed` nodes only. */
export function mergeReachability(
  a: Reachability,
  b: Reachability,
  allowed: ReadonlySet<NodeId>,
): Reachability {
  return restrict(withRows(a, b), allowed)
}

/** The table with these rows, where they are later than those of the same observer. */
export function withRows(table: Reachability, more: readonly ObserverRows[]): Reachability {
  const latest = new Map(table.map((entry) => [entry.observer, entry]))
  let isChanged = false
  for (const entry of more) {
    const other = latest.get(entry.observer)
    if (other !== undefined && entry.version <= other.version) continue
    latest.set(entry.observer, entry)
    isChanged = true
  }
  return isChanged ? sorted([...latest.values()]) : table
}

/** The table about `allowed` nodes only. Rows of others vanish without a version: they can never come back. */
export function restrict(table: Reachability, allowed: ReadonlySet<NodeId>): Reachability {
  const isAllowed = ({ subject }: ReachabilityRow) => allowed.has(subject)
  const isWhole = (entry: ObserverRows) =>
    allowed.has(entry.observer) && entry.rows.every(isAllowed)
  if (table.every(isWhole)) return table
  return table
    .filter(({ observer }) => allowed.has(observer))
    .map((entry) => (isWhole(entry) ? entry : { ...entry, rows: entry.rows.filter(isAllowed) }))
}

export function rowsOf(table: Reachability, observer: NodeId): ObserverRows | undefined {
  return findInSorted(table, (entry) => compareTexts(entry.observer, observer))
}

function sorted(entries: ObserverRows[]): Reachability {
  return entries.sort((a, b) => compareTexts(a.observer, b.observer))
}
