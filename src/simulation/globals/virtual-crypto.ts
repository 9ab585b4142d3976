/** The random functions of `node:crypto` and of the global `crypto`, from seeded chance. Never use them for secrets. */
import { inContext } from '../microtasks.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { Surroundings } from './surroundings.ts'

type Done<Value> = (error: Error | null, value: Value) => void

/** `current` is where the caller runs. */
export class VirtualCrypto {
  readonly #current: () => Surroundings

  constructor(current: () => Surroundings) {
    this.#current = current
  }

  readonly randomUUID = (): string => {
    const bytes = this.#bytes(16)
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
    const hex = bytes.toString('hex')
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      hex.slice(12, 16),
      hex.slice(16, 20),
      hex.slice(20),
    ].join('-')
  }

  readonly getRandomValues = <View extends ArrayBufferView>(view: View): View => {
    fill(this.#current().userRandom, new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
    return view
  }

  readonly randomBytes = (size: number, done?: Done<Buffer>): Buffer | void =>
    this.#answer(this.#bytes(size), done)

  readonly randomInt = (...values: unknown[]): number | void => {
    const done = typeof values.at(-1) === 'function' ? (values.pop() as Done<number>) : undefined
    const [min, max] = (values.length > 1 ? values : [0, values[0]]) as [number, number]
    if (!(Number.isSafeInteger(min) && Number.isSafeInteger(max) && max > min)) {
      throw new RangeError('randomInt takes whole numbers, the upper bound above the lower one.')
    }
    return this.#answer(min + Math.floor(this.#current().userRandom.float() * (max - min)), done)
  }

  /** Offset and size count elements of the view; of a bare buffer, bytes. */
  readonly randomFillSync = <View extends ArrayBufferView | ArrayBuffer>(
    view: View,
    offset = 0,
    size?: number,
  ): View => {
    const bytes = bytesOf(view)
    const elementSize = 'BYTES_PER_ELEMENT' in view ? Number(view.BYTES_PER_ELEMENT) : 1
    const from = offset * elementSize
    const to = size === undefined ? bytes.length : from + size * elementSize
    if (!(from >= 0 && from <= to && to <= bytes.length)) {
      throw new RangeError('randomFill takes an offset and a size that lie within the buffer.')
    }
    fill(this.#current().userRandom, bytes.subarray(from, to))
    return view
  }

  readonly randomFill = (view: ArrayBufferView | ArrayBuffer, ...rest: unknown[]): void => {
    const done = rest.pop() as Done<ArrayBufferView | ArrayBuffer>
    const [offset, size] = rest as [number | undefined, number | undefined]
    this.#answer(this.randomFillSync(view, offset, size), done)
  }

  #bytes(size: number): Buffer {
    const bytes = Buffer.alloc(size)
    fill(this.#current().userRandom, bytes)
    return bytes
  }

  /** With a callback the answer comes later, as from the thread pool. */
  #answer<Value>(value: Value, done: Done<Value> | undefined): Value | void {
    if (done === undefined) return value
    this.#current().soon(inContext(() => done(null, value)))
  }
}

function bytesOf(view: ArrayBufferView | ArrayBuffer): Uint8Array {
  if (!ArrayBuffer.isView(view)) return new Uint8Array(view)
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}

function fill(random: SeededRandom, bytes: Uint8Array): void {
  for (let index = 0; index < bytes.length; index += 4) {
    const word = random.next()
    for (let each = 0; each < 4 && index + each < bytes.length; each++) {
      bytes[index + each] = (word >>> (8 * each)) & 0xff
    }
  }
}
