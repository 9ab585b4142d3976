/**
 * What led to a violation: from the events of the places it names back over every arrival to the sending of those bytes.
 * What no such way leads to cannot have mattered, and is left out.
 */
import type { Violation } from './simulation-errors.ts'
import type { TraceEvent } from './trace.ts'

/** Steps without words of their own: they would hide the others. */
const plumbing: ReadonlySet<string> = new Set([
  'turn',
  'timer',
  'immediate',
  'bytes',
  'store',
  'stored',
  'writable',
  'closed',
])

/** The last `linesMax` telling events of the causal past, oldest first. `events` are all that were kept, oldest first. */
export function causalSlice(
  events: readonly TraceEvent[],
  violation: Violation,
  linesMax = 60,
): TraceEvent[] {
  const end = lastIndexOf(
    events,
    ({ kind, text }) => kind === 'violation' && text === violation.name,
  )
  const places = new Set(violation.detail.match(/\b[\w.-]+#\d+\b/g))
  const at = events[end]?.place
  if (at !== undefined && (at !== '*' || places.size === 0)) places.add(at)
  return pastOf(events.slice(0, end + 1 || events.length), places, linesMax)
}

function pastOf(
  events: readonly TraceEvent[],
  places: Set<string>,
  linesMax: number,
): TraceEvent[] {
  const wanted = new Set<number>()
  const past: TraceEvent[] = []
  for (let index = events.length - 1; index >= 0 && past.length < linesMax; index--) {
    const event = events[index] as TraceEvent
    const { kind, edge, place } = event
    if (kind === 'send' && edge !== undefined && wanted.delete(edge)) places.add(place)
    const isFault = kind === 'fault' || kind === 'heal'
    if (!isFault && !places.has(place)) continue
    if (kind === 'receive' && edge !== undefined) wanted.add(edge)
    if (!plumbing.has(kind)) past.push(event)
  }
  return past.reverse()
}

function lastIndexOf(
  events: readonly TraceEvent[],
  isMeant: (event: TraceEvent) => boolean,
): number {
  for (let index = events.length - 1; index >= 0; index--) {
    if (isMeant(events[index] as TraceEvent)) return index
  }
  return -1
}
