/** Finds functions, methods and arrows by their shape in the tokens, and measures them by matching braces. */
import type { SourceFile } from './source-file.ts'

export interface FunctionSpan {
  readonly firstLine: number
  readonly lastLine: number
  /** The body of `describe(…)`: a chapter of tests rather than a function. */
  readonly isChapter: boolean
}

const statements: ReadonlySet<string> = new Set(
  'if for await while switch catch with return const let var throw try break continue do else case'.split(
    ' ',
  ),
)
const typeOperators: ReadonlySet<string> = new Set(
  'keyof readonly typeof infer unique asserts new abstract is extends'.split(' '),
)

/** They stand between two values. */
const joiningWords: ReadonlySet<string> = new Set('as satisfies instanceof in'.split(' '))

/** They stand in front of one, on its line; alone at the end of a line, `void` is a type. */
const leadingWords: ReadonlySet<string> = new Set('new await typeof void async delete'.split(' '))

export function functionsOf(file: SourceFile): FunctionSpan[] {
  const spans: FunctionSpan[] = []
  for (const index of file.tokens.keys()) {
    const end = file.at(index) === '=>' ? arrowEnd(file, index) : methodEnd(file, index)
    if (end === -1) continue
    spans.push({
      firstLine: file.line(firstToken(file, index)),
      lastLine: file.line(end),
      isChapter: isChapter(file, index),
    })
  }
  return spans
}

/** An arrow starts where its parameters do. */
function firstToken(file: SourceFile, index: number): number {
  return file.at(index) === '=>' && file.at(index - 1) === ')' ? file.partner(index - 1) : index
}

/** Where the block or the expression behind an arrow ends: what follows it cannot belong to a value. */
function arrowEnd(file: SourceFile, arrow: number): number {
  if (file.at(arrow + 1) === '{') return file.partner(arrow + 1)
  let end = arrow
  let needsOperand = true
  for (let at = arrow + 1; at < file.tokens.length; at++) {
    const isOpening = file.partner(at) > at
    const isValue = isOpening || file.tokens[at]?.kind !== 'mark'
    const isJoining = ['(', '[', '${'].includes(file.at(at)) || joiningWords.has(file.at(at))
    const isEnd = [',', ';'].includes(file.at(at)) || (!isOpening && file.partner(at) !== -1)
    if (isEnd || (isValue && !needsOperand && !isJoining)) break
    if (isOpening) at = file.partner(at)
    end = at
    const isLeading = leadingWords.has(file.at(at)) && file.line(at + 1) === file.line(at)
    needsOperand = !isValue || isLeading || joiningWords.has(file.at(at))
  }
  return end
}

/** The brace that closes the body when a function or method is named here, or -1. */
function methodEnd(file: SourceFile, index: number): number {
  const body = methodBody(file, index)
  return body === -1 ? -1 : file.partner(body)
}

/** The brace that opens it. */
function methodBody(file: SourceFile, index: number): number {
  const isName = ['word', 'string'].includes(file.tokens[index]?.kind ?? '')
  if ((!isName && file.at(index) !== ']') || file.isMember(index)) return -1
  if (statements.has(file.at(index)) || isFunctionName(file, index)) return -1

  let at = index + 1
  if (file.at(index) === 'function') {
    if (file.at(at) === '*') at++
    if (file.isWord(at)) at++
  }
  if (file.at(at) === '<') at = afterTypeParameters(file, at)
  return file.at(at) === '(' ? bodyAfter(file, file.partner(at)) : -1
}

/** Counted already, at the word `function`. */
function isFunctionName(file: SourceFile, index: number): boolean {
  return file.at(index - (file.at(index - 1) === '*' ? 2 : 1)) === 'function'
}

function afterTypeParameters(file: SourceFile, open: number): number {
  let depth = 0
  for (let at = open; at < file.tokens.length; at++) {
    const text = file.at(at)
    if (text === '<') depth++
    else if (text === '>' && --depth === 0) return at + 1
    else if ([';', ')', ']', '}'].includes(text)) return -1
    else if (file.partner(at) > at) at = file.partner(at)
  }
  return -1
}

/** The body behind a parameter list, past the return type if there is one. */
function bodyAfter(file: SourceFile, close: number): number {
  if (close === -1) return -1
  if (file.at(close + 1) === '{') return close + 1
  return file.at(close + 1) === ':' ? bodyAfterType(file, close + 2) : -1
}

/** Walks over a type; a brace where an operand is due belongs to the type, any other opens the body. */
function bodyAfterType(file: SourceFile, start: number): number {
  let needsOperand = true
  for (let at = start; at < file.tokens.length; at++) {
    const text = file.at(at)
    if (text === '{' && !needsOperand) return at
    if (file.isWord(at)) {
      if (statements.has(text) || (!needsOperand && !typeOperators.has(text))) return -1
      needsOperand = typeOperators.has(text)
    } else if (file.partner(at) > at) {
      at = file.partner(at)
      needsOperand = false
    } else if (file.tokens[at]?.kind !== 'mark' || text === '>') {
      needsOperand = false
    } else if (['|', '&', '=>', '<', ',', '?', ':', '.'].includes(text)) {
      needsOperand = true
    } else {
      return -1
    }
  }
  return -1
}

/** True for a function that is an argument of `describe(…)`, `describe.each(…)(…)` and the like. */
function isChapter(file: SourceFile, index: number): boolean {
  let at = file.parent(firstToken(file, index)) - 1
  while (at >= 0) {
    if (file.at(at) === ')') at = file.partner(at) - 1
    else if (file.isMember(at)) at -= 2
    else return file.at(at) === 'describe'
  }
  return false
}
