/**
 * Machines of several nodes in one loop: links that keep order, timers by name, nodes that crash and sleep, and a log of
 * what was said. With a latency it goes on by virtual time (`run`). Without one nothing moves until somebody says so
 * (`deliverAny`, `fire`), so that every interleaving which the links allow can come up. How effects are performed, and
 * what must hold after them, knows whoever adds the nodes.
 */
import { BinaryHeap } from '../../src/foundation/binary-heap.ts'
import { type NodeId, addressOfNode, isNodeId } from '../../src/foundation/node-id.ts'
import type { Random } from '../../src/foundation/random.ts'

/** Of the log, the latest. */
const rememberedMax = 1_000
/** Steps in one moment: more are a conversation without end. */
const atOnceMax = 10_000

export interface Chance extends Random {
  chance(probability: number): boolean
  pick<T>(values: readonly T[]): T
  fork(label: string): Chance
}

interface TimerFired<Timer> {
  readonly type: 'TimerFired'
  readonly timer: Timer
}

/** What befalls a node, whatever its machine. */
interface Life<Timer extends string> {
  /** Those that run; each start is another object. */
  readonly timers: Map<Timer, object>
  isAlive: boolean
  asleepUntil: number
}

export interface MachineNode<Input, Effect, Timer extends string = never> extends Life<Timer> {
  readonly id: NodeId
  readonly machine: { step(input: Input, now: number): readonly Effect[] }
  /** Performs what one step asks for. */
  readonly act: (effects: readonly Effect[]) => void
}

export interface Letter {
  /** The ends of its link, by which that is cut. */
  readonly from: string
  readonly to: string
  /** Each lane between two keeps an order of its own. */
  readonly lane?: string
  /** What it says; without one it is no word between nodes, and not in the log. */
  readonly message?: { readonly type: string }
  readonly arrive: () => void
  /** Instead of `arrive`. */
  readonly lose?: () => void
  /** How likely that is. */
  readonly loss?: number
  /** How likely it comes once more, next or behind the others; where letters are drawn. */
  readonly repetition?: number
}

interface Posted {
  readonly letter: Letter
  readonly at: number
}

interface Due {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

export interface MachineNetworkOptions {
  readonly random: Chance
  /** How long letters travel; without it they wait until they are drawn. */
  readonly latencyMs?: readonly [least: number, most: number] | undefined
}

export class MachineNetwork {
  readonly random: Chance
  readonly log: (string | Letter)[] = []
  readonly #latencyMs: readonly [number, number] | undefined
  readonly #agenda = new BinaryHeap<Due>(
    (a, b) => a.at < b.at || (a.at === b.at && a.order < b.order),
  )
  /** Only those on which something is under way. */
  readonly #links = new Map<string, Posted[]>()
  readonly #cuts = new Set<string>()
  #order = 0
  #atOnce = 0
  now = 0
  sent = 0

  constructor({ random, latencyMs }: MachineNetworkOptions) {
    this.random = random
    this.#latencyMs = latencyMs
  }

  // ---- nodes

  give<Input, Effect, Timer extends string>(
    node: MachineNode<Input, Effect, Timer>,
    input: Input,
  ): void {
    if (!node.isAlive) return
    if (this.now < node.asleepUntil) this.at(node.asleepUntil, () => this.give(node, input))
    else node.act(node.machine.step(input, this.now))
  }

  startTimer<Effect, Timer extends string>(
    node: MachineNode<TimerFired<Timer>, Effect, Timer>,
    timer: Timer,
    delayMs: number,
  ): void {
    const start = {}
    node.timers.set(timer, start)
    if (this.#latencyMs === undefined) return
    this.after(delayMs, () => {
      if (node.timers.get(timer) === start) this.fire(node, timer)
    })
  }

  fire<Effect, Timer extends string>(
    node: MachineNode<TimerFired<Timer>, Effect, Timer>,
    timer: Timer,
  ): void {
    node.timers.delete(timer)
    this.give(node, { type: 'TimerFired', timer })
  }

  crash<Timer extends string>(node: Life<Timer>): void {
    node.isAlive = false
    node.timers.clear()
  }

  sleep<Timer extends string>(node: Life<Timer>, ms: number): void {
    node.asleepUntil = this.now + ms
  }

  // ---- links

  send(letter: Letter): void {
    this.sent++
    if (letter.message !== undefined) this.#remember(letter)
    const { from, to, loss = 0 } = letter
    if (this.isCut(from, to) || this.random.chance(loss)) return letter.lose?.()
    const link = this.#open(letter)
    const posted = { letter, at: Math.max(this.#arrivalTime(), link.at(-1)?.at ?? 0) }
    link.push(posted)
    if (this.#latencyMs === undefined) return
    this.at(posted.at, () => {
      // Not if it was flushed meanwhile.
      if (link[0] === posted) this.#take(link).arrive()
    })
  }

  /** The first letter of some link arrives. False when nothing of that kind is under way. */
  deliverAny(isWanted: (letter: Letter) => boolean = () => true): boolean {
    const links = [...this.#links.values()].filter(([first]) => first && isWanted(first.letter))
    if (links.length === 0) return false
    const letter = this.#take(this.random.pick(links))
    if (this.random.chance(letter.repetition ?? 0)) this.#repeat(letter)
    letter.arrive()
    return true
  }

  /** Loses what is under way from one to another. */
  flush(from: string, to: string, lane: string): void {
    const key = linkOf({ from, to, lane })
    const link = this.#links.get(key) ?? []
    this.#links.delete(key)
    for (const { letter } of link.splice(0)) letter.lose?.()
  }

  cut(from: readonly string[], to: readonly string[], { oneWay = false } = {}): void {
    for (const a of from) {
      for (const b of to) {
        this.#cuts.add(`${a}>${b}`)
        if (!oneWay) this.#cuts.add(`${b}>${a}`)
      }
    }
  }

  heal(): void {
    this.#cuts.clear()
  }

  isCut(from: string, to: string): boolean {
    return this.#cuts.has(`${from}>${to}`)
  }

  #open(letter: Letter): Posted[] {
    const key = linkOf(letter)
    let link = this.#links.get(key)
    if (link === undefined) this.#links.set(key, (link = []))
    return link
  }

  #arrivalTime(): number {
    if (this.#latencyMs === undefined) return this.now
    const [least, most] = this.#latencyMs
    return this.now + least + this.random.float() * (most - least)
  }

  #take(link: Posted[]): Letter {
    const { letter } = link.shift()!
    if (link.length === 0) this.#links.delete(linkOf(letter))
    return letter
  }

  #repeat(letter: Letter): void {
    const link = this.#open(letter)
    if (this.random.chance(0.5)) link.push({ letter, at: this.now })
    else link.unshift({ letter, at: this.now })
  }

  // ---- time

  at(time: number, run: () => void): void {
    this.#agenda.push({ at: time, order: this.#order++, run })
  }

  after(ms: number, run: () => void): void {
    this.at(this.now + ms, run)
  }

  run(ms: number): void {
    const end = this.now + ms
    for (let due = this.#agenda.peek(); due && due.at <= end; due = this.#agenda.peek()) {
      this.#agenda.pop()
      this.#atOnce = due.at === this.now ? this.#atOnce + 1 : 0
      if (this.#atOnce > atOnceMax) throw new Error(`it never ends:\n${this.story()}`)
      this.now = due.at
      due.run()
    }
    this.now = end
  }

  // ---- the log

  note(text: string): void {
    this.#remember(text)
  }

  #remember(entry: string | Letter): void {
    this.log.push(entry)
    if (this.log.length > 2 * rememberedMax) this.log.splice(0, rememberedMax)
  }

  /** The end of it, to see how something came about. */
  story(): string {
    const line = (entry: string | Letter): string =>
      typeof entry === 'string'
        ? entry
        : `${nameOf(entry.from)} -> ${nameOf(entry.to)} ${entry.message?.type}`
    return this.log.slice(-60).map(line).join('\n')
  }
}

/** What every node begins with. */
export function newcomer<Timer extends string>(): Life<Timer> {
  return { timers: new Map(), isAlive: true, asleepUntil: 0 }
}

/** As short as can be: `a` for `a:1` and all its incarnations. */
export function nameOf(nodeOrAddress: string): string {
  const address = isNodeId(nodeOrAddress) ? addressOfNode(nodeOrAddress) : nodeOrAddress
  return address.replace(/:1$/, '')
}

function linkOf({ from, to, lane = '' }: Pick<Letter, 'from' | 'to' | 'lane'>): string {
  return `${from}>${to}>${lane}`
}
