/**
 * The operating-system process of a simulated node: it gets signals from the scenario and ends when the node says so. It is
 * known by its machine and the life of its node.
 */
import type { HostProcess } from '../foundation/host-process.ts'

/** What an operating system sends a process that should end. */
export type TerminationSignal = 'SIGTERM' | 'SIGINT'

export interface SimulatedProcessParts {
  readonly identity: string
  readonly onExit: (code: number) => void
  /** Whether the process with this identity can be seen to have ended. */
  readonly isGone: (identity: string) => boolean
  /** Whether it can be seen running. */
  readonly isRunning: (identity: string) => boolean
}

export class SimulatedProcess implements HostProcess {
  readonly identity: string
  readonly #onExit: (code: number) => void
  readonly #isGone: (identity: string) => boolean
  readonly #isRunning: (identity: string) => boolean
  #listeners: ((signal: TerminationSignal) => void)[] = []

  constructor({ identity, onExit, isGone, isRunning }: SimulatedProcessParts) {
    this.identity = identity
    this.#onExit = onExit
    this.#isGone = isGone
    this.#isRunning = isRunning
  }

  onTerminationSignal(listener: (signal: TerminationSignal) => void): { remove(): void } {
    this.#listeners.push(listener)
    return {
      remove: () => {
        this.#listeners = this.#listeners.filter((each) => each !== listener)
      },
    }
  }

  /** In a simulation an error that nobody caught ends the run, not a node. */
  onEscapedError(): { remove(): void } {
    return { remove: () => undefined }
  }

  exit(code: number): void {
    this.#onExit(code)
  }

  isGone(identity: string): boolean {
    return this.#isGone(identity)
  }

  isRunning(identity: string): boolean {
    return this.#isRunning(identity)
  }

  /** Delivers a signal. With nobody listening it ends the process, and so does the next one. */
  deliver(signal: TerminationSignal): void {
    const listeners = this.#listeners
    this.#listeners = []
    if (listeners.length === 0) this.exit(signal === 'SIGINT' ? 130 : 143)
    for (const listener of listeners) listener(signal)
  }

  forgetListeners(): void {
    this.#listeners = []
  }
}
