/**
 * Splits TypeScript into words, marks and literals, so that no rule mistakes the inside of a comment, string, template
 * or regular expression for code. It knows no grammar beyond what that needs: where a `/` starts a regular expression,
 * and where a `}` returns into a template.
 */
export interface Token {
  readonly kind: 'word' | 'mark' | 'number' | 'string' | 'template' | 'regex'
  readonly text: string
  readonly line: number
}

export interface Comment {
  readonly text: string
  readonly line: number
}

const blank = /\s+/y
const comment = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|^#![^\n]*/y
const string = /'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?/y
const regex = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y
const word = /#?[\p{ID_Start}$_][\p{ID_Continue}$]*/uy
const number = /\d\w*(?:\.\d\w*)?/y
const mark = /\.\.\.|=>|\?\.|\+\+|--|[=!]==?|&&=?|\|\|=?|\?\?=?|[<>]=|[-+*/%&|^]=|[\s\S]/y
const templateText = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y

/** After these a value begins, so a `/` is a regular expression and not a division. */
const wordsBeforeValue: ReadonlySet<string> = new Set(
  'return typeof case in of delete void throw new else do instanceof yield await extends'.split(
    ' ',
  ),
)
const wordsBeforeCondition: ReadonlySet<string> = new Set(['if', 'while', 'for', 'with'])

export class Tokenizer {
  readonly tokens: Token[] = []
  readonly comments: Comment[] = []
  readonly #text: string
  #at = 0
  #line = 1
  /** True when the last token ends a value: then `/` divides. */
  #afterValue = false
  /** Open brackets; a condition's parenthesis is not a value when it closes. */
  readonly #open: ('bracket' | 'condition' | 'template')[] = []

  constructor(text: string) {
    this.#text = text
    while (this.#at < text.length) this.#next()
  }

  #next(): void {
    const line = this.#line
    if (this.#take(blank)) return
    const note = this.#take(comment)
    if (note) return void this.comments.push({ text: note, line })

    const literal = this.#take(string)
    if (literal) return this.#value('string', literal, line)
    const digits = this.#take(number)
    if (digits) return this.#value('number', digits, line)
    const name = this.#take(word)
    if (name) return this.#word(name, line)
    const pattern = this.#afterValue ? undefined : this.#take(regex)
    if (pattern) return this.#value('regex', pattern, line)
    this.#mark(this.#take(mark) ?? '', line)
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found === undefined || found === '') return undefined
    this.#at += found.length
    for (const character of found) if (character === '\n') this.#line++
    return found
  }

  #value(kind: Token['kind'], text: string, line: number): void {
    this.tokens.push({ kind, text, line })
    this.#afterValue = true
  }

  #word(text: string, line: number): void {
    const isMember = ['.', '?.'].includes(this.tokens.at(-1)?.text ?? '')
    this.tokens.push({ kind: 'word', text, line })
    this.#afterValue = isMember || !wordsBeforeValue.has(text)
  }

  #mark(text: string, line: number): void {
    if (text === '`') return this.#template(line)
    const before = this.tokens.at(-1)
    this.tokens.push({ kind: 'mark', text, line })
    // A `!` or `++` behind a value leaves a value, in front of one it does not.
    if (text !== '!' && text !== '++' && text !== '--') this.#afterValue = text === ']'

    if (text === '(' && before && wordsBeforeCondition.has(before.text))
      this.#open.push('condition')
    else if ('([{'.includes(text)) this.#open.push('bracket')
    else if (')]}'.includes(text)) this.#close(text, line)
  }

  #close(text: string, line: number): void {
    const opened = this.#open.pop()
    if (text === ')') this.#afterValue = opened !== 'condition'
    if (text === '}' && opened === 'template') this.#template(line)
  }

  /** Reads template text up to its end or to the next `${`, whose inside is code again. */
  #template(line: number): void {
    const text = this.#take(templateText) ?? ''
    this.#value('template', text, line)
    if (!text.endsWith('${')) return
    this.tokens.push({ kind: 'mark', text: '${', line: this.#line })
    this.#open.push('template')
    this.#afterValue = false
  }
}
