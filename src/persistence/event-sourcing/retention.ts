/** When a snapshot is made, how many are kept, and which events and snapshots may go then. Numbers only; nothing acts. */

export interface Retention {
  /** A snapshot whenever this many events have come since the last multiple of it: a restart reads about as many. */
  readonly snapshotEvery: number
  /** Older snapshots are deleted. Those that are kept are for the day on which the newest cannot be read. */
  readonly keepSnapshots: number
  /**
   * Events are deleted as well, up to the oldest snapshot that is kept. What they say is then in snapshots alone: whoever reads
   * events by slice, tag or id no longer finds them, and a state of another shape can only be made of the old one.
   */
  readonly deleteEvents?: boolean | undefined
}

/** What one retention run may delete, besides what it has saved; 0 stands for nothing. */
export interface Deletable {
  readonly eventsTo: number
  readonly snapshotsTo: number
}

/** Whether a multiple of `every` is among the numbers `before + 1 .. after`. */
export function crossesMultiple(every: number, before: number, after: number): boolean {
  return Math.floor(after / every) > Math.floor(before / every)
}

/**
 * After the snapshot `kept.at(-1)` was saved. `kept` has the numbers of the snapshots that are known to be in the store, the
 * oldest first: where some were left out or have failed, less is deleted, so that as many as the user wants stay usable.
 *
 * Invariant: no event goes that a kept snapshot does not cover, and none that a kept snapshot needs behind it.
 */
export function deletable(
  { snapshotEvery, keepSnapshots, deleteEvents = false }: Retention,
  kept: readonly number[],
  keepsNewestOnly: boolean,
): Deletable {
  const newest = kept.at(-1) ?? 0
  // The store itself has put it in the place of the one before.
  if (keepsNewestOnly) return { eventsTo: deleteEvents ? newest : 0, snapshotsTo: 0 }
  const oldestKept = kept[Math.max(0, kept.length - 1 - keepSnapshots)] ?? 0
  const upTo = Math.max(0, Math.min(newest - keepSnapshots * snapshotEvery, oldestKept))
  // With the events up to it deleted, the snapshot at the boundary is the first that can still be started from.
  return deleteEvents
    ? { eventsTo: upTo, snapshotsTo: Math.max(0, upTo - 1) }
    : { eventsTo: 0, snapshotsTo: upTo }
}
