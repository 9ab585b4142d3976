/**
 * A lease in a register of a store: runs one LeaseMachine. Effects become calls to the store, timers and answers; nothing is
 * decided here but what the clock says when somebody asks.
 */
import { unreachable } from '../foundation/assert.ts'
import type { Environment } from '../foundation/environment.ts'
import { isObject } from '../foundation/is-object.ts'
import { show } from '../foundation/show.ts'
import { problemWithId } from '../foundation/text.ts'
import type { Timer } from '../foundation/timers.ts'
import {
  hasRegisters,
  type Journal,
  JournalUnavailable,
  type Registers,
} from '../persistence/index.ts'
import type { Lease, LeaseImplementation, LeaseLoss, LeaseNote, LeaseRequest } from './lease.ts'
import { InvalidLease, LeaseTimedOut, LeaseUnavailable } from './lease-errors.ts'
import type { LeaseAnswer, LeaseEffect, LeaseInput } from './lease-inputs.ts'
import { LeaseMachine } from './lease-machine.ts'
import { bytesOfLease, leaseOfBytes, shownIdentity } from './lease-record.ts'
import { type LeaseSettings, renewIntervalMsOf, validMsOf } from './lease-settings.ts'
import { noteInRegister } from './register-note.ts'

/** Where the lease of this name stands. */
export function registerOfLease(name: string): string {
  return `lease/${name}`
}

/** So long may names and owners be, in bytes of UTF-8. */
const textBytesMax = 200

/** Leases in the registers of a store, such as a journal on LMDB: all who share the store exclude each other. */
export function registerLeases(store: Journal | Registers): LeaseImplementation {
  if (!isObject(store) || !hasRegisters(store as Journal)) {
    throw new InvalidLease(
      'Leases need a store with registers, and this one lacks readRegister or writeRegister. Take LmdbJournal or MemoryJournal, or give your journal the port Registers.',
    )
  }
  return (request) => new RegisterLease(store as Registers, request)
}

/** Whoever waits for an answer. */
interface Waiting {
  readonly resolve: (isTrue: boolean) => void
  readonly reject: (error: Error) => void
  readonly onLost: ((loss: LeaseLoss) => void | Promise<void>) | undefined
  readonly type: 'Acquire' | 'Release'
  readonly answer: Promise<boolean>
}

export class RegisterLease implements Lease {
  readonly name: string
  readonly owner: string
  readonly settings: LeaseSettings
  readonly note: LeaseNote
  readonly #registers: Registers
  readonly #register: string
  readonly #environment: Environment
  readonly #machine: LeaseMachine
  readonly #waiting = new Map<number, Waiting>()
  #requests = 0
  #timer: Timer | undefined
  /** Of the grant that is held: whom to tell of its loss, and what was told that it is held. */
  #granted: Waiting | undefined
  /** By the wall clock, when the last write was sent that counts, and the one under way. */
  #renewedWallMs = 0
  #sent = { call: 0, wallMs: 0 }

  constructor(registers: Registers, { name, owner, settings, environment }: LeaseRequest) {
    for (const [what, text] of Object.entries({ name, owner })) {
      const problem = problemWithId(text, textBytesMax)
      if (problem === undefined) continue
      throw new InvalidLease(`${show(text)} cannot be the ${what} of a lease: ${problem}.`)
    }
    this.name = name
    this.owner = owner
    this.settings = settings
    this.#registers = registers
    this.#register = registerOfLease(name)
    this.note = noteInRegister(registers, name)
    this.#environment = environment
    const instance = environment.random.uid().toString(16)
    const identity = shownIdentity(environment.process.identity)
    this.#machine = new LeaseMachine({
      holder: { owner, instance, ...(identity !== undefined && { identity }) },
      ...settings,
      renewIntervalMs: renewIntervalMsOf(settings),
      validMs: validMsOf(settings),
    })
  }

  acquire(onLost?: (loss: LeaseLoss) => void | Promise<void>): Promise<boolean> {
    return this.#ask('Acquire', onLost)
  }

  release(): Promise<boolean> {
    // Whoever gives it back need not hear that it was over already.
    this.#granted = undefined
    return this.#ask('Release')
  }

  checkLease(): boolean {
    return this.#isValid && !this.#isInDoubt
  }

  get #isValid(): boolean {
    return this.#machine.isValidAt(this.#environment.clock.monotonicMs())
  }

  /** The monotonic clock of a machine that was suspended may have stood still: then the next renewal shows who has it. */
  get #isInDoubt(): boolean {
    return this.#environment.clock.wallMs() - this.#renewedWallMs >= this.settings.ttlMs
  }

  get fenceToken(): number | undefined {
    return this.checkLease() ? this.#machine.snapshot().token : undefined
  }

  /** @internal For tests: as if the next renewal were due. */
  renewNow(): void {
    this.#step({ type: 'RenewNow' })
  }

  #ask(type: Waiting['type'], onLost?: Waiting['onLost']): Promise<boolean> {
    const request = ++this.#requests
    let settle: Pick<Waiting, 'resolve' | 'reject'> | undefined
    const answer = new Promise<boolean>((resolve, reject) => (settle = { resolve, reject }))
    this.#waiting.set(request, { type, onLost, answer, ...settle! })
    const isInDoubt = this.#isValid && this.#isInDoubt
    this.#step(type === 'Acquire' ? { type, request, isInDoubt } : { type, request })
    return answer
  }

  #step(input: LeaseInput): void {
    const now = this.#environment.clock.monotonicMs()
    for (const effect of this.#machine.step(input, now)) this.#perform(effect, now)
  }

  #perform(effect: LeaseEffect, now: number): void {
    switch (effect.type) {
      case 'ReadLease':
        void this.#read(effect.call).then((answer) => this.#step(answer))
        return
      case 'WriteLease':
        this.#sent = { call: effect.call, wallMs: this.#environment.clock.wallMs() }
        void this.#write(effect).then((answer) => this.#written(answer))
        return
      case 'Answer':
        return this.#answer(effect.requests, effect.isTrue)
      case 'Refuse':
        return this.#refuse(effect.requests, effect.problem)
      case 'Lost':
        return this.#lost(effect, effect.token)
      case 'LookAt':
        return this.#lookAt(effect.at, now)
      default:
        return unreachable(effect)
    }
  }

  #written(answer: LeaseAnswer): void {
    const { call, wallMs } = this.#sent
    if (answer.type !== 'LeaseWritten' || answer.call !== call) return this.#step(answer)
    this.#renewedWallMs = wallMs
    if (!this.#isInDoubt) return this.#step(answer)
    const problem = 'the machine slept, or its wall clock was set'
    this.#step({ type: 'LeaseNotWritten', call, problem, isUnknown: true })
  }

  #lookAt(at: number, now: number): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (at === Infinity) return
    // In whole milliseconds: what fractions leave over would be a timer without a delay, again and again.
    const delayMs = Math.max(Math.ceil(at - now), 0)
    this.#timer = this.#environment.timers.after(delayMs, () => this.#step({ type: 'Look' }))
  }

  // ---- those who wait

  #answer(requests: readonly number[], isTrue: boolean): void {
    for (const request of requests) {
      const waiting = this.#taken(request)
      if (waiting.type === 'Release') this.#granted = undefined
      else if (isTrue) this.#granted = waiting
      waiting.resolve(isTrue)
    }
  }

  #refuse(requests: readonly number[], problem: string | undefined): void {
    for (const request of requests) {
      const { reject } = this.#taken(request)
      reject(
        problem === undefined
          ? new LeaseTimedOut(this.name, this.settings.operationTimeoutMs)
          : new LeaseUnavailable(this.name, problem),
      )
    }
  }

  #taken(request: number): Waiting {
    const waiting = this.#waiting.get(request) as Waiting
    this.#waiting.delete(request)
    return waiting
  }

  #lost({ reason, detail }: LeaseLoss, fenceToken: number): void {
    const { logger } = this.#environment
    const fields = { lease: this.name, owner: this.owner, fenceToken, reason }
    logger.warn(fields, `The lease ${show(this.name)} was lost: ${detail}`)
    const granted = this.#granted
    this.#granted = undefined
    // Behind those who still have to hear that it was granted.
    void granted?.answer
      .then(() => granted.onLost?.({ reason, detail }))
      .catch((err: unknown) =>
        logger.error({ ...fields, err }, 'What was to be done about a lost lease has failed'),
      )
  }

  // ---- the store; neither rejects

  async #read(call: number): Promise<LeaseAnswer> {
    try {
      const found = await this.#registers.readRegister(this.#register)
      const record = found && leaseOfBytes(found.bytes)
      if (found !== undefined && record === undefined) {
        const problem =
          'what stands in its register cannot be read: another version of Sherd wrote it, or it is damaged. Use that version, or another name'
        return { type: 'LeaseNotRead', call, problem }
      }
      const identity = record?.holder?.identity
      const { process: host } = this.#environment
      const isHolderGone = identity !== undefined && host.isGone(identity)
      return { type: 'LeaseRead', call, revision: found?.revision ?? 0, record, isHolderGone }
    } catch (error) {
      return { type: 'LeaseNotRead', call, problem: inWords(error) }
    }
  }

  async #write(effect: LeaseEffect & { readonly type: 'WriteLease' }): Promise<LeaseAnswer> {
    const { call, expectedRevision, record } = effect
    try {
      const bytes = bytesOfLease(record)
      const write = { name: this.#register, expectedRevision, bytes }
      const { type, revision } = await this.#registers.writeRegister(write)
      return type === 'RegisterWritten'
        ? { type: 'LeaseWritten', call, revision }
        : { type: 'LeaseChanged', call }
    } catch (error) {
      const isUnknown = !(error instanceof JournalUnavailable)
      return { type: 'LeaseNotWritten', call, problem: inWords(error), isUnknown }
    }
  }
}

function inWords(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : show(error)
}
