/**
 * Adapter: while a world steps, the global functions that ask for time or chance answer from the node whose code runs,
 * so that user code runs unchanged. What user code keeps of them afterwards does what the real ones do. Two holes are
 * known: `new` on a `Date` that was kept, or extended, before the simulation reads the real clock, and so does a function
 * that was taken off its object before, such as `const { now } = Date`.
 */
import nodeCrypto from 'node:crypto'
import timers from 'node:timers'
import timerPromises from 'node:timers/promises'
import { promisify } from 'node:util'
import { Patches } from './globals/patches.ts'
import type { Surroundings } from './globals/surroundings.ts'
import { VirtualCrypto } from './globals/virtual-crypto.ts'
import { VirtualTimerFunctions } from './globals/virtual-timer-functions.ts'
import { VirtualTimerPromises } from './globals/virtual-timer-promises.ts'

type AnyFunction = (...values: never[]) => unknown

const virtualMark = Symbol('virtual')

/** Whether some world steps now: whoever asks is called by its code. */
export function isInsideStep(): boolean {
  return virtualMark in setTimeout
}

export class VirtualGlobals {
  readonly #patches = new Patches()
  readonly #current: () => Surroundings
  readonly #timerPromises: VirtualTimerPromises

  constructor(current: () => Surroundings) {
    this.#current = current
    this.#timerPromises = new VirtualTimerPromises(current)
    this.#addDate()
    this.#addChance()
    this.#addMeters()
    this.#addTimers()
    this.#addTimerPromises()
  }

  /** Named imports follow with `syncBuiltinESMExports`, which the caller does once for all patches. */
  install(): void {
    this.#patches.install()
  }

  restore(): void {
    this.#patches.restore()
  }

  /** `virtual` while installed, the original otherwise. */
  #add(target: object, key: PropertyKey, virtual: AnyFunction): void {
    this.#patches.add(target, key, (original: AnyFunction) => {
      const chosen = this.#either(virtual, (own) =>
        this.#patches.present(target, key, own, original),
      )
      const { custom } = promisify
      if (custom in original && key in this.#timerPromises) {
        const promised = this.#timerPromises[key as 'setTimeout' | 'setImmediate']
        const originalPromised = Reflect.get(original, custom) as AnyFunction
        const value = this.#either(promised, () => originalPromised)
        Object.defineProperty(chosen, custom, { value })
      }
      Object.defineProperty(chosen, virtualMark, { value: true })
      return Object.defineProperty(chosen, 'name', { value: String(key) })
    })
  }

  #either(virtual: AnyFunction, present: (own: AnyFunction) => AnyFunction): AnyFunction {
    const patches = this.#patches
    return function chosen(this: unknown, ...values: never[]): unknown {
      return Reflect.apply(patches.isInstalled ? virtual : present(chosen), this, values)
    }
  }

  #addDate(): void {
    this.#patches.add(globalThis, 'Date', (original: DateConstructor) => {
      const VirtualDate = function (this: unknown, ...values: unknown[]): unknown {
        const isCall = new.target === undefined
        // `now` is replaced where it hangs, so it knows by itself whether time is virtual.
        const given = isCall || values.length === 0 ? [original.now()] : values
        const maker = isCall || new.target === VirtualDate ? original : new.target
        const date: unknown = Reflect.construct(original, given, maker)
        return isCall ? String(date) : date
      } as unknown as DateConstructor
      Object.setPrototypeOf(VirtualDate, original)
      Object.defineProperty(VirtualDate, 'name', { value: 'Date' })
      Object.defineProperty(VirtualDate, 'prototype', {
        value: original.prototype,
        writable: false,
      })
      this.#patches.add(original.prototype, 'constructor', () => VirtualDate)
      return VirtualDate
    })
    this.#add(Date, 'now', () => Math.floor(this.#current().clock.wallMs()))
  }

  #addChance(): void {
    this.#add(Math, 'random', () => this.#current().userRandom.float())
    const virtual = new VirtualCrypto(this.#current)
    for (const target of [globalThis.crypto, nodeCrypto]) {
      this.#add(target, 'randomUUID', virtual.randomUUID)
      this.#add(target, 'getRandomValues', virtual.getRandomValues)
    }
    this.#add(nodeCrypto, 'randomBytes', virtual.randomBytes)
    this.#add(nodeCrypto, 'pseudoRandomBytes', virtual.randomBytes)
    this.#add(nodeCrypto, 'randomInt', virtual.randomInt)
    this.#add(nodeCrypto, 'randomFillSync', virtual.randomFillSync)
    this.#add(nodeCrypto, 'randomFill', virtual.randomFill)
  }

  #addMeters(): void {
    const clock = (): Surroundings['clock'] => this.#current().clock
    this.#add(performance, 'now', () => clock().uptimeMs())
    this.#patches.addGetter(performance, 'timeOrigin', () => clock().wallMs() - clock().uptimeMs())
    this.#add(process, 'uptime', () => clock().uptimeMs() / 1_000)
    this.#patches.add(process, 'hrtime', (original: typeof process.hrtime) => {
      const nanoseconds = (): bigint => BigInt(Math.round(clock().uptimeMs() * 1_000)) * 1_000n
      const bigint = (): bigint => (this.#patches.isInstalled ? nanoseconds() : original.bigint())
      const hrtime = (since?: [number, number]): [number, number] => {
        if (!this.#patches.isInstalled) return original(since)
        const passed =
          nanoseconds() - BigInt(since?.[0] ?? 0) * 1_000_000_000n - BigInt(since?.[1] ?? 0)
        return [Number(passed / 1_000_000_000n), Number(passed % 1_000_000_000n)]
      }
      return Object.assign(hrtime, { bigint })
    })
  }

  #addTimers(): void {
    const virtual = new VirtualTimerFunctions(this.#current)
    for (const target of [globalThis, timers]) {
      for (const key of ['setTimeout', 'setInterval', 'setImmediate'] as const) {
        this.#add(target, key, virtual[key])
      }
      for (const key of ['clearTimeout', 'clearInterval', 'clearImmediate'] as const) {
        const original = target[key] as (timer: unknown) => void
        this.#add(target, key, (timer: unknown) => virtual.clear(timer) || original(timer))
      }
    }
    this.#add(AbortSignal, 'timeout', virtual.abortAfter)
  }

  #addTimerPromises(): void {
    const virtual = this.#timerPromises
    for (const key of ['setTimeout', 'setInterval', 'setImmediate'] as const) {
      this.#add(timerPromises, key, virtual[key])
    }
    this.#add(timerPromises.scheduler, 'wait', virtual.wait)
    this.#add(timerPromises.scheduler, 'yield', virtual.yield)
  }
}
