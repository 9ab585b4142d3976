/** What may name a stream of events, and the slice it lies in. Checked once, at the door of every journal. */
import { stableHash } from '../foundation/stable-hash.ts'
import { isWellFormed, utf8Length } from '../foundation/text.ts'
import { InvalidPersistenceId } from './persistence-errors.ts'

/** Small enough to be a key, with room for what stores add to it, in every store. */
const persistenceIdBytesMax = 1024

/** Can never change: it is stored with every event. */
export const numberOfSlices = 1024

/** Throws `InvalidPersistenceId` for what would change, collide or not fit in a store. */
export function checkPersistenceId(persistenceId: unknown): asserts persistenceId is string {
  if (typeof persistenceId !== 'string') {
    throw new InvalidPersistenceId(persistenceId, 'it is not a string')
  }
  if (persistenceId === '') throw new InvalidPersistenceId(persistenceId, 'it is empty')
  if (persistenceId.includes('\0')) {
    throw new InvalidPersistenceId(persistenceId, 'it contains the character NUL')
  }
  if (!isWellFormed(persistenceId)) {
    throw new InvalidPersistenceId(
      persistenceId,
      'it is not well-formed Unicode (half of a surrogate pair)',
    )
  }
  const bytes = utf8Length(persistenceId)
  if (bytes > persistenceIdBytesMax) {
    throw new InvalidPersistenceId(
      persistenceId,
      `it has ${bytes} bytes in UTF-8 and ${persistenceIdBytesMax} are allowed`,
    )
  }
}

export function sliceOf(persistenceId: string): number {
  return stableHash(persistenceId) % numberOfSlices
}
