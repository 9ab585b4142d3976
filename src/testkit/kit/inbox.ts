/** An address that keeps what is told to it, for tests that do not wait: no actor takes the messages, the test does. */
import { type ActorRef, Behaviors, PoisonPill } from '../../actor/index.ts'
import { describeDifference } from '../difference.ts'
import { isEqual } from '../is-equal.ts'
import { HandWorld } from './hand-world.ts'
import { shownExpected } from '../expectation.ts'
import { listedValues } from '../listed.ts'
import { ProbeFailure, callSite } from '../probe-failure.ts'

/** `refresh` brings what is on its way into `kept`. */
export interface InboxSource<T> {
  readonly ref: ActorRef<T>
  readonly kept: (T | PoisonPill)[]
  refresh(): void
}

/** What was told to a ref, to be read by a test that does not wait. */
export class Inbox<T> {
  readonly ref: ActorRef<T>
  readonly #source: InboxSource<T>

  constructor(source: InboxSource<T>) {
    this.ref = source.ref
    this.#source = source
  }

  /** What waits, oldest first; it stays there. */
  get messages(): readonly (T | PoisonPill)[] {
    return [...this.#kept()]
  }

  get isEmpty(): boolean {
    return this.#kept().length === 0
  }

  /** Takes the oldest message. */
  receive(): T {
    const kept = this.#kept()
    if (kept.length > 0) return kept.shift() as T
    throw new ProbeFailure(`Expected a message, but ${this} is empty.`, callSite(this.receive))
  }

  /** Takes all messages. */
  receiveAll(): T[] {
    return this.#kept().splice(0) as T[]
  }

  /** Takes the oldest message, which must satisfy the predicate. */
  expect(predicate: (message: T) => boolean): T
  /** Takes the oldest message, which must equal this one. */
  expect(expected: T | PoisonPill | ((message: T) => boolean)): T
  expect(expected: unknown): T {
    const kept = this.#kept()
    const [message] = kept
    const isMatch =
      typeof expected === 'function'
        ? (given: T): boolean => (expected as (message: T) => boolean)(given)
        : (given: T): boolean => isEqual(given, expected)
    if (kept.length > 0 && isMatch(message as T)) return kept.shift() as T
    const came = kept.length === 0 ? `${this} is empty` : `${this} has: ${listedValues(kept)}`
    const difference = typeof expected === 'function' ? '' : describeDifference(expected, message)
    const sentences = [`Expected ${shownExpected(expected)}, but ${came}.`, difference]
    throw new ProbeFailure(sentences.join(' ').trimEnd(), callSite(this.expect))
  }

  toString(): string {
    return `inbox ${this.ref.path.name}`
  }

  #kept(): (T | PoisonPill)[] {
    this.#source.refresh()
    return this.#source.kept
  }
}

/** An inbox of its own, outside of any system under test. */
export function createInbox<T>(name = 'inbox'): Inbox<T> {
  return spawnInbox<T>(new HandWorld('inbox'), name)
}

export function spawnInbox<T>(world: HandWorld, name: string): Inbox<T> {
  const ref: ActorRef<T> = world.system.spawn(Behaviors.ignore, name)
  world.run()
  return new Inbox(collect(ref))
}

/**
 * Lets the ref keep what it is told. All else stays as it is: it has its path, and can be watched, asked and stopped.
 */
export function collect<T>(ref: ActorRef<T>): InboxSource<T> & { stop(): void } {
  const kept: (T | PoisonPill)[] = []
  const send = ref.tell.bind(ref)
  const tell = (message: T | PoisonPill): void => {
    // The ref itself says best what is wrong with undefined.
    if (message === undefined) send(message)
    else kept.push(message)
  }
  Object.defineProperty(ref, 'tell', { value: tell })
  return { ref, kept, refresh: () => undefined, stop: () => send(PoisonPill) }
}
