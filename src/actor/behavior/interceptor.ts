/**
 * Sees the messages and signals of a behavior before it does, and may change, drop or answer them. The wrapper lives as
 * long as the behavior inside; inside changes stay inside.
 */
import type { ActorContext } from '../context/actor-context.ts'
import type {
  AnyBehavior,
  Behavior,
  MessageHandler,
  Next,
  Result,
  Wrap,
  Wrapper,
} from './behavior.ts'
import type { Cell } from '../cell/cell.ts'
import {
  heedRejection,
  interpretMessage,
  interpretSettled,
  interpretSignal,
  isFinal,
  isPromise,
  startBehavior,
  toldOutside,
  transition,
} from './interpret.ts'
import { isPartOf } from '../cell/before-mail.ts'
import { stopping, terminated } from '../cell/cell-flags.ts'
import { dropHeld } from '../supervision/supervisor.ts'
import { HeldSignal, isInward, Replayed, Settled, signalIn } from './inward.ts'
import { Relay } from './relay.ts'
import type { Signal } from './signals.ts'

/** Stands around a behavior and sees its messages and signals first; it may change, drop or answer them. */
export interface Interceptor<Outer, Inner> {
  /** Called for each message; `next` hands one on to the behavior inside. */
  aroundReceive(
    context: ActorContext<Outer>,
    message: Outer,
    next: (message: Inner) => Result<Inner>,
  ): Result<Inner>
  /** Called for each signal; without it signals pass. */
  aroundSignal?(
    context: ActorContext<Outer>,
    signal: Signal,
    next: (signal: Signal) => Result<Inner>,
  ): Result<Inner>
  /** Called when the behavior inside starts; without it nothing is done then. */
  aroundStart?(context: ActorContext<Outer>): void
  /** Whether an enclosing interceptor does the same already, so that this one is left out. Default: the same object. */
  isSame?(enclosing: object): boolean
}

type AnyInterceptor = Interceptor<unknown, unknown>

export class Intercept<Outer, Inner> implements Wrap {
  readonly kind = 'wrap'
  readonly accepts?: (message: Outer) => void
  readonly #make: () => unknown
  readonly #behavior: unknown

  constructor(
    make: () => Interceptor<Outer, Inner>,
    behavior: Behavior<Inner> | MessageHandler<Inner>,
  ) {
    this.#make = make
    this.#behavior = behavior
  }

  start(cell: Cell): AnyBehavior {
    const interceptor = this.#make() as AnyInterceptor
    const enclosing = cell.state().scope
    if (isEnclosed(interceptor, enclosing)) return startBehavior(this.#behavior, cell)
    const running = new RunningInterceptor(interceptor, enclosing)
    return running.start(cell, this.#behavior)
  }
}

function isEnclosed(interceptor: AnyInterceptor, enclosing: Wrapper | undefined): boolean {
  for (let wrapper = enclosing; wrapper !== undefined; wrapper = wrapper.outer) {
    if (!(wrapper instanceof RunningInterceptor)) continue
    const other = wrapper.interceptor
    if (other === interceptor || interceptor.isSame?.(other) === true) return true
  }
  return false
}

class RunningInterceptor implements Wrapper {
  readonly kind = 'wrapped'
  readonly interceptor: AnyInterceptor
  outer: Wrapper | undefined
  #inner: AnyBehavior | undefined

  constructor(interceptor: AnyInterceptor, outer: Wrapper | undefined) {
    this.interceptor = interceptor
    this.outer = outer
  }

  get inner(): AnyBehavior {
    return this.#inner!
  }

  start(cell: Cell, behavior: unknown): AnyBehavior {
    return this.#inScope(cell, () => {
      this.#aroundStart(cell)
      const started = startBehavior(behavior, cell)
      this.#inner = started
      return isFinal(started) ? started : this
    })
  }

  /** It is not waited for: what it rejects with is logged, and the behavior inside starts. */
  #aroundStart(cell: Cell): void {
    const outcome: unknown = this.interceptor.aroundStart?.(cell.context)
    if (!isPromise(outcome)) return
    heedRejection(outcome, (error) =>
      cell.runtime.logger.error({ err: error, actor: cell.toString() }, 'aroundStart failed'),
    )
  }

  receive(cell: Cell, message: unknown): Result<unknown> {
    if (message instanceof Settled && message.level === this) {
      return this.#inScope(cell, () => this.#transition(cell, interpretSettled(cell, message)))
    }
    return this.#relay(
      cell,
      (next) => this.#around(cell, message, next),
      (inner: unknown) => interpretMessage(this.inner, cell, inner),
      (inner) => inner,
    )
  }

  /** Lets `around` act, with a `next` that stays right when it is called, or settles, after an await. */
  #relay<M>(
    cell: Cell,
    around: (next: (message: M) => Result<unknown>) => Result<unknown>,
    deliver: (message: M) => Result<unknown>,
    asCause: (message: M) => unknown,
  ): Result<unknown> {
    const relay = new Relay<M>(cell, (message) => {
      const fromInside = this.#inScope(cell, () => deliver(message))
      return isPromise(fromInside)
        ? this.#settleInside(cell, fromInside, asCause(message))
        : fromInside
    })
    return this.#inScope(cell, () => {
      const result = relay.answerOf(() => around(relay.next))
      if (isPromise(result)) cell.state().promiseLevel = this
      return this.#transition(cell, result)
    })
  }

  /** What an async handler inside comes to is first the business of what is inside: supervision, a new behavior. */
  #settleInside(cell: Cell, promise: Promise<unknown>, cause: unknown): Promise<Next<unknown>> {
    const state = cell.state()
    const level = state.promiseLevel
    state.promiseLevel = undefined
    const settle = (result: unknown, isRejected: boolean): Result<unknown> => {
      // What ends becomes nothing any more, and nobody inside answers for its failure.
      const isPreRestart = signalIn(cause)?.type === 'PreRestart'
      if (isPreRestart || (cell.flags & (stopping | terminated)) !== 0) {
        if (isRejected) throw result
        return result as Result<unknown>
      }
      const outcome = new Settled(cause, level, result, isRejected)
      return this.#inScope(cell, () =>
        this.#transition(cell, interpretMessage(this.inner, cell, outcome)),
      )
    }
    return Promise.resolve(promise).then(
      (result) => settle(result, false),
      (error: unknown) => settle(error, true),
    )
  }

  #around(
    cell: Cell,
    message: unknown,
    next: (message: unknown) => Result<unknown>,
  ): Result<unknown> {
    if (message instanceof Replayed && message.scope === this) return next(message.message)
    if (isInward(message)) return next(message)
    return this.interceptor.aroundReceive(cell.context, message, next)
  }

  signal(cell: Cell, signal: Signal): Result<unknown> {
    const { interceptor } = this
    return this.#relay(
      cell,
      (next) =>
        interceptor.aroundSignal === undefined
          ? next(signal)
          : interceptor.aroundSignal(cell.context, signal, next),
      (inner: Signal) => interpretSignal(this.inner, cell, inner),
      (inner) => new HeldSignal(inner),
    )
  }

  #transition(cell: Cell, result: Result<unknown>): Result<unknown> {
    return transition(cell, result, (inner) => {
      // It is itself what an async handler inside has told it already.
      if (inner !== this) this.#replace(cell, inner)
      return toldOutside(this)
    })
  }

  /** The interceptor itself may have answered another one, while what was inside waits for a restart. */
  #replace(cell: Cell, inner: AnyBehavior): void {
    const before = this.inner
    this.#inner = inner
    if (before.kind === 'wrapped' && !isPartOf(before, inner)) dropHeld(before, cell)
  }

  #inScope<R>(cell: Cell, act: () => R): R {
    const state = cell.state()
    const enclosing = state.scope
    state.scope = this
    try {
      return act()
    } finally {
      state.scope = enclosing
    }
  }
}
