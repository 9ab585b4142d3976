/**
 * Notices that this process slept so long that the cluster may have given it up (a suspended machine, SIGSTOP, a blocked
 * event loop), and finds out whether it did. While a machine is suspended its monotonic clock may stand still, as on
 * Linux, and only the wall clock tells: so both are looked at. A wall clock that was set forward looks the same, and
 * costs one round of questions; where half of the members are gone just then, it costs the node.
 *
 *   awake ──gap between two looks at the clock──▶ doubting ──most members say "member"──▶ awake
 *                                                    └──too few of them are left to say it──▶ hopeless
 *
 * Invariant: after a long gap nothing counts as awake before more than half of the members as they were before it, the
 * node itself included, have answered a question that was asked after the gap, and know of nobody who cannot reach us.
 * Members that agree on that many outvote any side that could have removed us, and a side that would begins by telling that
 * it cannot reach us. Those who went or came meanwhile cannot vouch for us.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { GetStanding, Standing } from '../cluster-messages.ts'
import type { ClusterSettings } from '../cluster-settings.ts'

export type PauseInput =
  /** Any occasion to look at the clock; before queued work is done is best. */
  | { readonly type: 'Look'; readonly wallMs?: number }
  | { readonly type: 'Tick' }
  /** This node was cut off for a while: it may have been given up meanwhile, as if it had slept. */
  | { readonly type: 'WasCutOff' }
  /** The members that decide, without the node itself. */
  | { readonly type: 'MembersChanged'; readonly others: readonly NodeId[] }
  | Standing

export type PauseEffect =
  | { readonly type: 'Send'; readonly to: NodeId; readonly message: GetStanding }
  /** This process did not run for so long by the monotonic clock, by which silence is counted. */
  | { readonly type: 'Overslept'; readonly ms: number }
  | { readonly type: 'Freeze' }
  | { readonly type: 'Thaw' }
  /** Nobody can prove any more that this node was not given up: it must end. */
  | { readonly type: 'Hopeless' }

/**
 * So many sleeps in so much time are believed of the wall clock alone. One that is set forward more often is a clock that
 * jumps: believed every time, it would keep this node from ever giving up a member that is gone.
 */
const wallSleepsMax = 3
const wallSleepsMs = 60_000

export interface PauseSnapshot {
  readonly isDoubting: boolean
  readonly answers: number
}

export class PauseDetector {
  readonly #self: NodeId
  readonly #settings: ClusterSettings
  readonly #answered = new Set<NodeId>()
  #others: readonly NodeId[] = []
  /** The others as they were before the sleep; undefined for one that was awake: it has seen them go. */
  #before: readonly NodeId[] | undefined
  #question = 0
  #isDoubting = false
  #askAgainAt = 0
  #latest: number | undefined
  #latestWall: number | undefined
  /** When sleeps were believed of the wall clock alone, lately. */
  #wallSleeps: readonly number[] = []

  constructor(self: NodeId, settings: ClusterSettings) {
    this.#self = self
    this.#settings = settings
  }

  step(input: PauseInput, now: number): PauseEffect[] {
    const woken = this.#look(now, input.type === 'Look' ? input.wallMs : undefined)
    switch (input.type) {
      case 'Look':
        return woken
      case 'Tick':
        return [...woken, ...this.#askAgain(now)]
      case 'WasCutOff':
        return [...woken, ...this.#doubt(now)]
      case 'MembersChanged':
        this.#others = input.others
        return [...woken, ...this.#conclude()]
      case 'Standing':
        return [...woken, ...this.#heard(input)]
      default:
        return unreachable(input)
    }
  }

  snapshot(): PauseSnapshot {
    return { isDoubting: this.#isDoubting, answers: this.#answered.size }
  }

  #look(now: number, wallMs = this.#latestWall): PauseEffect[] {
    const gap = now - (this.#latest ?? now)
    // Negative where the wall clock was set back: that counts as nothing.
    const wallGap = (wallMs ?? 0) - (this.#latestWall ?? wallMs ?? 0)
    this.#latest = now
    this.#latestWall = wallMs
    const { heartbeatIntervalMs, tickIntervalMs } = this.#settings
    // Others give us up much later. But the silence of others that we forgive because we slept would also hide a split
    // from us, so every sleep that is forgiven is followed by the question.
    const limit = 2 * heartbeatIntervalMs
    if (gap < limit && !(wallGap >= limit && this.#believesWall(now))) return []
    this.#before ??= this.#others
    return [{ type: 'Overslept', ms: Math.max(0, gap - tickIntervalMs) }, ...this.#doubt(now)]
  }

  #believesWall(now: number): boolean {
    const lately = this.#wallSleeps.filter((at) => now - at < wallSleepsMs)
    if (lately.length >= wallSleepsMax) return false
    this.#wallSleeps = [...lately, now]
    return true
  }

  #doubt(now: number): PauseEffect[] {
    const effects: PauseEffect[] = this.#isDoubting ? [] : [{ type: 'Freeze' }]
    this.#isDoubting = true
    return [...effects, ...this.#ask(now), ...this.#conclude()]
  }

  #askAgain(now: number): PauseEffect[] {
    return this.#isDoubting && now >= this.#askAgainAt ? this.#ask(now) : []
  }

  #ask(now: number): PauseEffect[] {
    this.#askAgainAt = now + this.#settings.heartbeatIntervalMs
    this.#question++
    this.#answered.clear()
    const message: GetStanding = {
      type: 'GetStanding',
      from: this.#self,
      question: this.#question,
    }
    return this.#electorate.map((to) => ({ type: 'Send', to, message }))
  }

  /** Those whose word counts. */
  get #electorate(): readonly NodeId[] {
    return this.#before ?? this.#others
  }

  #heard({ from, question, standing }: Standing): PauseEffect[] {
    const isAnswer = question === this.#question && this.#electorate.includes(from)
    if (!this.#isDoubting || !isAnswer || standing !== 'member') return []
    this.#answered.add(from)
    return this.#conclude()
  }

  #conclude(): PauseEffect[] {
    if (!this.#isDoubting) return []
    const isMost = (votes: number): boolean => votes * 2 > this.#electorate.length + 1
    const votes = this.#electorate.filter((node) => this.#answered.has(node)).length + 1
    if (isMost(votes)) {
      this.#isDoubting = false
      this.#before = undefined
      return [{ type: 'Thaw' }]
    }
    const left = this.#electorate.filter((node) => this.#others.includes(node)).length
    return isMost(left + 1) ? [] : [{ type: 'Hopeless' }]
  }
}
