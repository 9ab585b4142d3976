/**
 * Appends that are answered by a call, for stores that answer many at once: a promise for each would cost more than all else
 * that an entity does for a command. No port that users write: a journal without it is asked by `append`.
 */
import type { AppendBatch, AppendResult, Journal } from './journal.ts'

/** Is told once, by one of these, what `append` would have answered. Neither throws. */
export interface ToldAppend {
  succeeded(result: AppendResult): void
  failed(error: unknown): void
}

export interface ToldAppends {
  /** The journal that this belongs to. */
  readonly journal: Journal
  /** As `append` of the journal. Never throws; may tell of a failure before it returns. */
  append(batch: AppendBatch, told: ToldAppend): void
}

/** Undefined also for whatever stands in front of a journal that has it, as a proxy: it must not be passed by. */
export function toldAppendsOf(journal: Journal): ToldAppends | undefined {
  const { toldAppends } = journal as { readonly toldAppends?: ToldAppends }
  return toldAppends?.journal === journal ? toldAppends : undefined
}
