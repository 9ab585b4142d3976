/**
 * Messages that an actor keeps for later. Unstashing puts them before the mailbox, oldest first, each handled by the
 * behavior that the one before left; nothing is nested, so a long stash cannot overflow the stack. What is not unstashed
 * when the actor stops becomes dead letters.
 */
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import { RingBuffer } from '../../foundation/ring-buffer.ts'
import { show } from '../../foundation/show.ts'
import { StashDiscarded, StashFull } from '../actor-errors.ts'
import type { Behavior, MessageHandler, Wrapper } from '../behavior/behavior.ts'
import { wrapperInForce } from '../cell/before-mail.ts'
import type { Cell } from '../cell/cell.ts'
import { type Inward, Replayed, Settled } from '../behavior/inward.ts'
import { Dropped } from '../events/lost-messages.ts'

/** Messages that an actor keeps for later, until it is ready for them. */
export class StashBuffer<in out T> {
  readonly messagesMax: number
  /** @internal The innermost wrapper around the behavior that made it. */
  readonly scope: Wrapper | undefined
  readonly #cell: Cell
  readonly #messages = new RingBuffer<T>()
  #isDiscarded = false

  /** @internal */
  constructor(cell: Cell, messagesMax: number) {
    this.#cell = cell
    this.messagesMax = messagesMax
    this.scope = cell.state().scope
  }

  get size(): number {
    return this.#messages.size
  }

  get isEmpty(): boolean {
    return this.#messages.size === 0
  }

  get isFull(): boolean {
    return this.#messages.size >= this.messagesMax
  }

  /** Keeps a message. Throws `StashFull` beyond `messagesMax`. */
  stash(message: T): void {
    this.#cell.assertTurn('stash')
    this.#cell.assertMessage(message)
    if (this.#isDiscarded) throw new StashDiscarded(this.#cell.toString())
    if (this.isFull) throw new StashFull(this.#cell.toString(), this.messagesMax)
    // Only what holds something has to be looked after when the actor ends.
    if (this.isEmpty) {
      const state = this.#cell.state()
      state.stashes ??= new Set()
      state.stashes.add(this)
    }
    this.#messages.push(message)
  }

  /** The oldest message, left in place. */
  head(): T | undefined {
    return this.#messages.peek()
  }

  forEach(visit: (message: T) => void): void {
    for (const message of this.#messages) visit(message)
  }

  /** Forgets all messages; each is published as `Dropped`. */
  clear(): void {
    this.#cell.assertTurn('stash')
    for (const message of this.#takeAll()) {
      this.#cell.runtime.lost(new Dropped(message, this.#cell.ref, 'stash-cleared'))
    }
  }

  /** Handles every message stashed so far before the next one from the mailbox, beginning with `next`. */
  unstashAll<B extends Behavior<T> | MessageHandler<T>>(next: B): B {
    return this.unstash(next, this.#messages.size)
  }

  /** As `unstashAll`, for the oldest `count` messages, each changed by `wrap`. */
  unstash<B extends Behavior<T> | MessageHandler<T>>(
    next: B,
    count: number,
    wrap: (message: T) => T = (message) => message,
  ): B {
    this.#cell.assertTurn('stash')
    if (!Number.isSafeInteger(count) || count < 0) {
      const problem = `the count must be a whole number of at least 0, not ${show(count)}`
      throw new InvalidSettings('unstash', [problem])
    }
    let left = Math.min(count, this.#messages.size)
    const scope = this.#cell.state().scope
    if (left > 0) {
      this.#cell.replay({
        endsOnFailure: true,
        take: () => {
          if (left-- <= 0 || this.#messages.size === 0) return undefined
          const message = this.#messages.shift() as T
          if (this.isEmpty) this.#release()
          return wrapped(message, wrap, wrapperInForce(this.#cell, scope))
        },
      })
    }
    return next
  }

  /** @internal Takes the oldest out, for whoever hands it to the behavior itself. */
  take(): T | undefined {
    const message = this.#messages.shift()
    if (this.isEmpty) this.#release()
    return message
  }

  /** @internal Takes everything out, for good. For the runtime: the actor has stopped or was restarted. */
  discard(): T[] {
    this.#isDiscarded = true
    return this.#takeAll()
  }

  #takeAll(): T[] {
    const messages = [...this.#messages]
    this.#messages.clear()
    this.#release()
    return messages
  }

  #release(): void {
    this.#cell.stateIfAny?.stashes?.delete(this)
  }
}

/** What throws in `wrap` fails the actor as if its handler had thrown. */
function wrapped<T>(message: T, wrap: (message: T) => T, scope: Wrapper | undefined): Inward {
  try {
    return new Replayed(wrap(message), scope)
  } catch (error) {
    return new Settled(message, error, true)
  }
}
