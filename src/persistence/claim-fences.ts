/**
 * Claims under a lease: an optional port that a journal may have besides. Whoever acts under a grant gives it along with its claims,
 * of streams and of states. The store keeps the greatest token of each name that it has seen, in the register `fence/NAME`, and
 * refuses a claim under a smaller one, inside the transaction of the claim: so the writers of a stream follow each other as
 * the grants did, whatever clocks and networks do.
 *
 * Invariant: the tokens of the accepted claims of one name never fall, unless somebody has the store forget them. A store on several
 * servers holds to that on each of them. A claim without a grant neither looks at a token nor leaves one.
 */
import type { Grant } from '../foundation/grant.ts'
import { show } from '../foundation/show.ts'
import { problemWithId } from '../foundation/text.ts'
import { hasMethods } from './has-methods.ts'
import type { Journal } from './journal.ts'
import { ClaimFenced, InvalidJournalCall, JournalCorrupted } from './persistence-errors.ts'
import { checkWhole } from './whole-number.ts'

export interface ClaimFences {
  /** The greatest grant that was seen of each name, in no order. For people. */
  listGrants(): Promise<readonly Grant[]>

  /**
   * The next claim of this name may come under any token. Only for leases that begin to count anew, and only while nobody runs
   * who could act under an earlier one.
   */
  forgetGrant(name: string): Promise<void>
}

export function fencesClaims(journal: Journal): journal is Journal & ClaimFences {
  return hasMethods(journal, ['listGrants', 'forgetGrant'])
}

/** Of a name, in UTF-8: with what stands before it, it fits into the name of a register. */
const nameBytesMax = 240

/** Throws `InvalidJournalCall` for a grant that no store has to take. */
export function checkGrant(grant: Grant | undefined): void {
  if (grant === undefined) return
  checkGrantName(grant.name)
  checkWhole('token', grant.token, 1)
}

export function checkGrantName(name: unknown): asserts name is string {
  const problem = problemWithId(name, nameBytesMax)
  if (problem === undefined) return
  throw new InvalidJournalCall(`${show(name)} cannot be the name of a grant: ${problem}.`)
}

/**
 * The rule for all stores, for a claim under a grant of which this token was seen so far, 0 for none. Answers whether the new one
 * is to be kept, with the claim or not at all. Throws `ClaimFenced`.
 */
export function judgeGrant(seenToken: number, persistenceId: string, grant: Grant): boolean {
  if (grant.token < seenToken) throw new ClaimFenced(persistenceId, grant, seenToken)
  return grant.token > seenToken
}

const prefix = 'fence/'

/** Where the token of this name stands. */
export function registerOfGrant(name: string): string {
  return `${prefix}${name}`
}

/** Undefined for a register of something else. */
export function grantNameOf(register: string): string | undefined {
  return register.startsWith(prefix) ? register.slice(prefix.length) : undefined
}

/** All registers of grants come behind it, in the order of bytes, and first. */
export const beforeGrants = prefix

const tokenBytes = 8

/** What stands in the register. Greater tokens are greater bytes. */
export function bytesOfToken(token: number): Buffer {
  const bytes = Buffer.allocUnsafe(tokenBytes)
  bytes.writeBigUInt64BE(BigInt(token))
  return bytes
}

/** The token that stands in the register of a name; 0 for none. Throws `JournalCorrupted` for what is no token. */
export function tokenIn(name: string, bytes: Uint8Array | undefined): number {
  if (bytes === undefined) return 0
  if (bytes.byteLength !== tokenBytes) {
    throw new JournalCorrupted(`the register "${registerOfGrant(name)}"`, 'it holds no token')
  }
  return Number(Buffer.from(bytes.buffer, bytes.byteOffset, tokenBytes).readBigUInt64BE())
}
