/**
 * The commands of an entity that are not handled yet: those that wait for it (it recovers, or its journal is slow) and
 * those it keeps for later by its own wish. Both outlive a restart after a failed write. What does not fit is dropped.
 */
import { type ActorRef, Behaviors, Dropped, type StashBuffer } from '../../actor/index.ts'
import type { Runtime } from '../../actor/internals.ts'
import type { EventSourcedDroppedReason } from './event-sourced-drop-reasons.ts'

export interface CommandStashes<Command> {
  readonly waiting: StashBuffer<Command>
  readonly kept: StashBuffer<Command>
}

/** Where a command comes from. */
export type CommandOrigin = 'mail' | keyof CommandStashes<never>

export class CommandStash<Command> {
  readonly #stashes: CommandStashes<Command>
  readonly #self: ActorRef<Command>
  readonly #runtime: Runtime
  #origin: CommandOrigin = 'mail'
  /** Waiting commands on their way that have not arrived yet. */
  #due = 0

  constructor(stashes: CommandStashes<Command>, self: ActorRef<Command>, runtime: Runtime) {
    this.#stashes = stashes
    this.#self = self
    this.#runtime = runtime
  }

  get hasWaiting(): boolean {
    return !this.#stashes.waiting.isEmpty
  }

  /** Commands wait, and none of them is on its way. */
  get isWaitingOnly(): boolean {
    return this.#due <= 0 && this.hasWaiting
  }

  /** Nothing waits, nothing is kept, and nothing is on its way. */
  get isEmpty(): boolean {
    const { waiting, kept } = this.#stashes
    return waiting.isEmpty && kept.isEmpty && this.#origin === 'mail'
  }

  forEachWaiting(visit: (command: Command) => void): void {
    this.#stashes.waiting.forEach(visit)
  }

  /** To be asked once for every command that comes. */
  takeOrigin(): CommandOrigin {
    const origin = this.#origin
    this.#origin = 'mail'
    // Mail comes only when nothing is on its way.
    if (origin === 'mail') this.#due = 0
    return origin
  }

  wait(command: Command): void {
    this.#put('waiting', command)
  }

  keep(command: Command): void {
    this.#put('kept', command)
  }

  /** Lets waiting commands come before any mail, oldest first, until `countMax` of them are on their way. */
  releaseWaiting(countMax: number): void {
    const { waiting } = this.#stashes
    const count = Math.min(countMax, waiting.size) - this.#due
    if (count <= 0) return
    this.#due += count
    this.#take('waiting', count)
  }

  /** Lets all commands kept so far come before any other, oldest first. */
  releaseKept(): void {
    this.#take('kept', this.#stashes.kept.size)
  }

  /** A command has failed: nothing is on its way any more. */
  interrupted(): void {
    this.#origin = 'mail'
    this.#due = 0
  }

  #put(which: keyof CommandStashes<Command>, command: Command): void {
    const stash = this.#stashes[which]
    if (stash.isFull)
      this.#runtime.lost(
        new Dropped(command, this.#self, 'stash-full' satisfies EventSourcedDroppedReason),
      )
    else stash.stash(command)
  }

  #take(which: keyof CommandStashes<Command>, count: number): void {
    this.#stashes[which].unstash(Behaviors.same, count, (command) => {
      this.#origin = which
      if (which === 'waiting') this.#due--
      return command
    })
  }
}
