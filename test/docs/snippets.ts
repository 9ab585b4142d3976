/**
 * Finds the programs in a page of the documentation. Every ```ts block is a complete module, unless
 * `<!-- continues -->` stands before it: then it goes on where the block before it ended. A ```text block right behind
 * code is what the program prints; when a program comes in pieces, what the pieces print is put together.
 */
export interface Snippet {
  /** From the root of the repository: `docs/guide/09-actors.md`. */
  readonly page: string
  /** Where its first line of code stands on the page, from 1. */
  readonly line: number
  /** Every line of code stands at the number it has on the page, so that errors speak of the page. */
  readonly code: string
  /** What it must print; undefined when the page does not say. */
  readonly output: string | undefined
}

const continuation = '<!-- continues -->'

/** A fenced block of a page. */
export interface Block {
  readonly language: string
  /** Index of its first line of content. */
  readonly start: number
  readonly lines: readonly string[]
  /** The last line before the fence that is not empty. */
  readonly before: string
}

export function snippetsIn(page: string, text: string): Snippet[] {
  const snippets: Snippet[] = []
  for (const block of blocksIn(page, text)) {
    const { start, lines } = block
    const last = snippets.at(-1)
    if (block.language === 'ts' && block.before === continuation) {
      if (last === undefined)
        throw new Error(`${page}:${start} continues, but nothing is before it`)
      snippets[snippets.length - 1] = { ...last, code: last.code + atLine(last.code, start, lines) }
    } else if (block.language === 'ts') {
      snippets.push({ page, line: start + 1, code: atLine('', start, lines), output: undefined })
    } else if (block.language === 'text' && block.before === '```' && last !== undefined) {
      const output = (last.output ?? '') + lines.map((line) => `${line}\n`).join('')
      snippets[snippets.length - 1] = { ...last, output }
    }
  }
  return snippets
}

export function blocksIn(page: string, text: string): Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  let before = ''
  for (let index = 0; index < lines.length; index++) {
    const language = /^```(\w*)/.exec(lines[index] ?? '')?.[1]
    if (language !== undefined) {
      const end = lines.indexOf('```', index + 1)
      if (end < 0) throw new Error(`${page}:${index + 1} opens a block that is never closed`)
      blocks.push({ language, start: index + 1, lines: lines.slice(index + 1, end), before })
      index = end
    }
    const line = lines[index]?.trim() ?? ''
    if (line !== '') before = line
  }
  return blocks
}

/** The lines, with as many empty ones before them as bring them to their place behind `code`. */
function atLine(code: string, start: number, lines: readonly string[]): string {
  const above = code.split('\n').length - 1
  return '\n'.repeat(start - above) + lines.map((line) => `${line}\n`).join('')
}
