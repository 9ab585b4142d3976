/**
 * One life of one node: every capability its code has, bound to this life and revoked in one place. After a crash its
 * timers and ready tasks are gone, and what stray continuations still call does nothing but count. The ports to network and
 * storage are built on `appoint`, so they end with it too.
 */
import type { Environment } from '../foundation/environment.ts'
import { RingBuffer } from '../foundation/ring-buffer.ts'
import { stableHash } from '../foundation/stable-hash.ts'
import type { Appointment } from './agenda.ts'
import type { SeededDispatcher } from './seeded-dispatcher.ts'
import type { SeededRandom } from './seeded-random.ts'
import { SimulatedProcess } from './simulated-process.ts'
import type { Surroundings, SurroundingTimer } from './globals/surroundings.ts'
import { tracingLogger } from './tracing-logger.ts'
import type { NodeClock } from './virtual-clock.ts'

/** What a life needs of its world. */
export interface Ground {
  dispatcherFor(
    place: Incarnation,
    random: SeededRandom,
    mayAct: () => boolean,
  ): SeededDispatcher<Incarnation>
  /** Hears of everything a living incarnation does. */
  admit(place: Incarnation, what: string): void
  /** Hears of everything a crashed one still tries. */
  strayed(place: Incarnation): void
  appoint(place: Incarnation, plan: AppointmentPlan): Appointment<Incarnation>
  note(place: Incarnation, kind: string, text: string): void
  end(place: Incarnation, why: string): void
  /** Whether it can be proved that this life has ended. */
  isGone(label: string): boolean
  /** Whether this life can be seen to go on. */
  isRunning(label: string): boolean
}

export interface AppointmentPlan {
  readonly delayMs: number
  readonly tieBreak: number
  readonly kind: string
  readonly run: () => void
}

export interface IncarnationParts {
  readonly name: string
  /** 1 for the first life of the node. */
  readonly number: number
  readonly machine: string
  readonly clock: NodeClock
  readonly random: SeededRandom
}

export class Incarnation implements Surroundings {
  readonly name: string
  readonly number: number
  /** `a#2`: the second life of node a. */
  readonly label: string
  readonly labelHash: number
  readonly clock: NodeClock
  readonly userRandom: SeededRandom
  readonly process: SimulatedProcess
  readonly environment: Environment
  readonly #world: Ground
  readonly #dispatcher: SeededDispatcher<Incarnation>
  readonly #tieBreaks: SeededRandom
  readonly #stepTimes: SeededRandom
  readonly #immediates = new RingBuffer<WaitingCall>()
  readonly #callOldest = (): void => this.#immediates.shift()?.callback?.()
  #isAlive = true
  #pausedUntilUs = 0
  #pauseCount = 0
  #busyUntilUs = 0
  #stepMeanMs = 0
  #slowUntilUs = 0

  constructor(world: Ground, parts: IncarnationParts) {
    const { name, number, machine, clock, random } = parts
    this.#world = world
    this.name = name
    this.number = number
    this.label = number === 0 ? name : `${name}#${number}`
    this.labelHash = stableHash(this.label)
    this.clock = clock
    this.userRandom = random.fork('user')
    this.#tieBreaks = random.fork('ties')
    this.#stepTimes = random.fork('steps')
    this.#dispatcher = world.dispatcherFor(this, random.fork('turns'), () => this.mayAct('turn'))
    this.process = new SimulatedProcess({
      identity: `${machine} ${this.label}`,
      onExit: (code) => world.end(this, `exit ${code}`),
      isGone: (identity) => {
        const [where, label = ''] = identity.split(' ')
        return where === machine && world.isGone(label)
      },
      isRunning: (identity) => {
        const [where, label = ''] = identity.split(' ')
        return where === machine && world.isRunning(label)
      },
    })
    this.environment = {
      clock,
      timers: { after: (delayMs, callback) => this.after(delayMs, 'timer', callback) },
      random: random.fork('node'),
      dispatcher: this.#dispatcher,
      logger: tracingLogger((level, line) => {
        if (this.mayAct('log')) this.#world.note(this, 'log', `${level} ${line}`)
      }),
      process: this.process,
    }
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  isIn(world: Ground): boolean {
    return this.#world === world
  }

  after(delayMs: number, kind: string, callback: () => void): SurroundingTimer {
    return this.mayAct(kind) ? this.appoint(this.#worldMs(delayMs), kind, callback) : noTimer()
  }

  /** How long it waits, by its own clock. On that no timer comes too early, not even by a fraction. */
  #worldMs(delayMs: number): number {
    const { rate } = this.clock
    return rate === 1 || delayMs === 0 ? delayMs : delayMs / rate + 0.001
  }

  soon(callback: () => void): SurroundingTimer {
    if (!this.mayAct('immediate')) return noTimer()
    const waiting: WaitingCall = { callback }
    this.#immediates.push(waiting)
    // Whichever appointment comes first takes the oldest call: the order of calls survives the draw.
    const appointment = this.appoint(0, 'immediate', this.#callOldest)
    return new Immediate(appointment, waiting)
  }

  /** For the network and the store, which may not know that this life is over: then nothing will happen. */
  appoint(delayMs: number, kind: string, run: () => void): Appointment<Incarnation> {
    const tieBreak = this.#tieBreaks.next()
    const appointment = this.#world.appoint(this, { delayMs, kind, run, tieBreak })
    if (!this.#isAlive) appointment.cancel()
    return appointment
  }

  /** Asked before everything this life does; false when it is over. */
  mayAct(what: string): boolean {
    if (this.#isAlive) {
      this.#world.admit(this, what)
      return true
    }
    this.#world.strayed(this)
    return false
  }

  /** Nothing of it runs before this time of the world. */
  get pausedUntilUs(): number {
    return this.#pausedUntilUs
  }

  /** The same, also of one that is busy with its last step. */
  get restsUntilUs(): number {
    return Math.max(this.#pausedUntilUs, this.#busyUntilUs)
  }

  /** A new place among all that is due when a pause ends: what was first is not first any more. */
  drawTieBreak(): number {
    return this.#tieBreaks.next()
  }

  get pauseCount(): number {
    return this.#pauseCount
  }

  pause(untilUs: number): void {
    this.#pauseCount++
    this.#pausedUntilUs = Math.max(this.#pausedUntilUs, untilUs)
    this.#dispatcher.hold()
  }

  /** Its steps take so long on average until then. */
  slow(stepMeanMs: number, untilUs: number): void {
    this.#stepMeanMs = stepMeanMs
    this.#slowUntilUs = untilUs
  }

  /** How long the step that it has just done takes: 0 unless it is slow. */
  drawStepMs(nowUs: number): number {
    if (nowUs >= this.#slowUntilUs || !this.#isAlive) return 0
    return -this.#stepMeanMs * Math.log(1 - this.#stepTimes.float())
  }

  occupy(untilUs: number): void {
    this.#busyUntilUs = untilUs
    this.#dispatcher.hold()
  }

  /** Called at the end of every pause, and of every step that took time; another one may have begun meanwhile. */
  resume(nowUs: number): void {
    if (this.#isAlive && nowUs >= this.restsUntilUs) this.#dispatcher.release()
  }

  revoke(): void {
    this.#isAlive = false
    this.#dispatcher.clear()
    this.#immediates.clear()
    this.process.forgetListeners()
  }
}

interface WaitingCall {
  callback: (() => void) | undefined
}

class Immediate implements SurroundingTimer {
  readonly #appointment: Appointment<Incarnation>
  readonly #waiting: WaitingCall

  constructor(appointment: Appointment<Incarnation>, waiting: WaitingCall) {
    this.#appointment = appointment
    this.#waiting = waiting
  }

  get isAwaited(): boolean {
    return this.#appointment.isAwaited
  }

  set isAwaited(isAwaited: boolean) {
    this.#appointment.isAwaited = isAwaited
  }

  cancel(): void {
    this.#waiting.callback = undefined
  }
}

function noTimer(): SurroundingTimer {
  return { isAwaited: false, cancel: () => {} }
}
