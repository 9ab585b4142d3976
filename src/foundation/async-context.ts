/**
 * Whose AsyncLocalStorage code sees. The platform lets a callback see the context of whoever happened to arrange for it;
 * a drain, a timer or a socket of the runtime serves many callers, so it is arranged for in nobody's context. What is
 * done for one caller can run in that caller's own.
 */
import { AsyncResource } from 'node:async_hooks'

/** The context of the program itself, in which this module was loaded. Only `inNobodysContext` runs in it. */
const nobody = new AsyncResource('SherdRuntime')

/**
 * What `arrange` arranges for (a reaction to a promise, a timer, a socket) runs later without the context of whoever calls
 * now. Nothing of a user may run inside `arrange` itself: what it put there would stay for good.
 */
export function inNobodysContext<Result>(arrange: () => Result): Result {
  return nobody.runInAsyncScope(arrange)
}

/** The context in which something was asked for, to run in it what is done for that. */
export interface CallerContext {
  runInAsyncScope<Args extends readonly unknown[], Result>(
    run: (this: undefined, ...args: Args) => Result,
    thisArg: undefined,
    ...args: Args
  ): Result
}

/** Of whoever calls now. Not `AsyncLocalStorage.snapshot()`, which takes a hundred times as long. */
export function callerContext(): CallerContext {
  return new AsyncResource('SherdCall')
}
