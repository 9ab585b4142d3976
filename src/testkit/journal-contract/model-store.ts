/** What a store should know after any steps, kept in the plainest way. */

export class ModelStream {
  /** As they were given out. */
  readonly epochs: number[] = []
  /** The events that are left: the last one has number `highest`. */
  texts: string[] = []
  highest = 0
  start = 0
  readonly snapshots = new Map<number, ModelSnapshot>()

  get deleted(): number {
    return this.highest - this.texts.length
  }

  append(texts: readonly string[]): void {
    this.texts.push(...texts)
    this.highest += texts.length
  }

  end(): void {
    this.texts = []
    this.start = this.highest
    this.snapshots.clear()
  }

  deleteTo(sequenceNr: number): void {
    this.texts.splice(0, Math.max(sequenceNr - this.deleted, 0))
  }

  /** Those that fit, the newest first. */
  snapshotsIn({ fromSequenceNr, toSequenceNr, savedUntilMs = Infinity }: ModelQuery): number[] {
    return [...this.snapshots]
      .filter(
        ([n, { savedAtMs }]) =>
          n >= fromSequenceNr && n <= toSequenceNr && savedAtMs <= savedUntilMs,
      )
      .map(([n]) => n)
      .sort((a, b) => b - a)
  }

  /** `number text` of each event that is left. */
  get inNumbers(): string[] {
    return this.texts.map((text, index) => `${this.deleted + index + 1} ${text}`)
  }
}

export interface ModelQuery {
  readonly fromSequenceNr: number
  readonly toSequenceNr: number
  readonly savedUntilMs?: number | undefined
}

interface ModelSnapshot {
  readonly text: string
  readonly savedAtMs: number
}

export class ModelState {
  readonly epochs: number[] = []
  revision = 0
  text: string | undefined = undefined
}

export class ModelStore {
  readonly streams = new Map<string, ModelStream>()
  readonly states = new Map<string, ModelState>()
  readonly registers = new Map<string, { readonly revision: number; readonly text: string }>()

  stream(id: string): ModelStream {
    const known = this.streams.get(id) ?? new ModelStream()
    this.streams.set(id, known)
    return known
  }

  state(id: string): ModelState {
    const known = this.states.get(id) ?? new ModelState()
    this.states.set(id, known)
    return known
  }
}
