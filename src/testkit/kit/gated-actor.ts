/**
 * A real actor behind a gate that a test opens message by message. What comes by itself is kept at the gate; what the
 * actor does through its context is recorded; why it fails is told by its parent, which is of our making.
 */
import {
  type ActorContext,
  type ActorRef,
  type Behavior,
  Behaviors,
  type Interceptor,
  PoisonPill,
  type Signal,
  notInfluenceReceiveTimeout,
  suppressDeadLetterLog,
} from '../../actor/index.ts'
import type { HandWorld } from './hand-world.ts'
import { ContextRecorder } from './context-recorder.ts'

/** Test -> actor: do this in your turn. */
class InTurn {
  readonly [notInfluenceReceiveTimeout] = true
  readonly [suppressDeadLetterLog] = true
  readonly act: () => void

  constructor(act: () => void) {
    this.act = act
  }
}

export class GatedActor {
  readonly ref: ActorRef<unknown>
  /** What came by itself, oldest first. */
  readonly kept: unknown[] = []
  readonly recorder = new ContextRecorder()
  readonly #world: HandWorld
  #context: ActorContext<unknown> | undefined
  #isOpen = false
  #isAlive = true
  #failure: { readonly cause: unknown } | undefined
  /** The signal to be handed to the behavior in place of the end of this actor. */
  #carried: { readonly carrier: ActorRef<never>; readonly signal: Signal } | undefined

  constructor(world: HandWorld, behavior: Behavior<unknown>, name: string) {
    this.#world = world
    this.ref = this.#spawn(behavior, name)
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Whether the actor takes mail; it does not while an async handler is in flight. */
  get isFree(): boolean {
    let isFree = false
    this.#inTurn(() => {
      isFree = true
    })
    return isFree || !this.#isAlive
  }

  /** Hands the behavior one message. */
  admit(message: unknown): void {
    this.#isOpen = message !== PoisonPill
    this.ref.tell(message)
    this.#world.run()
    this.#isOpen = false
  }

  /** Hands the behavior one signal. Only the runtime signals: so an actor ends, and its end is exchanged at the gate. */
  signal(signal: Signal): void {
    if ('ref' in signal) this.#endWatched(signal.ref)
    const carrier = this.#world.system.spawn(Behaviors.ignore)
    this.#carried = { carrier, signal }
    this.#inTurn((context) => context.watch(carrier))
    carrier.tell(PoisonPill)
    this.#world.run()
  }

  /** Throws why the actor failed, once. */
  throwFailure(): void {
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) throw failure.cause
  }

  #spawn(behavior: Behavior<unknown>, name: string): ActorRef<unknown> {
    let child: ActorRef<unknown> | undefined
    const parent = Behaviors.setup<never>((context) => {
      try {
        child = context.spawn(this.#gated(behavior), name)
        context.watch(child)
      } catch (error) {
        this.#failure = { cause: error }
      }
      return Behaviors.receiveSignal<never>({
        Terminated: () => this.#ended(undefined),
        ChildFailed: (_context, failure) => this.#ended(failure),
      })
    })
    this.#world.system.spawn(parent, 'parent')
    this.#world.run()
    this.throwFailure()
    return child as ActorRef<unknown>
  }

  #ended(failure: { readonly cause: unknown } | undefined): void {
    this.#isAlive = false
    this.#failure = failure
  }

  #gated(behavior: Behavior<unknown>): Behavior<unknown> {
    return Behaviors.setup<unknown>((context) => {
      this.#context = context
      this.recorder.attach(context)
      return Behaviors.intercept(() => this.#gate(), behavior)
    })
  }

  #gate(): Interceptor<unknown, unknown> {
    return {
      aroundReceive: (_context, message, next) => {
        if (message instanceof InTurn) {
          message.act()
          return Behaviors.same
        }
        if (!this.#isOpen) {
          this.kept.push(message)
          return Behaviors.same
        }
        this.#isOpen = false
        const result = next(message)
        if (result === Behaviors.unhandled) this.recorder.add({ type: 'Unhandled', message })
        return result
      },
      aroundSignal: (_context, signal, next) => {
        if (signal.type !== 'Terminated' && signal.type !== 'ChildFailed') return next(signal)
        if (signal.ref !== this.#carried?.carrier) return Behaviors.same
        const result = next(this.#carried.signal)
        // Where not handling it is a failure, the runtime has thrown already.
        return result === Behaviors.unhandled ? Behaviors.same : result
      },
    }
  }

  #inTurn(act: (context: ActorContext<unknown>) => void): void {
    const context = this.#context
    if (context === undefined) return
    this.ref.tell(new InTurn(() => this.recorder.silently(() => act(context))))
    this.#world.run()
  }

  /** The actor that the signal speaks of is not watched any more and, if it was a child, is gone. */
  #endWatched(ref: ActorRef<never>): void {
    this.#inTurn((context) => context.unwatch(ref))
    for (const child of this.recorder.children.values()) if (child.ref === ref) child.stop()
    this.#world.run()
  }
}
