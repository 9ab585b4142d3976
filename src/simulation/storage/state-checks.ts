/**
 * What must be true of durable states in every store, checked against what it accepts and apart from how it decides: epochs and
 * revisions of a state only grow, each revision has one accepted writer, and nobody writes after a later claim.
 */
import type { StateClaim, StateWrite, StateWriteResult } from '../../persistence/index.ts'

interface Shadow {
  claimedEpoch: number
  claimedBy: string
  revision: number
  /** Who wrote that revision; nobody when there was none. */
  writtenBy: string
  /** Copied: what the caller does with his bytes afterwards is his affair. */
  bytes: Uint8Array | undefined
}

export class StateChecks {
  readonly #shadows = new Map<string, Shadow>()
  readonly #violate: (name: string, detail: string) => void

  constructor(violate: (name: string, detail: string) => void) {
    this.#violate = violate
  }

  claimed(persistenceId: string, { epoch, revision, bytes }: StateClaim, by: string): void {
    const shadow = this.#shadow(persistenceId)
    if (epoch <= shadow.claimedEpoch) {
      this.#violate(
        'every claim of a state gets a greater epoch',
        `${persistenceId}: ${by} got ${epoch}, but ${shadow.claimedBy} has ${shadow.claimedEpoch}`,
      )
    }
    if (revision !== shadow.revision || !isSame(bytes, shadow.bytes)) {
      this.#violate(
        'a claim tells the last state that was written',
        `${persistenceId}: ${by} was told revision ${revision}, and ${shadow.writtenBy} wrote ${shadow.revision}`,
      )
    }
    shadow.claimedEpoch = epoch
    shadow.claimedBy = by
  }

  written(write: StateWrite, result: StateWriteResult, by: string): void {
    if (result.type !== 'StateWritten') return
    const { persistenceId, epoch, expectedRevision, revision, bytes } = write
    const shadow = this.#shadow(persistenceId)
    const { claimedEpoch, claimedBy } = shadow
    if (epoch !== claimedEpoch || by !== claimedBy) {
      this.#violate(
        'nobody writes a state after a later claim',
        `${persistenceId}: ${by} wrote revision ${revision} under epoch ${epoch}, and ${claimedBy} has ${claimedEpoch}`,
      )
    }
    const grows =
      revision > shadow.revision || (bytes === undefined && revision === shadow.revision)
    if (expectedRevision !== shadow.revision || !grows) {
      this.#violate(
        'one accepted writer per revision',
        `${persistenceId}: ${by} wrote ${revision} after ${expectedRevision}, and ${shadow.writtenBy} had written ${shadow.revision}`,
      )
    }
    shadow.revision = revision
    shadow.writtenBy = by
    shadow.bytes = bytes?.slice()
  }

  #shadow(persistenceId: string): Shadow {
    let shadow = this.#shadows.get(persistenceId)
    if (shadow === undefined) {
      const nothing = { claimedEpoch: 0, claimedBy: 'nobody', writtenBy: 'nobody' }
      shadow = { ...nothing, revision: 0, bytes: undefined }
      this.#shadows.set(persistenceId, shadow)
    }
    return shadow
  }
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return Buffer.compare(one, other) === 0
}
