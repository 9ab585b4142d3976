/**
 * A projection in one process, without a cluster: all its ranges run here. For programs that only build a view, and for
 * tests.
 *
 *   const running = await startProjection({ journal, name: 'carts', from: Cart, handle })
 */
import { type ActorRef, ActorSystem } from '../actor/index.ts'
import type { Chosen } from '../foundation/chosen.ts'
import { InvalidSettings, mustHave } from '../foundation/invalid-settings.ts'
import type { Environment } from '../foundation/environment.ts'
import type { Journal } from '../persistence/index.ts'
import { NotAMessage } from '../serialization/internals.ts'
import {
  defineProjection,
  type Projection,
  type ProjectionOptions,
  type ProjectionSource,
} from './define-projection.ts'
import { ResetIncomplete, wordsOf } from './projection-errors.ts'
import { type ProjectionGround, type ProjectionWorkers, workersOf } from './projection-ground.ts'
import { projectionProtocol } from './projection-wire.ts'
import { leaveRange, rangeActor } from './range-actor.ts'
import { type ProjectionStatus, statusOf } from './range-status.ts'
import type { RangeWorker } from './range-worker.ts'

/** Where its events come from, and where it is stored how far it came: a journal, or the one of a node. */
export type ProjectionPlace =
  | {
      /** Stays open when the projection stops. */
      readonly journal: Journal
      readonly node?: undefined
      /** Time, chance, turns, log and process. What is left out is the real thing. */
      readonly environment?: Chosen<Environment> | undefined
      /** Of your program: errors about events that it does not know tell it. */
      readonly appVersion?: string | undefined
    }
  | {
      /** It stops with the node, and is not divided among others: that is what `projections` of `startNode` does. */
      readonly node: ProjectionHost
      readonly journal?: undefined
      readonly environment?: undefined
      readonly appVersion?: undefined
    }

/** A node, as `startNode` gives it. */
export interface ProjectionHost {
  /** @internal */
  readonly projectionGround: ProjectionGround
}

/** Handles whatever is stored, until it is stopped. Rejects with `InvalidSettings`, `StoreCannot` and `ProjectionChanged`. */
export async function startProjection<const Source extends ProjectionSource>(
  options: ProjectionOptions<Source> & ProjectionPlace,
): Promise<RunningProjection> {
  const projection = defineProjection(withoutPlace(options))
  const { node } = options
  const ground = node?.projectionGround ?? ownGround(projection, options)
  try {
    const workers = workersOf(projection, ground)
    await workers.check().catch(async (error: unknown) => {
      await workers.close()
      throw error
    })
    return new LocalProjection(projection, { ground, workers, ownsSystem: node === undefined })
  } catch (error) {
    if (node === undefined) await ground.system.terminate()
    throw error
  }
}

function withoutPlace<Source extends ProjectionSource>(
  options: ProjectionOptions<Source> & ProjectionPlace,
): ProjectionOptions<Source> {
  const places: readonly string[] = ['journal', 'node', 'environment', 'appVersion']
  const entries = Object.entries(options).filter(([name]) => !places.includes(name))
  return Object.fromEntries(entries) as unknown as ProjectionOptions<Source>
}

function ownGround(
  { name }: Projection,
  { journal, environment, appVersion }: ProjectionPlace,
): ProjectionGround {
  const problems = mustHave(['claim', 'append', 'read'])('journal', journal)
  if (journal === undefined) problems.push('it needs a journal, or a node')
  if (journal === undefined || problems.length > 0) {
    throw new InvalidSettings(`The projection ${name}`, problems)
  }
  const system = new ActorSystem('projection', {
    ...(environment !== undefined && { environment: environment as Partial<Environment> }),
  })
  return { system, journal, node: 'here', appVersion }
}

interface RunningOn {
  readonly ground: ProjectionGround
  readonly workers: ProjectionWorkers
  readonly ownsSystem: boolean
}

/** A projection in this process. */
export interface RunningProjection {
  readonly name: string
  /** How far each range came, and what holds it up. */
  status(): Promise<ProjectionStatus>
  /**
   * Begins again from the first event. What the handler has made is not touched: empty it in the handler, or before you call
   * this. Rejects with `ResetIncomplete`.
   */
  reset(): Promise<void>
  /** Lets the handlers that run end, stores how far they came, and ends. May be called twice. */
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

class LocalProjection implements RunningProjection {
  readonly name: string
  readonly #projection: Projection
  readonly #ground: ProjectionGround
  readonly #source: ProjectionWorkers
  readonly #ownsSystem: boolean
  readonly #workers = new Set<RangeWorker>()
  readonly #actors: readonly ActorRef<unknown>[]
  #left: Promise<void> | undefined = undefined
  #stopped: Promise<void> | undefined = undefined

  constructor(projection: Projection, { ground, workers, ownsSystem }: RunningOn) {
    this.name = projection.name
    this.#projection = projection
    this.#ground = ground
    this.#source = workers
    this.#ownsSystem = ownsSystem
    this.#actors = Array.from({ length: projection.ranges }, (_, range) =>
      ground.system.spawn(
        rangeActor({
          makeWorker: () => workers.make(range),
          began: (worker) => this.#workers.add(worker),
          // What another process has taken stays in the status, with the reason.
          ended: () => undefined,
        }),
      ),
    )
    // On a node that stops, before anything that handlers may use does.
    ground.system.shutdown.addTask('before-service-unbind', `stop ${this.name}`, () =>
      this.#leave(),
    )
  }

  status(): Promise<ProjectionStatus> {
    const told = [...this.#workers].map((worker) => worker.status)
    return Promise.resolve(statusOf(this.#projection, told))
  }

  reset(): Promise<void> {
    return resetAll(this.#projection, (range) => this.#actors[range] as ActorRef<unknown>)
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#ownsSystem ? this.#ground.system.terminate() : this.#leave()
    return this.#stopped
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  #leave(): Promise<void> {
    this.#left ??= this.#leaveAll()
    return this.#left
  }

  async #leaveAll(): Promise<void> {
    const { system } = this.#ground
    for (const actor of this.#actors) actor.tell(leaveRange)
    await Promise.all(this.#actors.map((actor) => system.whenStopped(actor)))
    await this.#source.close()
  }
}

/** Asks every range to begin again. */
export async function resetAll(
  { name, ranges, settings }: Projection,
  rangeAt: (range: number) => Pick<ActorRef<unknown>, 'ask'>,
): Promise<void> {
  const problems = new Map<number, string>()
  const reset = async (range: number): Promise<void> => {
    const answer = await rangeAt(range).ask<unknown>(
      (replyTo) => projectionProtocol.pack({ type: 'ResetRange', replyTo }),
      { timeout: settings.answerTimeoutMs },
    )
    const said = projectionProtocol.unpack(answer)
    if (said instanceof NotAMessage) throw new Error(said.problem)
    if (said.type === 'RangeReset' && said.problem !== undefined) throw new Error(said.problem)
  }
  const numbers = Array.from({ length: ranges }, (_, range) => range)
  await Promise.all(
    numbers.map((range) =>
      reset(range).catch((error: unknown) => void problems.set(range, wordsOf(error))),
    ),
  )
  if (problems.size > 0) throw new ResetIncomplete(name, problems)
}
