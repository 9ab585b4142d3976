/**
 * Journals of one process on one folder take turns. LMDB opens its tables on the event loop, and waits there for the write
 * lock; when another journal of this process has it, its commit waits for the event loop, and both for ever. So whoever
 * opens waits for the commits under way, and those that come next for the opening.
 */
export class FolderTurns {
  /** Of this process, which is what they are about: by the real path of their folder, while somebody uses it. */
  static readonly #known = new Map<string, FolderTurns>()

  readonly #folder: string
  #users = 0
  #commits = 0
  #openings = 0
  #waiting: (() => void)[] = []

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** By the real path. To be left when the journal is closed. */
  static enter(folder: string): FolderTurns {
    const turns = FolderTurns.#known.get(folder) ?? new FolderTurns(folder)
    FolderTurns.#known.set(folder, turns)
    turns.#users++
    return turns
  }

  leave(): void {
    if (--this.#users === 0) FolderTurns.#known.delete(this.#folder)
  }

  /** Does this on the event loop, while no commit is under way. */
  async open<Opened>(work: () => Opened): Promise<Opened> {
    this.#openings++
    try {
      while (this.#commits > 0) await this.#change()
      return work()
    } finally {
      this.#openings--
      this.#changed()
    }
  }

  async commit(work: () => Promise<void>): Promise<void> {
    while (this.#openings > 0) await this.#change()
    this.#commits++
    try {
      await work()
    } finally {
      this.#commits--
      this.#changed()
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #changed(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const go of waiting) go()
  }
}
