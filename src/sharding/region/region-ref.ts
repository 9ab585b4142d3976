/** The region as an actor to tell, ask and watch. What it is told is routed at once, without a mailbox. */
import {
  type ActorPath,
  type ActorRef,
  type AskOptions,
  InvalidMessage,
  PoisonPill,
  type StatusReply,
} from '../../actor/index.ts'
import {
  ask,
  askWithStatus,
  type InternalRef,
  type Question,
  type Watcher,
} from '../../actor/internals.ts'
import { isRegionRequest, type RegionRequest } from '../region-requests.ts'
import { SetActiveEntityLimit } from '../passivation/set-active-entity-limit.ts'
import type { Region } from './region.ts'

export class RegionRef implements InternalRef {
  readonly #region: Region
  readonly #serve: (request: RegionRequest) => void
  readonly #sendQuestion = (message: unknown, question: Question): void => {
    if (isRegionRequest(message)) this.#serve(message)
    else this.#region.routeIncoming(message, question)
  }

  /** `serve` takes what is for the region itself. */
  constructor(region: Region, serve: (request: RegionRequest) => void) {
    this.#region = region
    this.#serve = serve
  }

  leadsTo(region: Region): boolean {
    return this.#region === region
  }

  get path(): ActorPath {
    return this.#region.ref.path
  }

  get isTerminated(): boolean {
    return this.#region.ref.isTerminated
  }

  /** A message that names no entity is a dead letter. */
  tell(message: unknown): void {
    if (message === undefined) throw new InvalidMessage(this.toString())
    if (message === PoisonPill) this.#region.leave()
    else if (isRegionRequest(message)) this.#serve(message)
    else if (message instanceof SetActiveEntityLimit) this.#region.setActiveEntityLimit(message)
    else this.#region.routeIncoming(message, undefined)
  }

  ask<Reply>(make: (replyTo: ActorRef<Reply>) => never, options?: AskOptions): Promise<Reply> {
    return ask(this, make, options, this.#region.runtime, this.#sendQuestion)
  }

  askWithStatus<Value>(
    make: (replyTo: ActorRef<StatusReply<Value>>) => never,
    options?: AskOptions,
  ): Promise<Value> {
    return askWithStatus(this, make, options, this.#region.runtime, this.#sendQuestion)
  }

  addWatcher(watcher: Watcher): void {
    this.#region.ref.addWatcher(watcher)
  }

  removeWatcher(watcher: Watcher): void {
    this.#region.ref.removeWatcher(watcher)
  }

  toString(): string {
    return this.#region.ref.toString()
  }

  toJSON(): string {
    return this.toString()
  }
}
