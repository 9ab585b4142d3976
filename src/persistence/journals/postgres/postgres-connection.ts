/**
 * One connection to the server that is made when it is needed, and made anew when it was lost. It runs statements, one at a
 * time, until they work, their time is up, or nobody can tell any more what happened.
 *
 * Invariant: a statement that may have taken effect is never sent a second time, unless that does no harm.
 */
import type { Clock } from '../../../foundation/clock.ts'
import { CodedError } from '../../../foundation/coded-error.ts'
import { formatMs } from '../../../foundation/duration.ts'
import type { Timers } from '../../../foundation/timers.ts'
import {
  JournalClosed,
  JournalOutcomeUnknown,
  JournalUnavailable,
} from '../../persistence-errors.ts'
import type { PostgresClient, PostgresRow, PostgresValue } from './postgres-driver.ts'
import { explain, kindOfFailure, mayPass } from './postgres-failure.ts'
import { placeOfUrl } from './postgres-url.ts'
import type { PostgresStatement } from './postgres-statements.ts'

export interface PostgresConnectionOptions {
  readonly url: string
  readonly connect: () => Promise<PostgresClient>
  /** What every new connection is asked before it is used; rejects where it cannot be. */
  readonly prepare: (client: PostgresClient) => Promise<void>
  readonly clock: Clock
  readonly timers: Timers
  /** For one call, with all that is tried. */
  readonly timeoutMs: number
}

/** Between two attempts; each pause is twice the one before. */
const pauseMs = { first: 5, longest: 500 }

/** Of the time that a call has: those who wait for it must hear the reason before they give up by themselves. */
const shareForRetries = 0.8

export class PostgresConnection {
  readonly #options: PostgresConnectionOptions
  #client: Promise<PostgresClient> | undefined
  /** What `#client` has become: with it a statement is on its way before `run` returns. */
  #connectedClient: PostgresClient | undefined
  /** Ends with whatever came last; undefined when nothing is under way. */
  #turn: Promise<void> | undefined
  #isClosed = false
  #underWay = 0

  constructor(options: PostgresConnectionOptions) {
    this.#options = options
  }

  /** How many calls have not ended. */
  get underWay(): number {
    return this.#underWay
  }

  get place(): string {
    return placeOfUrl(this.#options.url)
  }

  /** Whether there is a connection, as far as anybody knows. */
  get isReady(): boolean {
    return this.#connectedClient !== undefined
  }

  /** Resolves when there is a connection. Rejects with `JournalUnavailable` when there is none for long. */
  async ready(): Promise<void> {
    await this.#trying(true, async () => {
      await this.#connected()
    })
  }

  /** Rejects with `JournalUnavailable` when nothing was stored, and with `JournalOutcomeUnknown` when nobody can tell. */
  run(
    statement: PostgresStatement,
    values: readonly PostgresValue[],
  ): Promise<readonly PostgresRow[]> {
    const { name, text, mayRepeat } = statement
    return this.#trying(mayRepeat, (deadline) =>
      this.#inTurn(deadline, (client) => client.query({ name, text, values })),
    )
  }

  /** Several statements that take effect together or not at all. What `work` throws by itself undoes all of it and is thrown on. */
  transaction<Result>(
    work: (
      run: (
        statement: PostgresStatement,
        values: readonly PostgresValue[],
      ) => Promise<readonly PostgresRow[]>,
    ) => Promise<Result>,
    { mayRepeat = false }: Partial<Pick<PostgresStatement, 'mayRepeat'>> = {},
  ): Promise<Result> {
    return this.#trying(mayRepeat, (deadline) =>
      this.#inTurn(deadline, async (client) => {
        await client.query({ text: 'BEGIN' })
        try {
          const result = await work(({ name, text }, values) =>
            client.query({ name, text, values }),
          )
          await client.query({ text: 'COMMIT' })
          return result
        } catch (error) {
          await client.query({ text: 'ROLLBACK' }).catch(() => client.destroy())
          throw error
        }
      }),
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#connectedClient = undefined
    const client = await this.#client?.catch(() => undefined)
    this.#forget()
    if (client === undefined) return
    // A server that does not answer the good-bye either is left behind.
    await this.#inTime(client, () => client.end()).catch(() => undefined)
  }

  async #trying<Result>(
    mayRepeat: boolean,
    attempt: (deadline: number) => Promise<Result>,
  ): Promise<Result> {
    const { clock, timeoutMs } = this.#options
    const deadline = clock.monotonicMs() + timeoutMs * shareForRetries
    this.#underWay++
    try {
      for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.longest)) {
        try {
          return await attempt(deadline)
        } catch (error) {
          const isLate = clock.monotonicMs() + pause > deadline
          this.#judge(error, mayRepeat, isLate || this.#isClosed)
        }
        await this.#wait(pause)
      }
    } finally {
      this.#underWay--
    }
  }

  /** Throws what the caller is told; returns when it is to be tried again. */
  #judge(error: unknown, mayRepeat: boolean, isLate: boolean): void {
    // Somebody's own, thrown inside a transaction.
    if (error instanceof CodedError) throw error
    const isSent = !(error instanceof NotSent)
    const cause = isSent ? error : error.cause
    const kind = isSent ? kindOfFailure(cause) : mayPass(cause) ? 'again' : 'refused'
    if (kind === 'elsewhere' || kind === 'lost') this.#drop()
    const isUnknown = kind === 'lost' && !mayRepeat
    if (kind !== 'refused' && !isUnknown && !isLate) return
    const text = `PostgreSQL at ${this.place}: ${explain(cause)}`
    if (isUnknown) throw new JournalOutcomeUnknown(`A commit may be lost in ${text}`, { cause })
    const said = kind === 'lost' ? 'No answer from' : 'Nothing was done by'
    throw new JournalUnavailable(`${said} ${text}`, { cause })
  }

  /** Whoever comes meanwhile waits. What is late by then is not sent, so a server that is silent holds up all of them once. */
  async #inTurn<Result>(
    deadline: number,
    work: (client: PostgresClient) => Promise<Result>,
  ): Promise<Result> {
    const before = this.#turn
    let end = (): void => undefined
    const turn = new Promise<void>((resolve) => (end = resolve))
    this.#turn = turn
    if (before !== undefined) await before
    try {
      if (this.#options.clock.monotonicMs() > deadline) {
        throw new NotSent(new Silent('it was busy with other statements for too long'))
      }
      const client = this.#connectedClient ?? (await this.#connected())
      return await this.#inTime(client, () => work(client))
    } finally {
      if (this.#turn === turn) this.#turn = undefined
      end()
    }
  }

  async #connected(): Promise<PostgresClient> {
    // Nobody would close what is made now.
    if (this.#isClosed) throw new JournalClosed()
    this.#client ??= this.#connect()
    try {
      return await this.#client
    } catch (error) {
      throw new NotSent(error)
    }
  }

  async #connect(): Promise<PostgresClient> {
    try {
      const client = await this.#prepared(await this.#options.connect())
      const made = this.#client
      if (!this.#isClosed) this.#connectedClient = client
      client.onEnd(() => {
        if (this.#client === made) this.#forget()
      })
      return client
    } catch (error) {
      this.#forget()
      throw error
    }
  }

  async #prepared(client: PostgresClient): Promise<PostgresClient> {
    try {
      await this.#inTime(client, () => this.#options.prepare(client))
      return client
    } catch (error) {
      client.destroy()
      throw error
    }
  }

  /** Leaves a connection that is no good any more. */
  #drop(): void {
    const client = this.#client
    this.#forget()
    void client?.then(
      (lost) => lost.destroy(),
      () => undefined,
    )
  }

  #forget(): void {
    this.#client = undefined
    this.#connectedClient = undefined
  }

  /** A server that is silent for so long is cut off: whoever waits is told, and the next statement finds another connection. */
  async #inTime<Result>(client: PostgresClient, work: () => Promise<Result>): Promise<Result> {
    const { timers, timeoutMs } = this.#options
    let isLate = false
    const timer = timers.after(timeoutMs, () => {
      isLate = true
      client.destroy()
    })
    try {
      return await work()
    } catch (error) {
      if (!isLate) throw error
      throw new Silent(`it has not answered within ${formatMs(timeoutMs)}`)
    } finally {
      timer.cancel()
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.timers.after(ms, resolve))
  }
}

/** There was nothing to send a statement on, or no time left: it has done nothing. */
class NotSent extends Error {
  override readonly cause: unknown

  constructor(cause: unknown) {
    super('not sent')
    this.cause = cause
  }
}

class Silent extends Error {}
