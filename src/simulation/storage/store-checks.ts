/**
 * What must be true of every store, checked against what it accepts and apart from how it decides: epochs of a stream only
 * grow, numbers are consecutive, nobody writes under an epoch that another got, and nobody after a later claim (S1c). Nobody
 * claims under a lease after one to whom it was granted later. A
 * deletion is held to the same; no number comes again after it, and nothing of what it deleted. Snapshots are of stored events
 * of the present life, and at any moment the state is there: in its events, or in a snapshot and what came behind it.
 */
import type {
  AppendBatch,
  AppendResult,
  Claim,
  EventDeletionResult,
  EventDeletionTo,
  Fenced,
  Grant,
  NewSnapshot,
  SnapshotDeletion,
  SnapshotResult,
  SnapshotsDeleted,
  StoredEvent,
} from '../../persistence/index.ts'

/** One append that the store took, or one deletion, with the events that follow it: then `toSequenceNr` may be the smaller. */
export interface AcceptedAppend {
  readonly persistenceId: string
  readonly epoch: number
  readonly fromSequenceNr: number
  readonly toSequenceNr: number
  /** The life that wrote it, such as `a#2`. */
  readonly writer: string
  readonly timeMs: number
  /** All events before these were deleted with it. */
  readonly deletesEarlier: boolean
}

interface Shadow {
  claimedEpoch: number
  claimedBy: string
  highestSequenceNr: number
  deletedSequenceNr: number
  /** The present life of the stream began behind it. */
  startSequenceNr: number
  /** When each was saved, by number. */
  readonly snapshots: Map<number, number>
  lastEpoch: number
  lastAppend: AcceptedAppend | undefined
}

/** Holds the store itself to account: epochs grow, numbers are consecutive, nobody writes after a later claim. */
export class StoreChecks {
  /** By the name of their lease: the greatest token of a claim that was taken, and whose it was. */
  readonly #grants = new Map<string, { readonly token: number; readonly by: string }>()
  readonly #shadows = new Map<string, Shadow>()
  readonly #accepted: AcceptedAppend[] = []
  readonly #violate: (name: string, detail: string) => void

  constructor(violate: (name: string, detail: string) => void) {
    this.#violate = violate
  }

  /** Every append that was ever accepted, in the order of the store. */
  get accepted(): readonly AcceptedAppend[] {
    return this.#accepted
  }

  /** Of streams and of states. */
  granted(persistenceId: string, { name, token }: Grant, by: string): void {
    const last = this.#grants.get(name)
    if (last !== undefined && token < last.token) {
      this.#violate(
        'nobody claims after a later grant',
        `${persistenceId}: ${by} claimed under token ${token} of ${name}, and ${last.by} has claimed under ${last.token}`,
      )
    }
    this.#grants.set(name, { token, by })
  }

  claimed(persistenceId: string, claim: Claim, by: string): void {
    const shadow = this.#shadow(persistenceId)
    if (claim.epoch <= shadow.claimedEpoch) {
      this.#violate(
        'every claim gets a greater epoch',
        `${persistenceId}: ${by} got ${claim.epoch}, but ${shadow.claimedBy} has ${shadow.claimedEpoch}`,
      )
    }
    if (claim.highestSequenceNr !== shadow.highestSequenceNr) {
      this.#violate(
        'a claim tells the last stored number',
        `${persistenceId}: ${by} was told ${claim.highestSequenceNr}, and it is ${shadow.highestSequenceNr}`,
      )
    }
    if ((claim.deletedSequenceNr ?? 0) !== shadow.deletedSequenceNr) {
      this.#violate(
        'a claim tells up to where events are deleted',
        `${persistenceId}: ${by} was told ${claim.deletedSequenceNr}, and it is ${shadow.deletedSequenceNr}`,
      )
    }
    if ((claim.startSequenceNr ?? 0) !== shadow.startSequenceNr) {
      this.#violate(
        'a claim tells where the present life began',
        `${persistenceId}: ${by} was told ${claim.startSequenceNr}, and it is ${shadow.startSequenceNr}`,
      )
    }
    shadow.claimedEpoch = claim.epoch
    shadow.claimedBy = by
  }

  deletedTo(
    { persistenceId, epoch, toSequenceNr }: EventDeletionTo,
    result: EventDeletionResult,
    by: string,
  ): void {
    if (result.type !== 'EventsDeleted') return
    const shadow = this.#shadow(persistenceId)
    this.#isByItsWriter(shadow, { persistenceId, epoch, by }, `deletes up to ${toSequenceNr}`)
    shadow.deletedSequenceNr = Math.max(shadow.deletedSequenceNr, toSequenceNr)
    this.#isCovered(persistenceId, shadow, by)
  }

  snapshotSaved(
    { persistenceId, epoch, sequenceNr, savedAtMs }: NewSnapshot,
    result: SnapshotResult,
    by: string,
  ): void {
    if (result.type !== 'SnapshotSaved') return
    const shadow = this.#shadow(persistenceId)
    this.#isByItsWriter(shadow, { persistenceId, epoch, by }, `saves a snapshot of ${sequenceNr}`)
    const { startSequenceNr, highestSequenceNr } = shadow
    if (sequenceNr > highestSequenceNr || sequenceNr <= startSequenceNr) {
      this.#violate(
        'a snapshot is of stored events of the present life',
        `${persistenceId}: ${by} saved one of ${sequenceNr}, and the events are ${startSequenceNr + 1}..${highestSequenceNr}`,
      )
    }
    shadow.snapshots.set(sequenceNr, savedAtMs)
  }

  snapshotsDeleted(
    deletion: SnapshotDeletion,
    result: SnapshotsDeleted | Fenced,
    by: string,
  ): void {
    if (result.type !== 'SnapshotsDeleted') return
    const { persistenceId, epoch, fromSequenceNr, toSequenceNr } = deletion
    const { savedUntilMs = Infinity } = deletion
    const shadow = this.#shadow(persistenceId)
    this.#isByItsWriter(shadow, { persistenceId, epoch, by }, 'deletes snapshots')
    for (const [number, savedAtMs] of shadow.snapshots) {
      const fits = number >= fromSequenceNr && number <= toSequenceNr && savedAtMs <= savedUntilMs
      if (fits) shadow.snapshots.delete(number)
    }
    this.#isCovered(persistenceId, shadow, by)
  }

  #isByItsWriter(
    { claimedEpoch, claimedBy }: Shadow,
    { persistenceId, epoch, by }: { persistenceId: string; epoch: number; by: string },
    what: string,
  ): void {
    if (epoch === claimedEpoch && by === claimedBy) return
    this.#violate(
      'nobody writes after a later claim',
      `${persistenceId}: ${by} ${what} under epoch ${epoch}, and ${claimedBy} has ${claimedEpoch}`,
    )
  }

  /** The events of the present life from the first on, or a snapshot and all that came behind it. */
  #isCovered(persistenceId: string, shadow: Shadow, by: string): void {
    const { deletedSequenceNr, startSequenceNr, snapshots } = shadow
    if (deletedSequenceNr <= startSequenceNr) return
    if ([...snapshots.keys()].some((number) => number >= deletedSequenceNr)) return
    this.#violate(
      'what is deleted is in a snapshot that is kept',
      `${persistenceId}: ${by} left the snapshots ${[...snapshots.keys()].join()}, and the events are deleted up to ${deletedSequenceNr}`,
    )
  }

  /** After a deletion: what can still be read. */
  left(persistenceId: string, events: readonly StoredEvent[]): void {
    const { deletedSequenceNr, highestSequenceNr } = this.#shadow(persistenceId)
    const numbers = events.map(({ sequenceNr }) => sequenceNr)
    const isRight =
      numbers.length === highestSequenceNr - deletedSequenceNr &&
      numbers.every((number, index) => number === deletedSequenceNr + index + 1)
    if (isRight) return
    this.#violate(
      'what is deleted is gone, and nothing else',
      `${persistenceId}: ${numbers.join()} are left of ${highestSequenceNr} when ${deletedSequenceNr} were deleted`,
    )
  }

  appended(
    batch: AppendBatch,
    result: AppendResult,
    {
      by,
      timeMs,
      deletesEarlier = false,
    }: { readonly by: string; readonly timeMs: number; readonly deletesEarlier?: boolean },
  ): void {
    if (result.type !== 'Appended') return
    const { persistenceId, epoch, expectedSequenceNr, events } = batch
    const shadow = this.#shadow(persistenceId)
    const accepted = {
      persistenceId,
      epoch,
      fromSequenceNr: expectedSequenceNr + 1,
      toSequenceNr: expectedSequenceNr + events.length,
      writer: by,
      timeMs,
      deletesEarlier,
    }
    const problem = problemWith(accepted, shadow)
    if (problem !== undefined) {
      const earlier = shadow.lastAppend === undefined ? 'nothing' : inWords(shadow.lastAppend)
      this.#violate(problem, `accepted ${inWords(accepted)} after ${earlier}`)
    }
    if (deletesEarlier) {
      shadow.deletedSequenceNr = expectedSequenceNr
      shadow.startSequenceNr = expectedSequenceNr
      shadow.snapshots.clear()
    }
    shadow.highestSequenceNr = accepted.toSequenceNr
    shadow.lastEpoch = epoch
    shadow.lastAppend = accepted
    this.#accepted.push(accepted)
  }

  #shadow(persistenceId: string): Shadow {
    let shadow = this.#shadows.get(persistenceId)
    if (shadow === undefined) {
      shadow = {
        claimedEpoch: 0,
        claimedBy: 'nobody',
        highestSequenceNr: 0,
        deletedSequenceNr: 0,
        startSequenceNr: 0,
        snapshots: new Map(),
        lastEpoch: 0,
        lastAppend: undefined,
      }
      this.#shadows.set(persistenceId, shadow)
    }
    return shadow
  }
}

function problemWith(append: AcceptedAppend, shadow: Shadow): string | undefined {
  if (append.epoch < shadow.lastEpoch) return 'accepted epochs never fall'
  if (append.epoch !== shadow.claimedEpoch) return 'nobody writes after a later claim'
  if (append.writer !== shadow.claimedBy) return 'one accepted writer per sequence number'
  if (append.fromSequenceNr !== shadow.highestSequenceNr + 1) return 'numbers are consecutive'
  return undefined
}

function inWords({ persistenceId, epoch, writer, timeMs, ...range }: AcceptedAppend): string {
  const { fromSequenceNr, toSequenceNr } = range
  return `${persistenceId} ${fromSequenceNr}..${toSequenceNr} of epoch ${epoch} by ${writer} at ${timeMs} ms`
}
