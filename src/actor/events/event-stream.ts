/**
 * News of the system for whoever wants to hear it: events are objects, chosen by class. Who listens to an event is
 * decided once per class of event and remembered until a subscription changes, so that news nobody wants costs a
 * lookup.
 */
import { CodedError } from '../../foundation/coded-error.ts'
import { isInstance } from '../../foundation/is-instance.ts'
import type { Logger } from '../../foundation/logger.ts'
import { show } from '../../foundation/show.ts'
import { heedRejection, isPromise } from '../behavior/interpret.ts'
import { type ActorRef, internal, isRef, type Watcher } from '../ref/actor-ref.ts'
import { kindOfMessage } from './kind-of-message.ts'

/** Events that are `instanceof` it are chosen: its subclasses are included, and `Object` is every event. */
export type EventClass<E> = abstract new (...args: never[]) => E

/** Ends what `subscribe` began. */
export interface Subscription {
  /** Nothing more is delivered for it. Harmless when it has already ended. */
  unsubscribe(): void
}

/** What was given to `subscribe` is no class, or nobody who can listen. */
export class InvalidSubscription extends CodedError {
  readonly code = 'INVALID_SUBSCRIPTION'
}

type Target = ActorRef<never> | ((event: never) => void)

/** One actor or callback, with all it listens to. */
interface Subscriber {
  readonly target: Target
  readonly subscriptions: Map<EventClass<unknown>, Subscription>
  /** Undefined for callbacks: only actors terminate. */
  readonly watcher: Watcher | undefined
  isTaking: boolean
}

const nobody: readonly Subscriber[] = []

/** News for whoever listens, by class: lost messages, and events of your own. */
export class EventStream {
  readonly #logger: Logger
  readonly #subscribers = new Map<Target, Subscriber>()
  /** By prototype of the event. Replaced, never cleared: a publication that is under way notices. */
  #listeners = new WeakMap<object, readonly Subscriber[]>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /**
   * Tells the actor, or calls the function, for each event of this class. A subscriber gets an event once, however many
   * of its classes match, and nothing that is published while it is being told of another event. The subscriptions of
   * an actor end with it.
   */
  subscribe<E>(
    eventClass: EventClass<E>,
    subscriber: ActorRef<E> | ((event: E) => void),
  ): Subscription {
    refuseMisuse(eventClass, subscriber)
    const entry = this.#subscribers.get(subscriber) ?? this.#add(subscriber)
    const existing = entry.subscriptions.get(eventClass)
    if (existing !== undefined) return existing
    const subscription: Subscription = {
      unsubscribe: () => {
        if (entry.subscriptions.get(eventClass) !== subscription) return
        entry.subscriptions.delete(eventClass)
        if (entry.subscriptions.size === 0) this.#remove(entry)
        this.#listeners = new WeakMap()
      },
    }
    entry.subscriptions.set(eventClass, subscription)
    this.#listeners = new WeakMap()
    // Last, because an actor that is already gone says so at once.
    if (entry.subscriptions.size === 1) watch(entry)
    return subscription
  }

  /** Whether an event of exactly this class would be heard; for those who make it only then. */
  hasListeners(eventClass: EventClass<unknown>): boolean {
    if (this.#subscribers.size === 0) return false
    const prototype = eventClass.prototype as object
    const known = this.#listeners.get(prototype)
    const listeners = known ?? this.#listenersTo(Object.create(prototype) as object)
    return listeners.length > 0
  }

  /**
   * Delivers to those who are subscribed now, in the order in which they first subscribed. Never throws; what is no object
   * has no class, and nobody to hear it.
   */
  publish(event: object): void {
    if (this.#subscribers.size === 0 || !isEvent(event)) return
    const listeners = this.#listeners
    for (const subscriber of this.#listenersTo(event)) {
      const hasChanged = listeners !== this.#listeners
      if (hasChanged && !this.#listenersTo(event).includes(subscriber)) continue
      this.#deliver(subscriber, event)
    }
  }

  #deliver(subscriber: Subscriber, event: object): void {
    // News of a message that was lost on its way to a subscriber would be lost on the same way, without end.
    if (subscriber.isTaking) return
    subscriber.isTaking = true
    try {
      const { target } = subscriber
      if (typeof target !== 'function') {
        target.tell(event as never)
        return
      }
      const outcome: unknown = target(event as never)
      // Nobody waits for an async callback, but its failure must not end the process.
      if (isPromise(outcome)) heedRejection(outcome, (err) => this.#logFailure(err, event))
    } catch (err) {
      this.#logFailure(err, event)
    } finally {
      subscriber.isTaking = false
    }
  }

  #logFailure(err: unknown, event: object): void {
    this.#logger.error(
      { err, event: kindOfMessage(event) },
      'A subscriber of the event stream threw.',
    )
  }

  #listenersTo(event: object): readonly Subscriber[] {
    const prototype = Object.getPrototypeOf(event) as object | null
    if (prototype === null) return nobody
    const known = this.#listeners.get(prototype)
    if (known !== undefined) return known
    // Not by `instanceof`: a class may answer that itself, and throw.
    const isChosen = (eventClass: EventClass<unknown>): boolean => isInstance(event, eventClass)
    const listeners = [...this.#subscribers.values()].filter(({ subscriptions }) =>
      [...subscriptions.keys()].some(isChosen),
    )
    this.#listeners.set(prototype, listeners)
    return listeners
  }

  #add(target: Target): Subscriber {
    const watchedTerminated = (): void => {
      if (this.#subscribers.get(target) !== subscriber) return
      this.#subscribers.delete(target)
      subscriber.subscriptions.clear()
      this.#listeners = new WeakMap()
    }
    const watcher = typeof target === 'function' ? undefined : { watchedTerminated }
    const subscriber: Subscriber = { target, subscriptions: new Map(), watcher, isTaking: false }
    this.#subscribers.set(target, subscriber)
    return subscriber
  }

  #remove({ target, watcher }: Subscriber): void {
    this.#subscribers.delete(target)
    if (watcher !== undefined) internal(target as ActorRef<never>).removeWatcher(watcher)
  }
}

/** Plain JavaScript may hand us anything. */
function isEvent(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function watch({ target, watcher }: Subscriber): void {
  if (watcher !== undefined) internal(target as ActorRef<never>).addWatcher(watcher)
}

function refuseMisuse(eventClass: unknown, subscriber: unknown): void {
  // Without a prototype, an arrow function for example, `instanceof` would throw at the publisher.
  if (typeof eventClass !== 'function' || typeof eventClass.prototype !== 'object') {
    throw new InvalidSubscription(
      `${show(eventClass)} is not a class. Subscribe to a class of events.`,
    )
  }
  if (typeof subscriber === 'function' || isRef(subscriber)) return
  throw new InvalidSubscription(
    `${show(subscriber)} cannot subscribe. Give an ActorRef or a function.`,
  )
}
