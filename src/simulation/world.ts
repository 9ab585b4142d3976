/**
 * The world of one simulation: time, whose turn it is, and what is still to come, under one seed. A step is one turn of
 * a task or one appointment, followed by every promise reaction to it. Knows nothing of actors.
 *
 * Invariant: which step comes next depends on the seed and on earlier steps, never on the machine.
 */
import { Agenda, type Appointment } from './agenda.ts'
import { type AppointmentPlan, type Ground, Incarnation } from './incarnation.ts'
import { SeededDispatcher, SeededTurns } from './seeded-dispatcher.ts'
import { SeededRandom } from './seeded-random.ts'
import type { FaultKind } from './checkers/findings.ts'
import { formatMs } from '../foundation/duration.ts'
import { Story } from './story/story.ts'
import type { Scene, Violation } from './simulation-errors.ts'
import { Trace, formatEvent } from './trace.ts'
import { Troubles } from './troubles.ts'
import { NodeClock, VirtualClock } from './virtual-clock.ts'
import type { Whereabouts } from './microtasks.ts'

/** How often a ready task goes before an appointment that is due. */
const TURN_FIRST = 0.75
/** The monotonic clock of a node starts anywhere below this. */
const MONOTONIC_START_MAX_MS = 1_000_000
const VIOLATIONS_KEPT = 100
/** Violations whose story is told; the others came of the same. */
const STORIES_TOLD = 3
const LINES_SHOWN = 20
const BUSY_LOOK = 1_000
const BUSY_SHOWN = 5

/** `starting`: a run was asked for, and its first step has not begun. */
export type Activity = 'resting' | 'starting' | 'between-steps' | 'stepping'

/** Where something goes wrong, and for how long: 0 when not given. */
export interface FaultPlace {
  readonly kind: FaultKind
  readonly nodes: readonly string[]
  readonly forMs?: number
}

/** Where a life is lived. */
export interface LifePlace {
  readonly wallOffsetMs?: number
  readonly clockRate?: number
  readonly machine?: string
}

export class World implements Ground {
  readonly seed: number
  readonly clock = new VirtualClock()
  readonly trace: Trace
  /** What the entities did, for people. */
  readonly story = new Story(this.clock)
  /** The first hundred. */
  readonly violations: Violation[] = []
  violationCount = 0
  /** The place of code that belongs to no node: scripts of the scenario. */
  readonly stage: Incarnation
  /** Set by the run in progress. */
  activity: Activity = 'resting'
  /** Set once: hears of every life that ends. */
  onEnd: (place: Incarnation) => void = () => {}
  faults = 0
  /** Set once: hears of every fault. */
  onFault: (description: string) => void = () => {}
  readonly troubles = new Troubles()
  /** How often the run came to places that are worth testing. */
  readonly reached = new Map<string, number>()
  strayCalls = 0
  /** False: the processes are on hosts of their own, and none can tell that another has ended. */
  endsAreProved = true
  readonly #random: SeededRandom
  readonly #order: SeededRandom
  readonly #agenda = new Agenda<Incarnation>()
  readonly #turns: SeededTurns<Incarnation>
  readonly #whereabouts: Whereabouts<Incarnation>
  readonly #lives = new Map<string, number>()
  readonly #running = new Set<string>()
  readonly #ended = new Set<string>()
  readonly #isTraced: boolean

  /**
   * `whereabouts` may be those of earlier worlds, too. `isTraced`: errors show the last events beside the story.
   */
  constructor(
    seed: number,
    keptEventsMax: number,
    whereabouts: Whereabouts<Incarnation>,
    isTraced = false,
  ) {
    this.seed = seed
    this.#whereabouts = whereabouts
    this.#isTraced = isTraced
    this.trace = new Trace(keptEventsMax)
    this.#random = new SeededRandom(seed, 'world')
    this.#order = this.#random.fork('order')
    this.#turns = new SeededTurns(this.#random.fork('nodes'))
    this.stage = new Incarnation(this, {
      name: '*',
      number: 0,
      machine: '*',
      clock: new NodeClock(this.clock),
      random: this.#random.fork('stage'),
    })
  }

  /** Chance for a purpose of its own. */
  random(label: string): SeededRandom {
    return this.#random.fork(label)
  }

  /** The next life of a node. */
  begin(
    name: string,
    { wallOffsetMs = 0, clockRate: rate = 1, machine = 'machine' }: LifePlace,
  ): Incarnation {
    const number = (this.#lives.get(name) ?? 0) + 1
    this.#lives.set(name, number)
    const random = this.#random.fork(`${name}#${number}`)
    const monotonicStartMs = random.fork('clock').below(MONOTONIC_START_MAX_MS)
    const clock = new NodeClock(this.clock, { monotonicStartMs, wallOffsetMs, rate })
    const incarnation = new Incarnation(this, { name, number, machine, clock, random })
    this.#running.add(incarnation.label)
    this.note(incarnation, 'start')
    this.story.note(number === 1 ? 'starts' : 'starts again', incarnation.label)
    return incarnation
  }

  /** `isProved`: who runs on the same machine can see that the process has ended. */
  end(place: Incarnation, why: string, isProved = true): void {
    if (!place.isAlive) return
    this.note(place, 'end', why)
    this.story.nodeEnded(place.label, why)
    place.revoke()
    this.#running.delete(place.label)
    if (isProved) this.#ended.add(place.label)
    this.onEnd(place)
    this.#agenda.forgetAllOf(place)
  }

  /** Nothing of this life runs for so long. What comes due meanwhile is done afterwards, in any order. */
  pause(place: Incarnation, durationMs: number): void {
    const untilUs = this.clock.deadlineUs(durationMs)
    place.pause(untilUs)
    this.story.note(`stops answering (SIGSTOP for ${formatMs(durationMs)})`, place.label)
    this.stage.appoint(durationMs, 'resume', () => {
      if (!place.isAlive) return
      place.resume(this.clock.nowUs)
      this.note(place, 'resume')
      this.story.note('goes on (SIGCONT)', place.label)
    })
  }

  /** Each step of this life takes time for so long, and nothing else of it runs meanwhile. */
  slow(place: Incarnation, stepMeanMs: number, durationMs: number): void {
    const untilUs = this.clock.deadlineUs(durationMs)
    place.slow(stepMeanMs, untilUs)
    const steps = `a step takes about ${formatMs(stepMeanMs)}`
    this.story.note(`is slow for ${formatMs(durationMs)} (${steps})`, place.label)
  }

  // ---- what incarnations ask for

  dispatcherFor(
    place: Incarnation,
    random: SeededRandom,
    mayAct: () => boolean,
  ): SeededDispatcher<Incarnation> {
    return new SeededDispatcher(place, this.#turns, { random, mayAct })
  }

  isGone(label: string): boolean {
    return this.endsAreProved && this.#ended.has(label)
  }

  isRunning(label: string): boolean {
    return this.endsAreProved && this.#running.has(label)
  }

  admit(place: Incarnation, what: string): void {
    if (this.activity !== 'between-steps') return
    this.violate(
      'nothing comes in from outside',
      `${place.label} was asked for a ${what} while the simulation ran, but not by one of its steps: something real (a timer, a file, an import) was waited for`,
    )
  }

  strayed(place: Incarnation): void {
    this.strayCalls++
    this.note(place, 'stray')
  }

  appoint(owner: Incarnation, plan: AppointmentPlan): Appointment<Incarnation> {
    const { delayMs, tieBreak, kind, run } = plan
    return this.#agenda.add({ dueUs: this.clock.deadlineUs(delayMs), tieBreak, owner, kind, run })
  }

  note(place: Incarnation, kind: string, text = ''): void {
    this.trace.add(this.clock.nowUs, place, kind, text)
  }

  // ---- steps

  /** Where the running code belongs, also after an await. */
  get current(): Incarnation {
    const place = this.#whereabouts.current
    // A promise of an earlier world may continue in a step of this one.
    return place?.isIn(this) === true ? place : this.stage
  }

  /** Nothing is ready, and nothing that anybody waits for is to come. */
  get isIdle(): boolean {
    return this.#turns.isEmpty && this.#agenda.awaitedCount === 0
  }

  /** Nothing will ever happen again by itself. */
  get isDead(): boolean {
    return this.#turns.isEmpty && this.#agenda.nextDueUs === Infinity
  }

  /** All that is still to come, in words. */
  toCome(): string[] {
    return this.#agenda
      .waiting()
      .map(({ owner, kind, dueUs }) => `${kind} of ${owner.label} at ${dueUs / 1_000} ms`)
  }

  /** Lets one thing happen; false when nothing will until then. */
  step(untilUs: number): boolean {
    const { nowUs } = this.clock
    this.#postponeResting()
    const dueUs = this.#agenda.nextDueUs
    if (!this.#turns.isEmpty && (dueUs > nowUs || this.#order.chance(TURN_FIRST))) {
      this.#giveTurn(nowUs)
    } else if (dueUs <= untilUs) {
      this.#keepAppointment()
    } else {
      return false
    }
    return true
  }

  rest(): void {
    this.#whereabouts.rest()
  }

  /** Puts off what comes next as long as it belongs to a node that is paused, or busy with its last step. */
  #postponeResting(): void {
    for (;;) {
      const owner = this.#agenda.nextOwner
      if (owner === undefined || owner.restsUntilUs <= this.#agenda.nextDueUs) return
      this.#agenda.postpone(owner.restsUntilUs, owner.drawTieBreak())
    }
  }

  #giveTurn(nowUs: number): void {
    const dispatcher = this.#turns.draw()
    const known = dispatcher.draw()
    const entry = this.trace.beginTurn(nowUs, dispatcher.place, known.name)
    this.#whereabouts.run(dispatcher.place, () => {
      let units = -1
      try {
        units = dispatcher.run(known)
      } finally {
        this.trace.endTurn(entry, known.nameHash, units)
      }
    })
    this.#takeTime(dispatcher.place)
  }

  #keepAppointment(): void {
    const appointment = this.#agenda.take() as Appointment<Incarnation>
    this.clock.advanceTo(Math.max(this.clock.nowUs, appointment.dueUs))
    this.note(appointment.owner, appointment.kind)
    this.#whereabouts.run(appointment.owner, appointment.run)
    this.#takeTime(appointment.owner)
  }

  #takeTime(place: Incarnation): void {
    const stepMs = place.drawStepMs(this.clock.nowUs)
    if (stepMs === 0) return
    place.occupy(this.clock.deadlineUs(stepMs))
    this.stage.appoint(stepMs, 'step', () => place.resume(this.clock.nowUs))
  }

  // ---- findings

  /** Counts a fault and notes it. What happens nowhere cannot be what a message was lost by. */
  fault(description: string, place?: FaultPlace): void {
    this.faults++
    this.onFault(description)
    if (place !== undefined) this.trouble(place)
    this.note(this.current, 'fault', description)
    const kind = place?.kind
    if (kind === 'store') this.story.storeFault(description)
    // Of a node that ends or sleeps its own line tells.
    else if (kind !== 'crash' && kind !== 'pause') this.story.note(description)
  }

  /** Something is not as it should be that is no fault of its own. */
  trouble({ kind, nodes, forMs }: FaultPlace): void {
    this.troubles.add(kind, nodes, this.clock.nowMs, forMs)
  }

  reach(name: string): void {
    this.reached.set(name, (this.reached.get(name) ?? 0) + 1)
  }

  violate(name: string, detail: string, cause?: unknown): void {
    this.note(this.current, 'violation', name)
    this.violationCount++
    if (this.violations.length >= VIOLATIONS_KEPT) return
    const { seed } = this
    const timeMs = this.clock.nowMs
    const isTold = this.violations.length < STORIES_TOLD
    const story = isTold ? this.story.about(`${name} ${detail}`) : []
    this.violations.push({
      ...{ name, detail, seed, timeMs },
      ...(story.length > 0 && { story }),
      ...(cause === undefined ? {} : { cause }),
    })
  }

  /** What the last events were, those that came most often first. */
  busiest(): string[] {
    const counts = new Map<string, number>()
    for (const { kind, place, text } of this.trace.last(BUSY_LOOK)) {
      const what = `${kind} of ${place} ${text.replace(/, \d+ units?$/, '')}`.trimEnd()
      counts.set(what, (counts.get(what) ?? 0) + 1)
    }
    const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, BUSY_SHOWN)
    return most.map(([what, times]) => `${what} (${times} times)`)
  }

  /** For an error that says this. */
  scene(text: string): Scene {
    const story = this.story.about(text)
    const isTraced = this.#isTraced || story.length === 0
    const lastEvents = isTraced ? this.trace.last(LINES_SHOWN).map(formatEvent) : []
    return { seed: this.seed, timeMs: this.clock.nowMs, story, lastEvents }
  }
}
