/**
 * Lets what comes from outside (an answer of the journal) happen inside the turn of an actor, before its mail: no message,
 * no promise, past all interceptors. The one place of this room that looks behind a ref.
 */
import { type ActorContext, Behaviors, type StashBuffer } from '../../actor/index.ts'
import {
  failAsker,
  isEnvelope,
  isMailWithheld,
  letMailIn,
  type LocalRef,
  loseMail,
  Replayed,
  type WithheldMail,
  withholdMail,
  wrapperInForce,
} from '../../actor/internals.ts'
import { assert } from '../../foundation/assert.ts'
import type { Task } from '../../foundation/dispatcher.ts'

type Cell = NonNullable<LocalRef['cell']>
/** What an actor is to the runtime: its context can be had from it at any time, and need not be kept. */
export type ActorCell = Cell
type Replay = Parameters<Cell['replay']>[0]
/** The level of wrapping that a behavior was made at. */
export type Scope = ReturnType<Cell['state']>['scope']

const emptyReplay: Replay = { endsOnFailure: false, take: () => undefined }

/** To be called while the behavior is set up. */
export function scopeOf<T>(context: ActorContext<T>): Scope {
  return cellOf(context).stateIfAny?.scope
}

/** What is done in the turn of an actor. */
export interface Errand {
  run(): void
}

export interface ActorTurnOptions<T> {
  readonly context: ActorContext<T>
  readonly scope: Scope
  /** Whether no supervisor may answer this failure. */
  readonly isForGood: (error: unknown) => boolean
}

export class ActorTurn<T> implements Replay {
  readonly endsOnFailure = false
  readonly #context: ActorContext<T>
  readonly #scope: Scope
  readonly #isForGood: (error: unknown) => boolean
  readonly #cell: Cell
  /** What waits to be done: the first, as a rule the only one, and what came behind it. */
  #first: Errand | undefined = undefined
  #others: Errand[] | undefined = undefined
  #failures: StashBuffer<T> | undefined = undefined
  #isAsked = false

  constructor({ context, scope, isForGood }: ActorTurnOptions<T>) {
    this.#context = context
    this.#scope = scope
    this.#isForGood = isForGood
    this.#cell = cellOf(context)
  }

  get isTerminated(): boolean {
    return this.#cell.isTerminated
  }

  /** Nothing waits to be done. */
  get isIdle(): boolean {
    return this.#first === undefined
  }

  /** Whether the actor has more to do right now than what it does. */
  get hasMore(): boolean {
    const { mailbox, stateIfAny } = this.#cell
    const hasMail = (mailbox?.size ?? 0) > 0 && !isMailWithheld(this.#cell)
    return hasMail || (stateIfAny?.replays?.length ?? 0) > 0
  }

  /** The actor takes no mail until it is let in. */
  withholdMail(limit: WithheldMail): void {
    withholdMail(this.#cell, limit)
  }

  letMailIn(): void {
    letMailIn(this.#cell)
  }

  /** An actor that stops takes no more mail: whoever sent what waits need not wait for the rest of its end. */
  loseMail(): void {
    loseMail(this.#cell)
  }

  /** Mail that waits, as the behavior would get it; nothing where something around the behavior may change messages. */
  forEachMail(visit: (message: T) => void): void {
    if (this.#scope !== undefined) return
    for (const each of this.#cell.mailbox ?? []) if (!isEnvelope(each)) visit(each as T)
  }

  /** Whoever waits for an answer to mail that waits here, on this node, hears of this. */
  failAskers(error: unknown): void {
    for (const each of this.#cell.mailbox ?? []) failAsker(each, () => error)
  }

  /** Lets these commands come before any mail, as long as there is a next one. A failure of the actor ends it. */
  replay(next: () => T | undefined): void {
    const scope = this.#scope
    this.#cell.replay({
      endsOnFailure: true,
      take: () => {
        const command = next()
        if (command === undefined) return undefined
        return new Replayed(command, wrapperInForce(this.#cell, scope))
      },
    })
  }

  /** Does this in the actor's turn, soon. What it throws fails the actor as a handler does. */
  run(work: () => void): void {
    this.doErrand({ run: work })
  }

  /** As `run`. */
  doErrand(errand: Errand): void {
    if (this.#first === undefined) this.#first = errand
    else if (this.#others === undefined) this.#others = [errand]
    else this.#others.push(errand)
    if (this.#isAsked || this.#cell.isTerminated) return
    this.#isAsked = true
    this.#cell.replay(this)
    this.#cell.schedule()
  }

  /** Gives this task a turn after the actor's. */
  afterwards(task: Task): void {
    this.#cell.runtime.dispatcher.execute(task)
  }

  /** Does now what waits: the actor stops, and will have no other turn. */
  runWaiting(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) next.run()
  }

  /** Fails the actor as if its handler had thrown this. Only inside the turn. */
  fail(error: unknown): void {
    const context = this.#context
    if (this.#isForGood(error)) return this.#cell.failForGood(error)
    const failures = (this.#failures ??= context.stash(1))
    if (failures.isFull) {
      return context.log.error({ err: error }, 'one more failure of a failing actor')
    }
    failures.stash(null as T)
    failures.unstash(Behaviors.same, 1, () => {
      throw error
    })
  }

  /** Ends the actor by this, whoever supervises it. */
  failForGood(error: unknown): void {
    this.#cell.failForGood(error)
  }

  #next(): Errand | undefined {
    const next = this.#first
    if (next === undefined) return undefined
    this.#first = this.#others?.shift()
    if (this.#first === undefined) this.#others = undefined
    return next
  }

  /** The cell has come to it. At the level of wrapping that the behavior was made at, as if called by its handler. */
  take(): undefined {
    this.#isAsked = false
    const state = this.#cell.state()
    const enclosing = state.scope
    state.scope = this.#scope
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#attempt(next)
    state.scope = enclosing
    // Whoever unstashed meanwhile stands above us, and the cell takes away the topmost when we answer nothing.
    if (state.replays?.at(-1) !== this) this.#cell.replay(emptyReplay)
  }

  #attempt(errand: Errand): void {
    try {
      errand.run()
    } catch (error) {
      this.fail(error)
    }
  }
}

export function cellOf<T>(context: ActorContext<T>): Cell {
  const { cell } = context.self as unknown as LocalRef
  assert(cell !== undefined, 'an actor that is set up has a cell')
  return cell
}
