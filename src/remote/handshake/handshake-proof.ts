/**
 * The proof that a node knows the secret of its cluster, without telling it: a keyed hash over everything both ends have
 * said, with a fresh number of each. The role is part of it, so that a proof cannot be played back to its maker. Where the
 * connection is encrypted, so is what only its two ends can know: nobody between them can pass a proof on.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { RefusalReason } from './handshake-messages.ts'

/** Who proves, and a listener that refuses also what for: one reason cannot be made into another on the way. */
export type Prover = 'dialer' | 'listener' | `listener refuses: ${RefusalReason}`

const noProof = Buffer.alloc(0)

/** Empty when the cluster has no secret. */
export function proofOf(
  secret: string | undefined,
  prover: Prover,
  transcript: readonly Buffer[],
): Buffer {
  if (secret === undefined) return noProof
  const hmac = createHmac('sha256', secret)
  hmac.update(`sherd handshake 1 ${prover}\n`)
  for (const said of transcript) {
    // With its length, so that what was said cannot be cut in another way.
    hmac.update(`${said.length}\n`)
    hmac.update(said)
  }
  return hmac.digest()
}

/** Which of these secrets the proof was made with; undefined when none. Where there is no secret, no proof is the right one. */
export function provedBy(
  secrets: readonly string[],
  proof: Buffer,
  prover: Prover,
  transcript: readonly Buffer[],
): { readonly secret: string | undefined } | undefined {
  const candidates = secrets.length === 0 ? [undefined] : secrets
  const matching = candidates.filter((secret) =>
    isSameProof(proof, proofOf(secret, prover, transcript)),
  )
  return matching.length === 0 ? undefined : { secret: matching[0] }
}

/** Takes the same time wherever they differ. */
export function isSameProof(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
