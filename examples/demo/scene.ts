/**
 * What the operator knows: folds the reports of all nodes, the news and the operator's own deeds into one view. Holds no
 * clock: every method is told what time it is.
 */
import { Latencies } from './latency.ts'
import type { MemberReport, NodeEvent, Report } from './messages.ts'
import { NewsList } from './news-list.ts'
import type { Mood, NodeView, View } from './view.ts'

type ProcessState = NodeView['process']

interface NodeRecord {
  readonly name: string
  readonly pid: number
  process: ProcessState
  address: string | undefined
  upAtMs: number | undefined
  /** Somebody has counted it among the members. */
  wasListed: boolean
  report: Report | undefined
  reportedAtMs: number
}

/** What the desk and the ledger know; the scene shows it and does not keep it. */
export type Books = Pick<
  View,
  'accounts' | 'coins' | 'check' | 'done' | 'refused' | 'underWay' | 'longestWaitMs'
>

/** A node that was silent for so long does nothing, whatever it said last. */
const staleAfterMs = 1_500
const latencyWindowMs = 2_000
const historyMax = 240
const earlyMax = 100
/** So many dead nodes stay in sight, to be started again. */
const deadMax = 3

export class Scene {
  readonly #nodes = new Map<string, NodeRecord>()
  /** By address, also of those that are gone: news of them comes late. */
  readonly #names = new Map<string, string>()
  /** News of nodes that have not yet said who they are. */
  #early: NodeEvent[] = []
  readonly #homes = new Map<string, string>()
  readonly #news = new NewsList()
  readonly #history: number[] = []
  #latencies: { readonly atMs: number; readonly counts: readonly number[] }[] = []
  #askedAgain = 0
  #moves = 0
  #freezes = 0
  kills = 0
  joins = 0
  chosen: string | undefined

  /** A new node, or a dead one in another life. */
  spawned(name: string, pid: number): void {
    const before = this.#nodes.get(name)?.address
    if (before !== undefined) this.#news.begunAnew(before)
    // Behind the others, as one that comes last.
    this.#nodes.delete(name)
    this.#nodes.set(name, {
      name,
      pid,
      process: 'starting',
      address: undefined,
      upAtMs: undefined,
      wasListed: false,
      report: undefined,
      reportedAtMs: 0,
    })
    this.chosen ??= name
  }

  started(name: string, address: string, nowMs: number): void {
    const node = this.#nodes.get(name)
    if (node === undefined) return
    node.address = address
    this.#names.set(address, name)
    for (const event of this.#early) {
      if (event.address === address) this.happened(event, nowMs)
    }
    this.#early = this.#early.filter((event) => event.address !== address)
    if (node.process === 'starting') node.process = 'running'
  }

  processIs(name: string, process: ProcessState): void {
    const node = this.#nodes.get(name)
    if (node === undefined) return
    node.process = process
    // It never was a member that others could miss.
    if (process === 'gone' && node.address === undefined) this.#nodes.delete(name)
  }

  reported(name: string, report: Report, nowMs: number): void {
    const node = this.#nodes.get(name)
    if (node === undefined || node.process === 'gone') return
    node.report = report
    for (const each of this.#nodes.values()) {
      each.wasListed ||= report.members.some(({ address }) => address === each.address)
    }
    node.reportedAtMs = nowMs
    this.#askedAgain += report.askedAgain
    this.#latencies.push({ atMs: nowMs, counts: report.latencies })
    // What a node believes to host that is frozen, or no member any more, may have found another home long ago.
    const isTrusted = !report.isFrozen && isListed(this.#members(), node.address)
    if (isTrusted) this.#housed(name, report.shards, nowMs)
  }

  happened(event: NodeEvent, nowMs: number): void {
    const name = this.#names.get(event.address)
    if (name === undefined) {
      this.#early = [...this.#early, event].slice(-earlyMax)
      return
    }
    const node = this.#nodes.get(name)
    // A node that gives up forgets whom it could not reach; that brings nobody back.
    if (event.kind === 'ReachableMember' && node?.process === 'gone') return
    if (event.kind === 'Frozen') this.#freezes++
    if (!this.#news.happened(event, name, nowMs)) return
    if (event.kind === 'MemberUp' && node !== undefined) node.upAtMs = nowMs
  }

  say(text: string, mood: Mood, nowMs: number): void {
    this.#news.say(text, mood, nowMs)
  }

  /** Every half second: takes a sample, and forgets who has long been gone for good. */
  sample(nowMs: number): void {
    this.#news.settle(nowMs)
    this.#history.push(this.#callsPerSecond(nowMs))
    if (this.#history.length > historyMax) this.#history.shift()
    this.#latencies = this.#latencies.filter(({ atMs }) => nowMs - atMs < latencyWindowMs)
    const dead = this.nodes(nowMs).filter(isDead)
    for (const { name } of dead.slice(0, -deadMax)) this.#nodes.delete(name)
    if (this.chosen === undefined || !this.#nodes.has(this.chosen)) {
      this.chosen = this.nodes(nowMs)[0]?.name
    }
  }

  /** The next or the previous node in the order of the view. */
  choose(step: 1 | -1, nowMs: number): void {
    const names = this.nodes(nowMs).map(({ name }) => name)
    const at = names.indexOf(this.chosen ?? '')
    this.chosen = names[(at + step + names.length) % names.length]
  }

  nodes(nowMs: number): NodeView[] {
    const members = this.#members()
    const oldest = members.reduce<MemberReport | undefined>(
      (old, each) => (old === undefined || each.upNumber < old.upNumber ? each : old),
      undefined,
    )
    const ageOf = ({ address }: NodeRecord): number =>
      members.find((member) => member.address === address)?.upNumber ?? Infinity
    // Who is no member stands behind in the order of coming; two that are none compare as equal.
    return [...this.#nodes.values()]
      .sort((a, b) => Math.sign(ageOf(a) - ageOf(b)) || 0)
      .map((node) => this.#viewOf(node, members, oldest, nowMs))
  }

  view(books: Books, footer: View['footer'], nowMs: number): View {
    const latencies = new Latencies()
    for (const { counts } of this.#latencies) latencies.merge(counts)
    return {
      ...books,
      elapsedMs: nowMs,
      nodes: this.nodes(nowMs),
      chosen: this.chosen,
      callsPerSecond: this.#callsPerSecond(nowMs),
      history: this.#history,
      p50Ms: latencies.percentileMs(0.5),
      p99Ms: latencies.percentileMs(0.99),
      askedAgain: this.#askedAgain,
      moves: this.#moves,
      freezes: this.#freezes,
      kills: this.kills,
      joins: this.joins,
      news: this.#news.list,
      footer,
    }
  }

  /**
   * The membership as the node sees it that most nodes count among them. One that has just woken up believes for a moment
   * in a cluster of long ago, and perhaps that it is the oldest; the others know better.
   */
  #members(): readonly MemberReport[] {
    const witnesses = [...this.#nodes.values()].flatMap(({ address, process, report }) =>
      process === 'gone' || process === 'paused' || report === undefined
        ? []
        : [{ address, report }],
    )
    const votesFor = (address: string | undefined): number =>
      witnesses.filter(({ report }) => isListed(report.members, address)).length
    const ranked = witnesses.map(({ address, report }) => ({
      report,
      votes: votesFor(address),
      upNumber: report.members.find((each) => each.address === address)?.upNumber ?? Infinity,
    }))
    ranked.sort(
      (a, b) =>
        Number(a.report.isFrozen) - Number(b.report.isFrozen) ||
        b.votes - a.votes ||
        a.upNumber - b.upNumber ||
        0,
    )
    return ranked[0]?.report.members ?? []
  }

  #viewOf(
    node: NodeRecord,
    members: readonly MemberReport[],
    oldest: MemberReport | undefined,
    nowMs: number,
  ): NodeView {
    const { name, pid, process, address, upAtMs, report } = node
    const member = members.find((each) => each.address === address)
    const isActive = isHeard(node, nowMs)
    return {
      name,
      pid,
      process,
      member:
        member?.status ?? (node.wasListed ? 'Removed' : upAtMs === undefined ? undefined : 'Up'),
      isReachable: member?.isReachable ?? true,
      isFrozen: isActive && report?.isFrozen === true,
      isOldest: member !== undefined && member === oldest,
      ageMs: upAtMs === undefined ? undefined : nowMs - upAtMs,
      shards: [...this.#homes.values()].filter((home) => home === name).length,
      entities: process === 'gone' ? 0 : (report?.entities ?? 0),
      callsPerSecond: isActive ? rateOf(report) : 0,
    }
  }

  #housed(name: string, shards: readonly string[], nowMs: number): void {
    for (const shard of shards) {
      const before = this.#homes.get(shard)
      if (before === name) continue
      this.#homes.set(shard, name)
      if (before === undefined) continue
      this.#moves++
      this.#news.moved(before, name, nowMs)
    }
  }

  #callsPerSecond(nowMs: number): number {
    return [...this.#nodes.values()]
      .filter((node) => isHeard(node, nowMs))
      .reduce((sum, { report }) => sum + rateOf(report), 0)
  }
}

/** Its process is gone, and the others have made up their minds about it. */
export function isDead({ process, member }: NodeView): boolean {
  return process === 'gone' && (member === undefined || member === 'Removed')
}

function isHeard({ process, reportedAtMs }: NodeRecord, nowMs: number): boolean {
  return process !== 'gone' && process !== 'paused' && nowMs - reportedAtMs < staleAfterMs
}

function isListed(members: readonly MemberReport[], address: string | undefined): boolean {
  return members.some((member) => member.address === address && member.isReachable)
}

function rateOf(report: Report | undefined): number {
  return report === undefined ? 0 : Math.round((report.calls * 1_000) / report.intervalMs)
}
