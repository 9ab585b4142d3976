/**
 * Carries out what the pipeline machine decides: gives batches to the journal at the end of a turn, lets effects happen
 * inside the actor's turn, and undoes them when their events are not stored. While the actor stops, answers of the journal
 * are awaited for a bounded time (`handlerStopTimeoutMs`), so that what was stored is also answered.
 */
import type { ActorContext } from '../../actor/index.ts'
import { unreachable } from '../../foundation/assert.ts'
import type { Task } from '../../foundation/dispatcher.ts'
import type { Claim, NewEvent } from '../journal.ts'
import type { ActorTurn } from './actor-turn.ts'
import type { DueSnapshot } from './due-snapshot.ts'
import type { EventSourcedContext, EventSourcedPlan } from './event-sourced-options.ts'
import { discard, type HeldEffects, perform, type Performing } from './held-effects.ts'
import {
  type AppendOwner,
  failureOf,
  JournalWriter,
  type PendingAppend,
  type WriteOutcome,
} from './journal-writer.ts'
import type { WriteEffect } from './write-pipeline-inputs.ts'
import { WritePipelineMachine } from './write-pipeline-machine.ts'

export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

export interface WritePipelineOptions<Command, Event, State> {
  readonly plan: EventSourcedPlan<Command, Event, State>
  readonly claim: Claim
  readonly turn: ActorTurn<Command>
  readonly view: Mutable<EventSourcedContext<Command>>
  readonly owner: PipelineOwner
}

/** Is told in the actor's turn. */
export interface PipelineOwner extends Performing {
  /** More may be handled again. */
  stored(): void
  /** What was stored has failed in its consequences. Throws on. */
  failed(error: unknown): never
  /** All events up to this snapshot are stored. */
  snapshotDue(due: DueSnapshot): void
}

/** A box, because anything can be thrown. */
interface Thrown {
  readonly error: unknown
}

const turnEnded = { type: 'TurnEnded' } as const

export class WritePipeline<Command, Event, State> implements AppendOwner, Task {
  /** As a task: looks whether the turn has ended. */
  readonly isInternal = false
  readonly #persistenceId: string
  readonly #machine: WritePipelineMachine<HeldEffects<State>>
  readonly #writer: JournalWriter
  readonly #turn: ActorTurn<Command>
  readonly #view: Mutable<EventSourcedContext<Command>>
  readonly #context: ActorContext<Command>
  readonly #owner: PipelineOwner
  #phase: 'open' | 'failing' | 'draining' | 'ended' = 'open'
  #isFlushAsked = false
  /** How much was held at the last look. */
  #lookedAt = 0
  #drained: (() => void) | undefined = undefined

  constructor(options: WritePipelineOptions<Command, Event, State>) {
    const { plan, claim, turn, view, owner } = options
    const { journal, settings } = plan
    const { persistenceId } = view
    this.#persistenceId = persistenceId
    this.#machine = new WritePipelineMachine(claim.highestSequenceNr, settings.appendEventsMax)
    this.#writer = new JournalWriter(journal, persistenceId, claim.epoch, this)
    this.#turn = turn
    this.#view = view
    this.#context = view.actor
    this.#owner = owner
  }

  toString(): string {
    return `the writes of ${this.#persistenceId}`
  }

  /** Whether commands may be handled. */
  get isOpen(): boolean {
    return this.#phase === 'open' && !this.#machine.isDeleting
  }

  /** Nothing waits for the journal, so that a fresh one would do as well. */
  get isIdle(): boolean {
    return this.#machine.isIdle
  }

  /** Commands whose events are not stored yet. */
  get heldCount(): number {
    return this.#machine.heldCount
  }

  /** Takes the events of a command and what it causes. Throws what that throws, if it happens at once. */
  add(events: readonly NewEvent[], held: HeldEffects<State>, deletes: boolean): void {
    const thrown = this.#perform(this.#machine.handled(events, held, deletes))
    if (events.length > 0 || deletes) this.#askFlush()
    if (thrown !== undefined) throw thrown.error
  }

  /** The actor stops or restarts. Resolves when the journal has answered for everything. */
  drain(): Promise<void> | undefined {
    if (this.#phase === 'ended') return undefined
    this.#phase = 'draining'
    this.#endTurn()
    if (this.#isDone()) return undefined
    return new Promise((resolve) => (this.#drained = resolve))
  }

  /** Another instance is in its place, or the actor is gone: nothing of it happens any more. */
  giveUp(): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    const cause = new Error('the instance ended before its journal answered')
    this.#perform(this.#machine.step({ type: 'GivenUp', cause }))
  }

  /** Commands that wait share an append; when none waits, there is nothing to wait for. */
  #askFlush(): void {
    if (!this.#turn.hasMore) return this.#endTurn()
    if (this.#isFlushAsked) return
    this.#isFlushAsked = true
    this.#lookedAt = 0
    this.#turn.afterwards(this)
  }

  /** Goes on gathering while commands come, but not for an actor that does not get on. */
  run(): number {
    const { heldCount } = this.#machine
    if (this.#turn.hasMore && heldCount > this.#lookedAt) {
      this.#lookedAt = heldCount
      this.#turn.afterwards(this)
    } else {
      this.#isFlushAsked = false
      this.#endTurn()
    }
    // All of a quota would mean another turn.
    return 0
  }

  #endTurn(): void {
    if (this.#phase !== 'ended') this.#perform(this.#machine.step(turnEnded))
  }

  answered(append: PendingAppend): void {
    if (this.#phase !== 'draining') this.#turn.doErrand(append)
    else append.run()
  }

  /** An answer has come; in the actor's turn, unless the actor is stopping. */
  conclude(outcome: WriteOutcome): void {
    if (this.#turn.isTerminated) return this.giveUp()
    if (this.#phase === 'ended') return
    const isDraining = this.#phase === 'draining'
    const thrown = this.#perform(this.#machine.step(outcome))
    if (isDraining) {
      if (thrown !== undefined) this.#context.log.error({ err: thrown.error }, 'failed at the end')
      this.#isDone()
    } else if (thrown === undefined) {
      this.#owner.stored()
    } else {
      this.#owner.failed(thrown.error)
    }
  }

  #isDone(): boolean {
    if (!this.#machine.isIdle) return false
    this.#phase = 'ended'
    this.#drained?.()
    return true
  }

  /** Answers what was thrown first; what is stored happens nevertheless. */
  #perform(effects: readonly WriteEffect<HeldEffects<State>>[]): Thrown | undefined {
    let thrown: Thrown | undefined
    for (const effect of effects) {
      switch (effect.type) {
        case 'Append':
          this.#writer.append(effect)
          break
        case 'Release':
          thrown = this.#release(effect.held) ?? thrown
          break
        case 'Discard':
          this.#discard(effect)
          break
        case 'Stop':
          thrown = { error: failureOf(this.#persistenceId, effect.because) }
          this.#phase = 'ended'
          break
        default:
          unreachable(effect)
      }
    }
    return thrown
  }

  #release(helds: readonly HeldEffects<State>[]): Thrown | undefined {
    const { lastSequenceNr } = this.#view
    let thrown: Thrown | undefined
    // Of several only the newest: it says all that they say.
    let due: DueSnapshot | undefined
    for (const held of helds) {
      this.#view.lastSequenceNr = held.sequenceNr
      const { snapshot } = held
      if (snapshot !== undefined) {
        due = due?.isRetained === true ? { ...snapshot, isRetained: true } : snapshot
      }
      try {
        perform(held.sideEffects, held.state, this.#owner)
        if (held.stops && this.#phase !== 'draining') this.#context.stop()
      } catch (error) {
        thrown ??= { error }
      }
    }
    this.#view.lastSequenceNr = lastSequenceNr
    if (due !== undefined && this.#phase !== 'draining') this.#owner.snapshotDue(due)
    return thrown
  }

  #discard({ held, because }: Extract<WriteEffect<HeldEffects<State>>, { type: 'Discard' }>): void {
    if (this.#phase === 'open') this.#phase = 'failing'
    const error = failureOf(this.#persistenceId, because)
    const { self, system } = this.#context
    for (const each of held) discard(each, error, self, system.runtime)
  }
}
