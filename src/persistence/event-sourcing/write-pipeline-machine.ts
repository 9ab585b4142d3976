/**
 * The writes of one running entity. Commands go on while earlier events are in flight; what they cause is held until
 * their events, and all before them, are stored.
 *
 *   open ──Fenced, Failed──▶ closing (earlier appends are still awaited) ──▶ stopped
 *     └──Unknown, GivenUp────────┴──▶ stopped
 *
 * Invariant: what is held is released or discarded once, and released in the order of handling, after every event handled
 * up to then is stored; appends expect consecutive sequence numbers; nothing is released after the stop. Nothing is handled
 * while a deletion waits for its answer: it may take no number, and then a write behind it would be accepted where it failed.
 */
import { assert, unreachable } from '../../foundation/assert.ts'
import type { NewEvent } from '../journal.ts'
import type {
  Doubt,
  Failing,
  Fencing,
  WriteEffect,
  WriteEnd,
  WriteInput,
} from './write-pipeline-inputs.ts'

/** Events that go to the journal together, and what waits for them: by itself the order to append it. */
interface Batch<Held> {
  readonly type: 'Append'
  /** Its number. */
  readonly batch: number
  readonly expectedSequenceNr: number
  readonly events: NewEvent[]
  /** Begins by deleting all that came before it. */
  readonly deletes: boolean
  readonly held: Held[]
  isStored: boolean
}

const none: readonly never[] = []

export class WritePipelineMachine<Held> {
  readonly #appendEventsMax: number
  /** In flight, oldest first, with consecutive numbers. */
  readonly #inFlight: Batch<Held>[] = []
  /** Not given to the journal yet. */
  #open: Batch<Held> | undefined = undefined
  /** The number of a batch that deletes and was not answered. */
  #deletion: number | undefined = undefined
  #sequenceNr: number
  #batches = 0
  #heldCount = 0
  #end: WriteEnd | undefined = undefined

  /** `sequenceNr` is that of the last stored event. */
  constructor(sequenceNr: number, appendEventsMax: number) {
    this.#sequenceNr = sequenceNr
    this.#appendEventsMax = appendEventsMax
  }

  /** What waits for its events. */
  get heldCount(): number {
    return this.#heldCount
  }

  get isIdle(): boolean {
    return this.#open === undefined && this.#inFlight.length === 0
  }

  /** A deletion is on its way: what comes next has to wait for what becomes of it. */
  get isDeleting(): boolean {
    return this.#deletion !== undefined
  }

  step(input: WriteInput<Held>): readonly WriteEffect<Held>[] {
    switch (input.type) {
      case 'CommandHandled':
        return this.handled(input.events, input.held, input.deletes === true)
      case 'TurnEnded':
        return this.#open === undefined ? none : [this.#append(this.#open)]
      case 'Appended':
        return this.#appended(input.batch)
      case 'Fenced':
      case 'Failed':
        return this.#refused(input)
      case 'Unknown':
        return this.#find(input.batch) === undefined ? none : this.#stop(input)
      case 'GivenUp':
        return this.isIdle ? none : this.#stop({ type: 'Unknown', batch: 0, cause: input.cause })
      default:
        return unreachable(input)
    }
  }

  /** As the step of `CommandHandled`. */
  handled(events: readonly NewEvent[], held: Held, deletes: boolean): readonly WriteEffect<Held>[] {
    assert(this.#end === undefined, 'no command is handled after a write has failed')
    assert(!this.isDeleting, 'no command is handled before a deletion is answered')
    if (events.length === 0 && !deletes) return this.#holdAsIs(held)
    const before = this.#open
    if (before === undefined && events.length < this.#appendEventsMax) {
      this.#begin(events, held, deletes)
      return none
    }
    const effects: WriteEffect<Held>[] = []
    const isTooMany = (before?.events.length ?? 0) + events.length > this.#appendEventsMax
    // What came before a deletion is stored before it: whoever waits for that may be answered when the deletion fails.
    if (before !== undefined && (deletes || isTooMany)) effects.push(this.#append(before))
    const batch = this.#open
    if (batch === undefined) {
      this.#begin(events, held, deletes)
    } else {
      for (const event of events) batch.events.push(event)
      batch.held.push(held)
      this.#count(events)
    }
    const last = this.#open
    if (last !== undefined && last.events.length >= this.#appendEventsMax) {
      effects.push(this.#append(last))
    }
    return effects
  }

  #begin(events: readonly NewEvent[], held: Held, deletes: boolean): void {
    const batch = ++this.#batches
    this.#open = {
      type: 'Append',
      batch,
      expectedSequenceNr: this.#sequenceNr,
      events: [...events],
      deletes,
      held: [held],
      isStored: false,
    }
    if (deletes) this.#deletion = batch
    this.#count(events)
  }

  #count({ length }: readonly NewEvent[]): void {
    this.#heldCount++
    this.#sequenceNr += length
    assert(Number.isSafeInteger(this.#sequenceNr), 'sequence numbers are exact')
  }

  /** It has no events of its own, but may have seen those of others. */
  #holdAsIs(held: Held): readonly WriteEffect<Held>[] {
    const last = this.#open ?? this.#inFlight.at(-1)
    if (last === undefined) return [{ type: 'Release', held: [held] }]
    last.held.push(held)
    this.#heldCount++
    return none
  }

  #append(batch: Batch<Held>): WriteEffect<Held> {
    this.#open = undefined
    this.#inFlight.push(batch)
    return batch
  }

  /** Undefined for what is no longer, or never was, awaited. */
  #find(number: number): Batch<Held> | undefined {
    const batch = this.#inFlight[number - (this.#inFlight[0]?.batch ?? 0)]
    return batch?.isStored === true ? undefined : batch
  }

  #appended(number: number): readonly WriteEffect<Held>[] {
    const batch = this.#find(number)
    if (batch === undefined) return none
    batch.isStored = true
    if (number === this.#deletion) this.#deletion = undefined
    if (this.#inFlight[0] !== batch) return none
    const effects = [this.#release()]
    while (this.#inFlight.at(0)?.isStored === true) effects.push(this.#release())
    if (this.#end !== undefined && this.isIdle) effects.push({ type: 'Stop', because: this.#end })
    return effects
  }

  #release(): WriteEffect<Held> {
    const { held } = this.#inFlight.shift()!
    this.#heldCount -= held.length
    return { type: 'Release', held }
  }

  /** What came before this batch is still awaited: it may be stored. What came after cannot be. */
  #refused(end: Fencing | Failing): readonly WriteEffect<Held>[] {
    const batch = this.#find(end.batch)
    if (batch === undefined) return none
    this.#end = end
    const discard = this.#discardFrom(this.#inFlight.indexOf(batch), end)
    return this.isIdle ? [discard, { type: 'Stop', because: end }] : [discard]
  }

  #stop(end: Doubt): readonly WriteEffect<Held>[] {
    this.#end = end
    return [this.#discardFrom(0, end), { type: 'Stop', because: end }]
  }

  #discardFrom(index: number, because: WriteEnd): WriteEffect<Held> {
    const held = this.#inFlight.splice(index).flatMap((batch) => batch.held)
    if (this.#open !== undefined) held.push(...this.#open.held)
    this.#open = undefined
    this.#heldCount -= held.length
    return { type: 'Discard', held, because }
  }
}
