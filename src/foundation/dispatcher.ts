/**
 * The port for "whose turn it is". A task asks for a turn; the dispatcher gives turns one at a time and never inside
 * another task's turn. The real one batches turns between visits to the event loop, the simulated one draws them by seed.
 */
export interface Dispatcher {
  /** Gives `task` a turn soon, never synchronously. A task that waits for a turn must not ask again. */
  execute(task: Task): void
  /**
   * Calls `look` before a turn when it was not called for `everyMs` or longer: once the process has slept, whoever must
   * know of it does so before tasks run that were due. The time is looked at before the first turn after any rest and
   * every few turns after that; some dispatchers call more often. Must be quick and must not throw. Answers how to end
   * that.
   */
  beforeTurns(look: () => void, everyMs: number): () => void
}

export interface Task {
  /** Tasks of the runtime itself take their turns before all others. */
  readonly isInternal: boolean
  /**
   * Does at most `quota` units of work, never throws, and answers how many it did. Whoever did all of its quota gets
   * another turn without asking.
   */
  run(quota: number): number
  /** A name that is the same in every run with the same seed. */
  toString(): string
}
