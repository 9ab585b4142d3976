/**
 * Finds the state that a recovery begins with: the newest usable snapshot, else an older one, else the empty state and all
 * events. A snapshot that cannot be used is passed over, as long as something else says the same.
 *
 * Invariant: a recovery never begins with the empty state where events of the present life were deleted, nor with a snapshot
 * behind which events are missing: state = snapshot + the events after it = fold of all events since the stream began.
 */
import { CodedError } from '../../foundation/coded-error.ts'
import { show } from '../../foundation/show.ts'
import type { Claim, Journal } from '../journal.ts'
import { JournalCorrupted } from '../persistence-errors.ts'
import { hasSnapshots, type StoredSnapshot } from '../snapshots.ts'
import { wordsOf } from './event-sourced-errors.ts'
import { SnapshotRefused } from './snapshot-form.ts'

/** Which snapshot a recovery may begin with. */
export type SnapshotChoice =
  /** The newest one that can be used. */
  | 'latest'
  /** None: all events are read. Fails where some were deleted. */
  | 'none'
  /** The newest one up to this number, or up to this time; the events after it are all read. */
  | { readonly toSequenceNr?: number | undefined; readonly savedUntilMs?: number | undefined }

/** Snapshots looked at, at most, before the events are read. */
const triesMax = 3

/** Events were deleted, and no snapshot can be used in their place. */
export class SnapshotMissing extends CodedError {
  readonly code = 'SNAPSHOT_MISSING'
  readonly deletedSequenceNr: number

  constructor(
    persistenceId: string,
    { startSequenceNr = 0, deletedSequenceNr = 0, highestSequenceNr }: Claim,
    problems: readonly string[],
  ) {
    const why =
      problems.length === 0
        ? `the store has none from number ${Math.max(deletedSequenceNr, 1)} to ${highestSequenceNr} that may be used.`
        : problems.join(' ')
    super(
      `Events ${startSequenceNr + 1} to ${deletedSequenceNr} of ${show(persistenceId)} were deleted because a snapshot has what they say, and no such snapshot can be used: ${why} It is not started without them. Run the version that wrote the snapshot, or give an upcaster for it (snapshotVersion, upcastSnapshot); if it is damaged, restore the store from a copy.`,
    )
    this.deletedSequenceNr = deletedSequenceNr
  }
}

export interface SnapshotSearch {
  readonly persistenceId: string
  readonly journal: Journal
  readonly choice: SnapshotChoice
  /** Where nothing was deleted, fewer events than this are read as they are, without asking for a snapshot. */
  readonly eventsMin: number
  /** About how far apart snapshots are; undefined when nobody knows. */
  readonly every: number | undefined
  /** The store is asked for something: the time for that begins. */
  readonly expect: (what: string) => void
  /** Starts from it. Rejects with `SnapshotRefused` when it cannot be used. */
  readonly use: (snapshot: StoredSnapshot) => Promise<void>
  readonly passedOver: (problems: readonly string[]) => void
}

/** Where the state stands: its number, and whether a snapshot gave it. */
export interface RecoveryStart {
  readonly sequenceNr: number
  readonly isSnapshot: boolean
}

/** Rejects with `SnapshotMissing`, and with what the journal rejects with. */
export async function recoveryStart(search: SnapshotSearch, given: Claim): Promise<RecoveryStart> {
  const claim = withStart(given, search.journal)
  const { startSequenceNr = 0, deletedSequenceNr = 0, highestSequenceNr } = claim
  const isNeeded = deletedSequenceNr > startSequenceNr
  const isWorthIt = highestSequenceNr - startSequenceNr >= Math.max(search.eventsMin, 1)
  if (!isNeeded && !isWorthIt) return { sequenceNr: deletedSequenceNr, isSnapshot: false }
  const problems: string[] = []
  const found = search.choice === 'none' ? undefined : await used(search, claim, problems)
  if (found === undefined && isNeeded) {
    if (search.choice === 'none') problems.push("recovery.snapshot is 'none'.")
    throw new SnapshotMissing(search.persistenceId, claim, problems)
  }
  if (problems.length > 0) search.passedOver(problems)
  if (found === undefined) return { sequenceNr: deletedSequenceNr, isSnapshot: false }
  return { sequenceNr: found, isSnapshot: true }
}

/** Where no snapshots can be, events are deleted only with their stream. */
function withStart(claim: Claim, journal: Journal): Claim {
  const { startSequenceNr, deletedSequenceNr } = claim
  if (startSequenceNr !== undefined || hasSnapshots(journal)) return claim
  return { ...claim, startSequenceNr: deletedSequenceNr }
}

/** The number of the snapshot that was started from. */
async function used(
  search: SnapshotSearch,
  { startSequenceNr = 0, deletedSequenceNr = 0, highestSequenceNr }: Claim,
  problems: string[],
): Promise<number | undefined> {
  const { persistenceId, journal, choice, expect, use } = search
  if (!hasSnapshots(journal)) return undefined
  const { toSequenceNr = highestSequenceNr, savedUntilMs } =
    typeof choice === 'object' ? choice : {}
  // With an older one, events would be missing behind it.
  const fromSequenceNr = Math.max(startSequenceNr + 1, deletedSequenceNr)
  let to = Math.min(toSequenceNr, highestSequenceNr)
  for (let tries = 0; tries < triesMax && to >= fromSequenceNr; tries++) {
    expect('Loading a snapshot')
    const query = { persistenceId, fromSequenceNr, toSequenceNr: to }
    try {
      const loaded = await journal.loadSnapshot(
        savedUntilMs === undefined ? query : { ...query, savedUntilMs },
      )
      if (loaded === undefined) return undefined
      to = loaded.sequenceNr
      await use(loaded)
      return to
    } catch (error) {
      const at = to
      to = behind(error, to, search)
      const which = error instanceof SnapshotRefused ? `Snapshot ${at}: ` : ''
      problems.push(`${which}${wordsOf(error)}`)
    }
  }
  return undefined
}

/** The number up to which the next older one is looked for. Throws what is no fault of a snapshot. */
function behind(error: unknown, to: number, { every }: SnapshotSearch): number {
  if (error instanceof SnapshotRefused) return to - 1
  if (!(error instanceof JournalCorrupted)) throw error
  const { sequenceNr } = error
  if (sequenceNr !== undefined) return Math.min(sequenceNr, to) - 1
  // Nobody says which one is damaged: one is looked for where the one before it would be.
  return every === undefined ? 0 : Math.floor(to / every) * every - 1
}
