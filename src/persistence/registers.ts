/**
 * Small values that whoever shares a store agrees on, each with a revision: an optional port that a journal may have besides.
 * No entity needs it: the cluster keeps its founding there, and leases stand there.
 *
 * Invariant: the revisions of a register are 1, 2, 3 and so on, each written once, by a write that expected the one before
 * it. Reads and writes of one register are linearizable, also between processes.
 */
import { hasMethods } from './has-methods.ts'
import { show } from '../foundation/show.ts'
import { problemWithId, utf8Length } from '../foundation/text.ts'
import type { Journal } from './journal.ts'
import { InvalidJournalCall } from './persistence-errors.ts'

export interface Registers {
  /**
   * What stands there now; undefined when nothing was ever written. Never older than a write that was answered before the
   * call began, whoever wrote it.
   */
  readRegister(name: string): Promise<StoredRegister | undefined>

  /**
   * Writes if the register is still at `expectedRevision`. `RegisterWritten` means that it survives a power cut. Rejects with
   * `JournalUnavailable` when nothing was written and with `JournalOutcomeUnknown` when nobody can tell: then read again. The
   * bytes belong to the journal until the promise settles.
   */
  writeRegister(write: RegisterWrite): Promise<RegisterWriteResult>
}

export interface RegisterWrite {
  /** 1 to 255 bytes in UTF-8. */
  readonly name: string
  /** 0: never written. */
  readonly expectedRevision: number
  /** At most 65,536. */
  readonly bytes: Uint8Array
}

/** What stands in a register, in bytes of the reader's own. */
export interface StoredRegister {
  /** Grows by one with every write, from 1. */
  readonly revision: number
  readonly bytes: Uint8Array
}

export type RegisterWriteResult = RegisterWritten | RegisterChanged

export interface RegisterWritten {
  readonly type: 'RegisterWritten'
  readonly revision: number
}

/** Somebody else has written since, and nothing was written now. */
export interface RegisterChanged {
  readonly type: 'RegisterChanged'
  /** The present one; 0 when there is none. */
  readonly revision: number
}

const registerNameBytesMax = 255
const registerBytesMax = 65_536

export function hasRegisters(journal: Journal): journal is Journal & Registers {
  return hasMethods(journal, ['readRegister', 'writeRegister'])
}

/** Throws `InvalidJournalCall` for a name that no store has to take. */
export function checkRegisterName(name: unknown): asserts name is string {
  const problem = problemWithId(name, registerNameBytesMax)
  if (problem !== undefined) {
    throw new InvalidJournalCall(`${show(name)} cannot name a register: ${problem}.`)
  }
}

/** Throws `InvalidJournalCall` for what no store has to take. Answers the bytes to be stored. */
export function checkRegisterWrite({ name, expectedRevision, bytes }: RegisterWrite): number {
  checkRegisterName(name)
  if (!Number.isSafeInteger(expectedRevision) || expectedRevision < 0) {
    throw new InvalidJournalCall(
      `expectedRevision is a whole number of at least 0, not ${expectedRevision}.`,
    )
  }
  if (!(bytes instanceof Uint8Array)) {
    throw new InvalidJournalCall(`What is written into register "${name}" must be bytes.`)
  }
  if (bytes.byteLength > registerBytesMax) {
    throw new InvalidJournalCall(
      `Register "${name}" holds at most ${registerBytesMax} bytes, and these are ${bytes.byteLength}. Keep what grows in a stream of events.`,
    )
  }
  return utf8Length(name) + bytes.byteLength
}

/** The rule for all stores. Whoever applies a `RegisterWritten` does so before the next question is asked. */
export function judgeRegisterWrite(
  revision: number,
  { expectedRevision }: RegisterWrite,
): RegisterWriteResult {
  return expectedRevision === revision
    ? { type: 'RegisterWritten', revision: revision + 1 }
    : { type: 'RegisterChanged', revision }
}
