/**
 * The record of those who were given up under a lease, in the note beside it: each in that one life, the latest last. Changed by
 * compare-and-set alone, whoever holds the lease.
 *
 * Invariant: whoever adds to it does not stand there itself.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { isNodeId } from '../../foundation/node-id.ts'
import { listOf, recordOf } from '../../foundation/shape.ts'
import type { LeaseNote } from '../../lease/index.ts'
import { ValueCodec } from '../../serialization/internals.ts'
import { givenUpMax, withMoreGivenUp } from '../founding/founding-record.ts'

export interface GivingUp {
  readonly self: NodeId
  readonly nodes: readonly NodeId[]
  /** Nobody waits for the answer any more: nothing may be written. */
  readonly isLate: () => boolean
}

const formVersion = 1
/** Others that always write before are few. */
const attemptsMax = 20

const isStored = recordOf({
  version: (value) => value === formVersion,
  givenUp: listOf((value) => isNodeId(value), givenUpMax),
})

/** Adds them if this node does not stand there itself; answers all who do then. Rejects when nobody can say. */
export async function giveUp(
  note: LeaseNote,
  { self, nodes, isLate }: GivingUp,
): Promise<readonly NodeId[]> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const found = await note.read()
    const known = found === undefined ? [] : givenUpIn(found.bytes)
    if (known.includes(self) || nodes.every((node) => known.includes(node))) return known
    if (isLate()) break
    const next = withMoreGivenUp(known, nodes)
    if (await note.write(bytesOf(next), found?.revision)) return next
  }
  throw new Error('others always write before, or the answers came too late')
}

function bytesOf(givenUp: readonly NodeId[]): Uint8Array {
  const codec = new ValueCodec({ use: 'stored' })
  return codec.encode({ version: formVersion, givenUp }, 'record of those given up')
}

function givenUpIn(bytes: Uint8Array): readonly NodeId[] {
  const value = decoded(bytes)
  if (isStored(value)) return (value as { readonly givenUp: readonly NodeId[] }).givenUp
  throw new Error('what stands there was written by another version of Sherd, or is damaged')
}

function decoded(bytes: Uint8Array): unknown {
  try {
    return new ValueCodec({ use: 'stored' }).decode(Buffer.from(bytes))
  } catch {
    return undefined
  }
}
