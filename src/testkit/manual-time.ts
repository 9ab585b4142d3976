/**
 * Time that passes only when the test says so. Actors run as they always do, on the event loop; clock and timers are
 * virtual. Time moves from deadline to deadline, and between two of them everybody comes to rest: messages are handled,
 * promises have settled. Real I/O is not waited for. A system whose handlers never settle terminates when time moves on.
 *
 *   const time = new ManualTime()
 *   const system = new ActorSystem('test', { environment: time.environment })
 *   await time.advance('10s')
 */
import type { ActorSystem } from '../actor/index.ts'
import { CodedError } from '../foundation/coded-error.ts'
import { type Duration, formatMs, toMs } from '../foundation/duration.ts'
import type { Environment } from '../foundation/environment.ts'
import type { Timer, Timers } from '../foundation/timers.ts'
import { CapturedLogs } from './captured-logs.ts'
import { defaultPatienceMs, hop, realMs } from './patience.ts'
import { silentProcess } from './silent-process.ts'
import { SteadyRandom } from './steady-random.ts'
import { VirtualTime } from './virtual-time.ts'
import { WatchedDispatcher } from './watched-dispatcher.ts'

/** Rounds of the event loop in which nothing moves, until we believe that nothing will. */
const stillHops = 3
/** Timers that may fire in a row while time stands: more of them would never let it move on. */
const callsAtOnceMax = 10_000

/** The actors never come to rest, or time is moved by two hands at once. */
export class NotSettled extends CodedError {
  readonly code = 'NOT_SETTLED'
}

/** A world in which time moves only when the test says so; give its `environment` to a system. */
export class ManualTime {
  /** The world for the systems of this test; several may share it. */
  readonly environment: Environment
  /** What these systems logged. */
  readonly logs = new CapturedLogs()
  readonly #time = new VirtualTime()
  readonly #dispatcher = new WatchedDispatcher()
  #isAdvancing = false

  constructor() {
    this.environment = {
      clock: this.#time,
      timers: new ManualTimers(this, this.#time),
      random: new SteadyRandom(),
      dispatcher: this.#dispatcher,
      logger: this.logs,
      process: silentProcess,
    }
  }

  /** Milliseconds that have passed since the start. */
  get now(): number {
    return this.#time.monotonicMs()
  }

  /** When a timer is due next; undefined when none waits. */
  get nextDeadline(): number | undefined {
    return this.#time.nextDeadlineMs
  }

  /** Moves time on by that much. Resolves when everybody has come to rest there. */
  async advance(duration: Duration): Promise<void> {
    const targetMs = this.now + toMs(duration, 'the time to advance')
    if (this.#isAdvancing) {
      throw new NotSettled('time.advance was called while time is advancing. Await the one before.')
    }
    this.#isAdvancing = true
    try {
      await this.settle()
      await this.#fireUntil(targetMs)
      this.#time.moveTo(targetMs)
    } finally {
      this.#isAdvancing = false
    }
    await this.settle()
  }

  async #fireUntil(targetMs: number): Promise<void> {
    let callsAtOnce = 0
    for (;;) {
      const beforeMs = this.now
      if (!this.#time.fireNext(targetMs)) return
      await this.settle()
      callsAtOnce = this.now === beforeMs ? callsAtOnce + 1 : 0
      if (callsAtOnce < callsAtOnceMax) continue
      throw new NotSettled(
        `${callsAtOnceMax} timers fired at ${formatMs(this.now)} of manual time, and the next is due at the same time. ` +
          'Is there a timer that starts itself again without a delay?',
      )
    }
  }

  /** Resolves when no actor has anything left to do until time moves. That may take 3 s of real time, or `within`. */
  async settle(options: { readonly within?: Duration } = {}): Promise<void> {
    const withinMs = toMs(options.within ?? defaultPatienceMs, 'within')
    const endMs = realMs() + withinMs
    let still = 0
    while (still < stillHops) {
      const before = this.movements
      await hop()
      const isStill = this.#dispatcher.waiting === 0 && this.movements === before
      still = isStill ? still + 1 : 0
      if (!isStill && realMs() > endMs) throw new NotSettled(this.#unrest(withinMs))
    }
  }

  #unrest(withinMs: number): string {
    return (
      `The actors did not come to rest within ${formatMs(withinMs)} of real time; ` +
      `the last turn was that of ${this.#dispatcher.last}. Does an actor send to itself without end?`
    )
  }

  /** For probes: grows with everything that happens. */
  get movements(): number {
    return this.#dispatcher.movements + this.#time.started
  }

  /** For probes: no actor waits for its turn, and time stands. */
  get isIdle(): boolean {
    return this.#dispatcher.waiting === 0 && !this.#isAdvancing
  }
}

/** Timers that know whose they are, so that a probe finds the time of its system. */
class ManualTimers implements Timers {
  readonly owner: ManualTime
  readonly #time: VirtualTime

  constructor(owner: ManualTime, time: VirtualTime) {
    this.owner = owner
    this.#time = time
  }

  after(delayMs: number, callback: () => void): Timer {
    return this.#time.after(delayMs, callback)
  }
}

/** The manual time that this system lives in, if it does. */
export function manualTimeOf(system: ActorSystem): ManualTime | undefined {
  const { timers } = system.environment
  return timers instanceof ManualTimers ? timers.owner : undefined
}
