/** Hands the signals of an actor to the handlers of an event-sourced one, with its state. */
import type { SignalHandlers } from '../../actor/index.ts'
import type { EventSourcedContext, EventSourcedSignalHandlers } from './event-sourced-options.ts'

interface Instance<Command, State> {
  readonly state: State
  readonly view: EventSourcedContext<Command>
  /** Lets the writes under way come to their end. `isForGood`: the actor ends, and not only this life of it. */
  drain(isForGood: boolean): Promise<void> | undefined
}

type SignalResult = void | Promise<void>
type AnyHandler = (state: unknown, signal: unknown, context: unknown) => SignalResult
type SignalHandler = (context: unknown, signal: unknown) => SignalResult

/** Without a handler of the user's, a signal stays unhandled, with all consequences; the end is always heard of. */
export function signalHandlersOf<Command, State>(
  signals: EventSourcedSignalHandlers<Command, State> | undefined,
  instance: Instance<Command, State>,
): SignalHandlers<Command> {
  return new InstanceSignals(signals, instance) as SignalHandlers<Command>
}

/** Looked into by name when a signal comes, so that an idle entity carries no functions of its own. */
class InstanceSignals {
  readonly #given: Readonly<Record<string, AnyHandler | undefined>>
  readonly #instance: Instance<unknown, unknown>

  constructor(signals: object | undefined, instance: object) {
    this.#given = (signals ?? none) as Readonly<Record<string, AnyHandler | undefined>>
    this.#instance = instance as Instance<unknown, unknown>
  }

  get Terminated(): SignalHandler | undefined {
    return this.#forwarder('Terminated')
  }

  get ChildFailed(): SignalHandler | undefined {
    return this.#forwarder('ChildFailed')
  }

  get MessageAdaptionFailure(): SignalHandler | undefined {
    return this.#forwarder('MessageAdaptionFailure')
  }

  get PostStop(): SignalHandler {
    return (_, signal) => this.#end('PostStop', signal)
  }

  get PreRestart(): SignalHandler {
    return (_, signal) => this.#end('PreRestart', signal)
  }

  #forwarder(kind: string): SignalHandler | undefined {
    return this.#given[kind] === undefined ? undefined : (_, signal) => this.#call(kind, signal)
  }

  #call(kind: string, signal: unknown): SignalResult {
    const { state, view } = this.#instance
    return this.#given[kind]?.(state, signal, view)
  }

  #end(kind: string, signal: unknown): SignalResult {
    const drained = this.#instance.drain(kind === 'PostStop')
    return drained === undefined
      ? this.#call(kind, signal)
      : drained.then(() => this.#call(kind, signal))
  }
}

const none: Readonly<Record<string, never>> = {}
