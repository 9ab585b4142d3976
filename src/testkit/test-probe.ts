/**
 * An actor for tests: give its ref to those under test and ask it what came. All waits are promises and have a limit;
 * questions asked at the same time are answered one after the other. A failure says what was expected, and what came.
 */
import { type ActorRef, type ActorSystem, PoisonPill } from '../actor/index.ts'
import { type Duration, formatMs, toMs } from '../foundation/duration.ts'
import { describeDifference } from './difference.ts'
import { isEqual } from './is-equal.ts'
import { describeTime, Expectation, type ExpectOptions, shownExpected } from './expectation.ts'
import { listedValues, shownValue } from './listed.ts'
import { Losses } from './losses.ts'
import { type ManualTime, manualTimeOf } from './manual-time.ts'
import { ProbeBox, WatchForProbe, probeActor } from './probe-actor.ts'
import { hop } from './patience.ts'
import { type ProbeFailure, callSite } from './probe-failure.ts'
import type { WaitEnd } from './wait-until.ts'

export type { ExpectOptions } from './expectation.ts'

/** How long nothing may come. */
export interface ExpectNoOptions {
  /** How long nothing may come, in real time; 100 ms when not given. Not used on manual time: there, rest is enough. */
  readonly for?: Duration
  readonly hint?: string
}

/** What to do with a message while fishing: keep it, pass over it, keep it and be done, or fail. */
export type Fishing = 'take' | 'skip' | 'done' | 'fail'

/** The messages of T with this tag. */
type Tagged<T, Tag> = [Extract<T, { readonly type: Tag }>] extends [never]
  ? T & { readonly type: Tag }
  : Extract<T, { readonly type: Tag }>

/** The tags of T; any text when it has none that the compiler knows. */
type TagOf<T> = [KnownTagOf<T>] extends [never] ? string : KnownTagOf<T>

type KnownTagOf<T> = T extends { readonly type: infer Tag extends string } ? Tag : never

/** Starts a probe under `/user`. Without a name it gets one that begins with `$`. */
export function createTestProbe<T>(system: ActorSystem, name?: string): TestProbe<T> {
  return new TestProbe<T>(system, name)
}

/** An actor whose mail the test reads: give its `ref` away, and ask the probe what came. */
export class TestProbe<T> {
  readonly ref: ActorRef<T>
  readonly #actor: ActorRef<unknown>
  readonly #box = new ProbeBox()
  readonly #losses: Losses
  readonly #time: ManualTime | undefined
  #lastRead: Promise<unknown> = Promise.resolve()

  constructor(system: ActorSystem, name: string | undefined) {
    this.#actor = system.spawn(probeActor(this.#box), name)
    this.ref = this.#actor
    this.#losses = new Losses(system)
    this.#time = manualTimeOf(system)
  }

  /** Received and not yet read, oldest first. */
  get messages(): readonly T[] {
    return [...this.#box.messages] as T[]
  }

  /** The next message satisfies the predicate. Resolves with it. */
  expect(predicate: (message: T) => boolean, options?: ExpectOptions): Promise<T>
  /** The next message equals this one. Resolves with it. */
  expect(expected: T | ((message: T) => boolean), options?: ExpectOptions): Promise<T>
  async expect(expected: unknown, options: ExpectOptions = {}): Promise<T> {
    const expectation = this.#expectation(shownExpected(expected), options, this.expect)
    if (typeof expected === 'function') {
      const isMatch = expected as (message: T) => boolean
      return this.#read(() => this.#next(expectation, isMatch))
    }
    const isMatch = (message: T): boolean => isEqual(message, expected)
    const explain = (message: T): string => describeDifference(expected, message)
    return this.#read(() => this.#next(expectation, isMatch, explain))
  }

  /** The next message has this `type`. Resolves with it. */
  async expectType<Tag extends TagOf<T>>(
    tag: Tag,
    options: ExpectOptions = {},
  ): Promise<Tagged<T, Tag>> {
    const what = `a message of type ${shownValue(tag)}`
    const expectation = this.#expectation(what, options, this.expectType)
    const isMatch = (message: T): boolean =>
      (message as { readonly type?: unknown } | null)?.type === tag
    return (await this.#read(() => this.#next(expectation, isMatch))) as Tagged<T, Tag>
  }

  /** The next message, whatever it is. */
  receive(options?: ExpectOptions): Promise<T>
  /** The next messages, whatever they are. */
  receive(count: number, options?: ExpectOptions): Promise<T[]>
  async receive(first?: number | ExpectOptions, options: ExpectOptions = {}): Promise<T | T[]> {
    if (typeof first !== 'number') {
      const expectation = this.#expectation('a message', first ?? options, this.receive)
      return this.#read(() => this.#next(expectation, () => true))
    }
    const expectation = this.#expectation(`${first} messages`, options, this.receive)
    if (!Number.isInteger(first) || first < 0)
      throw expectation.refuted('that is not a number of messages')
    return this.#read(() => this.#several(expectation, first))
  }

  /** Nothing comes: for a while or, on manual time, until everybody has come to rest. */
  async expectNo(options: ExpectNoOptions = {}): Promise<void> {
    const forMs = toMs(options.for ?? 100, 'for')
    const what = this.#time === undefined ? `no message for ${formatMs(forMs)}` : 'no message'
    const asked = { ...options, within: forMs }
    const expectation = this.#expectation(what, asked, this.expectNo)
    return this.#read(async () => {
      if (this.#time === undefined) await this.#arrival(expectation)
      else await expectation.rest(this.#time)
      if (this.#box.messages.size > 0) throw await this.#refuted(expectation, [])
      if (this.#box.isStopped) throw expectation.refuted(`${this} was stopped`)
    })
  }

  /**
   * Takes messages until one is `done`, and resolves with those that were taken, that one included. A predicate passes
   * over all messages until the first that satisfies it.
   */
  async fish(choose: (message: T) => Fishing | boolean, options: ExpectOptions = {}): Promise<T[]> {
    const what = `to fish ${shownExpected(choose)}`
    const expectation = this.#expectation(what, options, this.fish)
    return this.#read(() => this.#fish(expectation, choose))
  }

  /** That actor has terminated, or does so soon. */
  async expectTerminated(ref: ActorRef<never>, options: ExpectOptions = {}): Promise<void> {
    const expectation = this.#expectation(`${ref} to terminate`, options, this.expectTerminated)
    this.#actor.tell(new WatchForProbe(ref))
    const { bell, terminated } = this.#box
    const isDone = (): boolean => terminated.has(ref) || this.#box.isStopped
    const outcome = await expectation.wait(isDone, bell)
    if (terminated.has(ref)) return
    if (this.#box.isStopped) throw expectation.refuted(`${this} was stopped before it did`)
    throw expectation.lost(outcome, 'it has not', this.#details())
  }

  /** Stops the actor behind the probe. What waits for a message fails. */
  stop(): void {
    this.#actor.tell(PoisonPill)
    this.#losses.end()
  }

  toString(): string {
    return `probe ${this.ref.path.name}`
  }

  #expectation(what: string, options: ExpectOptions, asked: Function): Expectation {
    return new Expectation(what, options, { site: callSite(asked), time: this.#time })
  }

  /** One at a time, in the order of the calls. */
  async #read<R>(read: () => Promise<R>): Promise<R> {
    const reading = this.#lastRead.then(read)
    this.#lastRead = reading.catch(() => undefined)
    const result = await reading
    this.#losses.forget()
    return result
  }

  async #next(
    expectation: Expectation,
    isMatch: (message: T) => boolean,
    explain?: (message: T) => string,
  ): Promise<T> {
    const outcome = await this.#arrival(expectation)
    if (this.#box.messages.size === 0) {
      throw expectation.lost(outcome, this.#receivedNothing(), this.#details())
    }
    const message = this.#box.messages.shift() as T
    if (!isMatch(message)) throw await this.#refuted(expectation, [message], explain?.(message))
    return message
  }

  async #several(expectation: Expectation, count: number): Promise<T[]> {
    const { messages } = this.#box
    const outcome = await this.#arrival(expectation, count)
    if (messages.size < count) {
      const but =
        messages.size === 0
          ? this.#receivedNothing()
          : `${this} received only: ${listedValues(this.messages)}`
      throw expectation.lost(outcome, but, this.#details())
    }
    return Array.from({ length: count }, () => messages.shift() as T)
  }

  async #fish(expectation: Expectation, choose: (message: T) => Fishing | boolean): Promise<T[]> {
    const taken: T[] = []
    const seen: T[] = []
    const { messages } = this.#box
    for (;;) {
      const outcome = await this.#arrival(expectation)
      if (messages.size === 0) {
        const but = seen.length === 0 ? this.#receivedNothing() : this.#received(seen)
        throw expectation.lost(outcome, but, this.#details())
      }
      // All that is there: the next wait then looks at the clock, however much is being sent.
      while (messages.size > 0) {
        const message = messages.shift() as T
        seen.push(message)
        const choice = choose(message)
        if (choice === 'fail') throw await this.#refuted(expectation, seen)
        if (choice === 'take' || choice === 'done' || choice === true) taken.push(message)
        if (choice === 'done' || choice === true) return taken
      }
    }
  }

  /** Waits until so many messages are there, or none can come. */
  #arrival(expectation: Expectation, count = 1): Promise<WaitEnd> {
    const { bell, messages } = this.#box
    const isDone = (): boolean => messages.size >= count || this.#box.isStopped
    return expectation.wait(isDone, bell)
  }

  /** These came, and what comes along with them is shown too. */
  async #refuted(
    expectation: Expectation,
    read: readonly T[],
    detail?: string,
  ): Promise<ProbeFailure> {
    await hop()
    return expectation.refuted(this.#received([...read, ...this.messages]), detail)
  }

  #received(messages: readonly T[]): string {
    return `${this} received: ${listedValues(messages)}`
  }

  #receivedNothing(): string {
    return this.#box.isStopped ? `${this} was stopped` : `${this} received nothing`
  }

  #details(): string[] {
    return [this.#losses.describe(), describeTime(this.#time)]
  }
}
