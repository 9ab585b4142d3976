/**
 * Sees the messages and signals of a behavior before it does, and may change, drop or answer them. The wrapper lives as
 * long as the behavior inside; inside changes stay inside. An interceptor is synchronous: what an async handler inside comes
 * to passes it by, and only then it has its own say, if it had one beside the promise.
 */
import { AsyncInterceptor } from '../actor-errors.ts'
import type { ActorContext } from '../context/actor-context.ts'
import {
  type AnyBehavior,
  type Behavior,
  type MessageHandler,
  type Result,
  type Wrap,
  type Wrapper,
  same,
} from './behavior.ts'
import type { Cell } from '../cell/cell.ts'
import {
  disown,
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
import { dropHeld } from '../supervision/supervisor.ts'
import { type Inward, isInward, Replayed, Settled } from './inward.ts'
import type { Signal } from './signals.ts'

/**
 * Stands around a behavior and sees its messages and signals first; it may change, drop or answer them. It does so at once:
 * when `next` answers the promise of an async handler it may look at that promise and return it, but none of its own.
 */
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
  /** What the interceptor did beside handing on to an async handler that is still in flight: answered, or failed. */
  #own: Pick<Settled, 'result' | 'isRejected'> | undefined

  constructor(interceptor: AnyInterceptor, outer: Wrapper | undefined) {
    this.interceptor = interceptor
    this.outer = outer
  }

  get inner(): AnyBehavior {
    return this.#inner!
  }

  start(cell: Cell, behavior: unknown): AnyBehavior {
    return this.#inScope(cell, () => {
      refusePromise(cell, this.interceptor.aroundStart?.(cell.context))
      const started = startBehavior(behavior, cell)
      this.#inner = started
      return isFinal(started) ? started : this
    })
  }

  receive(cell: Cell, message: unknown): Result<unknown> {
    if (isInward(message)) return this.#pass(cell, message)
    return this.#relay(
      cell,
      (next) => this.interceptor.aroundReceive(cell.context, message, next),
      (inner: unknown) => interpretMessage(this.inner, cell, inner),
    )
  }

  signal(cell: Cell, signal: Signal): Result<unknown> {
    const { interceptor } = this
    const result = this.#relay(
      cell,
      (next) =>
        interceptor.aroundSignal === undefined
          ? next(signal)
          : interceptor.aroundSignal(cell.context, signal, next),
      (inner: Signal) => interpretSignal(this.inner, cell, inner),
    )
    const own = this.#own
    const isEnding = signal.type === 'PreRestart' || signal.type === 'PostStop'
    if (own === undefined || !isEnding) return result
    // Whoever waits for this end is not told by way of the wrappers, and makes nothing of it but a line in the log.
    this.#own = undefined
    return Promise.resolve(result).then(() => {
      if (own.isRejected) throw own.result
    })
  }

  /** Lets the interceptor act. While an async handler inside is in flight, nothing else is handed on to what is inside. */
  #relay<M>(
    cell: Cell,
    around: (next: (message: M) => Result<unknown>) => Result<unknown>,
    deliver: (message: M) => Result<unknown>,
  ): Result<unknown> {
    let inFlight = undefined as Promise<unknown> | undefined
    let isOver = false
    // Of one that was given up when the actor stopped.
    this.#own = undefined
    const next = (message: M): Result<unknown> => {
      if (isOver) throw new AsyncInterceptor(`${cell}`, 'called next after it had returned')
      if (inFlight !== undefined) {
        throw new AsyncInterceptor(`${cell}`, 'called next again before the handler had settled')
      }
      const result = deliver(message)
      if (isPromise(result)) inFlight = result
      return result
    }
    return this.#inScope(cell, () => {
      try {
        const answer = around(next)
        if (answer !== inFlight) refusePromise(cell, answer)
        if (inFlight === undefined) return this.#transition(cell, answer)
        const isPassing = answer === inFlight || answer === undefined || answer === same
        this.#own = isPassing ? undefined : { result: answer, isRejected: false }
      } catch (error) {
        if (inFlight === undefined) throw error
        this.#own = { result: error, isRejected: true }
      } finally {
        isOver = true
      }
      return inFlight as Promise<never>
    })
  }

  /** The interceptor has seen it already: it belongs to what is inside. */
  #pass(cell: Cell, inward: Inward): Result<unknown> {
    return this.#inScope(cell, () => {
      const isForInner = inward instanceof Replayed && inward.scope === this
      const own = this.#own
      // Also when what is inside throws: it must not come upon a later message.
      this.#own = undefined
      const result = interpretMessage(this.inner, cell, isForInner ? inward.message : inward)
      const answer = this.#transition(cell, result)
      if (own === undefined) return answer
      if (inward instanceof Settled && !isPromise(answer)) {
        return this.#transition(cell, interpretSettled(cell, { cause: inward.cause, ...own }))
      }
      // A PreRestart inside is in flight by now.
      this.#own = own
      return answer
    })
  }

  #transition(cell: Cell, result: Result<unknown>): Result<unknown> {
    return transition(cell, result, (inner) => {
      this.#replace(cell, inner)
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

/** Nobody would wait for it, and what comes after an await would come upon another message. */
function refusePromise(cell: Cell, answer: unknown): void {
  if (!isPromise(answer)) return
  disown(answer)
  throw new AsyncInterceptor(`${cell}`, 'returned a promise of its own')
}
