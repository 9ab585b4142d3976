/**
 * The rarely used state of a running actor, created on first use: an idle actor with a trivial behavior has none of it.
 */
import type { Timer } from '../../foundation/timers.ts'
import type { Failure, InternalRef, Watcher } from '../ref/actor-ref.ts'
import type { ActorTimers } from '../context/actor-timers.ts'
import type { Wrapper } from '../behavior/behavior.ts'
import type { Inward } from '../behavior/inward.ts'
import type { LocalRef } from '../ref/local-ref.ts'
import type { MailboxOptions } from './mailbox.ts'
import type { WithheldMail } from './withheld-mail.ts'
import type { MessageAdapters } from '../context/message-adapters.ts'
import type { ReceiveTimeout } from '../context/receive-timeout.ts'

/** Messages that go before the mailbox: an unstash in progress, or what was held during a restart. */
export interface Replay {
  /** The next message, or undefined when there is none left. */
  take(): Inward | undefined
  /** A failure ends the replay of a stash, whose rest stays stashed; what a restart held is always delivered. */
  readonly endsOnFailure: boolean
}

/** A stash as the runtime sees it: it ends with the behavior that made it. */
export interface Stash {
  /** The innermost wrapper around that behavior. */
  readonly scope: Wrapper | undefined
  /** Takes everything out, for good. */
  discard(): unknown[]
}

/** What somebody who watches has asked for. */
export interface WatchRequest {
  /** What to deliver instead of the signal; undefined: the signal. */
  readonly message: unknown
  /** Whether a behavior asked for it that was restarted since: the fresh one may ask for something else. */
  readonly isInherited: boolean
}

/** The living children of an actor by the names in their paths. A map, or what an owner of very many has in its place. */
export interface ChildActors {
  readonly size: number
  get(name: string): LocalRef | undefined
  has(name: string): boolean
  set(name: string, child: LocalRef): unknown
  delete(name: string): unknown
  values(): Iterable<LocalRef>
}

export class CellState {
  children: ChildActors | undefined
  /** Children spawned without a name so far. */
  namelessCount = 0
  /** A supervisor that waits for children to end before it restarts. */
  childListener: ((child: LocalRef) => void) | undefined
  /** Whom this actor watches. */
  watching: Map<InternalRef, WatchRequest> | undefined
  watchers: Set<Watcher> | undefined
  timers: ActorTimers | undefined
  receiveTimeout: ReceiveTimeout | undefined
  adapters: MessageAdapters | undefined
  /** Those that hold something. */
  stashes: Set<Stash> | undefined
  /** The last one goes first. */
  replays: Replay[] | undefined
  /** Supervisors and settled handlers to go on with, in this order. */
  inward: Inward[] | undefined
  mailbox: MailboxOptions | undefined
  /** While mail is withheld: how much of it may wait. */
  withheld: WithheldMail | undefined
  envelopesQueued = 0
  abort: AbortController | undefined
  /** The promise of the async handler, or the PreRestart, in progress: one that was given up is not here any more when it settles. */
  pending: object | undefined
  /** The wrapper whose inner behavior runs right now. */
  scope: Wrapper | undefined
  failure: Failure | undefined
  /** What is being delivered stands in place of a `Terminated` signal. */
  isNewsOfDeath = false
  stopCallback: (() => void) | undefined
  stopStage: 'children' | 'handler' | 'post-stop' | undefined
  /** Ends the wait for a handler that does not settle. */
  patience: Timer | undefined

  /** Whether a fresh one would do as well. */
  get isBlank(): boolean {
    return (
      this.children === undefined &&
      this.watchers === undefined &&
      this.watching === undefined &&
      this.scope === undefined &&
      this.pending === undefined &&
      (this.stashes === undefined || this.stashes.size === 0) &&
      (this.replays === undefined || this.replays.length === 0) &&
      (this.inward === undefined || this.inward.length === 0) &&
      this.timers === undefined &&
      this.receiveTimeout === undefined &&
      this.adapters === undefined &&
      this.mailbox === undefined &&
      this.withheld === undefined &&
      this.abort === undefined &&
      this.childListener === undefined &&
      this.failure === undefined &&
      this.stopStage === undefined &&
      this.stopCallback === undefined &&
      this.namelessCount === 0
    )
  }
}
