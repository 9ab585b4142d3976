/**
 * Claims of streams and of states that share a statement: one for those under no grant, one for those under grants. What the second
 * leaves out was refused, and is told by which token.
 */
import { assert } from '../../../foundation/assert.ts'
import type { Grant } from '../../../foundation/grant.ts'
import { bytesOfToken, judgeGrant, registerOfGrant, tokenIn } from '../../claim-fences.ts'
import { byteaArray, int4Array } from './postgres-arrays.ts'
import type { PostgresRow, PostgresValue } from './postgres-driver.ts'
import { lanesOf, ownMistake, type PostgresCommitParts, textOf } from './postgres-state-writes.ts'
import type { PostgresStatement } from './postgres-statements.ts'
import type { Of, PostgresWrite } from './postgres-write.ts'

type ClaimRequest = Of<'Claim' | 'ClaimState'>

interface Claiming {
  readonly plain: PostgresStatement
  readonly granted: PostgresStatement
  /** What the row of its stream or state says, without the id. */
  readonly decide: (write: PostgresWrite, row: PostgresRow) => void
}

export function claimStreams(
  parts: PostgresCommitParts,
  writes: readonly PostgresWrite[],
): Promise<void> {
  const { claim, claim_granted } = parts.statements
  return claimAll(parts, writes, {
    ...{ plain: claim, granted: claim_granted },
    decide: (write, row) => {
      const [epoch, highestSequenceNr, deletedSequenceNr, startSequenceNr, number] = row as number[]
      parts.numbers.set(requestOf(write).persistenceId, number!)
      const deleted = deletedSequenceNr === 0 ? {} : { deletedSequenceNr }
      const started = startSequenceNr === 0 ? {} : { startSequenceNr }
      write.decide({ epoch, highestSequenceNr, ...deleted, ...started })
    },
  })
}

export function claimStates(
  parts: PostgresCommitParts,
  writes: readonly PostgresWrite[],
): Promise<void> {
  const { claim_state, claim_state_granted } = parts.statements
  return claimAll(parts, writes, {
    ...{ plain: claim_state, granted: claim_state_granted },
    decide: (write, [epoch, revision, bytes]) =>
      write.decide({ epoch, revision, bytes: bytes ?? undefined }),
  })
}

async function claimAll(
  parts: PostgresCommitParts,
  writes: readonly PostgresWrite[],
  { plain, granted, decide }: Claiming,
): Promise<void> {
  const { connection } = parts
  const ungranted = writes.filter((write) => requestOf(write).grant === undefined)
  if (ungranted.length > 0) {
    const left = decided(
      await connection.run(plain, claimValues(parts, ungranted)),
      ungranted,
      decide,
    )
    assert(left.length === 0, 'a claim without a grant is always granted')
  }
  let open = writes.filter((write) => requestOf(write).grant !== undefined)
  while (open.length > 0) {
    const values = [...claimValues(parts, open), ...grantValues(open)]
    const left = decided(await connection.run(granted, values), open, decide)
    open = left.length === 0 ? [] : await notFenced(parts, left)
  }
}

/** Answers those without a row. */
function decided(
  rows: readonly PostgresRow[],
  writes: readonly PostgresWrite[],
  decide: Claiming['decide'],
): PostgresWrite[] {
  const claims = new Map(rows.map(([id, ...row]) => [textOf(id), row]))
  return writes.filter((write) => {
    const row = claims.get(requestOf(write).persistenceId)
    if (row !== undefined) decide(write, row)
    return row === undefined
  })
}

/** Refuses what a later grant fences, and answers the rest: somebody had the store forget that one in between. */
async function notFenced(
  { connection, statements }: PostgresCommitParts,
  writes: readonly PostgresWrite[],
): Promise<PostgresWrite[]> {
  const registers = writes.map((write) => registerOfGrant(grantOf(write).name))
  const names = byteaArray(registers.map((register) => Buffer.from(register)))
  const rows = await connection.run(statements.tokens, [names])
  const tokens = new Map(rows.map(([name, bytes]) => [textOf(name), bytes as Buffer]))
  return writes.filter((write, at) => {
    const grant = grantOf(write)
    try {
      const seen = tokenIn(grant.name, tokens.get(registers[at]!))
      judgeGrant(seen, requestOf(write).persistenceId, grant)
      return true
    } catch (error) {
      write.refuse(ownMistake(error))
      return false
    }
  })
}

function claimValues(
  parts: PostgresCommitParts,
  writes: readonly PostgresWrite[],
): PostgresValue[] {
  const given = writes.map(requestOf)
  const slices = writes.map(({ slice }) => slice)
  return [
    byteaArray(given.map(({ persistenceId }) => Buffer.from(persistenceId))),
    int4Array(slices),
    byteaArray(given.map(({ writer }) => Buffer.from(writer))),
    lanesOf(parts, slices),
  ]
}

function grantValues(writes: readonly PostgresWrite[]): PostgresValue[] {
  const grants = writes.map(grantOf)
  const greatest = new Map<string, number>()
  for (const { name, token } of grants) {
    greatest.set(name, Math.max(greatest.get(name) ?? 0, token))
  }
  const each = [...greatest]
    .map(([name, token]) => ({ register: Buffer.from(registerOfGrant(name)), token }))
    .sort((a, b) => Buffer.compare(a.register, b.register))
  return [
    byteaArray(grants.map(({ name }) => Buffer.from(registerOfGrant(name)))),
    byteaArray(grants.map(({ token }) => bytesOfToken(token))),
    byteaArray(each.map(({ register }) => register)),
    byteaArray(each.map(({ token }) => bytesOfToken(token))),
  ]
}

function requestOf({ request }: PostgresWrite): ClaimRequest {
  return request as ClaimRequest
}

function grantOf(write: PostgresWrite): Grant {
  const { grant } = requestOf(write)
  assert(grant !== undefined, 'these claims are under grants')
  return grant
}
