/**
 * The work on one range, step by step: take the offset over, read a page, hand one event or one batch to the handler, store
 * how far it came. Each step answers how long to wait before the next, and nothing happens between steps: whoever calls
 * them decides whether there is a next one.
 *
 *   taking over ──▶ reading ⇄ handling ──▶ … ──▶ over (another worker has the range)
 *                      └── retried, with growing waits ──┴──▶ stopped (by `onFailure`, or another definition)
 *
 * Invariants: the place never passes an event that was neither handled nor skipped, and is never stored after another
 * worker took over. What was deleted before it was read is told before the place passes it, or the range stops there.
 *
 * One file because each step looks at what the others have left: what waits, where it is, what failed.
 */
import type { Environment } from '../foundation/environment.ts'
import type { Logger } from '../foundation/logger.ts'
import type { NodeId } from '../foundation/node-id.ts'
import { type OrderedEvent, type SliceReader, sliceRanges } from '../persistence/index.ts'
import {
  firstPlace,
  type PlacedEvent,
  SliceCursor,
  type SlicePlace,
  textOfPlace,
} from '../persistence/internals.ts'
import { noClient, type Projection, type ProjectionClient } from './define-projection.ts'
import type { AnyEntityEvent, EntityEvents, StreamOrigin } from './entity-events.ts'
import {
  ProjectionChanged,
  ProjectionHandlerFailed,
  ProjectionMissedEvents,
  RangeTaken,
  UnreadableEvent,
  wordsOf,
} from './projection-errors.ts'
import type { Missed, MissedEvents } from './missed-events.ts'
import { HandlerThrew, type Offset } from './offset.ts'
import type { RangeStatus } from './range-status.ts'

export interface RangeWorkerOptions {
  readonly projection: Projection
  readonly range: number
  readonly journal: SliceReader
  /** Where this worker, called so, keeps how far it came. */
  readonly makeOffset: (worker: string) => Offset
  readonly events: EntityEvents
  readonly missedEvents: MissedEvents
  readonly environment: Pick<Environment, 'clock' | 'random'>
  readonly node: NodeId
  readonly log: Logger
}

/** Milliseconds until the next step; `over` when there must not be one, `stopped` when there is none before a reset. */
export type AfterStep = number | 'over' | 'stopped'

/** A stored event that waits for its turn. Undefined until it was read: it may be one that nobody can read. */
interface Waiting extends PlacedEvent {
  events: readonly AnyEntityEvent[] | undefined
}

type SliceRange = ReturnType<typeof sliceRanges>[number]

export class RangeWorker {
  readonly #options: RangeWorkerOptions
  readonly #offset: Offset
  #cursor: SliceCursor | undefined = undefined
  #waiting: Waiting[] = []
  /** Of those that wait, the ones of the last page: whether events are missing before them was not asked yet. */
  #unasked: readonly OrderedEvent[] = []
  /** Behind the last event that was handled. */
  #place: SlicePlace = firstPlace
  #storedPlace: SlicePlace = firstPlace
  #storedMs = 0
  #unstored = 0
  /** How often the handler has failed for the events that are first now, and the store one time after the other. */
  #failures = 0
  #storeFailures = 0
  #handlerProblem: string | undefined = undefined
  #storeProblem: string | undefined = undefined
  #isStopped = false
  #isAtEnd = false
  #seenEndMs: number
  /** Since when the first of those that wait does so. */
  #waitingSinceMs = 0
  #handled = 0
  #skipped = 0
  #missed = 0

  constructor(options: RangeWorkerOptions) {
    const { makeOffset, environment, node } = options
    this.#options = options
    this.#offset = makeOffset(`${node}/${environment.random.uid().toString(36)}`)
    this.#seenEndMs = this.#now()
  }

  get status(): RangeStatus {
    const { range, node } = this.#options
    const failing = this.#storeProblem ?? this.#handlerProblem
    return {
      ...{ range, node, place: textOfPlace(this.#place) },
      ...{ handled: this.#handled, skipped: this.#skipped },
      ...(this.#missed > 0 && { missed: this.#missed }),
      behindMs: this.#isAtEnd ? 0 : this.#now() - this.#seenEndMs,
      ...(failing !== undefined && { failing }),
      isStopped: this.#isStopped,
    }
  }

  /** Never rejects. The signal fires when it has to end at once. */
  async step(signal: AbortSignal): Promise<AfterStep> {
    if (this.#isStopped) return 'stopped'
    try {
      return await this.#step(signal)
    } catch (error) {
      return this.#storeFailed(error)
    }
  }

  /** The range moves: what was handled is stored, if that can be. */
  async leave(): Promise<void> {
    if (this.#cursor === undefined || this.#place === this.#storedPlace) return
    const { projection, range, log } = this.#options
    await this.#store().catch((err: unknown) =>
      log.info(
        { err },
        `Range ${range} of the projection ${projection.name} ends and could not store how far it came: ${this.#unstored} events will be handled again.`,
      ),
    )
  }

  /** From the first event on, also where it had stopped. Rejects when the store could not take it. */
  async reset(): Promise<void> {
    await this.#offset.reset()
    this.#begin(firstPlace)
    this.#isStopped = false
  }

  async #step(signal: AbortSignal): Promise<AfterStep> {
    const cursor = this.#cursor
    if (cursor === undefined) {
      this.#begin(await this.#offset.takeOver())
      return 0
    }
    if (this.#mustStore()) {
      await this.#store()
      return 0
    }
    if (this.#unasked.length > 0) return this.#askForGaps()
    if (this.#isBatchReady()) return this.#handle(signal)
    const { events, isLast } = await cursor.next()
    if (this.#waiting.length === 0) this.#waitingSinceMs = this.#now()
    this.#waiting.push(...events.map((placed) => ({ ...placed, events: undefined })))
    if (this.#options.missedEvents.canBe) this.#unasked = events.map(({ event }) => event)
    this.#storeAnswered()
    // What nobody here wants need not be read again.
    if (this.#waiting.length === 0) this.#place = cursor.place
    this.#isAtEnd = isLast && this.#waiting.length === 0
    if (this.#isAtEnd) this.#seenEndMs = this.#now()
    const isDone = isLast && !this.#isBatchReady() && this.#unasked.length === 0
    return isDone ? this.#waitMs() : 0
  }

  /** At most once for a page: whoever deletes events does not wait for projections. */
  async #askForGaps(): Promise<AfterStep> {
    const { projection, missedEvents } = this.#options
    const gaps = await missedEvents.before(this.#unasked)
    const errors = gaps.map((gap) => this.#missedError(gap))
    const [first] = errors
    if (first !== undefined && projection.onDeleted === 'stop') return this.#stop(first)
    this.#unasked = []
    for (const error of errors) {
      const { from, to, message, entityType, id } = error
      this.#missed += to - from + 1
      this.#options.log.error({ err: error, entityType, id, from, to }, message)
    }
    return 0
  }

  #missedError({ persistenceId, ...gap }: Missed): ProjectionMissedEvents {
    const { projection, range, events } = this.#options
    const { entity, id } = events.originOf(persistenceId) as StreamOrigin
    return new ProjectionMissedEvents(projection.name, range, {
      ...gap,
      ...{ entityType: entity.name, id },
    })
  }

  #begin(place: SlicePlace): void {
    const { projection, range, journal, events, missedEvents } = this.#options
    this.#cursor = new SliceCursor({
      ...{ journal, place, tag: projection.tag, eventsMax: projection.settings.pageEventsMax },
      ...(sliceRanges(projection.ranges)[range] as SliceRange),
      wants: ({ persistenceId }) => events.originOf(persistenceId) !== undefined,
    })
    this.#waiting = []
    this.#unasked = []
    missedEvents.begin(place.after === undefined && place.done.size === 0)
    this.#place = place
    this.#stored()
    this.#handlerSucceeded()
  }

  // ---- handling

  #isBatchReady(): boolean {
    const { handleMany, settings } = this.#options.projection
    const { length } = this.#waiting
    if (length === 0) return false
    if (handleMany === undefined || length >= settings.batchEventsMax) return true
    return this.#now() - this.#waitingSinceMs >= settings.batchAfterMs
  }

  async #handle(signal: AbortSignal): Promise<AfterStep> {
    const { handleMany, settings } = this.#options.projection
    const first = this.#waiting.slice(0, handleMany === undefined ? 1 : settings.batchEventsMax)
    const batch: Waiting[] = []
    try {
      for (const each of first) {
        if (!this.#read(each, batch.length === 0)) break
        batch.push(each)
      }
      const stored = await this.#perform(batch, signal)
      if (signal.aborted) return 'over'
      if (stored !== undefined) this.#begin(stored)
      else this.#performed(batch)
      return 0
    } catch (error) {
      // It had to end, and what it says of that is no failure.
      if (signal.aborted) return 'over'
      const isHandlers = error instanceof HandlerThrew
      if (isHandlers) return this.#handlerFailed(batch, error.cause)
      if (error instanceof UnreadableEvent) return this.#handlerFailed(first.slice(0, 1), error)
      throw error
    }
  }

  /** Answers the place that is stored when all of it had been done before. Rejects with `HandlerThrew`, and for the store. */
  async #perform(batch: readonly Waiting[], signal: AbortSignal): Promise<SlicePlace | undefined> {
    const events = batch.flatMap((each) => each.events ?? [])
    if (events.length === 0) return undefined
    const { together } = this.#offset
    if (together === undefined) {
      const throwsOn = (error: unknown): never => {
        throw new HandlerThrew(error)
      }
      await this.#callHandler(events, signal, noClient).catch(throwsOn)
      return undefined
    }
    const place = (batch.at(-1) as Waiting).place()
    const work = (client: ProjectionClient) => this.#callHandler(events, signal, client)
    return together.call(this.#offset, place, work, signal)
  }

  #performed(batch: readonly Waiting[]): void {
    const count = batch.reduce((sum, { events = [] }) => sum + events.length, 0)
    this.#handled += count
    this.#pass(batch)
    if (this.#offset.together !== undefined && count > 0) this.#stored()
  }

  /** Whether it can be read. Who cannot comes alone, so that nobody else is left out with it. */
  #read(waiting: Waiting, isFirst: boolean): boolean {
    const { events } = this.#options
    const before = this.#place
    try {
      waiting.events ??= events.handOut(waiting.event, {
        before: () => textOfPlace(before),
        behind: () => textOfPlace(waiting.place()),
      })
      return true
    } catch (error) {
      if (isFirst) throw error
      return false
    }
  }

  async #callHandler(
    events: readonly AnyEntityEvent[],
    signal: AbortSignal,
    client: ProjectionClient,
  ): Promise<void> {
    const { log, projection } = this.#options
    const { handle, handleMany } = projection
    const context = { signal, log, client }
    if (handleMany !== undefined) await handleMany(events, context)
    else for (const event of events) await handle?.(event, context)
  }

  #pass(batch: readonly Waiting[]): void {
    const last = batch.at(-1)
    if (last === undefined) return
    this.#place = last.place()
    this.#waiting.splice(0, batch.length)
    this.#waitingSinceMs = this.#now()
    this.#unstored += batch.length
    this.#handlerSucceeded()
  }

  // ---- failing

  async #handlerFailed(batch: readonly Waiting[], cause: unknown): Promise<AfterStep> {
    const { projection, range, log, events } = this.#options
    const [first] = batch as [Waiting]
    const { event } = first
    const { entity, id } = events.originOf(event.persistenceId) as StreamOrigin
    const place = textOfPlace(first.place())
    const spot = { entityType: entity.name, id, sequenceNr: event.sequenceNr, place }
    const failure = { spot, events: batch.length, cause }
    const error = new ProjectionHandlerFailed(projection.name, range, failure)
    this.#handlerProblem = error.message
    const failures = ++this.#failures
    const { onFailure } = projection
    if (onFailure === 'retry' || failures <= onFailure.retries) {
      const waitMs = this.#backOffMs(failures)
      log.warn({ err: error, failures, waitMs }, `${error.message} It is tried again.`)
      return waitMs
    }
    return onFailure.then === 'skip' ? this.#skip(batch, error) : this.#stop(error)
  }

  async #skip(batch: readonly Waiting[], error: ProjectionHandlerFailed): Promise<AfterStep> {
    const { projection, log } = this.#options
    try {
      for (const { events = [] } of batch) {
        for (const event of events.length === 0 ? [undefined] : events) {
          await projection.onSkipped(event, error)
        }
      }
    } catch (err) {
      const waitMs = this.#backOffMs(this.#failures)
      log.error({ err, waitMs }, `${error.message} It was to be left out, and onSkipped failed.`)
      return waitMs
    }
    log.error({ err: error, place: error.place }, `${error.message} It is left out.`)
    this.#skipped += batch.length
    this.#pass(batch)
    return 0
  }

  async #stop(error: Error): Promise<AfterStep> {
    const { projection, range, log } = this.#options
    await this.leave()
    this.#isStopped = true
    this.#isAtEnd = false
    this.#handlerProblem = error.message
    log.error(
      { err: error },
      `Range ${range} of the projection ${projection.name} stops: ${error.message}`,
    )
    return 'stopped'
  }

  #storeFailed(error: unknown): AfterStep | Promise<AfterStep> {
    const { projection, range, log } = this.#options
    if (error instanceof ProjectionChanged) return this.#stop(error)
    if (error instanceof RangeTaken) {
      this.#isStopped = true
      this.#isAtEnd = false
      this.#handlerProblem = error.message
      log.info({ projection: projection.name, range }, error.message)
      return 'over'
    }
    const failures = ++this.#storeFailures
    this.#isAtEnd = false
    this.#storeProblem = `The store failed: ${wordsOf(error)}`
    const waitMs = this.#backOffMs(failures)
    const text = `Range ${range} of the projection ${projection.name} waits for the store.`
    log.warn({ err: error, failures, waitMs }, text)
    return waitMs
  }

  #handlerSucceeded(): void {
    this.#failures = 0
    this.#handlerProblem = undefined
  }

  #storeAnswered(): void {
    this.#storeFailures = 0
    this.#storeProblem = undefined
  }

  #backOffMs(failures: number): number {
    const { projection, environment } = this.#options
    const { backOffMinMs, backOffMaxMs, backOffJitter } = projection.settings
    const waitMs = Math.min(backOffMaxMs, backOffMinMs * 2 ** Math.min(failures - 1, 50))
    return waitMs * (1 - backOffJitter * environment.random.float())
  }

  // ---- storing

  #mustStore(): boolean {
    if (this.#place === this.#storedPlace) return false
    const { storeAfterEvents } = this.#options.projection.settings
    return this.#unstored >= storeAfterEvents || this.#untilStoredMs() <= 0
  }

  async #store(): Promise<void> {
    await this.#offset.store(this.#place)
    this.#stored()
  }

  #stored(): void {
    this.#storedPlace = this.#place
    this.#storedMs = this.#now()
    this.#unstored = 0
    this.#storeAnswered()
  }

  #untilStoredMs(): number {
    if (this.#place === this.#storedPlace) return Infinity
    const { storeAfterMs } = this.#options.projection.settings
    // Where it only passed what it does not want, it would read that again, and that is all.
    const patienceMs = this.#unstored === 0 ? 10 * storeAfterMs : storeAfterMs
    return this.#storedMs + patienceMs - this.#now()
  }

  /** At the end of its slices: until it looks again, or has to store, or a batch has waited long enough. */
  #waitMs(): number {
    const { pollIntervalMs, batchAfterMs } = this.#options.projection.settings
    const untilBatch =
      this.#waiting.length === 0 ? Infinity : this.#waitingSinceMs + batchAfterMs - this.#now()
    return Math.max(1, Math.min(pollIntervalMs, this.#untilStoredMs(), untilBatch))
  }

  #now(): number {
    return this.#options.environment.clock.monotonicMs()
  }
}
