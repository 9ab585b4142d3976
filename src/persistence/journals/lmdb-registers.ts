/** Registers in their own table, counted nowhere: what is known of streams stays true. Decided inside the write transaction. */
import { InvalidJournalCall } from '../persistence-errors.ts'
import {
  judgeRegisterWrite,
  type RegisterWrite,
  type RegisterWriteResult,
  type StoredRegister,
} from '../registers.ts'
import { problemWithRegisterPlace } from '../store-transfer.ts'
import { encodeRegister } from './lmdb-layout.ts'
import { type LmdbTables, readRegister } from './lmdb-tables.ts'

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

function putRegister({ registers }: LmdbTables, { name, ...register }: NamedRegister): void {
  registers.putSync(Buffer.from(name), encodeRegister(register))
}
