/** Events whose form changes over time: stored with the number of their version, and brought step by step to the newest when they are read. */
import { CodedError } from '../../foundation/coded-error.ts'
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import { show } from '../../foundation/show.ts'
import type { EventAdapter } from './event-adapter.ts'

export interface EventVersions {
  /** Of the events that handlers know now; at least 1. What was stored without a version is of version 1. */
  readonly version: number
  /** By the version that they take: make an event of the next one. `undefined` leaves the event out. */
  readonly upcast?: Readonly<Record<number, (event: never) => unknown>>
}

/** There is no way from the stored version of an event to the one of this program. */
class UnknownEventVersion extends CodedError {
  readonly code = 'UNKNOWN_EVENT_VERSION'
}

/**
 * An adapter for `EventSourcedBehavior`: `eventAdapter: versionedEvents<Event>({ version: 2, upcast: { 1: (old: OldEvent) => … } })`.
 * Throws `InvalidSettings` when a step is missing.
 */
export function versionedEvents<Event>({
  version,
  upcast = {},
}: EventVersions): EventAdapter<Event> {
  const steps = upcast as Readonly<Record<number, (event: unknown) => unknown>>
  checkSteps(version, steps)
  return {
    toJournal: (event) => event,
    manifest: () => `v${version}`,
    fromJournal: (stored, manifest) => {
      let event = stored
      for (let at = versionOf(manifest, version); at < version; at++) {
        event = steps[at]?.(event)
        if (event === undefined) return []
      }
      return [event as Event]
    },
  }
}

function checkSteps(version: number, steps: Readonly<Record<number, unknown>>): void {
  const problems: string[] = []
  if (!Number.isSafeInteger(version) || version < 1) {
    problems.push(`version must be a whole number of at least 1, not ${show(version)}`)
  }
  const last = Math.min(version, 10_000)
  for (let at = 1; at < last; at++) {
    if (typeof steps[at] !== 'function')
      problems.push(`upcast lacks a step from version ${at} to ${at + 1}`)
  }
  if (problems.length > 0) throw new InvalidSettings('The versions of events', problems)
}

function versionOf(manifest: string, version: number): number {
  const stored = manifest === '' ? 1 : Number(/^v(\d+)$/.exec(manifest)?.[1])
  if (stored >= 1 && stored <= version) return stored
  throw new UnknownEventVersion(
    `it was stored with ${show(manifest)}, and this program knows versions up to ${version}. Run a version that knows it.`,
  )
}
