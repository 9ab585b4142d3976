/** The terminal of this process: what was asked for on standard output, words and progress on standard error. */
import type { Clock } from '../foundation/clock.ts'
import type { HostProcess } from '../foundation/host-process.ts'
import { systemEnvironment } from '../foundation/system-environment.ts'
import type { Timers } from '../foundation/timers.ts'
import type { ExitCode } from './command.ts'
import type { Terminal } from './terminal.ts'

/** How often progress is told on a screen, and in a log. */
const tellEveryMs = { screen: 200, log: 10_000 }

export class ProcessTerminal implements Terminal {
  readonly #environment = systemEnvironment()
  readonly #stop = new AbortController()
  readonly #isScreen = process.stderr.isTTY
  #isLineOpen = false
  #isUnread = false

  constructor() {
    this.process.onTerminationSignal(() => this.#stop.abort(interrupted()))
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      this.#isUnread = error.code === 'EPIPE'
      this.#stop.abort(this.#isUnread ? interrupted() : error)
    })
  }

  get clock(): Clock {
    return this.#environment.clock
  }

  get timers(): Timers {
    return this.#environment.timers
  }

  get process(): HostProcess {
    return this.#environment.process
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get progressEveryMs(): number {
    return this.#isScreen ? tellEveryMs.screen : tellEveryMs.log
  }

  async print(line: string): Promise<void> {
    if (process.stdout.write(`${line}\n`) || this.signal.aborted) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        process.stdout.off('drain', done)
        this.signal.removeEventListener('abort', done)
        resolve()
      }
      process.stdout.on('drain', done)
      this.signal.addEventListener('abort', done)
    })
  }

  note(line: string): void {
    this.progress('')
    // Whoever cut the output short has what it wanted.
    if (!this.#isUnread) process.stderr.write(`${line}\n`)
  }

  progress(line: string): void {
    if (!this.#isScreen && line !== '') process.stderr.write(`${line}\n`)
    if (!this.#isScreen || (line === '' && !this.#isLineOpen)) return
    process.stderr.write(`\r\u001b[K${line}`)
    this.#isLineOpen = line !== ''
  }

  /** That nobody reads any more, as behind `| head`, is no failure. */
  exitCodeFor(code: ExitCode): ExitCode {
    return this.#isUnread ? 0 : code
  }
}

function interrupted(): Error {
  return new Error('Interrupted. What was done so far is stored; `copy` goes on with --resume.')
}
