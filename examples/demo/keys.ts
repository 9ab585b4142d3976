/** Which key means what. */
export type Command = 'up' | 'down' | 'kill' | 'drain' | 'pause' | 'start' | 'add' | 'quit'

const commands: Readonly<Record<string, Command>> = {
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  k: 'kill',
  d: 'drain',
  p: 'pause',
  s: 'start',
  a: 'add',
  q: 'quit',
  // Ctrl-C and Ctrl-D, which mean nothing by themselves while the terminal gives us every key.
  '\u0003': 'quit',
  '\u0004': 'quit',
}

// oxlint-disable-next-line no-control-regex -- that is what arrow keys send
const keyForm = /\u001b[[O][A-Z]|[^]/gu

/** What was typed, in order; keys without meaning are left out. Several may arrive at once. */
export function commandsOf(typed: string): Command[] {
  const keys = typed.match(keyForm) ?? []
  return keys
    .map((key) => commands[key.length === 1 ? key.toLowerCase() : key])
    .filter((command) => command !== undefined)
}
