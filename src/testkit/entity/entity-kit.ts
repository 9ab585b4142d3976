/**
 * One entity under test, without a cluster: what has happened to it, what it is asked, what it must do then.
 *
 *   const kit = entityKit(Account, 'alice')
 *   await kit.given(['Deposited', 10]).when.withdraw(3).then({ events: [['Withdrawn', 3]], answer: 7 })
 *   await kit.when.withdraw(20).thenFails('NOT_ENOUGH')
 *
 * It is the very code that runs on a node: arguments, events and answers go through the serialization, and after every
 * command an entity that is stored is stopped and read back, which must give the same state: from all its events, and from a
 * snapshot and what came after it.
 */
import type { DeepReadonly, EntityDefinition, EntityType, EventOf } from '../../entity/index.ts'
import type { AnyEntity } from '../../entity/internals.ts'
import { type Duration, formatMs, toMs } from '../../foundation/duration.ts'
import { show, showCall } from '../../foundation/show.ts'
import type { CapturedLogs } from '../captured-logs.ts'
import { describeDifference } from '../difference.ts'
import { isEqual } from '../is-equal.ts'
import type { ManualTime } from '../manual-time.ts'
import { comesWithin, defaultPatienceMs } from '../patience.ts'
import { CommandStep, type Performed, shownEvent } from './command-step.ts'
import { EntityKitFailure, EntityKitMisuse, type FailureParts } from './entity-kit-failure.ts'
import { EntityStage, type Event } from './entity-stage.ts'
import type { RecordedCall, StubCommands } from './stubs.ts'

/** How patient a kit is, and what it leaves out. */
export interface EntityKitOptions {
  /** How long a command may take, in real time; 3 s when not given. */
  readonly within?: Duration | undefined
  /**
   * The state of an entity with events must be made of what can be stored, so that it can be kept one day without its events.
   * With false that is not checked: for a state that holds instances of classes, or functions.
   */
  readonly checkState?: boolean | undefined
}

/** The commands of the entity under test. Each gives a step, to expect something of. */
export type KitCommands<State, Events, Commands> = {
  readonly [Name in keyof Commands]: Commands[Name] extends (
    self: never,
    ...args: infer Args extends readonly unknown[]
  ) => infer Result
    ? (...args: Args) => CommandStep<State, Events, Awaited<Result>>
    : never
}

/** What has happened was said: now something can be asked, or the past be awaited. */
export interface EntityPast<State, Events, Commands> extends PromiseLike<void> {
  readonly when: KitCommands<State, Events, Commands>
}

/** An entity of that type and id, of which nothing is known yet. */
export function entityKit<State, Events, Commands>(
  definition: EntityDefinition<State, Events, Commands>,
  id: string,
  options: EntityKitOptions = {},
): EntityKit<State, Events, Commands> {
  return new EntityKit(definition, id, options)
}

/** One entity under test, made by `entityKit`. */
export class EntityKit<State, Events, Commands> {
  readonly id: string
  /** Asks the entity: `kit.when.withdraw(3)`. One after another: a step waits for those before it. */
  readonly when: KitCommands<State, Events, Commands>
  readonly #entity: AnyEntity
  readonly #stage: EntityStage
  readonly #withinMs: number
  readonly #checkState: boolean
  /** Whether it is read back from snapshots as well. */
  readonly #isKept: boolean
  /** Everything asked of it so far; what comes next waits for it. */
  #work: Promise<unknown> = Promise.resolve()
  #underWay = 0
  #state: unknown
  #broken: Error | undefined = undefined

  /** @internal */
  constructor(
    definition: EntityDefinition<State, Events, Commands>,
    id: string,
    { within = defaultPatienceMs, checkState = true }: EntityKitOptions,
  ) {
    const entity = definition as unknown as AnyEntity
    this.id = id
    this.#withinMs = toMs(within, 'within')
    this.#checkState = checkState && entity.isDurable
    this.#entity = entity
    this.#state = entity.state()
    // The first life begins with the state that was shown.
    let first: { readonly state: unknown } | undefined = { state: this.#state }
    const state = (): unknown => {
      const made = first === undefined ? entity.state() : first.state
      first = undefined
      return made
    }
    this.#isKept = this.#checkState && !entity.keepsState && entity.snapshots !== false
    this.#stage = new EntityStage({ ...entity, state }, id, this.#isKept)
    const names = Object.keys(entity.commands)
    const commands = names.map((name) => [
      name,
      (...args: readonly unknown[]) => new CommandStep(this.#next(() => this.#perform(name, args))),
    ])
    this.when = Object.fromEntries(commands) as KitCommands<State, Events, Commands>
  }

  /** The state after everything that was awaited. */
  get state(): DeepReadonly<State> {
    if (this.#underWay > 0) {
      throw new EntityKitMisuse(
        `${this} is still at work. Await the step before its state is read.`,
      )
    }
    return this.#state as DeepReadonly<State>
  }

  /** Everything that has happened to it since it deleted itself last, oldest first. */
  get events(): readonly EventOf<Events>[] {
    return [...this.#stage.events] as unknown as EventOf<Events>[]
  }

  /** Its clock. */
  get time(): ManualTime {
    return this.#stage.time
  }

  /** What it and the runtime logged. */
  get logs(): CapturedLogs {
    return this.#stage.time.logs
  }

  /** The calls that the last command made to other entities. */
  get calls(): readonly RecordedCall[] {
    return [...this.#stage.calls]
  }

  /** What has happened before, each as its name and what it says. Stored as if a command had persisted it. */
  given(...events: readonly EventOf<Events>[]): EntityPast<State, Events, Commands> {
    return this.#past(() => this.#give(events as unknown as readonly Event[]))
  }

  /** What an entity with `durable: true` is before. Stored as if a command had set it. */
  givenState(state: DeepReadonly<State>): EntityPast<State, Events, Commands> {
    return this.#past(() => this.#giveState(state))
  }

  #past(give: () => Promise<void>): EntityPast<State, Events, Commands> {
    const past = this.#next(give)
    past.catch(() => undefined)
    return {
      when: this.when,
      // A past can be awaited, or gone on from.
      // oxlint-disable-next-line unicorn/no-thenable
      then: (onFulfilled, onRejected) => past.then(onFulfilled, onRejected),
    }
  }

  /** Says what other entities of that type answer to this one; as a function, for each id of its own. */
  stub<Others>(
    type: EntityType<Others>,
    commands: StubCommands<Others> | ((id: string) => StubCommands<Others>),
  ): this {
    this.#stage.stubs.add(type, typeof commands === 'function' ? commands : () => commands)
    return this
  }

  /**
   * Stops the entity and starts it again. One with events has the same state afterwards, or this rejects with an
   * `EntityKitFailure` that shows both; one without begins anew.
   */
  restart(): Promise<void> {
    return this.#next(async () => {
      this.#throwIfBroken()
      if (this.#entity.isDurable) return this.#readBack('restart()')
      await this.#stage.stop()
      this.#state = await this.#stage.look()
    })
  }

  toString(): string {
    return `${this.#entity.name} ${show(this.id)}`
  }

  #next<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#underWay++
    const done = this.#work.then(work).finally(() => this.#underWay--)
    this.#work = done.catch(() => undefined)
    return done
  }

  async #give(events: readonly Event[]): Promise<void> {
    this.#throwIfBroken()
    if (events.length === 0) return
    if (!this.#entity.isDurable || this.#entity.keepsState) {
      const past = this.#entity.keepsState ? 'given by givenState' : 'made of commands'
      throw new EntityKitMisuse(`${this} has no events: its past is ${past}.`)
    }
    await this.#orBreak(async () => {
      await this.#stage.give(events)
      await this.#readBack(`given(${events.map(shownEvent).join(', ')})`)
    })
  }

  async #giveState(state: unknown): Promise<void> {
    this.#throwIfBroken()
    if (!this.#entity.keepsState) {
      throw new EntityKitMisuse(
        `${this} does not store its state itself (durable: true): its past is made of events, or of commands.`,
      )
    }
    await this.#orBreak(async () => {
      await this.#stage.set(state)
      await this.#readBack(`givenState(${show(state)})`)
    })
  }

  async #orBreak(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#broken = error as Error
      throw error
    }
  }

  async #perform(command: string, args: readonly unknown[]): Promise<Performed> {
    this.#throwIfBroken()
    const title = `${this}: ${showCall(command, args)}`
    let answer: unknown = undefined
    let error: Error | undefined = undefined
    const ended = this.#stage.call(command, args).then(
      (value) => (answer = value),
      (thrown: unknown) => (error = thrown instanceof Error ? thrown : new Error(show(thrown))),
    )
    if (!(await comesWithin(this.#withinMs, ended))) throw this.#unanswered(title)
    const events = this.#stage.persisted as never
    const calls = this.#stage.calls
    if (this.#entity.isDurable) await this.#readBack(showCall(command, args))
    else this.#state = await this.#stage.look()
    const outcome = { answer, events, state: this.#state, calls }
    return { title, outcome, ...(error !== undefined && { error }) }
  }

  #unanswered(title: string): EntityKitFailure {
    const why =
      'Does the command await something that never comes? A stub may answer it, or time has to be moved on: kit.time.advance.'
    const message = `${title} has not been answered within ${formatMs(this.#withinMs)} of real time. ${why}`
    return this.#breaks(message, {})
  }

  /** A real stop and a real recovery: what is not in the events is gone by now. */
  async #readBack(after: string): Promise<void> {
    const before = await this.#stage.look()
    if (this.#checkState) this.#checkStorable(before, after)
    if (this.#isKept) {
      const replayed = await this.#recovered(after, () => this.#stage.replayed())
      this.#mustEqual(before, replayed, `${this}: after ${after} ${ofEvents}`)
    }
    await this.#stage.stop()
    this.#state = await this.#recovered(after, () => this.#stage.look())
    const otherwise = this.#entity.keepsState ? ofState : ofEvents
    const text = this.#isKept ? ofSnapshots : otherwise
    this.#mustEqual(before, this.#state, `${this}: after ${after} ${text}`)
  }

  #mustEqual(before: unknown, after: unknown, text: string): void {
    if (isEqual(before, after)) return
    const lines = [
      text,
      `  before the restart: ${show(before, 500)}`,
      `  after the restart:  ${show(after, 500)}`,
      describeDifference(before, after),
    ]
    const message = lines.filter((line) => line !== '').join('\n')
    throw this.#breaks(message, { expected: before, actual: after })
  }

  async #recovered(after: string, look: () => Promise<unknown>): Promise<unknown> {
    try {
      return await look()
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : show(cause)
      const from = this.#entity.keepsState ? 'state' : 'events'
      const message = `${this}: after ${after} it cannot be started again from its stored ${from}: ${why}`
      throw this.#breaks(message, { cause })
    }
  }

  #checkStorable(state: unknown, after: string): void {
    try {
      this.#stage.stored(state, 'the state')
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : show(cause)
      const advice = 'Keep data in it, or give the kit { checkState: false }.'
      const message = `${this}: after ${after} its state cannot be stored: ${why} ${advice}`
      throw this.#breaks(message, { cause })
    }
  }

  /** Also for what comes later: a step that nobody awaited must not hide it. */
  #breaks(message: string, parts: FailureParts): EntityKitFailure {
    return (this.#broken = new EntityKitFailure(message, parts))
  }

  #throwIfBroken(): void {
    if (this.#broken !== undefined) throw this.#broken
  }
}

const ofEvents =
  'its stored events give another state than the one it had. Its event handlers must make the same of the same events, and nothing but them may change the state.'
const ofState =
  'its stored state is another one than the one it had. What is set must be made of what can be stored.'
const ofSnapshots =
  'a snapshot and what came after it give another state than its events. What is in the state must survive being stored, and the event handlers must make the same of what comes back.'
