/** Every module a file names: imports, re-exports, `import()` and `require()`. */
import { posix } from 'node:path'
import type { SourceFile } from './source-file.ts'

export interface Import {
  readonly specifier: string
  readonly line: number
  /** The whole statement is types, so nothing of it is left when the program runs. */
  readonly isTypeOnly: boolean
  /** Names taken from the module, as the module calls them. */
  readonly names: readonly string[]
}

export function importsOf(file: SourceFile): Import[] {
  const imports: Import[] = []
  for (const index of file.tokens.keys()) {
    const found = statementAt(file, index) ?? callAt(file, index)
    if (found) imports.push(found)
  }
  return imports
}

/** Where a relative import leads, from the root of the repository; undefined for packages. */
export function targetOf(file: SourceFile, { specifier }: Import): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  return posix.join(posix.dirname(file.path), specifier)
}

function statementAt(file: SourceFile, index: number): Import | undefined {
  const keyword = file.at(index)
  const isStatement = (keyword === 'import' || keyword === 'export') && file.isTopLevel(index)
  if (!isStatement || ['(', '.'].includes(file.at(index + 1))) return undefined

  const isTypeOnly = file.at(index + 1) === 'type' && file.at(index + 2) !== 'from'
  const clause = index + (isTypeOnly ? 2 : 1)
  const from = fromAfter(file, clause)
  if (from === -1) return undefined
  const names = namesBetween(file, clause, from)
  return literal(file, from, { line: file.line(index), isTypeOnly, names })
}

/** The token that may be the name of the module: behind `from`, or at once as in `import './x.ts'`. */
function fromAfter(file: SourceFile, clause: number): number {
  if (file.tokens[clause]?.kind === 'string') return clause
  let at = clause
  while (isClause(file, at)) at = Math.max(at, file.partner(at)) + 1
  return file.at(at) === 'from' ? at + 1 : -1
}

/** What stands between `import` or `export` and `from`: a name, `* as name`, and names in braces. */
function isClause(file: SourceFile, at: number): boolean {
  if (['{', '*', ',', 'as'].includes(file.at(at))) return true
  return (
    file.isWord(at) &&
    ['from', ',', 'as'].some((text) => text === file.at(at + 1) || text === file.at(at - 1))
  )
}

function namesBetween(file: SourceFile, start: number, end: number): string[] {
  const names: string[] = []
  for (let at = start; at < end; at++) {
    const isInBraces = file.isWord(at) && !file.isTopLevel(at)
    const isModifier = file.at(at) === 'type' && file.isWord(at + 1)
    if (isInBraces && !isModifier && file.at(at) !== 'as' && file.at(at - 1) !== 'as') {
      names.push(file.at(at))
    }
  }
  return names
}

function callAt(file: SourceFile, index: number): Import | undefined {
  const isCall = ['import', 'require'].includes(file.at(index)) && file.at(index + 1) === '('
  if (!isCall || file.isMember(index)) return undefined
  return literal(file, index + 2, { line: file.line(index), isTypeOnly: false, names: [] })
}

function literal(
  file: SourceFile,
  at: number,
  rest: Omit<Import, 'specifier'>,
): Import | undefined {
  const token = file.tokens[at]
  return token?.kind === 'string' ? { specifier: token.text.slice(1, -1), ...rest } : undefined
}
