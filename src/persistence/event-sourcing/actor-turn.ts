/**
 * Lets what comes from outside (an answer of the journal) happen inside the turn of an actor, before its mail: no message,
 * no promise, past all interceptors. The one place of this room that looks behind a ref.
 */
import { type ActorContext, Behaviors, type LocalRef, type StashBuffer } from '../../actor/index.ts'
import { assert } from '../../foundation/assert.ts'
import type { Task } from '../../foundation/dispatcher.ts'
import { RingBuffer } from '../../foundation/ring-buffer.ts'

type Cell = NonNullable<LocalRef['cell']>
type Replay = Parameters<Cell['replay']>[0]

const emptyReplay: Replay = { endsOnFailure: false, take: () => undefined }

export class ActorTurn<T> {
  readonly #context: ActorContext<T>
  readonly #cell: Cell
  readonly #scope: ReturnType<Cell['state']>['scope']
  readonly #works = new RingBuffer<() => void>()
  readonly #replay: Replay = { endsOnFailure: false, take: () => this.#runInScope() }
  #failures: StashBuffer<T> | undefined = undefined
  #isAsked = false

  /** To be made while the behavior is set up. */
  constructor(context: ActorContext<T>) {
    const { cell } = context.self as unknown as LocalRef
    assert(cell !== undefined, 'an actor that is set up has a cell')
    this.#context = context
    this.#cell = cell
    this.#scope = cell.state().scope
  }

  get isTerminated(): boolean {
    return this.#cell.isTerminated
  }

  /** Whether the actor has more to do right now than what it does. */
  get hasMore(): boolean {
    const { mailbox, stateIfAny } = this.#cell
    return (mailbox?.size ?? 0) > 0 || (stateIfAny?.replays?.length ?? 0) > 0
  }

  /** Does this in the actor's turn, soon. What it throws fails the actor as a handler does. */
  run(work: () => void): void {
    this.#works.push(work)
    if (this.#isAsked || this.#cell.isTerminated) return
    this.#isAsked = true
    this.#cell.replay(this.#replay)
    this.#cell.schedule()
  }

  /** Gives this task a turn after the actor's. */
  afterwards(task: Task): void {
    this.#cell.runtime.dispatcher.execute(task)
  }

  /** Does now what waits: the actor stops, and will have no other turn. */
  runWaiting(): void {
    for (let work = this.#works.shift(); work !== undefined; work = this.#works.shift()) work()
  }

  /** Fails the actor as if its handler had thrown this. Only inside the turn. */
  fail(error: unknown): void {
    const failures = (this.#failures ??= this.#context.stash(1))
    const { log } = this.#context
    if (failures.isFull) return log.error({ err: error }, 'one more failure of a failing actor')
    failures.stash(null as T)
    failures.unstash(Behaviors.same, 1, () => {
      throw error
    })
  }

  /** At the level of wrapping that the behavior was made at, as if called by its handler. */
  #runInScope(): undefined {
    this.#isAsked = false
    const state = this.#cell.state()
    const enclosing = state.scope
    state.scope = this.#scope
    for (let work = this.#works.shift(); work !== undefined; work = this.#works.shift()) {
      try {
        work()
      } catch (error) {
        this.fail(error)
      }
    }
    state.scope = enclosing
    // Whoever unstashed meanwhile stands above us, and the cell takes away the topmost when we answer nothing.
    if (state.replays?.at(-1) !== this.#replay) this.#cell.replay(emptyReplay)
  }
}
