/** Replaces properties of objects that belong to others, and puts back exactly what was there. */

interface Patch {
  readonly target: object
  readonly key: PropertyKey
  /** With a getter instead of a value it is always defined, never assigned. */
  readonly replacement: { readonly value: unknown } | { readonly get: () => unknown }
  saved: PropertyDescriptor | undefined
}

/** A property that cannot be replaced is left as it is. */
export class Patches {
  readonly #patches: Patch[] = []
  #isInstalled = false

  get isInstalled(): boolean {
    return this.#isInstalled
  }

  /**
   * What a kept replacement stands for while it is not installed: what is there now, be it the original or the
   * replacement of somebody else.
   */
  present<Value>(target: object, key: PropertyKey, own: unknown, original: Value): Value {
    const value: unknown = Reflect.get(target, key)
    return value === own ? original : (value as Value)
  }

  /** `make` gets what is there when it is added. */
  add(target: object, key: PropertyKey, make: (original: never) => unknown): void {
    if (!isReplaceable(target, key)) return
    const original = (target as Record<PropertyKey, unknown>)[key]
    if (original === undefined) return
    const replacement = { value: make(original as never) }
    this.#patches.push({ target, key, replacement, saved: undefined })
  }

  addGetter(target: object, key: PropertyKey, get: () => unknown): void {
    if (!isReplaceable(target, key)) return
    this.#patches.push({ target, key, replacement: { get }, saved: undefined })
  }

  install(): void {
    this.#isInstalled = true
    for (const patch of this.#patches) {
      patch.saved = Object.getOwnPropertyDescriptor(patch.target, patch.key)
      write(patch.target, patch.key, patch.replacement, patch.saved)
    }
  }

  restore(): void {
    this.#isInstalled = false
    for (let index = this.#patches.length - 1; index >= 0; index--) {
      const { target, key, saved } = this.#patches[index] as Patch
      if (saved === undefined) delete (target as Record<PropertyKey, unknown>)[key]
      else write(target, key, saved, Object.getOwnPropertyDescriptor(target, key))
    }
  }
}

function isReplaceable(target: object, key: PropertyKey): boolean {
  const own = Object.getOwnPropertyDescriptor(target, key)
  if (own === undefined) return Object.isExtensible(target)
  return own.configurable === true || own.writable === true
}

/** Plain assignment where it works: it is several times faster, and there are hundreds of properties. */
function write(
  target: object,
  key: PropertyKey,
  replacement: PropertyDescriptor,
  own: PropertyDescriptor | undefined,
): void {
  if ('value' in replacement && own?.writable === true) {
    ;(target as Record<PropertyKey, unknown>)[key] = replacement.value
    return
  }
  const enumerable = own?.enumerable ?? false
  const writable = 'value' in replacement ? { writable: true } : {}
  Object.defineProperty(target, key, {
    configurable: true,
    enumerable,
    ...writable,
    ...replacement,
  })
}
