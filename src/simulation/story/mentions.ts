/** Whether a text has a name in it, as a word of its own: `alice` is in "alice: -40" and not in "malice". */
export function mentions(text: string, name: string): boolean {
  if (name === '') return false
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isWord(text[at - 1]) && !isGoingOn(text, at + name.length)) return true
  }
  return false
}

/** A hyphen or a point goes on when a word follows it; at the end of a sentence it does not. */
function isGoingOn(text: string, end: number): boolean {
  const next = text[end]
  return isWord(next) || ((next === '-' || next === '.') && isWord(text[end + 1]))
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character)
}
