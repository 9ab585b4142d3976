/**
 * Notices that this process slept so long that the cluster may have given it up (a suspended machine, SIGSTOP, a blocked
 * event loop), or gets to its work so late, for want of CPU, that its ticks are overdue; and finds out whether it did.
 * While a machine is suspended its monotonic clock may stand still, as on Linux, and only the wall clock tells: so both are
 * looked at. A wall clock that was set forward looks the same, and costs one round of questions; where too many members are
 * gone just then, it costs the node.
 *
 *   awake ──gap between two looks, or two ticks──▶ doubting ──enough members say "member"──▶ awake
 *                                                    └──too few of them are left to say it──▶ hopeless
 *
 * Invariant: after a long gap nothing counts as awake before as many of the members as they were before it have answered a
 * question that was asked after the gap, and know of nobody who cannot reach us, as the downing strategy asks for: any
 * side that could have removed us would need some of them, and one that is about to begins by telling that it cannot
 * reach us. Those who went or came meanwhile cannot vouch for us. Where the store decides who is given up, its word counts too.
 *
 * The same holds after a cut: those against whom this node would lose by the rule alone, and who were silent for long, may have
 * removed it before they ended, and whoever they let in meanwhile goes on. That they are seen to be dead does not bring it back.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { GetStanding, Standing } from '../cluster-messages.ts'
import type { Member } from '../gossip/member.ts'
import type { PauseEffect, PauseInput, PauseOptions, PauseSnapshot } from './pause-inputs.ts'

/**
 * So many sleeps in so much time are believed of the wall clock alone. One that is set forward more often is a clock that
 * jumps: believed every time, it would keep this node from ever giving up a member that is gone.
 */
const wallSleepsMax = 3
const wallSleepsMs = 60_000

export class PauseMachine {
  readonly #options: PauseOptions
  readonly #answered = new Set<NodeId>()
  #members: readonly Member[] = []
  /** As they were before the sleep or the cut; undefined for one that was awake and in touch: it has seen them go. */
  #before: readonly Member[] | undefined
  #unreachable: ReadonlySet<NodeId> = new Set()
  /** The store has shown since the doubt arose that the node was not given up. */
  #isShown = false
  #question = 0
  #isDoubting = false
  #askAgainAt = 0
  #latest: number | undefined
  #latestTick: number | undefined
  #latestWall: number | undefined
  /** When sleeps were believed of the wall clock alone, lately. */
  #wallSleeps: readonly number[] = []

  constructor(options: PauseOptions) {
    this.#options = options
  }

  step(input: PauseInput, now: number): PauseEffect[] {
    const woken = this.#look(now, input.type === 'Look' ? input.wallMs : undefined)
    switch (input.type) {
      case 'Look':
        return woken
      case 'Tick':
        this.#latestTick = now
        return [...woken, ...this.#askAgain(now)]
      case 'CutOff':
        this.#before ??= this.#members
        return woken
      case 'WasCutOff':
        return [...woken, ...this.#doubt(now)]
      case 'ShownByStore':
        this.#isShown = this.#isDoubting
        return [...woken, ...this.#conclude()]
      case 'MembersChanged':
        this.#members = input.members
        this.#unreachable = input.unreachable ?? this.#unreachable
        return [...woken, ...this.#conclude()]
      case 'Standing':
        return [...woken, ...this.#heard(input)]
      default:
        return unreachable(input)
    }
  }

  /** It slept, or was cut off from those against whom it would lose, and nobody has vouched for it since. */
  get mayBeGivenUp(): boolean {
    return this.#before !== undefined
  }

  snapshot(): PauseSnapshot {
    return { isDoubting: this.#isDoubting, answers: this.#answered.size }
  }

  #look(now: number, wallMs = this.#latestWall): PauseEffect[] {
    // Where all that waits is done late, there is no gap between two looks. But what others say is old when it is heard
    // then, and their silence is not noticed: the ticks, which wait as well, tell how late.
    const lateMs = now - (this.#latestTick ?? now)
    const gap = Math.max(lateMs, now - (this.#latest ?? now))
    // Negative where the wall clock was set back: that counts as nothing.
    const wallGap = (wallMs ?? 0) - (this.#latestWall ?? wallMs ?? 0)
    this.#latest = now
    this.#latestWall = wallMs
    const { heartbeatIntervalMs, tickIntervalMs } = this.#options.settings
    // Others give us up much later. But the silence of others that we forgive because we slept would also hide a split
    // from us, so every sleep that is forgiven is followed by the question.
    const gapMax = 2 * heartbeatIntervalMs
    if (gap < gapMax && !(wallGap >= gapMax && this.#believesWall(now))) return []
    // Counted anew from here. So the question is asked anew, too, before an answer to it can have waited here for longer.
    if (this.#latestTick !== undefined) this.#latestTick = now
    this.#before ??= this.#members
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
    this.#isShown = false
    return [...effects, ...this.#ask(now), ...this.#conclude()]
  }

  #askAgain(now: number): PauseEffect[] {
    return this.#isDoubting && now >= this.#askAgainAt ? this.#ask(now) : []
  }

  #ask(now: number): PauseEffect[] {
    const { self: from, settings } = this.#options
    this.#askAgainAt = now + settings.heartbeatIntervalMs
    this.#question++
    this.#answered.clear()
    const message: GetStanding = { type: 'GetStanding', from, question: this.#question }
    const others = this.#electorate.filter(({ node }) => node !== from)
    return others.map(({ node }) => ({ type: 'Send', to: node, message }))
  }

  /** Those whose word counts. */
  get #electorate(): readonly Member[] {
    return this.#before ?? this.#members
  }

  #heard({ from, question, standing }: Standing): PauseEffect[] {
    const isAnswer =
      question === this.#question && this.#electorate.some(({ node }) => node === from)
    if (!this.#isDoubting || !isAnswer || standing !== 'member') return []
    this.#answered.add(from)
    return this.#conclude()
  }

  #conclude(): PauseEffect[] {
    if (!this.#isDoubting) return []
    const { self, strategy } = this.#options
    const answered: ReadonlySet<NodeId> = new Set([self, ...this.#answered])
    const left = new Set([self, ...this.#members.map(({ node }) => node)])
    const reached = new Set([...left].filter((node) => !this.#unreachable.has(node)))
    const poll = { self, electorate: this.#electorate, answered, left, reached }
    const outcome = strategy.weigh({ ...poll, isShown: this.#isShown })
    if (outcome === 'open') return []
    if (outcome === 'hopeless') return [{ type: 'Hopeless' }]
    this.#isDoubting = false
    this.#isShown = false
    this.#before = undefined
    return [{ type: 'Thaw' }]
  }
}
