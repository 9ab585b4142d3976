/**
 * Acquires, renews, gives back and loses one lease, for one who may hold it, by a register that all share.
 *
 *   idle ──Acquire──▶ looks ──free, its own, or its holder is over──▶ grants itself ──written──▶ held
 *     ▲                 └──another's──▶ idle (false)                        └──changed──▶ looks
 *     ├──written, or not its own any more── gives back ◀──Release── held ──renewed──▶ held
 *     └──another has it, or the deadline has come: lost──────────────┘
 *
 * Invariant: it counts as held only until `validMs` after a write was sent that the store has confirmed. Whoever takes a lease
 * from another has a proof that the holder has ended, or has seen the revision stand still for longer than that.
 */
import { assert, unreachable } from '../foundation/assert.ts'
import type {
  LeaseAnswer,
  LeaseEffect,
  LeaseInput,
  LeaseMachineOptions,
  LeaseRead,
  LeaseSnapshot,
} from './lease-inputs.ts'
import type { LeaseLoss } from './lease.ts'
import type { LeaseRecord } from './lease-record.ts'

/** The one call to the store that counts. */
interface Call {
  readonly number: number
  readonly sentAt: number
  /** Of a write. */
  readonly record?: LeaseRecord
}

/** Requests of one kind that are answered together. */
interface Operation {
  readonly type: 'Acquire' | 'Release'
  readonly requests: number[]
  /** Infinity before it has begun. */
  endsAt: number
  writes: number
  /** One of its writes may stand there, though nobody said so. */
  isInDoubt: boolean
  /** Being the holder is no answer. */
  isAnew: boolean
  /** A grant that ends with it: by a new one, or lost. */
  former?: Grant
}

interface Grant {
  readonly token: number
  record: LeaseRecord
  revision: number
  deadline: number
  renewAt: number
  /** A renewal may stand there, though nobody said so: look first. */
  isInDoubt: boolean
  /** Why the last renewal failed. */
  problem: string
}

/** What was seen in the register, and when the answer came that first showed it. */
interface Sight {
  readonly revision: number
  readonly record: LeaseRecord | undefined
  readonly since: number
}

/** A store that takes none of so many writes, one after the other, is not asked on and on. */
const writesMax = 5
/** Renewals that failed are tried again so many times in an interval. */
const retriesPerInterval = 4

export class LeaseMachine {
  readonly #options: LeaseMachineOptions
  #effects: LeaseEffect[] = []
  #calls = 0
  #call: Call | undefined
  #sight: Sight | undefined
  #grant: Grant | undefined
  /** The first is under way. */
  #operations: Operation[] = []
  /** Something of this one may stand in the register. */
  #mayStandThere = false
  #lastToken = 0
  #lookAt = Infinity

  constructor(options: LeaseMachineOptions) {
    this.#options = options
  }

  step(input: LeaseInput, now: number): LeaseEffect[] {
    this.#effects = []
    // First of all: after a sleep whatever comes may come before the timer.
    this.#expire(now)
    this.#take(input, now)
    this.#goOn(now)
    this.#lookNext()
    return this.#effects
  }

  isValidAt(now: number): boolean {
    return this.#grant !== undefined && now < this.#grant.deadline
  }

  snapshot(): LeaseSnapshot {
    return {
      token: this.#grant?.token,
      deadline: this.#grant?.deadline,
      waitingRequests: this.#operations.flatMap(({ requests }) => requests).length,
    }
  }

  #take(input: LeaseInput, now: number): void {
    switch (input.type) {
      case 'Acquire':
        return this.#ask(input.type, input.request, input.isInDoubt)
      case 'Release':
        return this.#ask(input.type, input.request, false)
      case 'RenewNow':
        if (this.#grant !== undefined) this.#grant.renewAt = now
        return
      case 'Look':
        // The timer has fired, perhaps a hair too early: it is set anew.
        this.#lookAt = Infinity
        return
      case 'LeaseRead':
      case 'LeaseNotRead':
      case 'LeaseWritten':
      case 'LeaseChanged':
      case 'LeaseNotWritten':
        return this.#answered(input, now)
      default:
        return unreachable(input)
    }
  }

  #answered(answer: LeaseAnswer, now: number): void {
    const call = this.#call
    // An answer that came too late tells nothing that a look would not tell better.
    if (call?.number !== answer.call) return
    this.#call = undefined
    if (answer.type === 'LeaseRead') this.#see(answer, now)
    const [operation] = this.#operations
    if (operation !== undefined) this.#answeredTo(operation, answer, call, now)
    else if (this.#grant !== undefined) this.#answeredRenewal(this.#grant, answer, call, now)
  }

  #see({ revision, record }: LeaseRead, now: number): void {
    if (this.#sight?.revision === revision) return
    this.#sight = { revision, record, since: now }
  }

  // ---- clock

  #expire(now: number): void {
    const grant = this.#grant
    if (grant !== undefined && now >= grant.deadline) {
      const detail = `it could not be renewed in time (${grant.problem})`
      this.#lose(grant, 'expired', detail)
    }
    const [operation] = this.#operations
    if (operation !== undefined && now >= operation.endsAt) this.#refuse(operation, undefined)
    const { operationTimeoutMs } = this.#options
    if (this.#call !== undefined && now >= this.#call.sentAt + operationTimeoutMs) {
      this.#call = undefined
      if (this.#grant !== undefined) this.#renewLater(this.#grant, 'no answer', now, true)
    }
  }

  #lookNext(): void {
    const grant = this.#grant
    const call = this.#call
    const at = Math.min(
      this.#operations[0]?.endsAt ?? Infinity,
      grant?.deadline ?? Infinity,
      call === undefined
        ? (grant?.renewAt ?? Infinity)
        : call.sentAt + this.#options.operationTimeoutMs,
    )
    if (at !== this.#lookAt) this.#effects.push({ type: 'LookAt', at })
    this.#lookAt = at
  }

  // ---- requests, one operation after the other

  #ask(type: Operation['type'], request: number, isAnew: boolean): void {
    const last = this.#operations.at(-1)
    // Not with one that has begun: what it saw may be older than this request.
    if (last !== undefined && last.type === type && last.endsAt === Infinity) {
      last.requests.push(request)
      last.isAnew ||= isAnew
      return
    }
    const begins = { endsAt: Infinity, writes: 0, isInDoubt: false, isAnew }
    this.#operations.push({ type, requests: [request], ...begins })
  }

  #goOn(now: number): void {
    for (;;) {
      const [operation] = this.#operations
      if (operation === undefined) break
      if (operation.endsAt < Infinity) return
      this.#begin(operation, now)
    }
    const grant = this.#grant
    if (grant === undefined || this.#call !== undefined || now < grant.renewAt) return
    if (grant.isInDoubt) this.#read(now)
    else this.#renew(grant, now)
  }

  #begin(operation: Operation, now: number): void {
    const grant = this.#grant
    const isAcquire = operation.type === 'Acquire'
    if (isAcquire && grant !== undefined && !operation.isAnew) return this.#finish(operation, true)
    if (!isAcquire && !this.#mayStandThere) return this.#finish(operation, false)
    operation.endsAt = now + this.#options.operationTimeoutMs
    // From here on nobody acts by it, whatever the store says.
    this.#grant = undefined
    if (grant === undefined) return this.#read(now)
    if (!isAcquire) return this.#giveBack(operation, grant.revision, now)
    operation.former = grant
    this.#read(now)
  }

  #answeredTo(operation: Operation, answer: LeaseAnswer, call: Call, now: number): void {
    switch (answer.type) {
      case 'LeaseRead':
        return operation.type === 'Acquire'
          ? this.#acquire(operation, answer, now)
          : this.#release(operation, answer, now)
      case 'LeaseWritten':
        return this.#written(operation, call, answer.revision, now)
      case 'LeaseChanged':
        return this.#read(now)
      case 'LeaseNotWritten':
        if (!answer.isUnknown) return this.#refuse(operation, answer.problem)
        operation.isInDoubt = true
        if (operation.writes >= writesMax) return this.#refuse(operation, answer.problem)
        return this.#read(now)
      case 'LeaseNotRead':
        return this.#refuse(operation, answer.problem)
      default:
        return unreachable(answer)
    }
  }

  #acquire(operation: Operation, { revision, record, isHolderGone }: LeaseRead, now: number): void {
    const isFree = record?.holder === undefined || this.#isOwn(record) || isHolderGone
    if (!isFree && !this.#hasStoodStill(record, now)) return this.#finish(operation, false)
    // Also over a grant of its own that nobody was told of: every grant has a token of its own.
    const token = (record?.token ?? 0) + 1
    const { holder, ttlMs } = this.#options
    this.#mayStandThere = true
    this.#writeFor(operation, revision, { holder, token, renewals: 0, ttlMs }, now)
  }

  /** On the clock of this one, from the answer that first showed it: its holder has sent that renewal before. */
  #hasStoodStill({ ttlMs }: LeaseRecord, now: number): boolean {
    return now - (this.#sight?.since ?? now) >= ttlMs * (1 + this.#options.clockDriftMax)
  }

  #release(operation: Operation, { revision, record }: LeaseRead, now: number): void {
    if (record !== undefined && this.#isOwn(record)) return this.#giveBack(operation, revision, now)
    this.#mayStandThere = false
    this.#finish(operation, operation.isInDoubt)
  }

  #giveBack(operation: Operation, revision: number, now: number): void {
    const token = Math.max(this.#lastToken, this.#sight?.record?.token ?? 0)
    const { ttlMs } = this.#options
    this.#writeFor(operation, revision, { holder: undefined, token, renewals: 0, ttlMs }, now)
  }

  #writeFor(operation: Operation, revision: number, record: LeaseRecord, now: number): void {
    if (operation.writes++ < writesMax) return this.#write(revision, record, now)
    this.#refuse(operation, 'others always write before')
  }

  #written(operation: Operation, { record, sentAt }: Call, revision: number, now: number): void {
    assert(record !== undefined, 'what was written is known')
    this.#sight = { revision, record, since: now }
    if (operation.type === 'Release') {
      this.#mayStandThere = false
      return this.#finish(operation, true)
    }
    const { token } = record
    assert(token > this.#lastToken, 'the token grows with every grant')
    this.#lastToken = token
    this.#grant = { token, record, revision, ...this.#renewedBy(sentAt) }
    assert(this.isValidAt(now), 'a lease that is over is not granted')
    this.#finish(operation, true)
  }

  #finish(operation: Operation, isTrue: boolean): void {
    if (!isTrue) this.#loseFormer(operation, 'taken', 'another has it since this machine slept')
    this.#effects.push({ type: 'Answer', requests: operation.requests, isTrue })
    this.#operations.shift()
  }

  #refuse(operation: Operation, problem: string | undefined): void {
    this.#loseFormer(operation, 'expired', 'this machine slept, and the store did not answer')
    this.#effects.push({ type: 'Refuse', requests: operation.requests, problem })
    this.#operations.shift()
    this.#call = undefined
  }

  // ---- renewals

  #renew(grant: Grant, now: number): void {
    const { record, revision } = grant
    this.#write(revision, { ...record, renewals: record.renewals + 1 }, now)
  }

  #answeredRenewal(grant: Grant, answer: LeaseAnswer, call: Call, now: number): void {
    switch (answer.type) {
      case 'LeaseWritten':
        assert(call.record !== undefined, 'what was written is known')
        grant.revision = answer.revision
        grant.record = call.record
        Object.assign(grant, this.#renewedBy(call.sentAt))
        return
      case 'LeaseChanged':
        // Perhaps by an earlier renewal of its own.
        return this.#read(now)
      case 'LeaseRead':
        return this.#look(grant, answer, now)
      case 'LeaseNotRead':
        return this.#renewLater(grant, answer.problem, now, true)
      case 'LeaseNotWritten':
        return this.#renewLater(grant, answer.problem, now, answer.isUnknown)
      default:
        return unreachable(answer)
    }
  }

  #look(grant: Grant, { revision, record }: LeaseRead, now: number): void {
    if (record === undefined || !this.#isOwn(record) || record.token !== grant.token) {
      const by = record?.holder?.owner
      this.#mayStandThere = false
      return this.#lose(
        grant,
        'taken',
        by === undefined ? 'somebody took it away' : `${by} has it now`,
      )
    }
    grant.revision = revision
    grant.record = record
    grant.isInDoubt = false
    this.#renew(grant, now)
  }

  #renewLater(grant: Grant, problem: string, now: number, isInDoubt: boolean): void {
    grant.isInDoubt ||= isInDoubt
    grant.problem = problem
    grant.renewAt = now + this.#options.renewIntervalMs / retriesPerInterval
  }

  #loseFormer({ former }: Operation, reason: LeaseLoss['reason'], detail: string): void {
    if (former !== undefined) this.#lose(former, reason, detail)
  }

  #lose(grant: Grant, reason: LeaseLoss['reason'], detail: string): void {
    this.#grant = undefined
    if (this.#operations.length === 0) this.#call = undefined
    this.#effects.push({ type: 'Lost', token: grant.token, reason, detail })
  }

  // ---- the register

  #isOwn({ holder }: LeaseRecord): boolean {
    const { owner, instance } = this.#options.holder
    return holder?.owner === owner && holder.instance === instance
  }

  /** A write that was sent then has been confirmed. */
  #renewedBy(sentAt: number): Omit<Grant, 'token' | 'record' | 'revision'> {
    const { validMs, renewIntervalMs } = this.#options
    const calm = { isInDoubt: false, problem: 'the process was held up' }
    return { deadline: sentAt + validMs, renewAt: sentAt + renewIntervalMs, ...calm }
  }

  /** What was called before does not count any more. */
  #read(now: number): void {
    const number = ++this.#calls
    this.#call = { number, sentAt: now }
    this.#effects.push({ type: 'ReadLease', call: number })
  }

  #write(expectedRevision: number, record: LeaseRecord, now: number): void {
    const number = ++this.#calls
    this.#call = { number, sentAt: now, record }
    this.#effects.push({ type: 'WriteLease', call: number, expectedRevision, record })
  }
}
