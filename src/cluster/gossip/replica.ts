/**
 * One node's copy of the view, with what it takes to tell each peer only what it lacks: of every record that changed since
 * all members last knew the same, the changes it comes from.
 *
 * A version that every one of its members has seen is settled. Whoever is a member of a later view contains it: it has had
 * it, or was let in by somebody who had. So what is older than that is never told again, and a version is written down as
 * the changes since.
 *
 * Invariant: the version never goes back; who has the version has the content. Where that turns out to be broken, because
 * somebody got it wrong, this node asks for the whole view (`lost`).
 */
import { assert } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { receiveGossip } from './gossip-exchange.ts'
import {
  type Gossip,
  brokenInvariantOf,
  changedBy,
  emptyGossip,
  hasTombstone,
  memberOf,
  seenBy,
} from './gossip.ts'
import { type Merged, mergeNews } from './news-merge.ts'
import { type PackedOrigins, packOrigins, unpackOrigins } from './packed-origins.ts'
import { type Change, type News, type RecordOrigin, Origins, type RecordKind } from './origins.ts'
import { rowsOf } from './reachability.ts'
import { packSeen, unpackSeen } from './seen-marks.ts'
import { ShortNames, shortNameOf } from './short-names.ts'
import {
  type VectorClock,
  changesBy,
  compareClocks,
  digestOfClock,
  emptyClock,
  entriesBeyond,
} from './vector-clock.ts'

/** Versions that were here lately: others may know sooner than we that they are settled. */
const heldMax = 8

/** What a node knows, in few words. */
export type ViewSummary = readonly [
  /** A digest of its version. */
  version: number,
  /** A digest of the last version that it knows to be settled. */
  settled: number,
  /** By turns: the short name of a member, and how many changes of it the version contains; those since then. */
  changes: readonly number[],
  /** Who has seen the version (`seen-marks.ts`). */
  seen: Uint8Array,
]

/** A summary as this node understands it. */
export interface Reading {
  readonly isSame: boolean
  /** How many changes of each member it contains at least, where that is more than is settled. */
  readonly changes: ReadonlyMap<NodeId, number>
  /** It contains changes that this node lacks. */
  readonly hasMore: boolean
  /** This node contains changes that it lacks. */
  readonly lacks: boolean
}

/** What one peer is told. */
export interface Tidings {
  /** By turns: the short name of a member, and how many of its changes the receiver must have for this to be all it lacks. */
  readonly since: readonly number[]
  readonly news: News
}

export class Replica {
  readonly #self: NodeId
  readonly #origins = new Origins()
  readonly #names = new ShortNames()
  readonly #held: { readonly digest: number; readonly version: VectorClock }[] = []
  #gossip: Gossip = emptyGossip
  #digest = digestOfClock(emptyClock)
  #settled: VectorClock = emptyClock
  #settledDigest = digestOfClock(emptyClock)
  /** What of the version goes beyond what is settled. */
  #unsettled: VectorClock = emptyClock
  #summary: { readonly of: Gossip; readonly settled: number; readonly is: ViewSummary } | undefined

  constructor(self: NodeId) {
    this.#self = self
  }

  get gossip(): Gossip {
    return this.#gossip
  }

  /** Takes over the view of whoever has let this node in. */
  adopt(gossip: Gossip, packed?: PackedOrigins): void {
    if (packed !== undefined) {
      const { settled, records } = unpackOrigins(packed, gossip)
      this.#settled = settled
      this.#settledDigest = digestOfClock(settled)
      for (const record of records) this.#origins.set(...record)
    }
    this.#take(gossip)
  }

  /** For one that is let in. */
  get origins(): PackedOrigins {
    return packOrigins(this.#origins, this.#gossip, this.#settled)
  }

  /** A change of this node's own. */
  change(gossip: Gossip): void {
    const before = this.#gossip
    const after = changedBy(gossip, this.#self)
    this.#origins.note(before, after, this.#ownOrigin(after))
    this.#take(after)
  }

  /** These have seen exactly this version. */
  see(nodes: readonly NodeId[]): void {
    if (nodes === this.#gossip.seen) return
    const gossip = seenBy(this.#gossip, nodes)
    if (gossip !== this.#gossip) this.#take(gossip)
  }

  summary(): ViewSummary {
    const { members, seen } = this.#gossip
    if (this.#summary?.of !== this.#gossip || this.#summary.settled !== this.#settledDigest) {
      const changes = this.#unsettled.flatMap(([node, count]) => [shortNameOf(node), count])
      const is = [this.#digest, this.#settledDigest, changes, packSeen({ members, seen })] as const
      this.#summary = { of: this.#gossip, settled: this.#settledDigest, is }
    }
    return this.#summary.is
  }

  read([version, settled, counts]: ViewSummary): Reading {
    this.#learnSettled(settled)
    const isSame = version === this.#digest
    if (isSame) return { isSame, changes: new Map(), hasMore: false, lacks: false }
    const changes = new Map<NodeId, number>()
    let hasMore = false
    for (let at = 0; at < counts.length; at += 2) {
      const node = this.#names.nodeOf(counts[at]!, this.#gossip)
      const count = counts[at + 1]!
      if (node !== undefined) changes.set(node, count)
      if (node === undefined) hasMore = true
      else if (count > changesBy(this.#gossip.version, node)) {
        hasMore ||= !hasTombstone(this.#gossip, node)
      }
    }
    const lacks = this.#unsettled.some(([node, count]) => count > (changes.get(node) ?? 0))
    return { isSame, changes, hasMore, lacks }
  }

  /** Who has seen, by a summary of this very version; undefined for another one, or where that cannot be read. */
  seenIn([version, , , seen]: ViewSummary): readonly NodeId[] | undefined {
    if (version !== this.#digest) return undefined
    const [, , , ours] = this.summary()
    if (isSameBytes(seen, ours)) return this.#gossip.seen
    return unpackSeen(this.#gossip.members, seen)
  }

  /** All that somebody lacks who has these changes, and all that is settled. */
  tidingsFor(changes: ReadonlyMap<NodeId, number>): Tidings {
    const has = ([by, count]: Change): boolean =>
      (changes.get(by) ?? changesBy(this.#settled, by)) >= count
    const since = this.#unsettled.flatMap((entry) =>
      has(entry)
        ? []
        : [shortNameOf(entry[0]), changes.get(entry[0]) ?? changesBy(this.#settled, entry[0])],
    )
    return { since, news: this.#newsWhere((origin) => !origin.every(has)) }
  }

  /** The latest change of this node's own, for who has all the rest. */
  get ownTidings(): Tidings {
    const own = changesBy(this.#gossip.version, this.#self)
    const isOwn = ([by, count]: Change): boolean => by === this.#self && count === own
    return {
      since: [shortNameOf(this.#self), own - 1],
      news: this.#newsWhere((origin) => origin.some(isOwn)),
    }
  }

  /**
   * Takes news over. `missing`: the sender believes that we know more, and nothing was done. `lost`: we should have the
   * same now, and have not; nothing was done either.
   */
  receive(
    summary: ViewSummary,
    since: readonly number[],
    news: News,
  ): 'taken' | 'missing' | 'lost' {
    this.#learnSettled(summary[1])
    const changes = this.#changesTold(summary, since, news)
    if (changes === undefined) return 'missing'
    const includes = ([by, count]: Change): boolean =>
      (changes.get(by) ?? changesBy(this.#settled, by)) >= count
    const merged = mergeNews(this.#gossip, this.#origins, { news, changes, includes })
    const { version } = merged.gossip
    const lacks = entriesBeyond(version, this.#settled).some((entry) => !includes(entry))
    const isSame = digestOfClock(version) === summary[0]
    if (!isSame && !lacks && merged.contested.length === 0) return 'lost'
    this.#merge(merged, changes.get(this.#self) ?? 0, news.isEnding)
    this.see(this.seenIn(summary) ?? [])
    return 'taken'
  }

  /**
   * Takes a whole view over. What it brought counts as a change of ours: what it comes from is not known. `behind`: it
   * brought nothing, and lacks something.
   */
  receiveWhole(theirs: Gossip): 'taken' | 'known' | 'behind' {
    const gossip = receiveGossip(this.#gossip, theirs, this.#self)
    if (compareClocks(gossip.version, this.#gossip.version) === 'same') {
      this.#take(gossip)
      return compareClocks(theirs.version, gossip.version) === 'same' ? 'known' : 'behind'
    }
    this.change(gossip)
    // What only we knew must reach whoever has the version that we have left behind.
    this.#origins.note(theirs, this.#gossip, this.#ownOrigin(this.#gossip))
    return 'taken'
  }

  #merge({ gossip, origins, contested }: Merged, ownByThem: number, endsByThem: boolean): void {
    const before = this.#gossip
    const own = changesBy(before.version, this.#self)
    for (const record of origins) this.#origins.set(...record)
    if (gossip.tombstones !== before.tombstones) this.#origins.tidy(gossip)
    // Changes of those who are gone are counted no more. Who knows of one that the others do not makes it its own.
    const gone = this.#makersGone(before, gossip, origins)
    // Somebody counts changes of ours that we have not made: what we did make must not pass for them.
    if (ownByThem > own) gone.add(this.#self)
    // Whose change the end of the cluster was is not kept: it may have been one of theirs.
    const isEndUnheard = gossip.isEnding && !endsByThem
    const isOrphaned = gone.size > 0 && (isEndUnheard || this.#origins.isMadeBy(gone))
    // Told by a change that is not counted any more.
    const isSame = compareClocks(gossip.version, before.version) === 'same'
    const isEndNew = isSame && gossip.isEnding && !before.isEnding
    const isOwnChange = contested.length > 0 || isOrphaned || isEndNew || ownByThem > own
    const after = isOwnChange ? changedBy(gossip, this.#self) : gossip
    if (isOwnChange) {
      const origin = this.#ownOrigin(after)
      this.#origins.renew(gone, origin)
      for (const [kind, node] of contested) this.#origins.set(kind, node, origin)
    }
    // The same version is the same content.
    if (compareClocks(after.version, before.version) !== 'same') this.#take(after)
  }

  #makersGone(before: Gossip, after: Gossip, origins: Merged['origins']): Set<NodeId> {
    const makers = new Set(origins.flatMap(([, , origin]) => origin.map(([by]) => by)))
    if (before.members.length > 0 && before.tombstones !== after.tombstones) {
      for (const { node } of before.members) makers.add(node)
      for (const { node } of after.members) makers.delete(node)
      return makers
    }
    for (const by of makers) if (memberOf(after, by) !== undefined) makers.delete(by)
    return makers
  }

  /** The sender's version by members; undefined when it takes for granted what we do not have. */
  #changesTold(
    [, , counts]: ViewSummary,
    since: readonly number[],
    news: News,
  ): Map<NodeId, number> | undefined {
    const needed = new Map<number, number>()
    for (let at = 0; at < since.length; at += 2) needed.set(since[at]!, since[at + 1]!)
    const nodeOf = this.#readerOf(news)
    const changes = new Map<NodeId, number>()
    for (let at = 0; at < counts.length; at += 2) {
      const [name, count] = [counts[at]!, counts[at + 1]!]
      const node = nodeOf(name)
      if (node === undefined || changes.has(node)) return undefined
      const must = needed.get(name) ?? count
      // Changes of the gone are not counted here: it may lack what one of them did last.
      const isGone = hasTombstone(this.#gossip, node)
      if (changesBy(isGone ? this.#settled : this.#gossip.version, node) < must) return undefined
      changes.set(node, count)
    }
    return changes
  }

  /** By their short names: those who are known here, and those of whom this news tells. Nobody where that is not clear. */
  #readerOf({ members }: News): (name: number) => NodeId | undefined {
    const told = new Map<number, NodeId | undefined>()
    for (const [{ node }] of members) {
      const name = shortNameOf(node)
      told.set(name, told.has(name) ? undefined : node)
    }
    return (name) => {
      const known = this.#names.nodeOf(name, this.#gossip)
      if (!told.has(name)) return known
      const node = told.get(name)
      return known === undefined || known === node ? node : undefined
    }
  }

  #newsWhere(isNews: (origin: RecordOrigin) => boolean): News {
    const gossip = this.#gossip
    const pick = <Item>(kind: RecordKind, find: (node: NodeId) => Item | undefined) =>
      [...this.#origins.table(kind)].flatMap(([node, origin]) => {
        const item = isNews(origin) ? find(node) : undefined
        return item === undefined ? [] : [[item, origin] as const]
      })
    return {
      members: pick('members', (node) => memberOf(gossip, node)),
      observers: pick('observers', (node) => rowsOf(gossip.reachability, node)),
      tombstones: pick('tombstones', (node) => node),
      dropped: pick('dropped', (node) => node),
      lastUpNumber: gossip.lastUpNumber,
      isEnding: gossip.isEnding,
    }
  }

  #take(gossip: Gossip): void {
    if (gossip.version !== this.#gossip.version) {
      const broken = brokenInvariantOf(gossip)
      assert(broken === undefined, `gossip: ${broken}`)
      this.#hold(gossip.version)
    }
    this.#gossip = gossip
    const isSettled = gossip.seen.length === gossip.members.length
    if (isSettled && this.#settled !== gossip.version) this.#settle(gossip.version, this.#digest)
  }

  #hold(version: VectorClock): void {
    this.#digest = digestOfClock(version)
    this.#held.push({ digest: this.#digest, version })
    if (this.#held.length > heldMax) this.#held.shift()
    this.#unsettled = entriesBeyond(version, this.#settled)
  }

  /** Somebody knows that all have seen this version. */
  #learnSettled(digest: number): void {
    if (digest === this.#settledDigest) return
    const held = this.#held.find((each) => each.digest === digest)
    if (held !== undefined) this.#settle(held.version, digest)
  }

  #settle(version: VectorClock, digest: number): void {
    this.#settled = version
    this.#settledDigest = digest
    // Those before it are of no interest any more, and must not be taken for later ones.
    this.#held.splice(0, this.#held.findIndex((each) => each.digest === digest) + 1)
    this.#unsettled = entriesBeyond(this.#gossip.version, version)
    if (this.#unsettled.length === 0) this.#origins.clear()
    else this.#origins.settle(([by, count]) => changesBy(version, by) >= count)
  }

  #ownOrigin({ version }: Gossip): RecordOrigin {
    return [[this.#self, changesBy(version, this.#self)]]
  }
}

function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, place) => byte === b[place])
}
