/**
 * One behavior in a real actor, step by step and without waiting. The behavior gets only what `run` and `signal` hand it:
 * what would come by itself, from its own timers, adapters and answers, waits in `selfInbox` to be run or not. Children
 * do not run; what they are told waits in `childInbox`. Watched actors end when the test says so, by `signal`. What the
 * behavior throws and no supervision answers is thrown by the call that caused it.
 */
import type { ActorRef, Behavior, MessageHandler, PoisonPill, Signal } from '../../actor/index.ts'
import { type Duration, formatMs, toMs } from '../../foundation/duration.ts'
import { BehaviorKitMisuse } from './behavior-kit-misuse.ts'
import type { CapturedLogs } from '../captured-logs.ts'
import type { BehaviorEffect } from './behavior-effect.ts'
import { GatedActor } from './gated-actor.ts'
import { HandWorld } from './hand-world.ts'
import { Inbox, spawnInbox } from './inbox.ts'
import { listedValues, shownValue } from '../listed.ts'
import { defaultPatienceMs, hop, realMs } from '../patience.ts'

/** What may be said about the actor in the kit. */
export interface BehaviorKitOptions {
  /** The name of the actor; `behavior` when not given. */
  readonly name?: string
}

/** Runs one behavior, message by message and without waiting; what it did to the world is a list. */
export class BehaviorKit<T> {
  readonly ref: ActorRef<T>
  /** Messages to the actor itself that have not been run. */
  readonly selfInbox: Inbox<T>
  /** What the behavior and the runtime logged. */
  readonly logs: CapturedLogs
  readonly #world = new HandWorld('kit')
  readonly #actor: GatedActor

  constructor(behavior: Behavior<T> | MessageHandler<T>, options: BehaviorKitOptions = {}) {
    const name = options.name ?? 'behavior'
    this.#actor = new GatedActor(this.#world, behavior as Behavior<unknown>, name)
    this.ref = this.#actor.ref
    this.logs = this.#world.logs
    const refresh = (): void => this.#world.run()
    this.selfInbox = new Inbox({ ref: this.ref, kept: this.#actor.kept as T[], refresh })
  }

  get isAlive(): boolean {
    this.#world.run()
    return this.#actor.isAlive
  }

  /** Hands the behavior one message. */
  run(message: T | PoisonPill): void {
    this.#refuseIfBusy('run', message)
    this.#actor.admit(message)
    this.#end('run', message)
  }

  /** Hands an async behavior one message; resolves when its handler has settled, within 3 s of real time if not told. */
  async runAsync(
    message: T | PoisonPill,
    options: { readonly within?: Duration } = {},
  ): Promise<void> {
    const withinMs = toMs(options.within ?? defaultPatienceMs, 'within')
    const endMs = realMs() + withinMs
    this.#refuseIfBusy('runAsync', message)
    this.#actor.admit(message)
    while (!this.#actor.isFree) {
      if (realMs() > endMs) {
        throw new BehaviorKitMisuse(
          `The handler of ${shownValue(message)} has not settled within ${formatMs(withinMs)} of real time.`,
        )
      }
      await hop()
    }
    this.#actor.throwFailure()
  }

  /**
   * Hands the behavior one signal. One that speaks of the end of an actor comes only to who watches it; a child that has
   * ended by it is stopped first.
   */
  signal(signal: Signal): void {
    this.#refuseIfBusy('signal', signal)
    if ('ref' in signal) this.#refuseIfUnwatched(signal.ref)
    this.#actor.signal(signal)
    this.#end('signal', signal)
  }

  /** Moves the clock of the actor; what its timers send waits in `selfInbox`. */
  advance(duration: Duration): void {
    this.#world.advance(toMs(duration, 'the time to advance'))
    this.#actor.throwFailure()
  }

  /** Lets promises settle, such as those of `pipeToSelf` and `ask`; what they bring waits in `selfInbox`. */
  async settle(): Promise<void> {
    await hop()
    this.#world.run()
    this.#actor.throwFailure()
  }

  /** What the behavior did through its context since the last call, or since the start. */
  effects(): BehaviorEffect[] {
    this.#world.run()
    return this.#actor.recorder.take()
  }

  /** What was told to the child of that name; to the latest, if there were several. */
  childInbox<U = unknown>(name: string): Inbox<U> {
    const { children } = this.#actor.recorder
    const child = children.get(name)
    if (child !== undefined) return child.inbox as unknown as Inbox<U>
    const spawned =
      children.size === 0 ? 'it spawned none' : `it spawned ${listedValues([...children.keys()])}`
    throw new BehaviorKitMisuse(`${this} has no child ${shownValue(name)}: ${spawned}.`)
  }

  /** An inbox on the clock of this kit, for those whom the behavior asks with a timeout. */
  createInbox<U>(name: string): Inbox<U> {
    return spawnInbox<U>(this.#world, name)
  }

  toString(): string {
    return `behavior kit ${this.ref.path.name}`
  }

  #refuseIfBusy(call: string, given: unknown): void {
    this.#world.run()
    if (!this.#actor.isAlive) {
      throw new BehaviorKitMisuse(
        `${this} has stopped: ${call}(${shownValue(given)}) reaches nobody.`,
      )
    }
    if (this.#actor.isFree) return
    throw new BehaviorKitMisuse(
      `${this} takes nothing until the promise of an earlier handler has settled: ${call}(${shownValue(given)}) comes too early.`,
    )
  }

  #refuseIfUnwatched(ref: ActorRef<never>): void {
    const { watched } = this.#actor.recorder
    const asked = watched.get(ref)
    if (asked?.type === 'Watched') return
    if (asked?.type === 'WatchedWith') {
      throw new BehaviorKitMisuse(
        `${this} watches ${ref} with a message in place of the signal: run(${shownValue(asked.message)}).`,
      )
    }
    const others =
      watched.size === 0 ? 'it watches nobody' : `it watches ${listedValues([...watched.keys()])}`
    throw new BehaviorKitMisuse(
      `${this} does not watch ${ref}, so no signal of its end would come: ${others}.`,
    )
  }

  #end(call: string, given: unknown): void {
    this.#actor.throwFailure()
    if (this.#actor.isFree) return
    throw new BehaviorKitMisuse(
      `${call}(${shownValue(given)}) met an async handler, and its promise cannot be waited for here. ` +
        'Use await kit.runAsync(message), or an ActorSystem with ManualTime.',
    )
  }
}
