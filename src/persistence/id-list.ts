/** Which ids a store knows: an optional port that a journal may have besides, for those who look through it or copy it. */
import { hasMethods } from './has-methods.ts'
import { problemWithId } from '../foundation/text.ts'
import { show } from '../foundation/show.ts'
import type { Journal } from './journal.ts'
import { InvalidJournalCall } from './persistence-errors.ts'
import { checkWhole } from './whole-number.ts'

export interface IdList {
  /**
   * The next ids, in the order of their bytes in UTF-8: at most `idsMax`, and at most what is read in one go. Those that
   * were claimed and never written to, and those whose data was deleted, are among them. What comes in while somebody pages
   * may be missing.
   */
  listIds(query: IdQuery): Promise<IdPage>
}

export interface IdQuery {
  /** Of streams of events, or of durable states. */
  readonly kind: 'events' | 'states'
  /** Only ids that begin so, as `Counter|` for an entity type. All when left out. */
  readonly prefix?: string | undefined
  /** The last id of the page before. Left out: from the first. */
  readonly after?: string | undefined
  readonly idsMax: number
}

export interface IdPage {
  readonly ids: readonly string[]
  /** There was nothing more when this page was read. */
  readonly isLast: boolean
}

export function listsIds(journal: Journal): journal is Journal & IdList {
  return hasMethods(journal, ['listIds'])
}

/** Throws `InvalidJournalCall` for what no store has to answer. */
export function checkIdQuery({ kind, prefix = '', after = '', idsMax }: IdQuery): void {
  if (kind !== 'events' && kind !== 'states') {
    throw new InvalidJournalCall(`kind is 'events' or 'states', not ${show(kind)}.`)
  }
  for (const [name, text] of Object.entries({ prefix, after })) {
    const problem = text === '' ? undefined : problemWithId(text, 1024)
    if (problem !== undefined) throw new InvalidJournalCall(`${name} cannot be used: ${problem}.`)
  }
  checkWhole('idsMax', idsMax, 1)
}
