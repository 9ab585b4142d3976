/** A journal as one that has a port besides; a test that needs the port fails where it is missing. */
import assert from 'node:assert/strict'
import {
  canTransfer,
  type ClaimFences,
  deletesEvents,
  type DurableStates,
  type EventDeletion,
  fencesClaims,
  hasSnapshots,
  type IdList,
  isSliceReader,
  type Journal,
  keepsStates,
  listsIds,
  type SliceReader,
  type Snapshots,
  type StoreTransfer,
} from '../../persistence/index.ts'

export function readerOf(journal: Journal): Journal & SliceReader {
  assert.ok(isSliceReader(journal))
  return journal
}

export function deleterOf(journal: Journal): Journal & EventDeletion {
  assert.ok(deletesEvents(journal))
  return journal
}

export function snapshotsOf(journal: Journal): Journal & Snapshots {
  assert.ok(hasSnapshots(journal))
  return journal
}

export function statesOf(journal: Journal): Journal & DurableStates {
  assert.ok(keepsStates(journal))
  return journal
}

export function idsOf(journal: Journal): Journal & IdList {
  assert.ok(listsIds(journal))
  return journal
}

export function fencesOf(journal: Journal): Journal & ClaimFences {
  assert.ok(fencesClaims(journal))
  return journal
}

export function transferOf(journal: Journal): Journal & StoreTransfer {
  assert.ok(canTransfer(journal))
  return journal
}
