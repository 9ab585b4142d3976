/**
 * Which changes have made each record of a view what it is, as far back as somebody may not know them. With it a node
 * tells a peer just what that peer lacks: the records with a change that its version does not contain.
 *
 * Invariant: whoever has a change in its version has its effect, and those of all changes that its maker knew. So the
 * latest change of a record stands for all before it; several stand there only when their makers did not know of each
 * other. All changes that stand there are by members.
 */
import { type NodeId, compareNodes } from '../../foundation/node-id.ts'
import { walkSorted } from '../../foundation/sorted-list.ts'
import type { Gossip } from './gossip.ts'
import type { Member } from './member.ts'
import { type ObserverRows, rowsOf } from './reachability.ts'

/** The so-many-th change of that node. */
export type Change = readonly [by: NodeId, count: number]

/** The latest changes of one record. */
export type RecordOrigin = readonly Change[]

/** Where one change is known of a record; where several were made at once, few. More are not told, and not heard. */
export const originMax = 100

/** A record with the changes it comes from. */
export type Sourced<Item> = readonly [item: Item, origin: RecordOrigin]

export interface News {
  readonly members: readonly Sourced<Member>[]
  readonly observers: readonly Sourced<ObserverRows>[]
  readonly tombstones: readonly Sourced<NodeId>[]
  /** Tombstones that are kept no longer. */
  readonly dropped: readonly Sourced<NodeId>[]
  readonly lastUpNumber: number
  /** The whole cluster is about to be stopped. */
  readonly isEnding: boolean
}

export const recordKinds = ['members', 'observers', 'tombstones', 'dropped'] as const
export type RecordKind = (typeof recordKinds)[number]

export class Origins {
  readonly #tables: Readonly<Record<RecordKind, Map<NodeId, RecordOrigin>>> = {
    members: new Map(),
    observers: new Map(),
    tombstones: new Map(),
    dropped: new Map(),
  }

  get(kind: RecordKind, node: NodeId): RecordOrigin | undefined {
    return this.#tables[kind].get(node)
  }

  set(kind: RecordKind, node: NodeId, origin: RecordOrigin): void {
    this.#tables[kind].set(node, origin)
  }

  table(kind: RecordKind): ReadonlyMap<NodeId, RecordOrigin> {
    return this.#tables[kind]
  }

  /** What differs between two views, and what was made by those who are gone, has this origin now. */
  note(before: Gossip, after: Gossip, origin: RecordOrigin): void {
    const isGone = this.#noteMembers(before, after, origin)
    for (const entry of after.reachability) {
      const isSame = rowsOf(before.reachability, entry.observer)?.version === entry.version
      if (!isSame) this.set('observers', entry.observer, origin)
    }
    if (before.tombstones !== after.tombstones) this.#noteTombstones(before, after, origin)
    if (isGone) this.renew(gonersIn(before, after), origin)
  }

  /** Lets go of records that are no more: of members that were removed, of tombstones that are there again or dropped. */
  tidy({ members, tombstones }: Gossip): void {
    const nodes = new Set(members.map(({ node }) => node))
    const buried = new Set(tombstones)
    const keep = (kind: RecordKind, isThere: (node: NodeId) => boolean): void => {
      const table = this.#tables[kind]
      for (const node of table.keys()) if (!isThere(node)) table.delete(node)
    }
    keep('members', (node) => nodes.has(node))
    keep('observers', (node) => nodes.has(node))
    keep('tombstones', (node) => buried.has(node))
    keep('dropped', (node) => !buried.has(node))
  }

  isMadeBy(makers: ReadonlySet<NodeId>): boolean {
    return recordKinds.some((kind) =>
      [...this.#tables[kind].values()].some((origin) => origin.some(([by]) => makers.has(by))),
    )
  }

  /** All changes by these are forgotten, and that of `origin` stands for them. */
  renew(makers: ReadonlySet<NodeId>, origin: RecordOrigin): void {
    for (const kind of recordKinds) {
      for (const [node, known] of this.#tables[kind]) {
        if (known.some(([by]) => makers.has(by))) this.set(kind, node, origin)
      }
    }
  }

  /** Forgets all records whose changes everybody knows. */
  settle(isKnown: (change: Change) => boolean): void {
    for (const kind of recordKinds) {
      const table = this.#tables[kind]
      for (const [node, origin] of table) if (origin.every(isKnown)) table.delete(node)
    }
  }

  clear(): void {
    for (const kind of recordKinds) this.#tables[kind].clear()
  }

  #noteMembers(before: Gossip, after: Gossip, origin: RecordOrigin): boolean {
    let isGone = false
    const compare = (a: Member, b: Member) => compareNodes(a.node, b.node)
    walkSorted(before.members, after.members, compare, (was, is) => {
      if (is !== undefined) {
        if (is !== was) this.set('members', is.node, origin)
        return
      }
      isGone = true
      this.#tables.members.delete(was!.node)
      this.#tables.observers.delete(was!.node)
    })
    return isGone
  }

  #noteTombstones(before: Gossip, after: Gossip, origin: RecordOrigin): void {
    const were = new Set(before.tombstones)
    const are = new Set(after.tombstones)
    for (const node of are) {
      if (were.has(node)) continue
      this.set('tombstones', node, origin)
      this.#tables.dropped.delete(node)
    }
    for (const node of were) {
      if (are.has(node)) continue
      this.set('dropped', node, origin)
      this.#tables.tombstones.delete(node)
    }
  }
}

function gonersIn(before: Gossip, after: Gossip): Set<NodeId> {
  const goners = new Set(before.members.map(({ node }) => node))
  for (const { node } of after.members) goners.delete(node)
  return goners
}
