/** The turns of the event loop, counted: so that a test can tell when no actor has anything left to do. */
import type { Dispatcher, Task } from '../foundation/dispatcher.ts'
import { EventLoopDispatcher } from '../foundation/event-loop-dispatcher.ts'

export class WatchedDispatcher implements Dispatcher {
  readonly #dispatcher = new EventLoopDispatcher()
  #waiting = 0
  #movements = 0
  #last: Task | undefined

  /** Tasks that wait for a turn. */
  get waiting(): number {
    return this.#waiting
  }

  /** Grows with every turn that is asked for or given. */
  get movements(): number {
    return this.#movements
  }

  /** Who had the last turn. */
  get last(): Task | undefined {
    return this.#last
  }

  execute(task: Task): void {
    this.#waiting++
    this.#movements++
    this.#dispatcher.execute({
      isInternal: task.isInternal,
      run: (quota) => this.#run(task, quota),
      toString: () => task.toString(),
    })
  }

  beforeTurns(look: () => void, everyMs: number): () => void {
    return this.#dispatcher.beforeTurns(look, everyMs)
  }

  #run(task: Task, quota: number): number {
    this.#movements++
    this.#last = task
    const used = task.run(quota)
    // Whoever did all of its quota gets another turn without asking.
    if (used < quota) this.#waiting--
    return used
  }
}
