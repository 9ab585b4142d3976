/**
 * Any value on one line, for logs and errors: bounded in length and in work, safe to print, and never throwing whatever
 * the value does. It is for people; nothing parses it.
 */
import { clip, escapeControls, startOf } from './text.ts'

const DEPTH_MAX = 4
const ELEMENTS_MAX = 20
const VALUES_MAX = 500
const BIGINT_BITS_MAX = 512

const plainKey = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

/** `value` in at most `lengthMax` characters. A `toString` of the value's own is used when there is one. */
export function show(value: unknown, lengthMax = 120): string {
  const drawing = new Drawing(lengthMax)
  drawing.draw(value)
  return clip(drawing.text, lengthMax)
}

/** `withdraw(70, 'rent')`: a name and what it is given, each in at most `lengthMax` characters. */
export function showCall(name: string, args: readonly unknown[], lengthMax = 60): string {
  return `${show(name).slice(1, -1)}(${args.map((arg) => show(arg, lengthMax)).join(', ')})`
}

/** The text as it grows, and the values that enclose the current one. */
class Drawing {
  readonly #lengthMax: number
  readonly #enclosing: object[] = []
  #valueCount = 0
  text = ''

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax
  }

  draw(value: unknown): void {
    const start = this.text
    const depth = this.#enclosing.length
    try {
      this.#valueCount++
      if (typeof value === 'object' && value !== null) this.#drawObject(value)
      else this.#drawPrimitive(value)
    } catch {
      // A getter, a proxy or a toString of the user's: whatever it threw is not our subject.
      this.#enclosing.length = depth
      this.text = `${start}[unreadable]`
    }
  }

  get #isFull(): boolean {
    return this.text.length > this.#lengthMax || this.#valueCount > VALUES_MAX
  }

  #drawPrimitive(value: unknown): void {
    if (typeof value === 'string') this.#quote(value)
    else if (typeof value === 'bigint') this.text += showBigint(value)
    else if (typeof value === 'function') this.#write(`[function ${nameOf(value)}]`)
    else if (Object.is(value, -0)) this.text += '-0'
    else this.#write(String(value))
  }

  #drawObject(value: object): void {
    if (this.#enclosing.includes(value)) {
      this.text += '[circular]'
      return
    }
    const isArray = Array.isArray(value)
    if (!isArray && this.#drawAsLeaf(value)) return
    if (this.#enclosing.length >= DEPTH_MAX) {
      this.text += isArray ? '[…]' : '{…}'
      return
    }
    this.#enclosing.push(value)
    if (isArray) this.#drawArray(value)
    else if (value instanceof Map) this.#drawMap(value)
    else if (value instanceof Set) this.#drawSet(value)
    else this.#drawFields(value)
    this.#enclosing.pop()
  }

  /** False for what is shown by its parts. */
  #drawAsLeaf(value: object): boolean {
    if (ArrayBuffer.isView(value)) {
      this.#write(`${classNameOf(value)}(${value.byteLength} bytes)`)
    } else if (value instanceof Date) {
      this.#write(Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString())
    } else {
      const { toString } = value
      if (typeof toString !== 'function' || toString === Object.prototype.toString) return false
      this.#write(String(toString.call(value)))
    }
    return true
  }

  #drawArray(values: readonly unknown[]): void {
    const { length } = values
    this.text += '['
    for (let index = 0; index < length && this.#beginElement(index); index++) {
      this.draw(values[index])
    }
    this.text += ']'
  }

  #drawMap(map: ReadonlyMap<unknown, unknown>): void {
    this.text += `Map(${map.size}) {`
    let index = 0
    for (const [key, value] of Map.prototype.entries.call(map)) {
      if (!this.#beginElement(index++)) break
      this.draw(key)
      this.text += ' => '
      this.draw(value)
    }
    this.text += '}'
  }

  #drawSet(set: ReadonlySet<unknown>): void {
    this.text += `Set(${set.size}) {`
    let index = 0
    for (const value of Set.prototype.values.call(set)) {
      if (!this.#beginElement(index++)) break
      this.draw(value)
    }
    this.text += '}'
  }

  #drawFields(value: object): void {
    const className = classNameOf(value)
    if (className !== 'Object' && className !== '') this.#write(`${className} `)
    const keys = Object.keys(value)
    this.text += keys.length === 0 ? '{' : '{ '
    for (let index = 0; index < keys.length && this.#beginElement(index); index++) {
      const key = keys[index] as string
      if (key.length < 100 && plainKey.test(key)) this.text += key
      else this.#quote(key)
      this.text += ': '
      this.#drawField(value, key)
    }
    this.text += keys.length === 0 ? '}' : ' }'
  }

  /** A getter is not called: it may be slow, and looking must not change anything. */
  #drawField(value: object, key: string): void {
    const field = Object.getOwnPropertyDescriptor(value, key)
    if (field?.get !== undefined) this.text += '[getter]'
    else this.draw(field?.value)
  }

  /** Writes what separates elements; false, with dots for the rest, when no more may be drawn. */
  #beginElement(index: number): boolean {
    if (index > 0) this.text += ', '
    if (index < ELEMENTS_MAX && !this.#isFull) return true
    this.text += '…'
    return false
  }

  /** What lies beyond the limit would be cut anyway, so it is not even escaped. */
  #write(text: string): void {
    this.text += escapeControls(startOf(text, this.#lengthMax + 1))
  }

  #quote(text: string): void {
    const start = escapeControls(startOf(text, this.#lengthMax + 1))
    this.text += `'${start.replaceAll("'", "\\'")}'`
  }
}

function showBigint(value: bigint): string {
  const isShort = BigInt.asIntN(BIGINT_BITS_MAX, value) === value
  return isShort ? `${value}n` : `[bigint of more than ${BIGINT_BITS_MAX} bits]`
}

function nameOf(value: { readonly name?: unknown }): string {
  const { name } = value
  return typeof name === 'string' && name !== '' ? name : '(anonymous)'
}

/** Empty for objects without a prototype. */
export function classNameOf(value: object): string {
  const prototype = Object.getPrototypeOf(value) as { readonly constructor?: unknown } | null
  const maker = prototype?.constructor
  return typeof maker === 'function' ? nameOf(maker) : ''
}
