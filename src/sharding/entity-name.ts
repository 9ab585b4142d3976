/** Entity ids and type names as they stand in paths: percent-encoded, so that any id can be one name. */
const plainName = /^[A-Za-z0-9_][A-Za-z0-9_.~-]*$/

export function encodeName(text: string): string {
  if (text.length <= 128 && plainName.test(text)) return text
  const encoded = encodeURIComponent(text)
  // A lone dot would be taken for "this folder" by everything that reads URLs.
  return /^\.+$/.test(encoded) ? encoded.replaceAll('.', '%2E') : encoded
}

/** undefined for what was not made by `encodeName`. */
export function decodeName(name: string): string | undefined {
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}
