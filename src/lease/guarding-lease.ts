/**
 * The lease without which something must not live, such as a shard or the instance of a singleton, for one life of it: calls
 * become inputs of its machine. Whether it is held is asked of the clock at every use; what the lease itself tells of its loss
 * may come late.
 */
import type { Grant } from '../foundation/grant.ts'
import type { LogFields, Logger } from '../foundation/logger.ts'
import type { Timers } from '../foundation/timers.ts'
import type { Lease } from './lease.ts'

/** What the machine of the guarded hears. `LeaseRefused`: also when nobody could tell. */
export interface LeaseNews {
  readonly type: 'LeaseAcquired' | 'LeaseRefused' | 'LeaseLost' | 'LeaseReleased'
  /** Of one that was refused: it may have been granted all the same, so that it has to be given back. */
  readonly isDoubtful?: boolean
}

export interface GuardingLeaseOptions {
  readonly lease: Lease
  /** What it guards, for the log, such as `a shard`. */
  readonly guarded: string
  readonly logger: Logger
  readonly timers: Timers
  /** For the log. */
  readonly fields: () => LogFields
  readonly step: (news: LeaseNews) => void
}

/** A lease answers or rejects within its own time; one that does neither is not waited for. */
const patience = 3

export class GuardingLease {
  readonly #options: GuardingLeaseOptions
  #isHeld = false
  #isOver = false
  /** How often it was asked for. */
  #asked = 0
  #grant: Grant | undefined

  constructor(options: GuardingLeaseOptions) {
    this.#options = options
  }

  acquire(): void {
    const { lease, logger, guarded } = this.#options
    const number = ++this.#asked
    const answer = lease.acquire(({ detail }) => this.#lost(detail))
    const asked = this.#within(answer, () => this.#grantedLate(answer, number))
    asked.then(
      (isTrue) => {
        if (this.#isOver) return
        // Of this life: whoever acts late, in its name, must not do so under the grant of the next one.
        const { name, fenceToken: token } = lease
        this.#grant = token === undefined ? undefined : { name, token }
        // It may be over before anybody could hear that it was had.
        this.#isHeld = isTrue && lease.checkLease()
        if (!isTrue) logger.warn(this.#fields, `The lease of ${guarded} is held by another.`)
        if (this.#isHeld) this.#say({ type: 'LeaseAcquired' })
        else this.#say({ type: 'LeaseRefused', isDoubtful: isTrue })
      },
      (error: unknown) => {
        if (this.#isOver) return
        logger.warn({ err: error, ...this.#fields }, `The lease of ${guarded} was not acquired.`)
        this.#say({ type: 'LeaseRefused', isDoubtful: true })
      },
    )
  }

  /** Under which all that it protects is claimed. Stays as it is when the lease is lost. Undefined for leases without tokens. */
  get grant(): Grant | undefined {
    return this.#grant
  }

  /** Certainly, and now. What is not is lost: the guarded hears of it behind what goes on at the moment. */
  isHeld(): boolean {
    if (!this.#isHeld) return false
    if (this.#options.lease.checkLease()) return true
    this.#lost('it could not be renewed in time, as the clock of this machine says')
    return false
  }

  release(): void {
    const { logger, lease, guarded } = this.#options
    this.#isHeld = false
    const ended = (): void => {
      this.#isOver = true
      this.#options.step({ type: 'LeaseReleased' })
    }
    this.#within(lease.release()).then(ended, (error: unknown) => {
      logger.warn(
        { err: error, ...this.#fields },
        `The lease of ${guarded} was not given back; it frees itself in time.`,
      )
      ended()
    })
  }

  get #fields(): LogFields {
    const { lease, fields } = this.#options
    return { lease: lease.name, ...fields() }
  }

  #lost(detail: string): void {
    if (!this.#isHeld || this.#isOver) return
    this.#isHeld = false
    const { logger, timers, guarded } = this.#options
    const fields = this.#fields
    logger.error(fields, `${sentenceOf(guarded)} has lost its lease, and ends at once: ${detail}.`)
    // Not inside of what found it out: that may be a turn of what it guards.
    timers.after(0, () => this.#say({ type: 'LeaseLost' }))
  }

  /** Granted when nobody waited for it any more, it would be renewed for ever, and be nobody's. */
  #grantedLate(answer: Promise<boolean>, number: number): void {
    const giveBack = async (): Promise<void> => {
      const isTrue = await answer.catch(() => false)
      if (isTrue && !this.#isOver && this.#asked === number) await this.#options.lease.release()
    }
    giveBack().catch((err: unknown) => {
      const { logger, guarded } = this.#options
      logger.warn({ err, ...this.#fields }, `The lease of ${guarded} was not given back.`)
    })
  }

  #say(news: LeaseNews): void {
    if (!this.#isOver) this.#options.step(news)
  }

  #within(answer: Promise<boolean>, late: () => void = () => {}): Promise<boolean> {
    const { timers, lease } = this.#options
    const ms = lease.settings.operationTimeoutMs * patience
    return new Promise((resolve, reject) => {
      const timer = timers.after(ms, () => {
        reject(new Error(`the lease has not answered within ${ms} ms`))
        late()
      })
      answer.then(resolve, reject).finally(() => timer.cancel())
    })
  }
}

function sentenceOf(guarded: string): string {
  return guarded.charAt(0).toUpperCase() + guarded.slice(1)
}
