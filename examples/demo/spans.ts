/** Pieces of a line with their colours. Widths are counted before colours are added, so that columns stay columns. */

export type Tone = 'plain' | 'dim' | 'bold' | 'green' | 'yellow' | 'red' | 'cyan'

export interface Span {
  readonly text: string
  readonly tone: Tone
}

const codes: Readonly<Record<Exclude<Tone, 'plain'>, string>> = {
  dim: '2',
  bold: '1',
  green: '32',
  yellow: '33',
  red: '31',
  cyan: '36',
}

export function span(text: string, tone: Tone = 'plain'): Span {
  return { text, tone }
}

export const dim = (text: string): Span => span(text, 'dim')
export const bold = (text: string): Span => span(text, 'bold')

/** One line of at most this many columns. All our signs are one column wide and one unit long. */
export function lineOf(spans: readonly Span[], columns: number, isColored: boolean): string {
  let left = columns
  let line = ''
  for (const { text, tone } of spans) {
    const shown = text.slice(0, left)
    left -= shown.length
    line +=
      isColored && tone !== 'plain' && shown !== ''
        ? `\u001b[${codes[tone]}m${shown}\u001b[0m`
        : shown
  }
  return line
}

export function widthOf(spans: readonly Span[]): number {
  return spans.reduce((width, { text }) => width + text.length, 0)
}

/** Left and right with space between them. */
export function apart(left: readonly Span[], right: readonly Span[], columns: number): Span[] {
  const gap = Math.max(1, columns - widthOf(left) - widthOf(right))
  return [...left, span(' '.repeat(gap)), ...right]
}
