/** Performs a plan: one receiver, its parent and child, turns and time given by hand, every message in the ledger. */
import { expect } from 'vitest'
import {
  type ActorContext,
  type ActorRef,
  ActorSystem,
  type Behavior,
  Behaviors,
  DeadLetter,
  Dropped,
  type LostMessage,
  MailboxFull,
  type StashBuffer,
  StashFull,
  SupervisorStrategy,
  UnhandledMessage,
} from '../../src/actor/index.ts'
import type { Dispatcher, Task } from '../../src/foundation/dispatcher.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { Ledger, type Mail, type Plan, type Step, nameOf } from './ledger.ts'
import { type Gate, gate, immediate } from './stage.ts'

/** Turns and time by hand, so that a plan decides every interleaving. */
class HandWorld implements Dispatcher {
  readonly #ready: Task[] = []
  readonly #timers = new Set<{ readonly atMs: number; readonly callback: () => void }>()
  nowMs = 0

  readonly clock = { monotonicMs: (): number => this.nowMs, wallMs: (): number => this.nowMs }
  readonly timers = {
    after: (delayMs: number, callback: () => void) => {
      const timer = { atMs: this.nowMs + delayMs, callback }
      this.#timers.add(timer)
      return { cancel: () => void this.#timers.delete(timer) }
    },
  }

  get isQuiet(): boolean {
    return this.#ready.length === 0
  }

  execute(task: Task): void {
    this.#ready.push(task)
  }

  /** Nobody in this world sleeps. */
  beforeTurns(): () => void {
    return () => undefined
  }

  giveTurn(quota: number): void {
    const task = this.#ready.shift()
    if (task !== undefined && task.run(quota) >= quota) this.#ready.push(task)
  }

  passTime(ms: number): void {
    this.nowMs += ms
    for (const timer of [...this.#timers].sort((a, b) => a.atMs - b.atMs)) {
      if (timer.atMs > this.nowMs || !this.#timers.delete(timer)) continue
      timer.callback()
    }
  }
}

export class Theatre {
  readonly ledger = new Ledger()
  readonly world = new HandWorld()
  readonly system: ActorSystem
  readonly #plan: Plan
  readonly #gates: Gate<void>[] = []
  readonly #parent: ActorRef<'stop'>
  #receiver!: ActorRef<Mail>
  #adapter: ActorRef<Mail> | undefined
  #numbers = 0

  constructor(plan: Plan) {
    this.#plan = plan
    const { world } = this
    this.system = new ActorSystem('ledger', {
      environment: {
        clock: world.clock,
        timers: world.timers,
        dispatcher: world,
        logger: new CapturedLogs(),
        random: { float: () => 0, below: () => 0, uid: () => 1n },
      },
      settings: { hookSignals: false, restartStashMessagesMax: plan.restartStashMessagesMax },
    })
    for (const kind of [DeadLetter, Dropped, UnhandledMessage]) {
      this.system.eventStream.subscribe<LostMessage>(kind, (event) =>
        this.ledger.note(
          event.message,
          event.type === 'UnhandledMessage' ? event.type : event.reason,
        ),
      )
    }
    this.#parent = this.system.spawn(this.#family(), 'parent')
    // The receiver is there before the first message.
    while (!world.isQuiet) world.giveTurn(1)
  }

  #family(): Behavior<'stop'> {
    const { mailbox } = this.#plan
    return Behaviors.setup<'stop'>((context) => {
      this.#receiver = context.spawn(this.#supervised(), {
        name: 'receiver',
        ...(mailbox === undefined ? {} : { mailbox }),
      })
      return () => context.stop(this.#receiver)
    })
  }

  #supervised(): Behavior<Mail> {
    const { isIntercepted } = this.#plan
    const plain = this.#incarnation()
    const inner = isIntercepted
      ? Behaviors.intercept<Mail>(
          () => ({ aroundReceive: (_context, mail, next) => next(mail) }),
          plain,
        )
      : plain
    const supervise = (strategy: SupervisorStrategy): Behavior<Mail> =>
      Behaviors.supervise(inner).onFailure(strategy)
    const { restart, restartWithBackoff, resume, stop } = SupervisorStrategy
    switch (this.#plan.strategy) {
      case 'none':
        return inner
      case 'stop':
        return supervise(stop())
      case 'resume':
        return supervise(resume())
      case 'restart':
        return supervise(restart())
      case 'limited':
        return supervise(restart({ restartsMax: 2, within: '1m' }))
      case 'backoff':
        return supervise(restartWithBackoff({ min: 10, max: 40, randomFactor: 0, restartsMax: 5 }))
      case 'nested':
      default: {
        const innermost = Behaviors.supervise(inner).onFailure(StashFull, resume())
        const middle = Behaviors.supervise(innermost).onFailure(
          RangeError,
          restart({ restartsMax: 1 }),
        )
        return Behaviors.supervise(this.#failingOutside(middle)).onFailure(
          Error,
          restartWithBackoff({ min: 10, max: 10, randomFactor: 0, restartsMax: 4 }),
        )
      }
    }
  }

  /** Fails between two supervisors, also while the inner one is restarting. */
  #failingOutside(behavior: Behavior<Mail>): Behavior<Mail> {
    return Behaviors.intercept<Mail>(
      () => ({
        aroundReceive: (_context, mail, next) => {
          if (mail.deed !== 'fail outside') return next(mail)
          this.ledger.note(mail, 'failed outside')
          throw new Error('outside')
        },
      }),
      behavior,
    )
  }

  #incarnation(): Behavior<Mail> {
    return Behaviors.setup<Mail>((context) => {
      const stash = context.stash(this.#plan.stashedMessagesMax)
      this.#adapter = context.messageAdapter((mail: Mail) => mail)
      if (this.#plan.hasChild) {
        context.spawn(
          Behaviors.receiveSignal<never>({ PostStop: () => this.#gate() }),
          'slow to stop',
        )
      }
      return this.#receive(context, stash)
    })
  }

  #receive(context: ActorContext<Mail>, stash: StashBuffer<Mail>): Behavior<Mail> {
    const act = (mail: Mail): Behavior<Mail> | undefined => this.#act(mail, context, stash)
    return Behaviors.receiveMessage<Mail>((mail) =>
      mail.deed.endsWith('async') ? this.#gate().then(() => act(mail)) : act(mail),
    )
  }

  /** Does the deed. Whatever it does is written down as this message's fate, or left to be lost and found. */
  #act(
    mail: Mail,
    context: ActorContext<Mail>,
    stash: StashBuffer<Mail>,
  ): Behavior<Mail> | undefined {
    const { ledger } = this
    const done = (fate = 'handled'): void => {
      ledger.handled.push(mail)
      ledger.note(mail, fate)
    }
    switch (mail.deed) {
      case 'fail':
      case 'fail async':
      case 'fail outside':
        ledger.note(mail, 'failed')
        throw mail.number % 2 === 0 ? new RangeError('even') : new Error('odd')
      case 'stash':
      case 'stash async':
        return this.#stash({ ...mail, deed: mail.later, later: 'handle' }, stash, mail)
      case 'unhandled':
      case 'unhandled async':
        return Behaviors.unhandled
      case 'unstash all':
        done()
        return stash.unstashAll(this.#receive(context, stash))
      case 'unstash one':
        done()
        return stash.unstash(this.#receive(context, stash), 1)
      case 'clear stash':
        done()
        stash.clear()
        return undefined
      case 'become':
        done()
        return this.#receive(context, stash)
      case 'stop':
      case 'stop async':
        done()
        return Behaviors.stopped()
      case 'context.stop':
        done()
        context.stop()
        return undefined
      case 'handle':
      case 'handle async':
      default:
        done()
        return undefined
    }
  }

  #stash(later: Mail, stash: StashBuffer<Mail>, mail: Mail): undefined {
    try {
      stash.stash(later)
      // From now on it goes by its later name: that one must meet its fate.
      this.ledger.note(mail, 'stashed')
      this.ledger.sent.push(nameOf(later))
    } catch (error) {
      // A full stash, or an actor that stopped while the message waited: it fails, and that is its fate.
      this.ledger.note(mail, 'could not be stashed')
      throw error
    }
  }

  #gate(): Promise<void> {
    const made = gate()
    this.#gates.push(made)
    return made.promise
  }

  async run(): Promise<void> {
    for (const each of this.#plan.steps) await this.#perform(each)
    if (this.#plan.isPatient) await this.#rest()
    const ended = this.system.terminate()
    await this.#rest()
    await ended
  }

  async #perform(step: Step): Promise<void> {
    switch (step.type) {
      case 'send':
        return this.#send(step)
      case 'turns':
        for (let left = step.count; left > 0; left--) this.world.giveTurn(step.quota)
        return
      case 'settle one':
        this.#gates.shift()?.open()
        return immediate()
      case 'pass time':
        return this.world.passTime(step.ms)
      case 'stop':
        return this.#parent.tell('stop')
    }
  }

  #send({ sender, deed, later, via }: Extract<Step, { type: 'send' }>): void {
    const mail: Mail = { sender, number: this.#numbers++, deed, later }
    const target = via === 'adapter' ? (this.#adapter ?? this.#receiver) : this.#receiver
    this.ledger.sent.push(nameOf(mail))
    try {
      target.tell(mail)
    } catch (error) {
      expect(error).toBeInstanceOf(MailboxFull)
      this.ledger.note(mail, 'refused')
    }
  }

  /** Everything that can happen happens. */
  async #rest(): Promise<void> {
    for (let rounds = 0; rounds < 400; rounds++) {
      for (let turns = 0; !this.world.isQuiet; turns++) {
        if (turns > 100_000) throw new Error('the actors do not come to rest')
        this.world.giveTurn(3)
      }
      for (const each of this.#gates.splice(0)) each.open()
      await immediate()
      if (this.world.isQuiet && this.#gates.length === 0) this.world.passTime(50)
      if (rounds > 20 && this.world.isQuiet && this.#gates.length === 0) return
    }
  }
}
