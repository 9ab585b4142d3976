/**
 * What stands in the register of a lease: who holds it, under which token, and how often it was renewed. No times of day: the
 * revision of the register changes with every renewal, and whoever waits watches that on a clock of its own. A value, with
 * the bytes it is kept as.
 */
import { isCount, isNumber, isText, maybe, recordOf, type Shape } from '../foundation/shape.ts'
import { ValueCodec } from '../serialization/internals.ts'

export interface LeaseRecord {
  /** Undefined when it was given back: then it is free. */
  readonly holder: LeaseHolder | undefined
  /** Of the last grant, whoever got it. */
  readonly token: number
  /** Since the grant. */
  readonly renewals: number
  /** The holder stops before this time has passed since it sent its last renewal. */
  readonly ttlMs: number
}

export interface LeaseHolder {
  readonly owner: string
  /** Of the one object that holds it: two of one process exclude each other as two processes do. */
  readonly instance: string
  /** Of its process, where others can prove by it that it has ended. */
  readonly identity?: string | undefined
}

const formVersion = 1
const textMax = 255
const identityMax = 200

const isShort =
  (lengthMax: number): Shape =>
  (value) =>
    isText(value) && (value as string).length <= lengthMax

const isStored = recordOf({
  version: (value) => value === formVersion,
  holder: maybe(
    recordOf({
      owner: isShort(textMax),
      instance: isShort(textMax),
      identity: maybe(isShort(identityMax)),
    }),
  ),
  token: (value) => isCount(value) && (value as number) > 0,
  renewals: isCount,
  ttlMs: (value) => isNumber(value) && (value as number) > 0,
})

export function bytesOfLease(record: LeaseRecord): Uint8Array {
  const codec = new ValueCodec({ use: 'stored' })
  return codec.encode({ version: formVersion, ...record }, 'record of a lease')
}

/** Undefined when it is none that this version of Sherd can read. */
export function leaseOfBytes(bytes: Uint8Array): LeaseRecord | undefined {
  const value = decoded(bytes)
  if (!isStored(value)) return undefined
  const { holder, token, renewals, ttlMs } = value as LeaseRecord
  return { holder, token, renewals, ttlMs }
}

function decoded(bytes: Uint8Array): unknown {
  try {
    return new ValueCodec({ use: 'stored' }).decode(Buffer.from(bytes))
  } catch {
    return undefined
  }
}

/** One that is longer than the record takes proves nothing. */
export function shownIdentity(identity: string | undefined): string | undefined {
  return identity !== undefined && identity.length <= identityMax ? identity : undefined
}
