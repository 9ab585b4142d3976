/**
 * Where the founding of a cluster is kept, as a port that the node gives down: one register of the store that all share,
 * and what this process can prove about others. With it, how the questions of the founding machine are asked there.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { show } from '../../foundation/show.ts'
import type { FoundingAnswer, ReadFounding, WriteFounding } from './founding-inputs.ts'
import {
  type FoundingRecord,
  areAllGone,
  bytesOfRecord,
  isListed,
  recordOfBytes,
  withoutMembers,
} from './founding-record.ts'

export interface FoundingStore {
  /** Of this process, where the system can tell. */
  readonly identity: string | undefined
  /** Undefined when nothing was ever written. Rejects when the store does not answer. */
  read(): Promise<{ readonly revision: number; readonly bytes: Uint8Array } | undefined>
  /** Writes if the revision is still that one; 0: never written. A rejection may mean that it was written all the same. */
  write(
    expectedRevision: number,
    bytes: Uint8Array,
  ): Promise<{ readonly type: 'RegisterWritten' | 'RegisterChanged'; readonly revision: number }>
  /** Whether that process has ended; true only with proof. */
  isGone(identity: string): boolean
}

/** Never rejects. */
export async function readFounding(
  store: FoundingStore,
  { number }: ReadFounding,
): Promise<FoundingAnswer> {
  const failed = { type: 'FoundingNotRead', number } as const
  try {
    const found = await store.read()
    const record = found && recordOfBytes(found.bytes)
    if (found !== undefined && record === undefined) {
      const problem =
        'the record of the founding in the store cannot be read: another version of Sherd wrote it, or it is damaged. Start all nodes with that version, or use another store or cluster name; nothing is founded over it'
      return { ...failed, problem, isUnreadable: true }
    }
    const revision = found?.revision ?? 0
    const gone = record !== undefined && areAllGone(record, (identity) => store.isGone(identity))
    return { type: 'FoundingRead', number, revision, record, areAllGone: gone }
  } catch (error) {
    return { ...failed, problem: inWords(error), isUnreadable: false }
  }
}

/** Never rejects. */
export async function writeFounding(
  store: FoundingStore,
  { number, expectedRevision, record }: WriteFounding,
): Promise<FoundingAnswer> {
  try {
    const { type, revision } = await store.write(expectedRevision, bytesOfRecord(record))
    return type === 'RegisterWritten'
      ? { type: 'FoundingWritten', number, revision }
      : { type: 'FoundingChanged', number }
  } catch (error) {
    return { type: 'FoundingNotWritten', number, problem: inWords(error) }
  }
}

const withdrawalsMax = 8

/**
 * Takes a node out of the record when nothing of it can act any more: the last one ends the founding, and the next start
 * need not wait. Best effort: rejects when the store does not answer, and gives up where others are always quicker.
 */
export async function withdrawFromFounding(store: FoundingStore, node: NodeId): Promise<void> {
  for (let attempt = 0; attempt < withdrawalsMax; attempt++) {
    const found = await store.read()
    const record = found && recordOfBytes(found.bytes)
    if (found === undefined || record === undefined || !isListed(record, node)) return
    const rest: FoundingRecord = withoutMembers(record, (each) => each === node)
    const { type } = await store.write(found.revision, bytesOfRecord(rest))
    if (type === 'RegisterWritten') return
  }
}

function inWords(error: unknown): string {
  return error instanceof Error ? error.message : show(error)
}
