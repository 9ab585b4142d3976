/**
 * What an actor does with its next message. A closed set of kinds: users build them with the functions in
 * `behaviors.ts`, cells and wrappers take them apart. A behavior is a value; state that belongs to one running actor
 * lives in closures of `setup` or in the running wrappers of supervision and interception.
 */
import type { ActorContext } from '../context/actor-context.ts'
import type { Cell } from '../cell/cell.ts'
import type { ChildFailed, Signal, Terminated } from './signals.ts'

/** What handles messages of type T. Made by the functions of `Behaviors`. */
export interface Behavior<in T> {
  readonly kind: BehaviorKind
  /** Never there: it only makes `Behavior<Dog>` and `Behavior<Animal>` different types. */
  readonly accepts?: (message: T) => void
}

/** What the runtime tells behaviors apart by. */
export type BehaviorKind =
  | 'same'
  | 'unhandled'
  | 'stopped'
  | 'failed'
  | 'empty'
  | 'ignore'
  | 'setup'
  | 'receive'
  | 'receiveMessage'
  | 'wrap'
  | 'wrapped'

/** The answer of a handler: the next behavior, or nothing to stay as it is. A plain function is a message handler. */
export type Next<T> = Behavior<T> | MessageHandler<T> | void

/** A handler may be async: no other message is taken until its promise settles. */
export type Result<T> = Next<T> | Promise<Next<T>>

/** Takes a message and answers the next behavior, or nothing to stay as it is. It is a behavior by itself. */
export type MessageHandler<in T> = (message: T) => Result<T>
/** As `MessageHandler`, with the context of the actor at hand. */
export type ContextMessageHandler<T> = (context: ActorContext<T>, message: T) => Result<T>
/**
 * One handler per kind of signal; a kind without one is unhandled, which for `Terminated` fails the actor. Without a
 * handler of its own, `ChildFailed` goes to the one for `Terminated`: it is one, with a cause.
 */
export type SignalHandlers<T> = {
  readonly [Kind in Signal['type']]?: (
    context: ActorContext<T>,
    signal: Kind extends 'Terminated'
      ? Terminated | ChildFailed
      : Extract<Signal, { readonly type: Kind }>,
  ) => Result<T>
}

/** A behavior as the runtime takes it apart, told by its kind; `asBehavior` makes one of what a user gives. */
export type AnyBehavior = Constant | Stopped | Failed | Setup<unknown> | Handlers | Wrap | Wrapper

type Handlers = Receive<unknown> &
  (
    | { readonly kind: 'receive'; readonly onMessage: ContextMessageHandler<unknown> }
    | { readonly kind: 'receiveMessage'; readonly onMessage: MessageHandler<unknown> }
  )

/** A wrapper around another behavior, not yet part of a running actor. */
export interface Wrap {
  readonly kind: 'wrap'
  /** Starts the wrapped behavior; answers the running wrapper, or what stands in its place. */
  start(cell: Cell): AnyBehavior
}

/** A wrapper around the current behavior of one running actor. */
export interface Wrapper {
  readonly kind: 'wrapped'
  /** The behavior inside, as it is now. */
  readonly inner: AnyBehavior
  /** The wrapper around this one; changes when that one gives way. */
  outer: Wrapper | undefined
  receive(cell: Cell, message: unknown): Result<unknown>
  signal(cell: Cell, signal: Signal): Result<unknown>
}

/** The kinds without any content: same, unhandled, empty, ignore. */
class Constant implements Behavior<unknown> {
  readonly kind: 'same' | 'unhandled' | 'empty' | 'ignore'

  constructor(kind: Constant['kind']) {
    this.kind = kind
  }
}

export class Stopped implements Behavior<unknown> {
  readonly kind = 'stopped'
  /** Runs after PostStop of the last real behavior. */
  readonly callback: (() => void) | undefined

  constructor(callback?: () => void) {
    this.callback = callback
  }
}

/** Stops the actor and tells a watching parent why. Only supervision makes it. */
export class Failed implements Behavior<unknown> {
  readonly kind = 'failed'
  readonly cause: unknown

  constructor(cause: unknown) {
    this.cause = cause
  }
}

/** A behavior that is built when its actor starts. */
export class Setup<T> implements Behavior<T> {
  readonly kind = 'setup'
  readonly accepts?: (message: T) => void
  readonly factory: (context: ActorContext<T>) => Behavior<T> | MessageHandler<T>

  constructor(factory: Setup<T>['factory']) {
    this.factory = factory
  }
}

/** The user's own handlers. `receiveMessage` does not pay for a context. */
export class Receive<T> implements Behavior<T> {
  readonly kind: 'receive' | 'receiveMessage'
  readonly accepts?: (message: T) => void
  /** Called with (context, message) when the kind is `receive`, with (message) when it is `receiveMessage`. */
  readonly onMessage: ContextMessageHandler<T> | MessageHandler<T>
  readonly onSignal: SignalHandlers<T> | undefined

  constructor(
    kind: Receive<T>['kind'],
    onMessage: Receive<T>['onMessage'],
    onSignal?: SignalHandlers<T>,
  ) {
    this.kind = kind
    this.onMessage = onMessage
    this.onSignal = onSignal
  }

  /** The same message handler with these handlers for lifecycle signals. */
  receiveSignal(onSignal: SignalHandlers<T>): Receive<T> {
    return new Receive<T>(this.kind, this.onMessage, onSignal)
  }
}

/** Stay as it is; returning nothing says the same. */
export const same = new Constant('same')
export const unhandled = new Constant('unhandled')
export const empty = new Constant('empty')
export const ignore = new Constant('ignore')
