/** One file as the rules see it: its tokens, which bracket belongs to which, and what kind of file it is. */
import { roomOf } from './house.ts'
import { Tokenizer, type Comment, type Token } from './tokenizer.ts'

export class SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly tokens: readonly Token[]
  readonly comments: readonly Comment[]
  /** The first level of folder below `src`; undefined for `src/index.ts` and outside `src`. */
  readonly room: string | undefined
  /** Per token: the other bracket of its pair, or -1. */
  readonly #partner: number[] = []
  /** Per token: the bracket that encloses it, or -1. */
  readonly #parent: number[] = []

  constructor(path: string, text: string) {
    this.path = path
    this.text = text
    this.room = roomOf(path)
    const { tokens, comments } = new Tokenizer(text)
    this.tokens = tokens
    this.comments = comments
    this.#pairBrackets()
  }

  /** Tests, and whatever only tests use. */
  get isTest(): boolean {
    return this.path.endsWith('.test.ts') || this.path.startsWith('test/')
  }

  get isSource(): boolean {
    return this.path.startsWith('src/')
  }

  /** The text of a token, or '' beyond either end. Strings and templates cannot be mistaken: they keep their quotes. */
  at(index: number): string {
    return this.tokens[index]?.text ?? ''
  }

  line(index: number): number {
    return this.tokens[index]?.line ?? 1
  }

  partner(index: number): number {
    return this.#partner[index] ?? -1
  }

  parent(index: number): number {
    return this.#parent[index] ?? -1
  }

  isTopLevel(index: number): boolean {
    return this.parent(index) === -1
  }

  isWord(index: number): boolean {
    return this.tokens[index]?.kind === 'word'
  }

  /** True for the name behind a dot, as in `environment.process`. */
  isMember(index: number): boolean {
    return this.isWord(index) && ['.', '?.'].includes(this.at(index - 1))
  }

  #pairBrackets(): void {
    const open: number[] = []
    for (const [index, token] of this.tokens.entries()) {
      const isMark = token.kind === 'mark'
      if (isMark && [')', ']', '}'].includes(token.text)) {
        const opener = open.pop() ?? -1
        this.#partner[index] = opener
        if (opener >= 0) this.#partner[opener] = index
      }
      this.#parent[index] = open.at(-1) ?? -1
      if (isMark && ['(', '[', '{', '${'].includes(token.text)) open.push(index)
    }
  }
}
