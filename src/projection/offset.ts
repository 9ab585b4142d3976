/**
 * Where a range keeps how far it came: a port. In a register of the journal, or in a table of the user's own database, where it
 * changes in one transaction with what the handler does.
 *
 * Invariant: after `takeOver` of another worker, nothing of this one is stored.
 */
import { show } from '../foundation/show.ts'
import type { SlicePlace } from '../persistence/internals.ts'
import type { Projection, ProjectionClient } from './define-projection.ts'
import { ProjectionChanged } from './projection-errors.ts'

export interface Offset {
  /** Makes this worker the only one that can store. Rejects with `ProjectionChanged`, `RangeTaken`, and what the store says. */
  takeOver(): Promise<SlicePlace>
  /** Rejects with `RangeTaken`, and what the store says: then it can be tried again. */
  store(place: SlicePlace): Promise<void>
  /** Begins again from the first event, whatever stands there. */
  reset(): Promise<void>
  /** Rejects with `ProjectionChanged` for what another definition has stored. */
  check(): Promise<void>
  /**
   * Where there are transactions: does the work and stores the place, both or neither. Rejects with `HandlerThrew` when the
   * work failed, with `RangeTaken`, and with what the store says. Answers the place that is stored when an earlier try, of
   * which nobody could tell, had worked: then nothing was done now.
   */
  readonly together?: (
    place: SlicePlace,
    work: (client: ProjectionClient) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<SlicePlace | undefined>
}

/** What the user's handler threw, told from what a store says. */
export class HandlerThrew extends Error {
  override readonly cause: unknown

  constructor(cause: unknown) {
    super('The handler failed.')
    this.cause = cause
  }
}

/** Whose offset it is. */
export interface OffsetOwner {
  readonly projection: Projection
  readonly range: number
  /** Of the store that the events are read from. */
  readonly storeId: string | undefined
}

/** What stored offsets belong to. */
export interface OffsetForm {
  readonly ranges: number
  readonly types: readonly string[]
  readonly tag?: string | undefined
  /** Places are words of one store: in a copy of it they mean something else. Undefined where a store has no id. */
  readonly store?: string | undefined
}

export function formOf(
  { ranges, tag, entities }: Projection,
  store: string | undefined,
): OffsetForm {
  return { ranges, tag, types: entities.map(({ name }) => name).sort(), store }
}

/** Throws `ProjectionChanged`. */
export function refuseOtherForm(
  { projection, range, storeId }: OffsetOwner,
  stored: OffsetForm,
): void {
  const form = formOf(projection, storeId)
  const differences = (['ranges', 'types', 'tag', 'store'] as const)
    .filter((each) => String(stored[each]) !== String(form[each]))
    .filter((each) => each !== 'store' || (stored.store !== undefined && storeId !== undefined))
    .map((each) => `${each} was ${show(stored[each])} and is ${show(form[each])}`)
  if (differences.length > 0) throw new ProjectionChanged(projection.name, range, differences)
}
