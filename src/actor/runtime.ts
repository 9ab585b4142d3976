/** What all actors of one system share. */
import type { AssertionFailed } from '../foundation/assert.ts'
import type { Dispatcher } from '../foundation/dispatcher.ts'
import { type Duration, toMs } from '../foundation/duration.ts'
import type { Environment } from '../foundation/environment.ts'
import type { Logger } from '../foundation/logger.ts'
import { RingBuffer } from '../foundation/ring-buffer.ts'
import { withFields } from '../foundation/with-fields.ts'
import { TimerWheel } from '../foundation/timer-wheel.ts'
import type { ActorContext } from './context/actor-context.ts'
import type { ActorSettings } from './actor-settings.ts'
import type { ActorSystem } from './actor-system.ts'
import type { Cell } from './cell/cell.ts'
import { SystemTerminated } from './actor-errors.ts'
import { Question } from './ref/ask.ts'
import { DeadLetterLog } from './events/dead-letter-log.ts'
import { EventStream } from './events/event-stream.ts'
import { FailureLog } from './events/failure-log.ts'
import { AbortFanOut } from './ref/abort-fan-out.ts'
import { LocalRef } from './ref/local-ref.ts'
import { isLostMessage, type LostMessage } from './events/lost-messages.ts'

export class Runtime {
  readonly system: ActorSystem
  readonly environment: Environment
  readonly settings: ActorSettings
  readonly dispatcher: Dispatcher
  readonly logger: Logger
  readonly wheel: TimerWheel
  readonly eventStream: EventStream
  readonly deadLetterLog: DeadLetterLog
  readonly failureLog: FailureLog
  /** Makes the context of a cell, when its behavior first asks for one. */
  readonly contextOf: (cell: Cell) => ActorContext<unknown>
  readonly aborts = new AbortFanOut()
  readonly mailboxes = new MailboxPool()
  /** The parent of all guardians. */
  readonly root: LocalRef
  #uid = 0
  #asks = 0
  #lastTimeout: Duration | undefined
  #lastTimeoutMs = 0

  constructor(system: ActorSystem, contextOf: Runtime['contextOf']) {
    const { environment, settings } = system
    this.system = system
    this.contextOf = contextOf
    this.environment = environment
    this.settings = settings
    this.dispatcher = environment.dispatcher
    this.logger = environment.logger
    this.wheel = new TimerWheel(environment.clock, environment.timers)
    this.eventStream = new EventStream(environment.logger)
    const logging = { logger: environment.logger, clock: environment.clock, settings }
    this.deadLetterLog = new DeadLetterLog(logging)
    this.failureLog = new FailureLog({
      ...logging,
      nameOf: (ref) => this.deadLetterLog.nameOf(ref),
    })
    this.root = new LocalRef(system.name, undefined, 0)
  }

  /** Tells actors of the same name apart. */
  nextUid(): number {
    return ++this.#uid
  }

  nextAskNumber(): number {
    return ++this.#asks
  }

  /** Milliseconds of an ask's timeout. Callers write the same few durations again and again: the last one is kept. */
  askTimeoutMs(timeout: Duration | undefined): number {
    if (timeout === undefined) return this.settings.askTimeoutMs
    if (timeout !== this.#lastTimeout) {
      this.#lastTimeoutMs = toMs(timeout, 'ask timeout')
      this.#lastTimeout = timeout
    }
    return this.#lastTimeoutMs
  }

  /**
   * Every message that ends unhandled passes here. When that was itself news of a lost message, it is counted and logged
   * only: listeners that have no use for it, or stop together, would make more and more of it without end.
   */
  lost(event: LostMessage): void {
    this.deadLetterLog.record(event)
    if (!isLostMessage(event.message)) this.eventStream.publish(event)
  }

  /** Says on every line who speaks: an actor of the user by its path, one of the runtime by what it is to people, if it is. */
  loggerOf(ref: LocalRef): Logger {
    const known = this.deadLetterLog.nameOf(ref)?.fields
    if (known !== undefined) return withFields(this.logger, known)
    const isOurs = ref.path.elements[0] === 'system'
    return isOurs ? this.logger : withFields(this.logger, { actor: ref.toString() })
  }

  /** Nothing waits any more: asks in flight are told so, or their callers would wait for ever. */
  close(): void {
    this.failureLog.end()
    for (const timer of this.wheel.close()) {
      if (timer instanceof Question) timer.fail(new SystemTerminated(this.system.name))
    }
  }

  /** A confused system does harm: it ends itself, and others recover. */
  brokenInvariant(broken: AssertionFailed): void {
    this.logger.error({ err: broken }, 'an invariant is broken; the actor system shuts down')
    const ended = this.system.shutdown.run({ type: 'broken-invariant' })
    // A failing shutdown logs itself, and there is nobody here to tell.
    ended.catch(() => undefined)
  }
}

/** Empty mailboxes to use again: an idle actor has none, and a busy one does not allocate one each time it wakes. */
class MailboxPool {
  readonly #idle: RingBuffer<unknown>[] = []

  take(): RingBuffer<unknown> {
    return this.#idle.pop() ?? new RingBuffer()
  }

  give(mailbox: RingBuffer<unknown>): void {
    if (this.#idle.length < 1_024 && mailbox.capacity <= 1_024) this.#idle.push(mailbox)
  }
}
