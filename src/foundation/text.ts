/** Small questions about text that comes from outside: is it whole, how long is it on the wire, is it safe to print. */

/**
 * Control characters (line breaks and terminal escapes among them), Unicode line separators, marks that turn the
 * direction of what follows, and surrogates without a partner.
 */
const unprintable =
  /[\p{Control}\p{Surrogate}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** False when a surrogate has no partner: such a text changes when it travels as UTF-8. */
export function isWellFormed(text: string): boolean {
  // Node 20 has it, the library types of ES2023 do not.
  return (text as string & { isWellFormed(): boolean }).isWellFormed()
}

/**
 * What keeps a value from outside from being an id, in words; undefined when nothing does. An id must stay the same and
 * stay distinct on the wire and in every store.
 */
export function problemWithId(id: unknown, bytesMax: number): string | undefined {
  if (typeof id !== 'string') return 'it is not a string'
  if (id === '') return 'it is empty'
  if (id.includes('\0')) return 'it contains the character NUL'
  if (!isWellFormed(id)) return 'it is not well-formed Unicode (half of a surrogate pair)'
  const bytes = utf8Length(id)
  return bytes > bytesMax ? `it has ${bytes} bytes in UTF-8 and ${bytesMax} are allowed` : undefined
}

/** Bytes of the text in UTF-8. A surrogate without its partner counts three, as the U+FFFD that replaces it. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    if (unit < 0x800) {
      bytes++
      continue
    }
    bytes += 2
    // A pair is four bytes in two units: the second unit has been counted with the first.
    if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1))) index++
  }
  return bytes
}

/** The text on one line and without tricks: what a terminal or a log would obey becomes visible, such as `\u001b`. */
export function escapeControls(text: string): string {
  return text.replace(unprintable, escapeUnit)
}

/** The text in at most `lengthMax` characters; an ellipsis stands for what was cut. */
export function clip(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  return lengthMax < 1 ? '' : `${startOf(text, lengthMax - 1)}…`
}

/** The first `length` characters, or one less where the cut would leave half a surrogate pair. */
export function startOf(text: string, length: number): string {
  if (text.length <= length) return text
  const isCutInPair =
    isHighSurrogate(text.charCodeAt(length - 1)) && isLowSurrogate(text.charCodeAt(length))
  return text.slice(0, isCutInPair ? length - 1 : length)
}

function escapeUnit(unit: string): string {
  return shortEscapes[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
