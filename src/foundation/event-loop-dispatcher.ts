/**
 * Turns on Node's event loop. A drain starts on a microtask, since waking by `setImmediate` would cost three times as
 * much for a single call; it gives way with `setImmediate` after about 5 ms, so that sockets and heartbeats are served.
 * The 5 ms are counted across drains: a chain of promises that keeps starting drains cannot starve the event loop.
 * A drain runs in nobody's async context: whoever woke it is one of many whose work is done in it.
 */
import { inNobodysContext } from './async-context.ts'
import type { Dispatcher, Task } from './dispatcher.ts'
import { RingBuffer } from './ring-buffer.ts'

/** What a task may do in one turn; also the work between two looks at the clock. */
const unitsPerLook = 8
/** How long tasks may run before the event loop gets its turn. */
const sliceMs = 5
/** A turn that takes longer than this makes the following turns one unit long, with a look at the clock each. */
const slowTurnMs = 1
/** So many looks in a row that find no slow turn make turns long again. */
const fastLooksMin = 16

interface Lookout {
  readonly look: () => void
  readonly everyMs: number
  dueMs: number
  dueWallMs: number
}

export class EventLoopDispatcher implements Dispatcher {
  readonly #internal = new RingBuffer<Task>()
  readonly #ordinary = new RingBuffer<Task>()
  readonly #resolved = Promise.resolve()
  #lookouts: readonly Lookout[] = []
  #isArmed = false
  #unitsSinceLook = 0
  #quota = unitsPerLook
  #fastLooks = fastLooksMin
  #lookedAtMs = 0
  #sliceStartMs = 0

  execute(task: Task): void {
    this.#queueOf(task).push(task)
    if (this.#isArmed) return
    this.#isArmed = true
    inNobodysContext(this.#arm)
  }

  beforeTurns(look: () => void, everyMs: number): () => void {
    const lookout: Lookout = { look, everyMs, dueMs: 0, dueWallMs: 0 }
    this.#lookouts = [...this.#lookouts, lookout]
    return () => {
      this.#lookouts = this.#lookouts.filter((other) => other !== lookout)
    }
  }

  readonly #arm = (): void => void this.#resolved.then(this.#drain)

  readonly #drain = (): void => {
    if (this.#lookouts.length > 0) this.#lookAt(performance.now())
    for (;;) {
      if (this.#unitsSinceLook >= this.#quota) {
        if (this.#isSliceOver()) {
          setImmediate(this.#resume)
          return
        }
        this.#lookAt(this.#lookedAtMs)
      }
      const task = this.#internal.shift() ?? this.#ordinary.shift()
      if (task === undefined) break
      const quota = this.#quota
      const used = this.#run(task, quota)
      if (used >= quota) this.#queueOf(task).push(task)
      // A turn has its price even when little is done in it.
      this.#unitsSinceLook += used + 1
    }
    this.#isArmed = false
  }

  #lookAt(nowMs: number): void {
    if (this.#lookouts.length === 0) return
    // While the machine is suspended `performance.now()` may stand still, and only the wall clock goes on.
    const wallMs = Date.now()
    for (const lookout of this.#lookouts) {
      if (nowMs < lookout.dueMs && wallMs < lookout.dueWallMs) continue
      lookout.dueMs = nowMs + lookout.everyMs
      lookout.dueWallMs = wallMs + lookout.everyMs
      lookout.look()
    }
  }

  #run(task: Task, quota: number): number {
    let used = -1
    try {
      used = task.run(quota)
    } finally {
      // A task that throws has broken its promise; the others keep their turns.
      if (used < 0) setImmediate(this.#resume)
    }
    return used
  }

  readonly #resume = (): void => {
    this.#lookedAtMs = performance.now()
    this.#sliceStartMs = this.#lookedAtMs
    this.#drain()
  }

  #isSliceOver(): boolean {
    const nowMs = performance.now()
    this.#fastLooks = nowMs - this.#lookedAtMs > slowTurnMs ? 0 : this.#fastLooks + 1
    this.#quota = this.#fastLooks < fastLooksMin ? 1 : unitsPerLook
    this.#unitsSinceLook = 0
    this.#lookedAtMs = nowMs
    return nowMs - this.#sliceStartMs >= sliceMs
  }

  #queueOf(task: Task): RingBuffer<Task> {
    return task.isInternal ? this.#internal : this.#ordinary
  }
}
