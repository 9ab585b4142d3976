/**
 * What lies in the store, as the events that this version of an entity knows: an event of an earlier version goes through its
 * upcaster, and one that nobody knows is named, with its place, and with what to do.
 */
import { show } from '../foundation/show.ts'
import type { AnyEntity } from './define-entity.ts'
import { UnknownStoredEvent, UpcastFailed } from './stored-event-errors.ts'

/** How an event lies in the store: its name, then its arguments. */
export type StoredForm = readonly [name: string, ...args: readonly unknown[]]

/** Where an event was found, and by whom. */
export interface StoredPlace {
  readonly id: string
  readonly sequenceNr: number
  /** Of the program, as `startNode` was told. */
  readonly appVersion: string | undefined
}

/** The events that this one is now. Throws `UnknownStoredEvent` and `UpcastFailed`. */
export function eventsOf(
  entity: AnyEntity,
  stored: unknown,
  place: StoredPlace,
): readonly StoredForm[] {
  if (!isStoredForm(stored)) {
    throw new UnknownStoredEvent(entity.name, place, { shape: stored })
  }
  const [name] = stored
  const { upcast } = entity
  if (upcast !== undefined && Object.hasOwn(upcast, name)) {
    return upcasted(entity, upcast[name] as Upcaster, stored, place)
  }
  if (Object.hasOwn(entity.events, name)) return [stored]
  throw new UnknownStoredEvent(entity.name, place, { name, known: Object.keys(entity.events) })
}

type Upcaster = (...args: readonly unknown[]) => unknown

function upcasted(
  { name: entityType, events }: AnyEntity,
  upcaster: Upcaster,
  [event, ...args]: StoredForm,
  place: StoredPlace,
): readonly StoredForm[] {
  const failed = (problem: string, cause?: unknown): UpcastFailed =>
    new UpcastFailed(entityType, place, { event, problem, cause })
  let given: unknown
  try {
    given = upcaster(...args)
  } catch (error) {
    throw failed(`threw ${error instanceof Error ? error.message : show(error)}`, error)
  }
  // Should it fail as well, later, nobody would hear of it, and that ends the process.
  if (given instanceof Promise) given.catch(() => undefined)
  const list = isStoredForm(given) ? [given] : given
  if (!Array.isArray(list)) throw failed(`gave ${show(given)}`)
  for (const each of list as readonly unknown[]) {
    if (!isStoredForm(each)) throw failed(`gave ${show(each)} for an event`)
    if (!Object.hasOwn(events, each[0])) {
      throw failed(`gave ${show(each[0])}, which is not an event of ${entityType}`)
    }
  }
  return list as readonly StoredForm[]
}

function isStoredForm(value: unknown): value is StoredForm {
  return Array.isArray(value) && typeof value[0] === 'string'
}
