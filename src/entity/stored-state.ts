/**
 * How the state of a type of entity lies in the store: as snapshots beside its events, or by itself. The form carries the
 * version, so that a state of another shape is never taken for one of this.
 */
import { isRecord } from '../foundation/is-object.ts'
import { InvalidSettings } from '../foundation/invalid-settings.ts'
import { stableHash } from '../foundation/stable-hash.ts'
import {
  deletesEvents,
  hasSnapshots,
  type Journal,
  keepsStates,
  type Retention,
  type SnapshotForm,
} from '../persistence/index.ts'
import { type StateForm, StatesAsJournal } from '../persistence/internals.ts'
import type { AnyEntity } from './define-entity.ts'

const defaultEvery = 100
const defaultKeep = 2

/** Of an entity with `durable: true`. */
export function stateFormOf(entity: AnyEntity): StateForm<unknown> {
  const { stateVersion, schema } = entity
  const upcastState = entity.upcastState?.bind(entity)
  return {
    ...{ stateVersion, schemas: { state: schema?.state } },
    ...(upcastState !== undefined && { upcastState }),
  }
}

/** The journal that entities of this type write to. Throws `InvalidSettings` for one that cannot store them. */
export function journalOf({ name, keepsState }: AnyEntity, journal: Journal): Journal {
  if (!keepsState) return journal
  if (keepsStates(journal)) return new StatesAsJournal(journal)
  throw new InvalidSettings(`The entity ${name}`, [
    'durable needs a store that keeps states (the port DurableStates of sherd/persistence), and the one of this node does not: define `events`, or use another store',
  ])
}

/** How snapshots of entities with events are kept, and those of before are read where events were deleted for them. */
export function snapshotsOf(
  entity: AnyEntity,
  journal: Journal,
): SnapshotForm<unknown> & { readonly retention?: Retention } {
  const { name, snapshots, snapshotVersion, schema, keepsState } = entity
  if (keepsState) return {}
  const upcastSnapshot = entity.upcastSnapshot?.bind(entity)
  const form = {
    ...{ snapshotVersion: snapshotVersion ?? shapeOf(entity), schemas: { state: schema?.state } },
    ...(upcastSnapshot !== undefined && { upcastSnapshot }),
  }
  const canSave = hasSnapshots(journal)
  if (snapshots === undefined || snapshots === false) return form
  const { every = defaultEvery, keep = defaultKeep, deleteEvents = false } = snapshots
  const problems = [
    ...(canSave
      ? []
      : ['snapshots need a store that keeps them, and the one of this node does not']),
    ...(deleteEvents && !deletesEvents(journal)
      ? [
          'snapshots.deleteEvents needs a store that deletes events, and the one of this node does not',
        ]
      : []),
  ]
  if (problems.length > 0) throw new InvalidSettings(`The entity ${name}`, problems)
  return { ...form, retention: { snapshotEvery: every, keepSnapshots: keep, deleteEvents } }
}

/**
 * The version where nobody gives one: a number of the fields of the state at the start, and of what is in them. So a state with a
 * new field is not read from snapshots without it.
 */
function shapeOf({ state }: AnyEntity): number {
  try {
    return stableHash(shown(state(), 3))
  } catch {
    // Every entity that starts will say so.
    return 0
  }
}

function shown(value: unknown, depth: number): string {
  if (Array.isArray(value)) return '[]'
  if (!isRecord(value) || depth === 0) return value === null ? 'null' : typeof value
  const fields = Object.keys(value).sort()
  return `{${fields.map((name) => `${name}:${shown(value[name], depth - 1)}`).join()}}`
}
