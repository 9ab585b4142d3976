/**
 * The address of a singleton, wherever it lives: a message goes straight to the instance once that is known, without
 * another actor in between, and waits here before. Order per sender is kept, since what waits goes first.
 */
import {
  type ActorRef,
  type AskOptions,
  DeadLetter,
  Dropped,
  InvalidMessage,
  type StatusReply,
} from '../actor/index.ts'
import {
  ActorPath,
  ask,
  askWithStatus,
  type InternalRef,
  type Runtime,
  type Watcher,
} from '../actor/internals.ts'
import { RingBuffer } from '../foundation/ring-buffer.ts'
import type { SingletonDroppedReason } from './singleton-drop-reasons.ts'

export class SingletonProxy implements InternalRef {
  readonly path: ActorPath
  readonly #runtime: Runtime
  readonly #bufferedMessagesMax: number
  readonly #waiting = new RingBuffer<unknown>()
  #target: InternalRef | undefined
  #isClosed = false
  #watchers: Set<Watcher> | undefined

  /** `parent` and `name`, percent-encoded, stand in the path, which is the one of the actor that keeps this proxy. */
  constructor(parent: string, name: string, runtime: Runtime, bufferedMessagesMax: number) {
    const system = new ActorPath('system', runtime.root.path, 0)
    this.path = new ActorPath(name, new ActorPath(parent, system, 0), 0)
    this.#runtime = runtime
    this.#bufferedMessagesMax = bufferedMessagesMax
  }

  get isTerminated(): boolean {
    return this.#isClosed
  }

  /** Messages that wait for the instance. */
  get waiting(): number {
    return this.#waiting.size
  }

  tell(message: unknown): void {
    if (message === undefined) throw new InvalidMessage(this.toString())
    if (this.#isClosed) return this.#runtime.lost(new DeadLetter(message, this, 'terminated'))
    const target = this.#livingTarget()
    if (target === undefined) this.#hold(message)
    else target.tell(message as never)
  }

  ask<Reply>(make: (replyTo: ActorRef<Reply>) => never, options?: AskOptions): Promise<Reply> {
    const target = this.#livingTarget()
    if (target !== undefined) return target.ask(make, options)
    return ask(this, make, options, this.#runtime)
  }

  askWithStatus<Value>(
    make: (replyTo: ActorRef<StatusReply<Value>>) => never,
    options?: AskOptions,
  ): Promise<Value> {
    const target = this.#livingTarget()
    if (target !== undefined) return target.askWithStatus(make, options)
    return askWithStatus(this, make, options, this.#runtime)
  }

  addWatcher(watcher: Watcher): void {
    if (this.#isClosed) return watcher.watchedTerminated(this, undefined)
    this.#watchers ??= new Set()
    this.#watchers.add(watcher)
  }

  removeWatcher(watcher: Watcher): void {
    this.#watchers?.delete(watcher)
  }

  toString(): string {
    return this.path.toString()
  }

  toJSON(): string {
    return this.toString()
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `ActorRef(${this})`
  }

  // ---- for the actor that keeps this proxy

  /** The instance is there: what waits goes first. */
  use(instance: InternalRef): void {
    if (this.#isClosed) return
    this.#target = instance
    for (let each = this.#waiting.shift(); each !== undefined; each = this.#waiting.shift()) {
      instance.tell(each as never)
    }
  }

  /** The instance is gone, or about to go. */
  forget(): void {
    this.#target = undefined
  }

  /** This node has no part in the cluster any more. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#target = undefined
    for (let each = this.#waiting.shift(); each !== undefined; each = this.#waiting.shift()) {
      this.#runtime.lost(new DeadLetter(each, this, 'terminated-while-queued'))
    }
    for (const watcher of this.#watchers ?? []) watcher.watchedTerminated(this, undefined)
    this.#watchers = undefined
  }

  /** A death on this node is seen here at once, before its news has come. */
  #livingTarget(): InternalRef | undefined {
    if (this.#target?.isTerminated === true) this.#target = undefined
    return this.#target
  }

  #hold(message: unknown): void {
    this.#waiting.push(message)
    if (this.#waiting.size <= this.#bufferedMessagesMax) return
    const oldest = this.#waiting.shift()
    this.#runtime.lost(
      new Dropped(oldest, this, 'singleton-buffer-full' satisfies SingletonDroppedReason),
    )
  }
}
