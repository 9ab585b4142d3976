/**
 * Commands of an entity that are not in its mailbox and not handled yet: those it keeps for later by its own wish, and those
 * that came past the mailbox while it could handle none (a supervisor around it held them). Both outlive a restart after a
 * failed write. What does not fit is dropped, or fails the actor. Whatever is due here comes before any mail, one at a time, and only when
 * another command may be handled.
 */
import { type ActorContext, Dropped, type StashBuffer } from '../../actor/index.ts'
import type { EventSourcedDroppedReason } from './event-sourced-drop-reasons.ts'

export interface CommandStashes<Command> {
  readonly waiting: StashBuffer<Command>
  readonly kept: StashBuffer<Command>
}

export class CommandStash<Command> {
  readonly #stashes: CommandStashes<Command>
  readonly #context: Pick<ActorContext<Command>, 'self' | 'system'>
  readonly #overflow: (() => Error) | undefined
  /** Kept commands, the oldest ones, that were called for and have not come yet. */
  #calledCount = 0
  #isReplaying = false
  #isFromHere = false

  /** `overflow` makes what is thrown for a command that does not fit; without it the command is dropped. */
  constructor(
    stashes: CommandStashes<Command>,
    context: Pick<ActorContext<Command>, 'self' | 'system'>,
    overflow?: () => Error,
  ) {
    this.#stashes = stashes
    this.#context = context
    this.#overflow = overflow
  }

  /** Something is to be handled before any mail. */
  get isDue(): boolean {
    return this.#calledCount > 0 || !this.#stashes.waiting.isEmpty
  }

  /** Nothing waits, nothing is kept, and nothing is on its way. */
  get isEmpty(): boolean {
    const { waiting, kept } = this.#stashes
    return waiting.isEmpty && kept.isEmpty && !this.#isReplaying
  }

  forEachWaiting(visit: (command: Command) => void): void {
    this.#stashes.waiting.forEach(visit)
  }

  /** Whether the command that has just come is from here. To be asked once for every command. */
  takeOrigin(): boolean {
    const isFromHere = this.#isFromHere
    this.#isFromHere = false
    return isFromHere
  }

  wait(command: Command): void {
    this.#put('waiting', command)
  }

  keep(command: Command): void {
    this.#put('kept', command)
  }

  /** All commands kept so far are due, before any other. */
  callKept(): void {
    this.#calledCount = this.#stashes.kept.size
  }

  /** Whether what is due has to be fetched: nobody does so yet. */
  beginReplay(): boolean {
    if (this.#isReplaying || !this.isDue) return false
    this.#isReplaying = true
    return true
  }

  /** The next of what is due, kept ones first; undefined ends the replay. */
  next(mayHandle: boolean): Command | undefined {
    const { waiting, kept } = this.#stashes
    this.#isFromHere = mayHandle && this.isDue
    if (!this.#isFromHere) {
      this.#isReplaying = false
      return undefined
    }
    if (this.#calledCount === 0) return waiting.take()
    this.#calledCount--
    return kept.take()
  }

  /** A command has failed: nothing is on its way any more, and what was kept is kept on. */
  interrupted(): void {
    this.#isReplaying = false
    this.#isFromHere = false
    this.#calledCount = 0
  }

  #put(which: keyof CommandStashes<Command>, command: Command): void {
    const stash = this.#stashes[which]
    if (!stash.isFull) return stash.stash(command)
    const { self, system } = this.#context
    system.runtime.lost(
      new Dropped(command, self, 'stash-full' satisfies EventSourcedDroppedReason),
    )
    if (this.#overflow !== undefined) throw this.#overflow()
  }
}
