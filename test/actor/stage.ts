/**
 * A stage for actors: one system on manual time, whose losses, logs and escapes are written down. Nothing here waits
 * for real time.
 */
import { afterEach, beforeEach, expect } from 'vitest'
import {
  type ActorRef,
  type ActorSettings,
  ActorSystem,
  type ActorSystemOptions,
  type Behavior,
  DeadLetter,
  Dropped,
  type LostMessage,
  type MessageHandler,
  type SpawnOptions,
  UnhandledMessage,
} from '../../src/actor/index.ts'
import type { Duration } from '../../src/foundation/duration.ts'
import type { Environment } from '../../src/foundation/environment.ts'
import type { LogLevel } from '../../src/foundation/logger.ts'
import { type CapturedLine, ManualTime } from '../../src/testkit/index.ts'

export interface StageOptions {
  readonly settings?: Partial<ActorSettings>
  readonly shutdownPhases?: ActorSystemOptions['shutdownPhases']
  /** Parts of the world to put in the place of the usual ones. */
  readonly environment?: Partial<Environment>
  /** How long, in real time, the actors may take to come to rest. */
  readonly patience?: Duration
  /** Whether `sleep` is going to be used. */
  readonly canSleep?: boolean
}

export interface Recorder<T> {
  readonly ref: ActorRef<T>
  readonly messages: T[]
}

export class Stage {
  readonly time = new ManualTime()
  readonly lost: LostMessage[] = []
  readonly exits: number[] = []
  readonly system: ActorSystem
  readonly #patience: Duration
  #isAsleep = false
  #overdue: (() => void)[] = []

  constructor(options: StageOptions = {}) {
    const { settings, shutdownPhases } = options
    this.#patience = options.patience ?? '3s'
    this.system = new ActorSystem('stage', {
      environment: {
        ...this.time.environment,
        ...(options.canSleep === true ? { timers: this.#sleepingTimers() } : {}),
        // Chance is always in the middle.
        random: { float: () => 0.5, below: (bound) => Math.floor(bound / 2), uid: () => 1n },
        process: {
          onTerminationSignal: () => ({ remove: () => undefined }),
          onEscapedError: () => ({ remove: () => undefined }),
          ...{ identity: undefined, isGone: () => false, isRunning: () => false },
          exit: (code) => void this.exits.push(code),
        },
        ...options.environment,
      },
      ...(settings === undefined ? {} : { settings }),
      ...(shutdownPhases === undefined ? {} : { shutdownPhases }),
    })
    for (const kind of [DeadLetter, Dropped, UnhandledMessage]) {
      this.system.eventStream.subscribe<LostMessage>(kind, (event) => void this.lost.push(event))
    }
  }

  /** Milliseconds since the beginning. */
  get now(): number {
    return this.time.now
  }

  /** An actor that keeps what it is told. */
  recorder<T>(): Recorder<T> {
    const messages: T[] = []
    const ref = this.system.spawn<T>((message) => void messages.push(message))
    return { ref, messages }
  }

  spawn<T>(
    behavior: Behavior<T> | MessageHandler<T>,
    options?: string | SpawnOptions,
  ): ActorRef<T> {
    return this.system.spawn(behavior, options)
  }

  /** Spawns an actor and lets it start. */
  async start<T>(
    behavior: Behavior<T> | MessageHandler<T>,
    options?: string | SpawnOptions,
  ): Promise<ActorRef<T>> {
    const ref = this.system.spawn(behavior, options)
    await this.settle()
    return ref
  }

  /** Everybody does what there is to do until time moves. A busy machine may need long for it. */
  settle(): Promise<void> {
    return this.time.settle({ within: this.#patience })
  }

  /** Time passes from deadline to deadline. */
  advance(duration: Duration): Promise<void> {
    return this.time.advance(duration)
  }

  /** The process sleeps: what was due meanwhile happens afterwards, all at once. */
  async sleep(duration: Duration): Promise<void> {
    this.#isAsleep = true
    await this.time.advance(duration)
    this.#isAsleep = false
    for (const callback of this.#overdue.splice(0)) callback()
    await this.time.advance(0)
  }

  /** Tells each message when the one before has had its effect. */
  async tell<T>(ref: ActorRef<T>, ...messages: T[]): Promise<void> {
    for (const message of messages) {
      ref.tell(message)
      await this.settle()
    }
  }

  isTerminated(ref: ActorRef<never>): boolean {
    return (ref as unknown as { isTerminated: boolean }).isTerminated
  }

  /** Lost messages as `Type/reason message`. */
  get losses(): string[] {
    return this.lost.map((event) => {
      const kind = event.type === 'UnhandledMessage' ? event.type : `${event.type}/${event.reason}`
      return `${kind} ${String(event.message)}`
    })
  }

  logged(level: LogLevel): readonly CapturedLine[] {
    return this.time.logs.lines.filter((line) => line.level === level)
  }

  /** Lines that speak of this error. */
  linesOn(error: unknown): readonly CapturedLine[] {
    return this.time.logs.lines.filter((line) => line.fields['err'] === error)
  }

  #sleepingTimers(): Environment['timers'] {
    const { timers } = this.time.environment
    return {
      after: (delayMs, callback) =>
        timers.after(delayMs, () => {
          if (this.#isAsleep) this.#overdue.push(callback)
          else callback()
        }),
    }
  }
}

/** Everything that promises and ticks have to do is done when this resolves. */
export function immediate(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** A promise that is settled by hand. */
export interface Gate<T> {
  readonly promise: Promise<T>
  open(value: T): void
  fail(error: unknown): void
}

export function gate<T = void>(): Gate<T> {
  let open!: (value: T) => void
  let fail!: (error: unknown) => void
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve
    fail = reject
  })
  return { promise, open, fail }
}

/** How the promise has ended so far. */
export function outcomeOf(promise: Promise<unknown>): { readonly ends: unknown[] } {
  const ends: unknown[] = []
  promise.then(
    (value) => ends.push({ value }),
    (error: unknown) => ends.push(error),
  )
  return { ends }
}

/** In the block that calls it, no test may let an error or a rejection escape to the process. */
export function nothingMayEscape(): void {
  const escaped: unknown[] = []
  const note = (error: unknown): void => void escaped.push(error)
  beforeEach(() => {
    escaped.length = 0
    process.on('unhandledRejection', note)
    process.on('uncaughtException', note)
  })
  afterEach(async () => {
    // Rejections are reported after the microtasks of a turn of the event loop.
    await immediate()
    await immediate()
    process.off('unhandledRejection', note)
    process.off('uncaughtException', note)
    expect(escaped).toEqual([])
  })
}
