/** What goes into the lease machine and what comes out of it. */
import type { LeaseLoss } from './lease.ts'
import type { LeaseHolder, LeaseRecord } from './lease-record.ts'

export type LeaseInput =
  /** Somebody wants it, or gives it back; `request` is answered once. */
  | {
      readonly type: 'Acquire'
      readonly request: number
      /** The monotonic clock may have stood still: being the holder is no answer. */
      readonly isInDoubt: boolean
    }
  | { readonly type: 'Release'; readonly request: number }
  /** For tests: as if a renewal were due. */
  | { readonly type: 'RenewNow' }
  /** Any occasion to look at the clock. */
  | { readonly type: 'Look' }
  | LeaseAnswer

/** What the store said, by the number of the call. */
export type LeaseAnswer =
  | LeaseRead
  | { readonly type: 'LeaseNotRead'; readonly call: number; readonly problem: string }
  | { readonly type: 'LeaseWritten'; readonly call: number; readonly revision: number }
  /** Somebody has written before: nothing has changed. */
  | { readonly type: 'LeaseChanged'; readonly call: number }
  /** `isUnknown`: it may stand there all the same. */
  | {
      readonly type: 'LeaseNotWritten'
      readonly call: number
      readonly problem: string
      readonly isUnknown: boolean
    }

export interface LeaseRead {
  readonly type: 'LeaseRead'
  readonly call: number
  /** 0 where nothing was ever written. */
  readonly revision: number
  readonly record: LeaseRecord | undefined
  /** Its holder has ended, proven by its process. */
  readonly isHolderGone: boolean
}

export type LeaseEffect =
  | { readonly type: 'ReadLease'; readonly call: number }
  | {
      readonly type: 'WriteLease'
      readonly call: number
      readonly expectedRevision: number
      readonly record: LeaseRecord
    }
  | { readonly type: 'Answer'; readonly requests: readonly number[]; readonly isTrue: boolean }
  /** Nobody can tell. Without a problem, the store has not answered in time. */
  | {
      readonly type: 'Refuse'
      readonly requests: readonly number[]
      readonly problem: string | undefined
    }
  | ({ readonly type: 'Lost'; readonly token: number } & LeaseLoss)
  /** When to look at the clock next, if nothing comes before; Infinity: not at all. */
  | { readonly type: 'LookAt'; readonly at: number }

export interface LeaseMachineOptions {
  readonly holder: LeaseHolder
  readonly ttlMs: number
  /** How long after its last renewal was sent a holder may act. */
  readonly validMs: number
  readonly renewIntervalMs: number
  readonly operationTimeoutMs: number
  readonly clockDriftMax: number
}

export interface LeaseSnapshot {
  readonly token: number | undefined
  readonly deadline: number | undefined
  readonly waitingRequests: number
}
