/** What happened, in words, the newest last. Every node tells of every change: each is news once. */
import type { NodeEvent } from './messages.ts'
import type { Mood, News } from './view.ts'
import { counted, whyFrozen } from './words.ts'

const newsMax = 100
/** Moves away from one node are one piece of news, told when none has followed for so long. */
const togetherMs = 600

type Phrase = readonly [text: (name: string, detail: string) => string, mood: Mood]

const phrases: Readonly<Record<NodeEvent['kind'], Phrase | undefined>> = {
  MemberJoined: [(name) => `${name} asks to join`, 'plain'],
  MemberUp: [(name) => `${name} is Up`, 'good'],
  MemberLeft: [(name) => `${name} is leaving and hands its shards over`, 'plain'],
  MemberExited: undefined,
  MemberDowned: [(name) => `${name} is declared dead`, 'bad'],
  MemberRemoved: [(name) => `${name} is no longer a member`, 'plain'],
  UnreachableMember: [(name) => `${name} is unreachable`, 'warning'],
  ReachableMember: [(name) => `${name} is reachable again`, 'good'],
  Frozen: [(name, reason) => `${name} freezes its accounts: ${whyFrozen(reason)}`, 'warning'],
  Thawed: [(name) => `${name} goes on`, 'good'],
}

/** After the one, the other may happen again. */
const opposites: Readonly<Partial<Record<NodeEvent['kind'], NodeEvent['kind']>>> = {
  UnreachableMember: 'ReachableMember',
  ReachableMember: 'UnreachableMember',
  Frozen: 'Thawed',
  Thawed: 'Frozen',
}

export class NewsList {
  readonly #list: News[] = []
  readonly #told = new Set<string>()
  /** By the home they left. */
  readonly #moves = new Map<
    string,
    { readonly targets: Map<string, number>; readonly atMs: number }
  >()

  get list(): readonly News[] {
    return this.#list
  }

  /** Whether it was news. */
  happened({ kind, address, detail = '' }: NodeEvent, name: string, nowMs: number): boolean {
    const opposite = opposites[kind]
    if (opposite !== undefined) this.#told.delete(`${opposite} ${address}`)
    if (this.#told.has(`${kind} ${address}`)) return false
    this.#told.add(`${kind} ${address}`)
    const phrase = phrases[kind]
    if (phrase !== undefined) this.say(phrase[0](name, detail), phrase[1], nowMs)
    return true
  }

  /** Another life begins at this address: what happened to the former one may happen again. */
  begunAnew(address: string): void {
    for (const kind of Object.keys(phrases)) this.#told.delete(`${kind} ${address}`)
  }

  moved(from: string, to: string, nowMs: number): void {
    const targets = this.#moves.get(from)?.targets ?? new Map<string, number>()
    targets.set(to, (targets.get(to) ?? 0) + 1)
    this.#moves.set(from, { targets, atMs: nowMs })
  }

  /** Tells of the moves that have come to an end. */
  settle(nowMs: number): void {
    for (const [from, { targets, atMs }] of this.#moves) {
      if (nowMs - atMs < togetherMs) continue
      this.#moves.delete(from)
      const count = [...targets.values()].reduce((sum, each) => sum + each, 0)
      const to = [...targets].map(([name, each]) => `${name} (${each})`)
      const where = targets.size === 1 ? [...targets.keys()][0] : to.join(', ')
      this.say(`${counted(count, 'shard')} moved: ${from} → ${where}`, 'plain', nowMs)
    }
  }

  say(text: string, mood: Mood, nowMs: number): void {
    this.#list.push({ atMs: nowMs, text, mood })
    if (this.#list.length > newsMax) this.#list.shift()
  }
}
