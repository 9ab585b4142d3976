/** Hands the signals of an actor to the handlers of an event-sourced one, with its state. */
import type { SignalHandlers } from '../../actor/index.ts'
import type { EventSourcedContext, EventSourcedSignalHandlers } from './event-sourced-options.ts'

interface Instance<State> {
  state(): State
  /** Lets the writes under way come to their end. */
  drain(): Promise<void> | undefined
}

type AnyHandler<Command, State> = (
  state: State,
  signal: unknown,
  context: EventSourcedContext<Command>,
) => void | Promise<void>

/** Without a handler of the user's, a signal stays unhandled, with all consequences; the end is always heard of. */
export function signalHandlersOf<Command, State>(
  signals: EventSourcedSignalHandlers<Command, State> = {},
  context: EventSourcedContext<Command>,
  instance: Instance<State>,
): SignalHandlers<Command> {
  const given = signals as Readonly<Record<string, AnyHandler<Command, State>>>
  const call = (kind: string, signal: unknown): void | Promise<void> =>
    given[kind]?.(instance.state(), signal, context)
  const end = (kind: string, signal: unknown): void | Promise<void> => {
    const drained = instance.drain()
    return drained === undefined ? call(kind, signal) : drained.then(() => call(kind, signal))
  }
  const handlers: Record<string, unknown> = {}
  for (const kind of ['Terminated', 'ChildFailed', 'MessageAdaptionFailure']) {
    if (given[kind] === undefined) continue
    handlers[kind] = (_: unknown, signal: unknown) => call(kind, signal)
  }
  for (const kind of ['PostStop', 'PreRestart']) {
    handlers[kind] = (_: unknown, signal: unknown) => end(kind, signal)
  }
  return handlers
}
