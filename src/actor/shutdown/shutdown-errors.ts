/** What can be done wrong with a coordinated shutdown, or go wrong in it. */
import { CodedError } from '../../foundation/coded-error.ts'
import { formatMs } from '../../foundation/duration.ts'
import { show } from '../../foundation/show.ts'

/** A task names a phase that this system does not have. */
export class UnknownShutdownPhase extends CodedError {
  readonly code = 'UNKNOWN_SHUTDOWN_PHASE'
  readonly phase: string

  constructor(phase: string, known: Iterable<string>) {
    super(
      `${show(phase)} is not a phase of the shutdown. The phases are: ${[...known].join(', ')}.`,
    )
    this.phase = phase
  }
}

/** A task, or a phase, was added too late to run. */
export class ShutdownPhaseBegun extends CodedError {
  readonly code = 'SHUTDOWN_PHASE_BEGUN'
  readonly phase: string
  /** Undefined when it is the phase itself that came too late. */
  readonly task: string | undefined

  constructor(phase: string, task: string | undefined, currentPhase: string | undefined) {
    const progress =
      currentPhase === undefined ? 'the shutdown has ended' : `the shutdown is in ${currentPhase}`
    const what =
      task === undefined
        ? `Phase ${phase} cannot be added`
        : `Task ${show(task)} cannot be added to phase ${phase}`
    super(`${what}: ${progress}. Add it before the shutdown begins, or to a later phase.`)
    this.phase = phase
    this.task = task
  }
}

/** A phase that must succeed did not end in its time. */
export class ShutdownPhaseTimeout extends CodedError {
  readonly code = 'SHUTDOWN_PHASE_TIMEOUT'
  readonly phase: string
  readonly tasks: readonly string[]

  constructor(phase: string, timeoutMs: number, tasks: readonly string[]) {
    super(
      `Shutdown phase ${phase} timed out after ${formatMs(timeoutMs)}. Still running: ${tasks.join(', ')}.`,
    )
    this.phase = phase
    this.tasks = tasks
  }
}
