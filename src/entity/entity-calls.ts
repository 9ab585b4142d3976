/**
 * The calls that go out from one node: checks the arguments, asks the entity, and turns whatever comes back, or does not,
 * into a value or an error that says what to do.
 */
import {
  type ActorRef,
  AskAborted,
  AskTargetTerminated,
  type AskOptions,
  AskTimeout,
  SystemTerminated,
} from '../actor/index.ts'
import { Question } from '../actor/internals.ts'
import { callerContext } from '../foundation/async-context.ts'
import { unreachable } from '../foundation/assert.ts'
import { toMs } from '../foundation/duration.ts'
import {
  anything,
  type Check,
  InvalidSettings,
  problemsWithOptions,
  problemsWithSignal,
} from '../foundation/invalid-settings.ts'
import { isRecord } from '../foundation/is-object.ts'
import { show } from '../foundation/show.ts'
import { clip, escapeControls } from '../foundation/text.ts'
import { AskNotSent, TooManyAsks } from '../remote/index.ts'
import { CannotSerialize } from '../serialization/index.ts'
import { placeOfStack } from '../serialization/internals.ts'
import { EntityMessageDropped, RegionRefused } from '../sharding/index.ts'
import { storeUnavailable } from './command-reply.ts'
import { isDefinition, type EntityType } from './define-entity.ts'
import {
  CallAborted,
  CallBroken,
  type CallSite,
  CallTimeout,
  CommandCutOff,
  CommandFailed,
  EntityNotRecovered,
  EntityUnavailable,
  NodeStopping,
  NotStored,
  ValueCannotTravel,
  UnknownCommand,
  UnreadableAnswer,
} from './entity-errors.ts'
import { type HandleData, HandleKind } from './entity-handle.ts'
import type { EntityCall, EntityReply, NotDone, Refused } from './entity-messages.ts'
import type { CallOptions, EntityHandle } from './entity-types.ts'
import { isEntityReply } from './entity-wire.ts'
import { withTimeLeft } from './overdue-calls.ts'
import type { Travelling } from './travelling.ts'

/** Somebody who takes calls: the address of an entity. */
export interface CallTarget {
  ask<Reply>(
    makeMessage: (replyTo: ActorRef<Reply>) => EntityCall,
    options?: AskOptions,
  ): Promise<Reply>
}

export interface EntityCallsOptions {
  readonly travelling: Travelling
  /** The entity, wherever it lives. Throws for an id that cannot be. */
  readonly targetOf: (entityType: string, id: string) => CallTarget
  /** What is known about where a call waits that began so long ago, in whole sentences. */
  readonly explain: (entityType: string, id: string, waitedMs: number) => Promise<string>
  /** Whether this node takes no more calls. */
  readonly isStopping: () => boolean
  /** Whether a command runs in the async context of its caller on this node: about 60 ns per call. */
  readonly keepsCallerContext?: boolean
  /** Hears of calls that no entity has answered, and why, in a word. */
  readonly unanswered?: Unanswered
}

type Unanswered = (site: CallSite, reason: string) => void

/** Calls that began in one stretch of time, and have not ended. */
class OpenCalls {
  #count = 0
  #ended: (() => void) | undefined = undefined

  begin(): void {
    this.#count++
  }

  end(): void {
    if (--this.#count === 0) this.#ended?.()
  }

  get whenEnded(): Promise<void> {
    if (this.#count === 0) return Promise.resolve()
    return new Promise((resolve) => (this.#ended = resolve))
  }
}

export class EntityCalls {
  readonly #options: EntityCallsOptions
  #open = new OpenCalls()
  /** Weak: types may be made again and again. */
  readonly #kinds = new WeakMap<EntityType<unknown>, HandleKind>()

  constructor(options: EntityCallsOptions) {
    this.#options = options
  }

  /** Throws `InvalidDuration` and `InvalidSettings`. */
  handle<Commands>(
    type: EntityType<Commands>,
    id: string,
    options?: CallOptions,
  ): EntityHandle<Commands> {
    if (options !== undefined) checkOptions(options)
    const kind = this.#kinds.get(type) ?? this.#newKind(type)
    return kind.handle(id, options) as EntityHandle<Commands>
  }

  /** Resolves when every call made so far has ended; later ones are not waited for. */
  drain(): Promise<void> {
    const open = this.#open
    this.#open = new OpenCalls()
    return open.whenEnded
  }

  #newKind(type: EntityType<unknown>): HandleKind {
    const known = isDefinition(type) ? Object.keys(type.commands) : undefined
    const kind = new HandleKind(type.name, known ?? [], (handle, command, args) =>
      this.#call(type.name, handle, command, args, known),
    )
    this.#kinds.set(type, kind)
    return kind
  }

  #call(
    entityType: string,
    handle: HandleData,
    command: string,
    args: unknown[],
    known: readonly string[] | undefined,
  ): Promise<unknown> {
    try {
      const { travelling, targetOf, isStopping, keepsCallerContext = false } = this.#options
      const site = (): CallSite => ({ entityType, id: handle.id, command })
      if (isStopping()) throw new NodeStopping(site(), false)
      if (known !== undefined && !known.includes(command)) throw new UnknownCommand(site(), known)
      const signal = handle.options?.signal
      if (signal?.aborted === true) throw new CallAborted(site(), signal.reason, false)
      const sent = travelling.copyArgs(args, `${command}: args`)
      const target = (handle.target ??= targetOf(entityType, handle.id)) as CallTarget
      const open = this.#open
      open.begin()
      return target
        .ask<unknown>(
          (replyTo) => callOf(command, sent, replyTo, keepsCallerContext),
          handle.options,
        )
        .then(
          (reply) => {
            open.end()
            return valueOf(reply, site, this.#options.unanswered)
          },
          (error: unknown) => {
            open.end()
            return this.#failed(error, site())
          },
        )
    } catch (error) {
      // What getters of the arguments throw is passed on as it is.
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      return Promise.reject(error)
    }
  }

  async #failed(error: unknown, site: CallSite): Promise<never> {
    this.#options.unanswered?.(site, reasonOf(error))
    if (error instanceof AskTimeout) {
      throw new CallTimeout(site, error.timeoutMs, await this.#explain(site, error.timeoutMs))
    }
    if (error instanceof AskAborted) throw new CallAborted(site, error.cause, true)
    if (error instanceof SystemTerminated || error instanceof AskTargetTerminated) {
      throw new NodeStopping(site, true, error)
    }
    if (error instanceof EntityMessageDropped) {
      // The region of this node itself: it is on its way out.
      if (error.reason === 'region-stopped') throw new NodeStopping(site, false, error)
      throw new EntityUnavailable(site, error.reason, { cause: error, waiting: error.waiting })
    }
    const cause = error
    if (error instanceof AskNotSent) throw new EntityUnavailable(site, error.reason, { cause })
    if (error instanceof RegionRefused) {
      throw new EntityUnavailable(site, 'region-refused', { cause })
    }
    if (error instanceof TooManyAsks) throw new EntityUnavailable(site, 'too-many-asks', { cause })
    // Of the arguments: the caller's own business.
    if (error instanceof CannotSerialize) throw error
    throw new CallBroken(site, error)
  }

  async #explain({ entityType, id }: CallSite, waitedMs: number): Promise<string> {
    try {
      return await this.#options.explain(entityType, id, waitedMs)
    } catch (error) {
      return `where it is could not be found out (${error instanceof Error ? error.message : String(error)}).`
    }
  }
}

const nodeLengthMax = 300

const checks = {
  // Has an error of its own.
  timeout: anything,
  signal: problemsWithSignal,
} satisfies Record<keyof CallOptions, Check>

function checkOptions(options: CallOptions): void {
  const given: unknown = options
  if (!isRecord(given)) {
    const problem = `they must be an object such as { timeout: '5s' }, not ${show(given)}`
    throw new InvalidSettings('The options of a call', [problem])
  }
  const problems = problemsWithOptions(options, checks)
  if (problems.length > 0) throw new InvalidSettings('The options of a call', problems)
  if (options.timeout !== undefined) toMs(options.timeout, 'timeout')
}

/** Nobody needs it any more when its caller has given up: see `overdue-calls.ts`. */
function callOf(
  command: string,
  args: unknown[],
  replyTo: ActorRef<unknown>,
  keepsCallerContext: boolean,
): EntityCall {
  if (!(replyTo instanceof Question)) return { version: 1, command, args, replyTo }
  replyTo.renew = withTimeLeft
  if (keepsCallerContext) replyTo.context = callerContext()
  return { version: 1, command, args, replyTo, remainingMs: replyTo.timeoutMs }
}

/** Of a dead letter, or the code of an error. */
function reasonOf(error: unknown): string {
  if (!isRecord(error)) return show(error)
  const known = [error['reason'], error['code']].find((each) => typeof each === 'string')
  return known ?? show(error)
}

function valueOf(
  reply: unknown,
  site: () => CallSite,
  unanswered: Unanswered | undefined,
): unknown {
  if (!isEntityReply(reply)) throw new UnreadableAnswer(site(), reply)
  if (reply.type === 'Answered') return reply.value
  if (reply.type === 'NotHandled') unanswered?.(site(), reply.reason)
  else if (reply.type === 'CutOff') unanswered?.(site(), 'cut off')
  return refuse(reply, site())
}

function refuse(reply: Exclude<EntityReply, { type: 'Answered' }>, site: CallSite): never {
  switch (reply.type) {
    case 'Refused':
      throw new CommandFailed(site, named(reply), reply.mayHaveHappened)
    case 'CommandUnknown':
      throw new UnknownCommand(site, reply.known)
    case 'ResultRefused':
      throw new ValueCannotTravel(site, reply.path, reply.problem, reply.mayHaveHappened)
    case 'NotDone':
      return notDone(reply, site)
    case 'NotHandled':
      throw new EntityUnavailable(site, reply.reason, { waiting: reply.waiting })
    case 'CutOff':
      throw new CommandCutOff(site)
    default:
      return unreachable(reply)
  }
}

function notDone({ code, problem, mayHaveHappened }: NotDone, site: CallSite): never {
  if (code === 'RECOVERY_FAILED') throw new EntityNotRecovered(site, problem)
  if (code === storeUnavailable) {
    throw new EntityUnavailable(site, 'store-unavailable', { problem })
  }
  throw new NotStored(site, code, problem, mayHaveHappened)
}

/** Says in place of the stack where it was thrown, when it came from another node. */
function named({ error, node }: Refused): Error {
  const { stack } = error
  if (typeof stack !== 'string' || !stack.endsWith(placeOfStack)) return error
  const place = `at node ${clip(escapeControls(String(node)), nodeLengthMax)}, whose log may have the stack`
  const value = `${stack.slice(0, -placeOfStack.length)}${place}`
  return Object.defineProperty(error, 'stack', { value, writable: true, configurable: true })
}
