/**
 * One call while it is under way: what is asked, and what becomes of whatever comes back, or does not: a value, or an error that
 * says what to do. It is all that a call needs beside its promise and its question.
 */
import { AskAborted, AskTargetTerminated, AskTimeout, SystemTerminated } from '../actor/index.ts'
import type { Asker, Question } from '../actor/internals.ts'
import { callerContext } from '../foundation/async-context.ts'
import { unreachable } from '../foundation/assert.ts'
import { isRecord } from '../foundation/is-object.ts'
import { show } from '../foundation/show.ts'
import { clip, escapeControls } from '../foundation/text.ts'
import { AskNotSent, TooManyAsks } from '../remote/index.ts'
import { CannotSerialize } from '../serialization/index.ts'
import { placeOfStack } from '../serialization/internals.ts'
import { EntityMessageDropped, RegionRefused } from '../sharding/index.ts'
import { storeUnavailable } from './command-reply.ts'
import type { EntityCallsOptions } from './entity-calls.ts'
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
import type { EntityCall, EntityReply, NotDone, Refused } from './entity-messages.ts'
import { isEntityReply } from './entity-wire.ts'
import { withTimeLeft } from './overdue-calls.ts'

/** Calls that began in one stretch of time, and have not ended. */
export class OpenCalls {
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

/** After it the promise of the caller hangs on the one that fails, and the stack of the error names who awaits it. */
async function untilAwaited(): Promise<void> {
  await Promise.resolve()
}

type CallsOptions = Pick<EntityCallsOptions, 'keepsCallerContext' | 'explain' | 'unanswered'>

export class CallInFlight implements Asker<EntityCall> {
  readonly entityType: string
  readonly id: string
  readonly command: string
  readonly #args: unknown[]
  readonly #options: CallsOptions
  readonly #open: OpenCalls
  readonly #resolve: (value: unknown) => void

  /** `resolve` is that of the promise of its caller. */
  constructor(
    entityType: string,
    id: string,
    command: string,
    args: unknown[],
    options: CallsOptions,
    open: OpenCalls,
    resolve: (value: unknown) => void,
  ) {
    this.entityType = entityType
    this.id = id
    this.command = command
    this.#args = args
    this.#options = options
    this.#open = open
    this.#resolve = resolve
    open.begin()
  }

  /** Nobody needs it any more when its caller has given up: see `overdue-calls.ts`. */
  makeMessage(replyTo: Question): EntityCall {
    const { command } = this
    replyTo.renew = withTimeLeft
    if (this.#options.keepsCallerContext === true) replyTo.context = callerContext()
    const remainingMs = replyTo.timeoutMs
    return { version: 1, command, args: this.#args, replyTo, remainingMs }
  }

  answered(reply: unknown): void {
    this.#open.end()
    const isValue = isEntityReply(reply) && reply.type === 'Answered'
    this.#resolve(isValue ? reply.value : this.#refused(reply))
  }

  failed(error: unknown): void {
    this.#open.end()
    this.#resolve(this.#failed(error))
  }

  async #refused(reply: unknown): Promise<never> {
    await untilAwaited()
    const site = this.#site
    if (!isEntityReply(reply)) throw new UnreadableAnswer(site, reply)
    if (reply.type === 'NotHandled') this.#options.unanswered?.(site, reply.reason)
    else if (reply.type === 'CutOff') this.#options.unanswered?.(site, 'cut off')
    return refuse(reply as Exclude<EntityReply, { type: 'Answered' }>, site)
  }

  async #failed(error: unknown): Promise<never> {
    await untilAwaited()
    const site = this.#site
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

  get #site(): CallSite {
    const { entityType, id, command } = this
    return { entityType, id, command }
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

/** Of a dead letter, or the code of an error. */
function reasonOf(error: unknown): string {
  if (!isRecord(error)) return show(error)
  const known = [error['reason'], error['code']].find((each) => typeof each === 'string')
  return known ?? show(error)
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
