/** Turns that are given only when asked for, here and now: nothing happens behind the back of a synchronous test. */
import type { Dispatcher, Task } from '../../foundation/dispatcher.ts'
import { assert } from '../../foundation/assert.ts'
import { RingBuffer } from '../../foundation/ring-buffer.ts'

const quota = 8
const turnsMax = 1_000_000

export class HandDispatcher implements Dispatcher {
  readonly #tasks = new RingBuffer<Task>()
  readonly #looks = new Set<() => void>()
  #isRunning = false

  execute(task: Task): void {
    this.#tasks.push(task)
  }

  beforeTurns(look: () => void): () => void {
    this.#looks.add(look)
    return () => void this.#looks.delete(look)
  }

  /** Gives turns until nobody wants one. Does nothing when called from inside a turn. */
  runAll(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      let turns = 0
      for (let task = this.#tasks.shift(); task !== undefined; task = this.#tasks.shift()) {
        for (const look of this.#looks) look()
        assert(turns++ < turnsMax, `${task} comes to rest`)
        if (task.run(quota) >= quota) this.#tasks.push(task)
      }
    } finally {
      this.#isRunning = false
    }
  }
}
