/**
 * A family of actors with one world: one name, one environment, one event stream, one orderly end. Users' actors live
 * under `/user`, the runtime's own under `/system`; those take their turns first.
 */
import type { Environment } from '../foundation/environment.ts'
import type { Logger } from '../foundation/logger.ts'
import { systemEnvironment } from '../foundation/system-environment.ts'
import type { SpawnOptions } from './context/actor-context.ts'
import { InvalidRef, SystemTerminated } from './actor-errors.ts'
import { encodeActorName } from './ref/actor-path.ts'
import { type ActorRef, type InternalRef, isRef } from './ref/actor-ref.ts'
import { findRef } from './ref/find-ref.ts'
import type { ActorSettings } from './actor-settings.ts'
import { type ActorSystemOptions, checkedOptions, lastPhase } from './actor-system-options.ts'
import { type Behavior, type MessageHandler, ignore } from './behavior/behavior.ts'
import { Cell } from './cell/cell.ts'
import { CellContext } from './cell/cell-context.ts'
import type { EventStream } from './events/event-stream.ts'
import { LocalRef } from './ref/local-ref.ts'
import { Runtime } from './runtime.ts'
import { CoordinatedShutdown } from './shutdown/coordinated-shutdown.ts'
import { spawnChild } from './cell/spawn.ts'

/** Where actors live: `spawn` starts one under `/user`, `terminate` stops them all in good order. */
export class ActorSystem {
  readonly name: string
  readonly environment: Environment
  readonly settings: ActorSettings
  /** Tasks to run, phase by phase, before the process ends. */
  readonly shutdown: CoordinatedShutdown
  /** Resolves when every actor has terminated. */
  readonly whenTerminated: Promise<void>
  readonly #runtime: Runtime
  readonly #user: Cell
  readonly #system: Cell
  #isTerminating = false

  constructor(name: string, options: ActorSystemOptions = {}) {
    this.name = encodeActorName(name)
    const { settings, phases } = checkedOptions(name, options)
    this.settings = settings
    this.environment = systemEnvironment(options.environment)
    this.shutdown = new CoordinatedShutdown({
      environment: this.environment,
      phases,
      exitProcess: this.settings.exitProcess,
      hookSignals: this.settings.hookSignals,
    })
    this.#runtime = new Runtime(this, (cell) => new CellContext(cell))
    this.#system = this.#guardian('system', true)
    this.#user = this.#guardian('user', false)
    this.whenTerminated = new Promise<void>((resolve) => {
      const watcher = { watchedTerminated: (): void => resolve() }
      this.#system.ref.addWatcher(watcher)
    }).then(() => this.#runtime.close())
    this.shutdown.addTask(lastPhase, 'stop all actors', () => this.#stopActors())
  }

  get log(): Logger {
    return this.environment.logger
  }

  get eventStream(): EventStream {
    return this.#runtime.eventStream
  }

  /** How many messages were lost so far, by kind and reason. */
  get lostMessageCounts(): Readonly<Record<string, number>> {
    return this.#runtime.deadLetterLog.counts()
  }

  /** Starts an actor under `/user`. Without a name it gets one that begins with `$`. */
  spawn<T>(
    behavior: Behavior<T> | MessageHandler<T>,
    options?: string | SpawnOptions,
  ): ActorRef<T> {
    return this.#spawn(this.#user, behavior, options)
  }

  /** @internal For rooms of the runtime: starts an actor under `/system`, ahead of users' actors. */
  spawnSystemActor<T>(
    behavior: Behavior<T> | MessageHandler<T>,
    options?: string | SpawnOptions,
  ): ActorRef<T> {
    return this.#spawn(this.#system, behavior, options)
  }

  /** @internal For rooms of the runtime: what all actors of this system share. */
  get runtime(): Runtime {
    return this.#runtime
  }

  /**
   * @internal For rooms of the runtime: who lives under these names, as they stand in a path, `user` or `system` first. With a
   * `uid` other than 0 only that very actor.
   */
  find(names: readonly string[], uid: number): InternalRef | undefined {
    const guardian = [this.#user, this.#system].find(({ ref }) => ref.name === names[0])
    return guardian && findRef(guardian, names.slice(1), uid)
  }

  /** Resolves when that actor has terminated; at once when it has already. */
  whenStopped(ref: ActorRef<never>): Promise<void> {
    if (!isRef(ref)) return Promise.reject(new InvalidRef(ref, 'system.whenStopped'))
    return new Promise((resolve) => ref.addWatcher({ watchedTerminated: () => resolve() }))
  }

  /** Runs the coordinated shutdown; its last phase stops all actors. */
  async terminate(): Promise<void> {
    await this.shutdown.run({ type: 'actor-system-terminate' })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.terminate()
  }

  toString(): string {
    return `sherd://${this.name}`
  }

  #spawn<T>(
    guardian: Cell,
    behavior: Behavior<T> | MessageHandler<T>,
    options: string | SpawnOptions | undefined,
  ): ActorRef<T> {
    if (this.#isTerminating) throw new SystemTerminated(this.name)
    return spawnChild(guardian, behavior, options)
  }

  #guardian(name: string, isInternal: boolean): Cell {
    const ref = new LocalRef(name, this.#runtime.root, 0)
    return new Cell(ref, this.#runtime, ignore, isInternal)
  }

  /** Users' actors first: they may need the runtime's own to end well. */
  async #stopActors(): Promise<void> {
    this.#isTerminating = true
    this.#runtime.deadLetterLog.shutdownBegan()
    await new Promise<void>((resolve) => {
      this.#user.ref.addWatcher({ watchedTerminated: () => resolve() })
      this.#user.stop()
    })
    this.#system.stop()
    await this.whenTerminated
  }
}
