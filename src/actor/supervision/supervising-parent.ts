/**
 * An actor whose only work is another one, its child: hands on every message, and starts the child anew after a pause when
 * it has ended, by failure or by itself. A message that the parent knows as the final one ends both: the child gets it behind
 * all before, and when it has stopped nothing is started again.
 *
 *   child runs ──ended──▶ pause, messages are held ──▶ child runs, held messages first
 *       └──final message──▶ ending ──ended──▶ stopped
 *
 * Invariant: one child at a time; what came before the final message reaches a child before it, in order.
 */
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import { show } from '../../foundation/show.ts'
import {
  type Behavior,
  type MessageHandler,
  Receive,
  type Result,
  Setup,
  Stopped,
  same,
} from '../behavior/behavior.ts'
import type { ActorContext } from '../context/actor-context.ts'
import type { StashBuffer } from '../context/stash-buffer.ts'
import { Dropped } from '../events/lost-messages.ts'
import type { ActorRef } from '../ref/actor-ref.ts'
import { FailureCount } from './failure-count.ts'
import { type BackoffOptions, SupervisorStrategy } from './supervisor-strategy.ts'

/** What `restartOnStop` takes: the child, when it is over for good, and the pauses between its lives. */
export interface RestartOnStopOptions<T> extends Omit<BackoffOptions, 'stopChildren'> {
  /**
   * What does the work; built anew for every life. What it shall do about its own failures is said around it, by
   * `Behaviors.supervise(…)`: one that is resumed or restarted there has not ended, and keeps its mailbox. What waits in
   * the mailbox of one that ends is lost, each message with a reason.
   */
  readonly child: Behavior<T> | MessageHandler<T>
  /** Default `child`. */
  readonly name?: string
  /**
   * Whether this message is the last: the child must stop itself then, and both are over. For an entity, its
   * `stopMessage`. A `PoisonPill` to the parent is no substitute: it stops the child in the middle of its mail.
   */
  readonly isFinalStop: (message: T) => boolean
}

/** A timer of the parent, which no message of the user's can be. */
class PauseOver {
  readonly type = 'PauseOver'
}

const pauseOver = new PauseOver()

/** As `Behaviors.restartOnStop`. */
export function restartOnStop<T>(options: RestartOnStopOptions<T>): Behavior<T> {
  const { child, name = 'child', isFinalStop, ...pauses } = options
  if (typeof isFinalStop !== 'function') {
    throw new InvalidSettings('Behaviors.restartOnStop', [
      `isFinalStop must be a function that knows the last message, not ${show(isFinalStop)}`,
    ])
  }
  const strategy = SupervisorStrategy.restartWithBackoff(pauses)
  const factory = (context: ActorContext<T | PauseOver>): Behavior<T | PauseOver> => {
    const heldMax = strategy.stashedMessagesMax ?? context.system.settings.restartStashMessagesMax
    const parent = new SupervisingParent<T>(context, {
      ...{ child, name, isFinalStop, heldMax, failures: new FailureCount(strategy) },
      // One place more: the final message is never dropped.
      held: context.stash(heldMax + 1),
    })
    const receive = (message: T | PauseOver): Result<T | PauseOver> =>
      message instanceof PauseOver ? parent.pauseOver() : parent.receive(message)
    return new Receive<T | PauseOver>('receiveMessage', receive, {
      Terminated: () => parent.childEnded(undefined),
      ChildFailed: (_context, { cause }) => parent.childEnded({ cause }),
    })
  }
  return new Setup<T | PauseOver>(factory)
}

interface Parts<T> extends Pick<RestartOnStopOptions<T>, 'child' | 'isFinalStop'> {
  readonly name: string
  readonly heldMax: number
  readonly failures: FailureCount
  readonly held: StashBuffer<T | PauseOver>
}

class SupervisingParent<T> {
  readonly #context: ActorContext<T | PauseOver>
  readonly #parts: Parts<T>
  #child: ActorRef<T> | undefined
  #isEnding = false

  constructor(context: ActorContext<T | PauseOver>, parts: Parts<T>) {
    this.#context = context
    this.#parts = parts
    this.#start()
  }

  receive(message: T): Result<T | PauseOver> {
    const isFinal = this.#parts.isFinalStop(message)
    if (this.#child !== undefined) {
      this.#isEnding ||= isFinal
      this.#child.tell(message)
      return undefined
    }
    this.#hold(message, isFinal)
    // What waits shall still be done before the end: the pause is over now.
    return isFinal ? this.pauseOver() : undefined
  }

  pauseOver(): Result<T | PauseOver> {
    this.#context.timers.cancel(pauseOver)
    this.#start()
    const { held } = this.#parts
    return held.isEmpty ? undefined : held.unstashAll(same)
  }

  /** `failure` is undefined for one that stopped by itself. */
  childEnded(failure: { readonly cause: unknown } | undefined): Result<T | PauseOver> {
    this.#child = undefined
    if (this.#isEnding) return new Stopped()
    const { clock, random } = this.#context.system.environment
    const verdict = this.#parts.failures.failed(clock.monotonicMs(), random.float())
    if (!verdict.mayRestart) {
      if (failure !== undefined) throw failure.cause
      return new Stopped()
    }
    const { failures, delayMs } = verdict
    this.#context.log.warn({ failures, delayMs }, 'child has ended and is started anew')
    this.#context.timers.startSingle(pauseOver, delayMs, pauseOver)
    return undefined
  }

  #start(): void {
    const { child, name } = this.#parts
    this.#child = this.#context.spawn(child, name)
    this.#context.watch(this.#child)
  }

  #hold(message: T, isFinal: boolean): void {
    const { held, heldMax } = this.#parts
    if (isFinal || held.size < heldMax) return held.stash(message)
    const { self, system } = this.#context
    system.runtime.lost(new Dropped(message, self, 'restart-stash-full'))
  }
}
