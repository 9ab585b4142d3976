/** The address of nobody: an actor that is not there, or was of another time. What is sent to it says why it was lost. */
import {
  type ActorPath,
  type ActorRef,
  type AskOptions,
  DeadLetter,
  type StatusReply,
} from '../../actor/index.ts'
import {
  ask,
  askWithStatus,
  type InternalRef,
  type Runtime,
  type Watcher,
} from '../../actor/internals.ts'
import type { RemoteDeadLetterReason } from '../remote-drop-reasons.ts'
import { pathOf, type RefText, refText } from './ref-text.ts'

export class AbsentRef implements InternalRef {
  readonly isTerminated = true
  readonly #runtime: Runtime
  readonly #text: RefText
  readonly #reason: RemoteDeadLetterReason

  constructor(runtime: Runtime, text: RefText, reason: RemoteDeadLetterReason) {
    this.#runtime = runtime
    this.#text = text
    this.#reason = reason
  }

  get path(): ActorPath {
    return pathOf(this.#text)
  }

  get fullText(): string {
    return refText(this.#text)
  }

  tell(message: unknown): void {
    this.#runtime.lost(new DeadLetter(message, this, this.#reason))
  }

  ask<Reply>(make: (replyTo: ActorRef<Reply>) => never, options?: AskOptions): Promise<Reply> {
    return ask(this, make, options, this.#runtime)
  }

  askWithStatus<Value>(
    make: (replyTo: ActorRef<StatusReply<Value>>) => never,
    options?: AskOptions,
  ): Promise<Value> {
    return askWithStatus(this, make, options, this.#runtime)
  }

  addWatcher(watcher: Watcher): void {
    watcher.watchedTerminated(this, undefined)
  }

  removeWatcher(): void {}

  toString(): string {
    return this.path.toString()
  }

  toJSON(): string {
    return this.toString()
  }
}
