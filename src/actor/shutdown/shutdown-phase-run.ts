/** One phase of a shutdown: begins its tasks, waits for them within the phase's time, and judges the outcome. */
import type { Environment } from '../../foundation/environment.ts'
import type { Timers } from '../../foundation/timers.ts'
import type { Failure } from '../ref/actor-ref.ts'
import { ShutdownPhaseTimeout } from './shutdown-errors.ts'
import type { ShutdownPhase } from './shutdown-phases.ts'
import type { ShutdownReason } from './shutdown-reason.ts'

/** Part of the shutdown. It has ended when it returns or, if async, when its promise settles. */
export type ShutdownTask = (reason: ShutdownReason) => void | Promise<void>

export interface PhaseTask {
  readonly name: string
  readonly run: ShutdownTask
}

export interface Phase {
  readonly name: string
  readonly index: number
  readonly settings: ShutdownPhase
  /** Tasks that have not begun. */
  readonly waiting: Set<PhaseTask>
}

/** Resolves when the next phase may begin; rejects with the first failure when this phase must succeed and did not. */
export async function runPhase(
  phase: Phase,
  reason: ShutdownReason,
  world: Pick<Environment, 'timers' | 'logger'>,
): Promise<void> {
  const { name, settings, waiting } = phase
  const fields = { phase: name, tasks: namesOf(waiting) }
  if (!settings.enabled) {
    world.logger.debug(fields, `Shutdown phase ${name} is disabled, its tasks do not run.`)
    return
  }
  if (waiting.size === 0) return
  world.logger.debug(fields, `Shutdown phase ${name} begins.`)
  const running = new Set<PhaseTask>()
  const failures: Failure[] = []
  const allEnded = runTasks(phase, running, async (task) => {
    try {
      await task.run(reason)
    } catch (err) {
      failures.push({ cause: err })
      const failed = { phase: name, task: task.name, err }
      world.logger.warn(failed, `Shutdown task ${task.name} of ${name} failed.`)
    }
  })
  if (!(await endsWithin(settings.timeoutMs, allEnded, world.timers))) {
    const timeout = new ShutdownPhaseTimeout(name, settings.timeoutMs, namesOf(running))
    failures.push({ cause: timeout })
    world.logger.warn({ phase: name, tasks: timeout.tasks }, timeout.message)
  }
  const [first] = failures
  if (first !== undefined && !settings.recover) throw first.cause
}

/** Begins every task; `running` holds those that have not ended. Resolves with the last one. */
async function runTasks(
  { waiting }: Phase,
  running: Set<PhaseTask>,
  runOne: (task: PhaseTask) => Promise<void>,
): Promise<void> {
  const begun: Promise<unknown>[] = []
  for (const task of [...waiting]) {
    // Not there any more when a task that began before it has cancelled it.
    if (!waiting.delete(task)) continue
    running.add(task)
    begun.push(runOne(task).then(() => running.delete(task)))
  }
  await Promise.all(begun)
}

/** False when the time was over before the work; the work is then left alone. */
function endsWithin(timeoutMs: number, work: Promise<void>, timers: Timers): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = timers.after(timeoutMs, () => resolve(false))
    void work.then(() => {
      timer.cancel()
      resolve(true)
    })
  })
}

function namesOf(tasks: Iterable<PhaseTask>): string[] {
  return Array.from(tasks, ({ name }) => name)
}
