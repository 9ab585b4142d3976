/** Numbers and times as people write them. */
import type { Check } from './view.ts'

export function inWords(count: number): string {
  return count.toLocaleString('en')
}

/** `1 kill`, `2 kills`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${inWords(count)} ${count === 1 ? one : many}`
}

/** `0.4 ms`, `12 ms`, `1.2 s`. */
export function milliseconds(ms: number | undefined): string {
  if (ms === undefined) return '–'
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`
}

/** A line of a text as lines of at most this width, broken at spaces where there are any; what follows is indented. */
export function wrapped(line: string, columns: number): string[] {
  if (line.length <= columns) return [line]
  const indent = `${/^ */.exec(line)?.[0] ?? ''}  `
  const at = line.lastIndexOf(' ', columns)
  const end = at > indent.length ? at : columns
  return [line.slice(0, end), ...wrapped(indent + line.slice(end).trimStart(), columns)]
}

/** `4 s`, `3 min`, `2 h`. */
export function age(ms: number | undefined): string {
  if (ms === undefined) return ''
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 100) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`
}

/** `00:07`, `61:05`. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`
}

/** Whether the accounts held what they should when they were looked at last. */
export function markOf(check: Check | undefined): string {
  if (check === undefined) return '…'
  return check.isRight ? '✓' : '✗'
}

/** The end of a node that nobody wanted to end. */
export interface Ending {
  /** By its own words, if it could say any. */
  readonly reason: string | undefined
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly wasPaused: boolean
  /** It was paused before, and woken. */
  readonly hasSlept: boolean
}

export function endingOf({ reason, code, wasPaused, hasSlept }: Ending): string {
  if (reason === 'downing') {
    return `${hasSlept ? 'slept too long' : 'ended itself'}: the others went on without it`
  }
  if (reason === 'succeeded') return 'ended itself: the cluster was founded anew without it'
  if (reason !== undefined) return `ended itself: ${reason}`
  if (code !== null) return `ended itself: code ${code}`
  return wasPaused
    ? 'was ended while paused: it held the lock of the store'
    : 'was ended by a signal'
}

const freezes: Readonly<Record<string, string>> = {
  minority: 'it sees too few of the others',
  paused: 'it was asleep',
  downed: 'it was given up',
  founding: 'is its cluster still the one?',
}

/** Why a node stands still, by the reason of the cluster. */
export function whyFrozen(reason: string): string {
  return freezes[reason] ?? reason
}
