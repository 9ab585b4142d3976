/** What a failed statement means: whether anything can have been stored, and whether it helps to try again. */
import { CodedError } from '../../../foundation/coded-error.ts'

/**
 * `again`: nothing happened, and the same statement may work now. `elsewhere`: nothing happened, and it may work on another
 * connection. `refused`: nothing happened, and it would not work either. `lost`: nobody can tell what happened.
 */
export type FailureKind = 'again' | 'elsewhere' | 'refused' | 'lost'

interface ServerError {
  /** Five characters when the server said it, and of another form when the system or the driver did. */
  readonly code?: string
  readonly severity?: string
  readonly message?: string
}

const again: ReadonlySet<string> = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  '55P03', // lock not available
])

const elsewhere: ReadonlySet<string> = new Set([
  '25006', // the server became a read-only one
  '26000', // the connection goes through a pooler that has forgotten the statement
  '53300', // too many connections
  '57P03', // the server starts or stops
])

/**
 * The server, or what stands between, does not know itself (40003), has lost the connection (08…), or is about to end it
 * (25P03, 25P04, 57P…).
 */
const unsure = /^(40003|08|25P0[34]|57P)/

/** Of a statement that was sent. */
export function kindOfFailure(error: unknown): FailureKind {
  const { severity } = error as ServerError
  const state = sqlStateOf(error)
  if (state === undefined) return 'lost'
  if (again.has(state)) return 'again'
  if (elsewhere.has(state)) return 'elsewhere'
  // The server ends the connection, perhaps after the commit. By its code too: severities come in the server's language.
  if (severity === 'FATAL' || severity === 'PANIC') return 'lost'
  return unsure.test(state) ? 'lost' : 'refused'
}

/** Of an attempt to connect: whether it may work a moment later. */
export function mayPass(error: unknown): boolean {
  if (error instanceof CodedError) return false
  const state = sqlStateOf(error)
  return state === undefined || !(state in lasting)
}

export function sqlStateOf(error: unknown): string | undefined {
  const { code } = error as ServerError
  // Those of the system begin with an E, such as EPIPE, and those of a server never do.
  return typeof code === 'string' && /^(?!E)[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** What the server says that somebody has to change something for. */
const lasting: Readonly<Record<string, string>> = {
  '28P01': 'the password is wrong. Look at the url of the store.',
  '28000':
    'this user may not connect. Look at the user in the url of the store and at pg_hba.conf.',
  '3D000': 'there is no such database. Create it, or correct the url of the store.',
  '3F000': 'there is no such schema. Create it, or let this user create schemas.',
  '42501':
    'this user may do too little there. It needs to read and write the tables named sherd_…, and to create them unless createSchema is false.',
}

const passing: Readonly<Record<string, string>> = {
  '25006':
    'the server takes no writes: it is a standby, or default_transaction_read_only is set. Give the address of the primary.',
  '53100': 'its disk is full. Make room there.',
  '53200': 'it has no memory left.',
  '53300':
    'it has too many connections. Raise max_connections, or lower writeConnections and readConnections.',
  '57014':
    'a statement took too long and was cancelled. Look for what holds its locks, or raise commitTimeoutMs.',
  '57P01': 'an operator has ended the connection, or stops the server.',
  '57P03': 'the server starts or stops.',
  ECONNREFUSED: 'nobody listens there. Is the server up, and the address right?',
  ENOTFOUND: 'there is no host of this name.',
  '42P01': 'its tables are gone. Restore them from a copy.',
}

/** What happened, and what to do, in words. */
export function explain(error: unknown): string {
  const { code = '', message = String(error) } = error as ServerError
  const known = lasting[code] ?? passing[code]
  const said = message.replaceAll(/\s+/g, ' ')
  return known === undefined ? `${said}.` : `${known} (${said})`
}
