/** Claims under a grant, in the store's write lock: the tokens that were seen stand among the registers. */
import type { Grant } from '../../foundation/grant.ts'
import {
  beforeGrants,
  bytesOfToken,
  grantNameOf,
  judgeGrant,
  registerOfGrant,
  tokenIn,
} from '../claim-fences.ts'
import { putRegister, readRegister } from './lmdb-registers.ts'
import type { LmdbTables } from './lmdb-tables.ts'

interface GrantedClaim {
  readonly persistenceId: string
  readonly grant?: Grant | undefined
}

/** Claims, and keeps the token. Throws `ClaimFenced` before anything is changed. */
export function underGrant<Claimed>(
  tables: LmdbTables,
  { persistenceId, grant }: GrantedClaim,
  claim: () => Claimed,
): Claimed {
  if (grant === undefined) return claim()
  const isNewer = judgeGrant(tokenSeen(tables, grant.name), persistenceId, grant)
  const claimed = claim()
  if (isNewer) putToken(tables, grant)
  return claimed
}

export function forgetGrant(tables: LmdbTables, name: string): void {
  const isKnown = readRegister(tables, registerOfGrant(name)) !== undefined
  if (isKnown) putToken(tables, { name, token: 0 })
}

export function grantsIn(tables: LmdbTables): Grant[] {
  const grants: Grant[] = []
  for (const key of tables.registers.getKeys({ start: Buffer.from(beforeGrants) })) {
    const name = grantNameOf(key.toString())
    if (name === undefined) break
    const token = tokenSeen(tables, name)
    if (token > 0) grants.push({ name, token })
  }
  return grants
}

function tokenSeen(tables: LmdbTables, name: string): number {
  return tokenIn(name, readRegister(tables, registerOfGrant(name))?.bytes)
}

function putToken(tables: LmdbTables, { name, token }: Grant): void {
  const register = registerOfGrant(name)
  const revision = (readRegister(tables, register)?.revision ?? 0) + 1
  putRegister(tables, { name: register, revision, bytes: bytesOfToken(token) })
}
