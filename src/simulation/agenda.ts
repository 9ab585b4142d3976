/**
 * Everything that will happen at a set time, earliest first. Equal times are ordered by a draw that each appointment
 * brings along, so that another seed meets another order.
 */
import { BinaryHeap } from '../foundation/binary-heap.ts'

/** Something that will happen once. `Owner` is where it happens. */
export class Appointment<Owner> {
  readonly ordinal: number
  readonly owner: Owner
  /** What it is, in one word for the trace. */
  readonly kind: string
  readonly run: () => void
  readonly #agenda: Agenda<Owner>
  #dueUs: number
  #tieBreak: number
  #isWaiting = true
  #isAwaited = true

  constructor(agenda: Agenda<Owner>, ordinal: number, plan: Plan<Owner>) {
    this.#agenda = agenda
    this.ordinal = ordinal
    this.#dueUs = plan.dueUs
    this.#tieBreak = plan.tieBreak
    this.owner = plan.owner
    this.kind = plan.kind
    this.run = plan.run
  }

  get dueUs(): number {
    return this.#dueUs
  }

  get tieBreak(): number {
    return this.#tieBreak
  }

  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** False when the world counts as idle although this is still to come, as with an unref'd timer. */
  get isAwaited(): boolean {
    return this.#isAwaited
  }

  set isAwaited(isAwaited: boolean) {
    if (this.#isWaiting && isAwaited !== this.#isAwaited)
      this.#agenda.awaitedCount += isAwaited ? 1 : -1
    this.#isAwaited = isAwaited
  }

  cancel(): void {
    if (this.#isWaiting) this.#agenda.forget(this)
  }

  /** Called by the agenda, which must not hold it meanwhile. */
  move(dueUs: number, tieBreak: number): void {
    this.#dueUs = dueUs
    this.#tieBreak = tieBreak
  }

  /** Called by the agenda, once. */
  leave(): void {
    this.#isWaiting = false
    if (this.#isAwaited) this.#agenda.awaitedCount--
  }
}

export interface Plan<Owner> {
  readonly dueUs: number
  readonly tieBreak: number
  readonly owner: Owner
  readonly kind: string
  readonly run: () => void
}

/** Cancelled appointments stay in the heap until there are this many, and more of them than of the others. */
const CANCELLED_KEPT = 1_000

export class Agenda<Owner> {
  #heap = new BinaryHeap<Appointment<Owner>>(isBefore)
  #cancelledCount = 0
  #ordinal = 0
  /** Appointments that keep the world from being idle. Kept by the appointments. */
  awaitedCount = 0

  add(plan: Plan<Owner>): Appointment<Owner> {
    const appointment = new Appointment(this, this.#ordinal++, plan)
    this.#heap.push(appointment)
    this.awaitedCount++
    return appointment
  }

  /** When the next appointment is due; Infinity when there is none. */
  get nextDueUs(): number {
    return this.#first()?.dueUs ?? Infinity
  }

  /** Takes the next appointment out. */
  take(): Appointment<Owner> | undefined {
    const first = this.#first()
    if (first === undefined) return undefined
    this.#heap.pop()
    first.leave()
    return first
  }

  /** Who owns the next appointment. */
  get nextOwner(): Owner | undefined {
    return this.#first()?.owner
  }

  /** Puts the next appointment off, to a new place among those of that time. */
  postpone(dueUs: number, tieBreak: number): void {
    const first = this.#first()
    if (first === undefined) return
    this.#heap.pop()
    first.move(dueUs, tieBreak)
    this.#heap.push(first)
  }

  forget(appointment: Appointment<Owner>): void {
    appointment.leave()
    this.#cancelledCount++
    if (this.#cancelledCount > Math.max(CANCELLED_KEPT, this.#heap.size / 2)) this.#rebuild()
  }

  /** Cancels all that would happen at `owner`; answers how many that were. */
  forgetAllOf(owner: Owner): number {
    const theirs = this.waiting().filter((each) => each.owner === owner)
    for (const each of theirs) each.leave()
    this.#rebuild()
    return theirs.length
  }

  /** All that wait, earliest first. Takes time in proportion to their number. */
  waiting(): Appointment<Owner>[] {
    this.#rebuild()
    const waiting: Appointment<Owner>[] = []
    for (let each = this.#heap.pop(); each !== undefined; each = this.#heap.pop())
      waiting.push(each)
    for (const each of waiting) this.#heap.push(each)
    return waiting
  }

  #first(): Appointment<Owner> | undefined {
    for (;;) {
      const first = this.#heap.peek()
      if (first === undefined || first.isWaiting) return first
      this.#heap.pop()
      this.#cancelledCount--
    }
  }

  #rebuild(): void {
    const old = this.#heap
    this.#heap = new BinaryHeap(isBefore)
    this.#cancelledCount = 0
    for (let each = old.pop(); each !== undefined; each = old.pop()) {
      if (each.isWaiting) this.#heap.push(each)
    }
  }
}

function isBefore<Owner>(a: Appointment<Owner>, b: Appointment<Owner>): boolean {
  if (a.dueUs !== b.dueUs) return a.dueUs < b.dueUs
  return a.tieBreak === b.tieBreak ? a.ordinal < b.ordinal : a.tieBreak < b.tieBreak
}
