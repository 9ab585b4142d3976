/** What all fuzzers have in common: rounds, chance, mutation of bytes, and an eye on memory. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { SeededRandom } from '../../src/simulation/index.ts'

export interface Fuzz {
  readonly name: string
  readonly summary: string
  /** Done in less than a minute, also on a slow machine. */
  readonly defaultRounds: number
  /** Resolves with what happened how often. Rejects with what must not happen. */
  readonly run: (options: FuzzOptions) => Promise<Readonly<Record<string, number>>>
}

export interface FuzzOptions {
  readonly rounds: number
  readonly seed: number
  /** Is told now and then how many rounds are done. */
  readonly progress?: (done: number) => void
}

/** Says which round it was, so that it can be found again. */
export class FuzzFailure extends Error {
  constructor(round: number, what: string, cause?: unknown) {
    super(`round ${round}: ${what}`, { cause })
  }
}

/** Every so many rounds the event loop has a turn and memory is looked at. */
const roundsPerTurn = 500

export async function runRounds(
  { rounds, progress }: FuzzOptions,
  act: (round: number) => void,
  turn: () => Promise<void> | void = () => undefined,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    try {
      act(round)
    } catch (error) {
      throw new FuzzFailure(round, error instanceof Error ? error.message : 'it threw', error)
    }
    if (round % roundsPerTurn !== 0) continue
    await nextTurn()
    await turn()
    progress?.(round)
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

const mebibyte = 2 ** 20

/**
 * Compares memory with what it was in the beginning. Garbage is no growth: V8 lets a heap become several times what is in
 * use before it looks through all of it, so that without a collection this would be a limit on the size of the program.
 */
export class MemoryLimit {
  readonly #limitMiB: number
  readonly #collectGarbage = garbageCollector()
  readonly #before: number
  #mostMiB = 0

  constructor(limitMiB: number) {
    this.#limitMiB = limitMiB
    this.#collectGarbage()
    this.#before = inUseMiB()
  }

  /** Throws when more was added than allowed. */
  check(round: number): void {
    let added = inUseMiB() - this.#before
    if (added > this.#limitMiB / 2) {
      this.#collectGarbage()
      added = inUseMiB() - this.#before
    }
    this.#mostMiB = Math.max(this.#mostMiB, added)
    if (added > this.#limitMiB) {
      throw new FuzzFailure(round, `memory grew by ${Math.round(added)} MiB`)
    }
  }

  get mostMiB(): number {
    return Math.round(this.#mostMiB)
  }
}

/** Also where Node was started without a flag for it, as by vitest. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

function inUseMiB(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / mebibyte
}

/** A copy with up to three changes, sometimes cut off. `from` spares the bytes before it, two times of three. */
export function mutated(source: Buffer, random: SeededRandom, from = 0): Buffer {
  const bytes = Buffer.from(source)
  const start = random.below(3) === 0 ? 0 : Math.min(Math.max(bytes.length - 1, 0), from)
  for (let edits = random.below(4); edits > 0 && bytes.length > 0; edits--) {
    const at = start + random.below(bytes.length - start)
    const kind = random.below(4)
    if (kind === 0) bytes[at] = random.below(256)
    else if (kind === 1) bytes[at] = bytes[at]! ^ (1 << random.below(8))
    else if (kind === 2) bytes.fill(random.below(2) * 0xff, at, Math.min(bytes.length, at + 8))
    else bytes.copy(bytes, at, random.below(bytes.length), bytes.length)
  }
  return random.below(5) === 0 ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes
}

export function noise(random: SeededRandom, lengthMax: number): Buffer {
  return Buffer.from(Array.from({ length: random.below(lengthMax) }, () => random.below(256)))
}

export function chunked(bytes: Buffer, random: SeededRandom): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const count = 1 + random.below(random.below(3) === 0 ? 8 : 2_000)
    chunks.push(bytes.subarray(at, at + count))
    at += count
  }
  return chunks
}

export function pick<T>(list: readonly T[], random: SeededRandom): T {
  return list[random.below(list.length)] as T
}

/** Throws when something has put a property on every object. */
export function checkPrototype(): void {
  for (const name in {}) throw new Error(`every object has a property ${name} now`)
}
