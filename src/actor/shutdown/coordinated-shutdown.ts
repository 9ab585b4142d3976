/**
 * Shuts a system down in order: phase after phase, the tasks of one phase side by side, each phase within its time. It
 * runs once, and a process that is to end does end: at the latest when all phases together have used up their time.
 *
 *   waiting ──run──▶ phase ──tasks ended, or failed and recover──▶ next phase … ──▶ ended ──▶ exit, if wished
 *                      └───────────failed, and not recover───────────────────────▶ ended (rejected)
 *
 * Invariant: a task begins at most once, and only in its own phase.
 */
import { assert } from '../../foundation/assert.ts'
import type { Environment } from '../../foundation/environment.ts'
import { formatMs } from '../../foundation/duration.ts'
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import { show } from '../../foundation/show.ts'
import type { Timer } from '../../foundation/timers.ts'
import { ShutdownPhaseBegun, UnknownShutdownPhase } from './shutdown-errors.ts'
import { type Phase, runPhase, type ShutdownTask, type PhaseTask } from './shutdown-phase-run.ts'
import {
  problemsWithShutdownPhases,
  type ShutdownPhaseName,
  type ShutdownPhases,
  topologicalOrder,
} from './shutdown-phases.ts'
import { exitCodeOf, showReason, type ShutdownReason } from './shutdown-reason.ts'

/** What a shutdown needs to know of its system. */
export interface CoordinatedShutdownOptions {
  readonly environment: Pick<Environment, 'timers' | 'logger' | 'process' | 'clock'>
  readonly phases: ShutdownPhases
  /**
   * True: the process ends with the shutdown, even when a task hangs or a phase that must succeed does not, and an error
   * that nobody caught runs the shutdown before it ends the process.
   */
  readonly exitProcess: boolean
  /** True: SIGTERM and SIGINT run the shutdown. */
  readonly hookSignals: boolean
}

interface RunOptions {
  /** The phases before it do not run. */
  readonly fromPhase?: ShutdownPhaseName
  /** Of the process, should it end with the shutdown; by the reason when not given. */
  readonly exitCode?: number | undefined
}

/** The orderly end of a system: phases one after the other, each with its tasks and its time. */
export class CoordinatedShutdown {
  readonly #environment: CoordinatedShutdownOptions['environment']
  readonly #exitProcess: boolean
  #phases: ReadonlyMap<string, Phase>
  readonly #hooks: { remove(): void }[] = []
  #reason: ShutdownReason | undefined
  #ended: Promise<void> | undefined
  /** Index of the phase that has begun last: -1 before the run, behind the last phase after it. */
  #position = -1
  #hardKill: Timer | undefined
  #hasExited = false

  constructor({ environment, phases, exitProcess, hookSignals }: CoordinatedShutdownOptions) {
    this.#environment = environment
    this.#exitProcess = exitProcess
    this.#phases = inOrder(phases)
    // A failure has been logged, and there is nobody here to tell.
    const runFor = (reason: ShutdownReason): void => void this.run(reason).catch(() => undefined)
    if (hookSignals) {
      const hook = environment.process.onTerminationSignal((signal) => {
        runFor({ type: 'signal', signal })
      })
      this.#hooks.push(hook)
    }
    if (exitProcess) {
      const hook = environment.process.onEscapedError((err) => {
        environment.logger.error({ err }, 'Nobody caught this error; the process ends in order.')
        runFor({ type: 'escaped-error' })
      })
      this.#hooks.push(hook)
    }
  }

  /** Why the shutdown runs or ran; undefined before it has begun. */
  get reason(): ShutdownReason | undefined {
    return this.#reason
  }

  /** The phase the shutdown is in; undefined before it begins and after it has ended. */
  get currentPhase(): string | undefined {
    return [...this.#phases.keys()][this.#position]
  }

  /** How long the tasks of this phase may take together. */
  timeoutOf(phase: ShutdownPhaseName): number {
    return this.#phase(phase).settings.timeoutMs
  }

  /**
   * Adds phases before the shutdown begins. One that is there already stays as it is: whoever made the system has said how
   * it shall be. Throws `InvalidSettings` when there is no order for all of them.
   */
  addPhases(phases: ShutdownPhases): void {
    const known = new Map([...this.#phases].map(([name, { settings }]) => [name, settings]))
    const added = Object.entries(phases).filter(([name]) => !known.has(name))
    if (added.length === 0) return
    if (this.#ended !== undefined) {
      throw new ShutdownPhaseBegun(added[0]?.[0] ?? '', undefined, this.currentPhase)
    }
    this.#phases = inOrder(Object.fromEntries([...known, ...added]), this.#phases)
  }

  /**
   * Runs `task` in this phase, beside its other tasks. While the shutdown runs, tasks can be added to phases that have
   * not begun. `cancel` takes the task back and answers whether that was in time.
   */
  addTask(phase: ShutdownPhaseName, name: string, task: ShutdownTask): { cancel(): boolean } {
    const { index, waiting } = this.#phase(phase)
    if (index <= this.#position) throw new ShutdownPhaseBegun(phase, name, this.currentPhase)
    if (typeof task !== 'function') {
      const problem = `it must be a function, not ${show(task)}`
      throw new InvalidSettings(`Shutdown task ${show(name)}`, [problem])
    }
    const entry: PhaseTask = { name, run: task }
    waiting.add(entry)
    return { cancel: () => waiting.delete(entry) }
  }

  /**
   * Shuts down, once: the first reason wins, and every call gets the same promise. It rejects when a phase that must
   * succeed did not; the phases behind it have then not run. A reason that actors do not know comes with an exit code.
   */
  run(reason: ShutdownReason, options: RunOptions = {}): Promise<void> {
    if (this.#ended !== undefined) return this.#ended
    const { fromPhase } = options
    const exitCode = exitCodeOf(reason, options.exitCode)
    const first = fromPhase === undefined ? 0 : this.#phases.get(fromPhase)?.index
    if (first === undefined) {
      return Promise.reject(new UnknownShutdownPhase(String(fromPhase), this.#phases.keys()))
    }
    if (exitCode === undefined) {
      const problem = `it must be such as { type: 'user', text: 'why' }, not ${show(reason)}`
      return Promise.reject(new InvalidSettings('The reason of a shutdown', [problem]))
    }
    this.#reason = reason
    this.#position = first
    const toRun = [...this.#phases.values()].slice(first)
    if (this.#exitProcess) this.#armHardKill()
    // One turn later: a task that calls `run` at once must find this promise.
    this.#ended = Promise.resolve().then(() => this.#runAll(toRun, reason, exitCode))
    return this.#ended
  }

  async #runAll(phases: readonly Phase[], reason: ShutdownReason, exitCode: number): Promise<void> {
    const { clock, logger } = this.#environment
    const beganMs = clock.monotonicMs()
    const fields = { reason: showReason(reason) }
    // When the program itself asked for it, it is no news.
    const level = reason.type === 'actor-system-terminate' ? 'debug' : 'info'
    logger[level](fields, `Coordinated shutdown begins: ${fields.reason}.`)
    try {
      for (const phase of phases) {
        this.#position = phase.index
        await runPhase(phase, reason, this.#environment)
      }
    } catch (err) {
      const where = { ...fields, phase: this.currentPhase, err }
      logger.error(where, `Coordinated shutdown ends in ${where.phase}, later phases do not run.`)
      throw err
    } finally {
      this.#position = this.#phases.size
      for (const hook of this.#hooks) hook.remove()
    }
    const took = formatMs(clock.monotonicMs() - beganMs)
    logger[level](fields, `Coordinated shutdown ended after ${took}.`)
    // After a failure the hard kill stays armed: the process has still been asked to end.
    if (this.#exitProcess) this.#exitSoon(exitCode)
  }

  /** Behind the promises that settle now: whoever waits for the end of the system has a last word. */
  #exitSoon(code: number): void {
    this.#environment.timers.after(0, () => {
      this.#hardKill?.cancel()
      this.#exit(code)
    })
  }

  #armHardKill(): void {
    const enabled = [...this.#phases.values()].filter(({ settings }) => settings.enabled)
    const boundMs = enabled.reduce((sum, { settings }) => sum + settings.timeoutMs, 0)
    this.#hardKill = this.#environment.timers.after(boundMs, () => {
      const phase = this.currentPhase
      const progress = phase === undefined ? 'had ended unfinished' : `was still in ${phase}`
      this.#environment.logger.error(
        { phase },
        `Coordinated shutdown ${progress} after ${formatMs(boundMs)}; the process ends now.`,
      )
      this.#exit(-1)
    })
  }

  #exit(code: number): void {
    if (this.#hasExited) return
    this.#hasExited = true
    this.#environment.process.exit(code)
  }

  #phase(name: string): Phase {
    const phase = this.#phases.get(name)
    if (phase === undefined) throw new UnknownShutdownPhase(name, this.#phases.keys())
    return phase
  }
}

/** Throws `InvalidSettings` when there is no order. What waits in phases that were there before, waits in them still. */
function inOrder(phases: ShutdownPhases, before?: ReadonlyMap<string, Phase>): Map<string, Phase> {
  const problems = problemsWithShutdownPhases(phases)
  if (problems.length > 0) throw new InvalidSettings('The phases of the shutdown', problems)
  const ordered = new Map<string, Phase>()
  for (const name of topologicalOrder(phases)) {
    const settings = phases[name]
    assert(settings !== undefined, `the order holds known phases only, not ${name}`)
    const waiting = before?.get(name)?.waiting ?? new Set()
    ordered.set(name, { name, index: ordered.size, settings, waiting })
  }
  return ordered
}
