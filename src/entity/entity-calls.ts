/**
 * The calls that go out from one node: checks the arguments and asks the entity. What becomes of a call is in
 * `call-in-flight.ts`.
 */
import type { ActorSystem } from '../actor/index.ts'
import { askFor, type AskTarget } from '../actor/internals.ts'
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
import { CallInFlight, OpenCalls } from './call-in-flight.ts'
import { isDefinition, type EntityType } from './define-entity.ts'
import { CallAborted, type CallSite, NodeStopping, UnknownCommand } from './entity-errors.ts'
import { type HandleData, HandleKind, type MakeCall } from './entity-handle.ts'
import type { EntityCall } from './entity-messages.ts'
import type { CallOptions, EntityHandle } from './entity-types.ts'
import type { Travelling } from './travelling.ts'

/** Somebody who takes calls: the address of an entity. */
export type CallTarget = AskTarget<EntityCall>

export interface EntityCallsOptions {
  readonly system: ActorSystem
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
  readonly unanswered?: (site: CallSite, reason: string) => void
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
    const { name } = type
    const call: MakeCall = (handle, command, args) => this.#call(name, handle, command, args)
    const known = isDefinition(type) ? Object.keys(type.commands) : undefined
    const callUnknown: MakeCall | undefined =
      known && (async ({ id }, command) => this.#refuse({ entityType: name, id, command }, known))
    const kind = new HandleKind(name, known ?? [], { call, callUnknown: callUnknown ?? call })
    this.#kinds.set(type, kind)
    return kind
  }

  #refuse(site: CallSite, known: readonly string[]): never {
    if (this.#options.isStopping()) throw new NodeStopping(site, false)
    throw new UnknownCommand(site, known)
  }

  #call(
    entityType: string,
    handle: HandleData,
    command: string,
    args: unknown[],
  ): Promise<unknown> {
    // What is thrown here, by getters of the arguments as well, the promise is rejected with.
    return new Promise((resolve) => {
      const { system, travelling, targetOf, isStopping } = this.#options
      const { id, options } = handle
      if (isStopping()) throw new NodeStopping({ entityType, id, command }, false)
      const signal = options?.signal
      if (signal?.aborted === true) {
        throw new CallAborted({ entityType, id, command }, signal.reason, false)
      }
      const sent = travelling.copyArgs(args, command)
      const target = (handle.target ??= targetOf(entityType, id)) as CallTarget
      const call = new CallInFlight(
        entityType,
        id,
        command,
        sent,
        this.#options,
        this.#open,
        resolve,
      )
      try {
        askFor(target, call, options, system.runtime)
      } catch (error) {
        call.failed(error)
      }
    })
  }
}

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
