/**
 * Adapter to the job queue of JavaScript: runs one step after the other and lets all promise reactions and nextTicks of
 * a step run before the next. That is done by `process._tickCallback`, which drains them synchronously (a
 * documentation-only deprecation, DEP0134); where it is missing, one visit to the event loop per step does the same,
 * about four times slower. The drain does nothing inside a microtask, so every chunk of steps starts from an immediate.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'

export interface SteppedWork {
  /** Before a chunk of steps. */
  enter(): void
  /** One step; false when the work is over. */
  step(): boolean
  /** Every reaction to the step has run; false when the work is over. */
  settle(): boolean
  /** Something was thrown, or a promise rejected, and nobody caught it. */
  uncaught(error: unknown, how: 'thrown' | 'rejected'): void
  /** After a chunk: the real event loop goes on. */
  leave(): void
}

export type DrainMode = 'drain' | 'hop'

/** Steps before the event loop of the process gets its turn. */
const STEPS_PER_CHUNK = 20_000

/** How long, in real time, nothing may move before we believe that nothing will, and how often we look. */
const STILL_MS = 3_000
const LOOK_MS = 250

// Taken now, because a simulation replaces the globals.
const realSetImmediate = setImmediate
const realSetTimeout = setTimeout
const realClearTimeout = clearTimeout
const { _tickCallback: tickCallback, _fatalException: fatalException } = process as unknown as {
  readonly _tickCallback?: () => void
  readonly _fatalException?: (error: unknown, isFromPromise: boolean) => boolean
}

export const bestDrainMode: DrainMode = typeof tickCallback === 'function' ? 'drain' : 'hop'

/** Resolves when the work is over, rejects when a part of it throws. */
export function driveSteps(work: SteppedWork, mode: DrainMode): Promise<void> {
  return new Promise((resolve, reject) => {
    const chunk = mode === 'drain' ? drainingChunk : steppingHop
    const goOn = (): void => chunk(work, goOn, resolve, reject)
    realSetImmediate(goOn)
  })
}

/** Settles as the promise does, or rejects when `movements` has not changed for a while: then it never would. */
export function unlessStill<Value>(
  promise: Promise<Value>,
  { movements, refusal }: { movements: () => unknown; refusal: () => Error },
): Promise<Value> {
  return new Promise((resolve, reject) => {
    let last = movements()
    let looks = 0
    const look = (): void => {
      const now = movements()
      looks = now === last ? looks + 1 : 0
      last = now
      if (looks * LOOK_MS >= STILL_MS) reject(refusal())
      else timer = realSetTimeout(look, LOOK_MS)
    }
    let timer = realSetTimeout(look, LOOK_MS)
    void promise.then(resolve, reject).finally(() => realClearTimeout(timer))
  })
}

function drainingChunk(
  work: SteppedWork,
  goOn: () => void,
  resolve: () => void,
  reject: (error: unknown) => void,
): void {
  let isOver = false
  try {
    const release = enter(work)
    try {
      isOver = !runChunk(work)
    } finally {
      release()
    }
  } catch (error) {
    reject(error)
    return
  }
  if (isOver) resolve()
  else realSetImmediate(goOn)
}

function runChunk(work: SteppedWork): boolean {
  for (let count = 0; count < STEPS_PER_CHUNK; count++) {
    if (!work.step()) return false
    drain(work)
    if (!work.settle()) return false
  }
  return true
}

function drain(work: SteppedWork): void {
  for (;;) {
    try {
      tickCallback?.call(process)
      return
    } catch (error) {
      // Thrown by a nextTick callback; those behind it still have to run. Node's own handler tells our listener, and
      // puts its stack of async contexts right, which the throw has cut short.
      if (fatalException === undefined) work.uncaught(error, 'thrown')
      else fatalException.call(process, error, false)
    }
  }
}

/**
 * Two immediates queued together run one after the other with nothing but microtasks between them, so even here the
 * rest of the process never sees a world that is not its own.
 */
function steppingHop(
  work: SteppedWork,
  goOn: () => void,
  resolve: () => void,
  reject: (error: unknown) => void,
): void {
  let release = (): void => {}
  let isOver = false
  let failure: { readonly error: unknown } | undefined
  const guarded = (run: () => void): void => {
    try {
      run()
    } catch (error) {
      failure ??= { error }
    }
  }
  realSetImmediate(() =>
    guarded(() => {
      release = enter(work)
      isOver = !work.step()
    }),
  )
  realSetImmediate(() => {
    guarded(() => {
      if (!isOver && failure === undefined) isOver = !work.settle()
    })
    guarded(release)
    if (failure !== undefined) reject(failure.error)
    else if (isOver) resolve()
    else goOn()
  })
}

/** Makes everything uncaught the work's business; answers how to give it back. */
function enter(work: SteppedWork): () => void {
  const giveBack = [
    takeOver('uncaughtException', (error) => work.uncaught(error, 'thrown')),
    takeOver('unhandledRejection', (error) => work.uncaught(error, 'rejected')),
  ]
  try {
    work.enter()
  } catch (error) {
    for (const each of giveBack) each()
    throw error
  }
  return () => {
    for (const each of giveBack) each()
    work.leave()
  }
}

function takeOver(
  event: 'uncaughtException' | 'unhandledRejection',
  listener: (error: unknown) => void,
): () => void {
  const emitter: NodeJS.EventEmitter = process
  const others = emitter.rawListeners(event) as ((...values: unknown[]) => void)[]
  emitter.removeAllListeners(event)
  emitter.on(event, listener)
  return () => {
    emitter.off(event, listener)
    for (const other of others) emitter.on(event, other)
  }
}

/**
 * Where code runs, also after an await. A promise of one node may be settled in a step of another (an ask between two
 * systems in one process); what continues then still belongs to its own node, or to one that has crashed.
 */
export class Whereabouts<Place extends object> {
  readonly #storage = new AsyncLocalStorage<Place>()

  get current(): Place | undefined {
    return this.#storage.getStore()
  }

  run(place: Place, step: () => void): void {
    this.#storage.run(place, step)
  }

  /** Nobody asks until the next `run`: the process need not pay for it. Promises keep their place. */
  rest(): void {
    this.#storage.disable()
  }
}

/** What is called later, in the context (of every AsyncLocalStorage) where it was handed over, as Node's timers do. */
export function inContext(callback: () => void): () => void {
  const resource = new AsyncResource('SimulatedCallback')
  return () => resource.runInAsyncScope(callback)
}
