/**
 * The name of one life of an operating-system process, which no other process ever has, and the rule by which another
 * process can prove that this life is over: it must see the same processes under the same numbers, and find none with
 * this number and start. Whatever cannot be seen is no proof.
 *
 *   identity   host, number and start, divided by spaces
 *
 * A host that is known by its name alone is good enough for a first guess after a restart, and not to give up somebody who
 * may live: `areOnOneHost` is false there.
 */
import { clip } from './text.ts'

/** The processes that one process can see. */
export interface ProcessTable {
  /** Equal for all who see the same processes under the same numbers, and for no others. Undefined: nobody can tell. */
  readonly host: string | undefined
  /** The number of this process. */
  readonly pid: number
  /** When it was started, in the words of `see`. Undefined: nobody can tell. */
  readonly start: string | undefined
  see(pid: number): SeenProcess
}

/** `none`: there is no such process. `unknown`: there may be one, or nobody can tell which. */
export type SeenProcess = 'none' | 'unknown' | { readonly start: string }

/** Far more than any takes; it travels with every member of a cluster. */
const identityLengthMax = 200

/** What stands before the name of a host that is known by its name alone: two hosts may have the same. */
export const namedHost = 'named:'

const identityPattern = /^(?<host>\S+) (?<pid>[1-9]\d{0,9}) (?<start>\S+)$/

/** Of this process. Undefined where it cannot be told from others. */
export function identityOf({ host, pid, start }: ProcessTable): string | undefined {
  if (host === undefined || start === undefined) return undefined
  const identity = `${host} ${pid} ${start}`
  const isWhole = identityPattern.test(identity) && clip(identity, identityLengthMax) === identity
  return isWhole ? identity : undefined
}

/** True only with proof. */
export function isGone(table: ProcessTable, identity: string): boolean {
  return lookAt(table, identity) === 'gone'
}

/** True only when it was seen. */
export function isRunning(table: ProcessTable, identity: string): boolean {
  return lookAt(table, identity) === 'running'
}

function lookAt({ host, see }: ProcessTable, identity: string): 'running' | 'gone' | 'unknown' {
  const named = identityPattern.exec(identity)?.groups
  if (named === undefined || host === undefined || named['host'] !== host) return 'unknown'
  const seen = see(Number(named['pid']))
  if (seen === 'unknown') return 'unknown'
  return seen !== 'none' && seen.start === named['start'] ? 'running' : 'gone'
}

/** Whether these two processes can see each other end, beyond doubt. */
export function areOnOneHost(identity: string, other: string): boolean {
  const host = hostOf(identity)
  return host !== '' && !host.startsWith(namedHost) && host === hostOf(other)
}

/** What stands before the first space; empty where there is none. */
function hostOf(identity: string): string {
  return identity.slice(0, Math.max(identity.indexOf(' '), 0))
}
