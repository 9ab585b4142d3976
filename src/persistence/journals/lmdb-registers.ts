/**
 * Registers in their own table, counted nowhere: what is known of streams stays true. Decided inside the write transaction.
 *
 *   value   revision (6), the bytes; or, where the two highest bits of the revision say so, revision (6), checksum of the name, the
 *           revision and the bytes (4), the bytes
 */
import { InvalidJournalCall, JournalCorrupted } from '../persistence-errors.ts'
import {
  judgeRegisterWrite,
  type RegisterWrite,
  type RegisterWriteResult,
  type StoredRegister,
} from '../registers.ts'
import { problemWithRegisterPlace } from '../store-transfer.ts'
import { checksumOf } from './lmdb-checksum.ts'
import { numberBytes, writeNumber } from './lmdb-layout.ts'
import { hasCheckedRegisters, type LmdbTables } from './lmdb-tables.ts'

/** Two bits, so that one that flips is noticed. */
const checkedFlag = 2 ** 47 + 2 ** 46
const revisionMax = 2 ** 46
const checksumBytes = 4

export type NamedRegister = StoredRegister & { readonly name: string }

export function writeRegister(tables: LmdbTables, write: RegisterWrite): RegisterWriteResult {
  const { name, bytes } = write
  const result = judgeRegisterWrite(readRegister(tables, name)?.revision ?? 0, write)
  if (result.type === 'RegisterWritten') {
    putRegister(tables, { name, revision: result.revision, bytes })
  }
  return result
}

/** As another store has it. */
export function placeRegister(tables: LmdbTables, register: NamedRegister): void {
  const { name } = register
  const problem = problemWithRegisterPlace(name, readRegister(tables, name), register)
  if (problem !== undefined) throw new InvalidJournalCall(problem)
  putRegister(tables, register)
}

/** In bytes of its own. */
export function readRegister(tables: LmdbTables, name: string): StoredRegister | undefined {
  const stored = tables.registers.getBinary(Buffer.from(name))
  if (stored === undefined) return undefined
  const register = decode(stored, name)
  if (register === undefined) {
    throw new JournalCorrupted(tables.folder, `register "${name}" is unreadable`)
  }
  return register
}

export function putRegister(tables: LmdbTables, { name, revision, bytes }: NamedRegister): void {
  const isChecked = hasCheckedRegisters(tables)
  const bytesAt = isChecked ? numberBytes + checksumBytes : numberBytes
  const stored = Buffer.allocUnsafe(bytesAt + bytes.byteLength)
  writeNumber(stored, isChecked ? revision + checkedFlag : revision, 0)
  stored.set(bytes, bytesAt)
  if (isChecked) stored.writeUInt32BE(checksumIn(stored, name), numberBytes)
  tables.registers.putSync(Buffer.from(name), stored)
}

/** Undefined when these are not a register. */
function decode(stored: Buffer, name: string): StoredRegister | undefined {
  if (stored.length < numberBytes) return undefined
  const number = stored.readUIntBE(0, numberBytes)
  const isChecked = number >= checkedFlag
  const bytesAt = isChecked ? numberBytes + checksumBytes : numberBytes
  const revision = isChecked ? number - checkedFlag : number
  if (revision === 0 || revision >= revisionMax || stored.length < bytesAt) return undefined
  if (isChecked && stored.readUInt32BE(numberBytes) !== checksumIn(stored, name)) return undefined
  return { revision, bytes: new Uint8Array(stored.subarray(bytesAt)) }
}

function checksumIn(stored: Buffer, name: string): number {
  const revision = checksumOf(stored.subarray(0, numberBytes), checksumOf(Buffer.from(name)))
  return checksumOf(stored.subarray(numberBytes + checksumBytes), revision)
}
