/**
 * A store that fails or stalls exactly when a test says so, in front of any journal. It has the ports that the journal behind it
 * has. For faults by chance, over whole clusters, there is the simulation.
 */
import {
  type Journal,
  JournalOutcomeUnknown,
  JournalUnavailable,
  MemoryJournal,
} from '../../persistence/index.ts'

/** Which calls fail, and how. */
export interface StoreFault {
  /** The function of the journal; every one that writes when not given. */
  readonly call?: string | undefined
  /** How many in a row; 1 when not given. */
  readonly times?: number | undefined
  /** What they reject with; `JournalUnavailable` when not given. */
  readonly error?: Error | undefined
  /** They do their work nevertheless, and nobody hears of it: the outcome is unknown. */
  readonly isStored?: boolean | undefined
}

interface Fault extends StoreFault {
  left: number
}

type AnyCall = (...args: readonly unknown[]) => Promise<unknown>

const reads: ReadonlySet<string> = new Set([
  ...['read', 'highestSequenceNr', 'loadSnapshot', 'readState', 'readSlices'],
  ...['readRegister', 'listIds', 'listRegisters', 'readStream', 'close'],
])

/** Stands in front of a journal, and fails or stalls when it is told to. */
export class FaultyStore<Store extends Journal = MemoryJournal> {
  /** What an entity is given. */
  readonly journal: Store
  /** The one behind it, which never fails nor stalls. */
  readonly behind: Store
  /** What was asked of it, in order: `append`, `saveSnapshot`, … */
  readonly calls: string[] = []
  readonly #faults: Fault[] = []
  #stall: Promise<void> | undefined = undefined
  #flow: () => void = () => undefined

  /** In front of this one, or of an empty one in memory. */
  constructor(behind: Store = new MemoryJournal() as unknown as Store) {
    this.behind = behind
    const calls = new Map<PropertyKey, AnyCall>()
    this.journal = new Proxy(behind, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function' || typeof name !== 'string') return value
        const known = calls.get(name)
        if (known !== undefined) return known
        const call: AnyCall = (...args) =>
          this.#called(name, () => (value as AnyCall).apply(target, [...args]))
        calls.set(name, call)
        return call
      },
    })
  }

  /** The next calls of that kind fail. What is said twice happens one after the other. */
  failNext(fault: StoreFault = {}): void {
    this.#faults.push({ ...fault, left: fault.times ?? 1 })
  }

  /** Nothing is done from now on, until `flow`: whoever asks waits. */
  stall(): void {
    this.#stall ??= new Promise((resolve) => (this.#flow = resolve))
  }

  /** Everything that waits is done, in order. */
  flow(): void {
    this.#stall = undefined
    this.#flow()
  }

  async #called(name: string, perform: () => Promise<unknown>): Promise<unknown> {
    this.calls.push(name)
    const fault = this.#take(name)
    if (this.#stall !== undefined) await this.#stall
    if (fault === undefined) return perform()
    if (fault.isStored === true) await perform()
    throw fault.error ?? defaultError(name, fault.isStored === true)
  }

  #take(name: string): Fault | undefined {
    const index = this.#faults.findIndex(({ call }) =>
      call === undefined ? !reads.has(name) : call === name,
    )
    const fault = this.#faults[index]
    if (fault !== undefined && --fault.left <= 0) this.#faults.splice(index, 1)
    return fault
  }
}

function defaultError(name: string, isStored: boolean): Error {
  const text = `The test wants this ${name} to fail.`
  return isStored ? new JournalOutcomeUnknown(text) : new JournalUnavailable(text)
}
