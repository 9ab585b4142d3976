/** What may name a stream of events, and the slice it lies in. Checked once, when it comes to a journal. */
import { stableHash } from '../foundation/stable-hash.ts'
import { problemWithId } from '../foundation/text.ts'
import { InvalidJournalCall, InvalidPersistenceId } from './persistence-errors.ts'

/** Small enough to be a key, with room for what stores add to it, in every store. */
const persistenceIdBytesMax = 1024

/** Can never change: it is stored with every event. */
export const numberOfSlices = 1024

/** Stands between the type of an entity and its id, so that entities of two types never share a stream. */
const separator = '|'

/** The stream of one entity: `Account|7`. The id may hold anything, the type everything but the separator. */
export function persistenceIdOf(entityType: string, entityId: string): string {
  const persistenceId = `${persistenceIdPrefix(entityType, entityId)}${entityId}`
  if (entityId === '')
    throw new InvalidPersistenceId(persistenceId, 'the id of the entity is empty')
  checkPersistenceId(persistenceId)
  return persistenceId
}

/** What the streams of all entities of a type begin with. */
export function persistenceIdPrefix(entityType: string, entityId = ''): string {
  const prefix = `${entityType}${separator}`
  if (entityType === '' || entityType.includes(separator)) {
    throw new InvalidPersistenceId(
      `${prefix}${entityId}`,
      `the type of an entity is not empty and has no "${separator}" in it`,
    )
  }
  return prefix
}

/** Throws `InvalidPersistenceId` for what would change, collide or not fit in a store. */
export function checkPersistenceId(persistenceId: unknown): asserts persistenceId is string {
  const problem = problemWithPersistenceId(persistenceId)
  if (problem !== undefined) throw new InvalidPersistenceId(persistenceId, problem)
}

/** In words; undefined when there is none. */
export function problemWithPersistenceId(persistenceId: unknown): string | undefined {
  return problemWithId(persistenceId, persistenceIdBytesMax)
}

export function sliceOf(persistenceId: string): number {
  return stableHash(persistenceId) % numberOfSlices
}

/** What stands before the separator; '' when there is none. */
export function entityTypeOf(persistenceId: string): string {
  return persistenceId.slice(0, Math.max(0, persistenceId.indexOf(separator)))
}

/** What stands behind the first separator; all of it when there is none. */
export function entityIdOf(persistenceId: string): string {
  return persistenceId.slice(persistenceId.indexOf(separator) + 1)
}

/** All slices in so many ranges of the same size, both ends included. Throws `InvalidJournalCall` when they do not come out even. */
export function sliceRanges(
  count: number,
): readonly { readonly fromSlice: number; readonly toSlice: number }[] {
  const size = numberOfSlices / count
  if (!Number.isSafeInteger(count) || count < 1 || !Number.isInteger(size)) {
    throw new InvalidJournalCall(
      `A number of ranges is one that divides ${numberOfSlices}, not ${count}.`,
    )
  }
  return Array.from({ length: count }, (_, index) => ({
    fromSlice: index * size,
    toSlice: (index + 1) * size - 1,
  }))
}
