/** A world that a test turns by hand: time stands, nobody has a turn, nothing is printed, until it is said so. */
import { ActorSystem } from '../../actor/index.ts'
import { CapturedLogs } from '../captured-logs.ts'
import { HandDispatcher } from './hand-dispatcher.ts'
import { silentProcess } from '../silent-process.ts'
import { SteadyRandom } from '../steady-random.ts'
import { VirtualTime } from '../virtual-time.ts'

export class HandWorld {
  readonly logs = new CapturedLogs()
  readonly system: ActorSystem
  readonly #time = new VirtualTime()
  readonly #dispatcher = new HandDispatcher()

  constructor(name: string) {
    this.system = new ActorSystem(name, {
      environment: {
        clock: this.#time,
        timers: this.#time,
        random: new SteadyRandom(),
        dispatcher: this.#dispatcher,
        logger: this.logs,
        process: silentProcess,
      },
    })
    this.run()
  }

  /** Lets every actor do what it has to do. */
  run(): void {
    this.#dispatcher.runAll()
  }

  /** Moves time from deadline to deadline. */
  advance(ms: number): void {
    const targetMs = this.#time.monotonicMs() + ms
    this.run()
    while (this.#time.fireNext(targetMs)) this.run()
    this.#time.moveTo(targetMs)
  }
}
