/**
 * Translates foreign messages into an actor's own. All adapters of an actor share one address; there is one translation
 * per match, so an actor that registers on every message does not grow. The number of matches is bounded.
 */
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import { show } from '../../foundation/show.ts'
import { ActorPath } from '../ref/actor-path.ts'
import type { ActorRef, AskOptions, InternalRef, Watcher } from '../ref/actor-ref.ts'
import { InvalidMessage } from '../actor-errors.ts'
import { ask, askWithStatus } from '../ref/ask.ts'
import type { Cell } from '../cell/cell.ts'
import { Envelope, isEnvelope } from '../cell/envelope.ts'
import type { StatusReply } from '../ref/status-reply.ts'

/** How to recognise a foreign message: by its `type` tag, by its class, or by asking a function. */
export type MessageMatch<U> =
  | string
  | (abstract new (...args: never[]) => U)
  | ((message: unknown) => message is U)

/** Gets only messages of its match. */
export type Translate = (message: unknown) => unknown

export class MessageAdapters {
  readonly ref: AdapterRef
  /** The newest first. */
  #translations: readonly Translation[] = []

  constructor(cell: Cell) {
    this.ref = new AdapterRef(cell)
  }

  /** `match` undefined is for every message. */
  register(match: unknown, translate: unknown): void {
    const others = this.#translations.filter((each) => each.match !== match)
    const problems = problemsWith(match, translate, others.length)
    if (problems.length > 0) throw new InvalidSettings(`The adapter ${this.ref}`, problems)
    const translation = { match, accepts: acceptorFor(match), translate } as Translation
    this.#translations = [translation, ...others]
  }

  translationFor(message: unknown): Translate | undefined {
    for (const { accepts, translate } of this.#translations) {
      if (accepts(message)) return translate
    }
    return undefined
  }
}

/** A guard that is written anew with each message is a new match each time. */
const translationsMax = 1_000

function problemsWith(match: unknown, translate: unknown, others: number): string[] {
  const problems: string[] = []
  if (!['undefined', 'string', 'function'].includes(typeof match)) {
    problems.push(`it matches by a type tag, a class or a guard, not by ${show(match)}`)
  }
  if (typeof translate !== 'function') {
    problems.push(`it translates with a function, not with ${show(translate)}`)
  }
  if (others >= translationsMax) {
    problems.push(
      `it has ${others} matches already, as many as it may; make a guard once, outside the handler`,
    )
  }
  return problems
}

interface Translation {
  readonly match: unknown
  readonly accepts: (message: unknown) => boolean
  readonly translate: Translate
}

function acceptorFor(match: unknown): (message: unknown) => boolean {
  if (match === undefined) return () => true
  if (typeof match === 'string') {
    return (message) =>
      typeof message === 'object' && message !== null && 'type' in message && message.type === match
  }
  if (isClass(match)) return (message) => message instanceof match
  return (message) => Boolean((match as (message: unknown) => unknown)(message))
}

/** A class may not be called and a guard may not be asked with `instanceof`, so they have to be told apart. */
function isClass(match: unknown): match is abstract new () => unknown {
  if (typeof match !== 'function' || typeof match.prototype !== 'object') return false
  return /^class\b|\[native code\]/.test(Function.prototype.toString.call(match))
}

/** The address of an actor for foreign messages. */
export class AdapterRef implements InternalRef {
  readonly #cell: Cell
  /** Who watches this address, and who watches the actor for them under its own. */
  readonly #watchers = new Map<Watcher, Watcher>()

  constructor(cell: Cell) {
    this.#cell = cell
  }

  get path(): ActorPath {
    return new ActorPath('$adapter', this.#cell.ref.path, 0)
  }

  get isTerminated(): boolean {
    return this.#cell.isTerminated
  }

  tell(message: unknown): void {
    if (message === undefined) throw new InvalidMessage(this.toString())
    const isOurs = isEnvelope(message)
    this.#cell.send(isOurs ? message : new Envelope({ type: 'Adapted', message }))
  }

  ask<Reply>(make: (replyTo: ActorRef<Reply>) => never, options?: AskOptions): Promise<Reply> {
    return ask(this, make, options, this.#cell.runtime)
  }

  askWithStatus<Value>(
    make: (replyTo: ActorRef<StatusReply<Value>>) => never,
    options?: AskOptions,
  ): Promise<Value> {
    return askWithStatus(this, make, options, this.#cell.runtime)
  }

  addWatcher(watcher: Watcher): void {
    if (this.#watchers.has(watcher)) return
    const deputy: Watcher = {
      watchedTerminated: (_ref, failure) => {
        this.#watchers.delete(watcher)
        watcher.watchedTerminated(this, failure)
      },
    }
    this.#watchers.set(watcher, deputy)
    this.#cell.ref.addWatcher(deputy)
  }

  removeWatcher(watcher: Watcher): void {
    const deputy = this.#watchers.get(watcher)
    if (deputy === undefined) return
    this.#watchers.delete(watcher)
    this.#cell.ref.removeWatcher(deputy)
  }

  toString(): string {
    return this.path.toString()
  }

  toJSON(): string {
    return this.toString()
  }
}
