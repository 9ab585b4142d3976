/** Plain, checked TypeScript: `no-any`, `no-default-export`, `erasable` and `todo`. */
import type { SourceFile } from './source-file.ts'
import type { Violation } from './violation.ts'

/** In capitals wherever it stands; in small letters, which prose has too, before a colon. */
const leftOver = /\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))|\b([Tt]odo|[Ff]ixme):/

type Finding = Pick<Violation, 'rule' | 'advice'>

export function plainTypeScript(file: SourceFile): Violation[] {
  const violations: Violation[] = []
  const { path } = file
  for (const { text, line } of file.comments) {
    for (const [offset, words] of text.split('\n').entries()) {
      const found = inComment(words, file.isSource)
      if (found) violations.push({ path, line: line + offset, ...found })
    }
  }
  if (!file.isSource) return violations
  for (const index of file.tokens.keys()) {
    const found = isAny(file, index) ?? isDefaultExport(file, index) ?? isNotErasable(file, index)
    if (found) violations.push({ path, line: file.line(index), ...found })
  }
  return violations
}

function inComment(words: string, isSource: boolean): Finding | undefined {
  if (leftOver.test(words)) {
    return { rule: 'todo', advice: 'do it now, or name its issue like this: TODO(#12)' }
  }
  const isSilenced = isSource && /@ts-(ignore|nocheck)\b/.test(words)
  return isSilenced ? { rule: 'no-any', advice: 'give it its type instead of silence' } : undefined
}

function isAny(file: SourceFile, index: number): Finding | undefined {
  const isType = file.at(index) === 'any' && !file.isMember(index)
  if (!isType || ['(', ':', '?'].includes(file.at(index + 1))) return undefined
  return { rule: 'no-any', advice: 'write unknown and narrow it, or name the type' }
}

function isDefaultExport(file: SourceFile, index: number): Finding | undefined {
  const isDefault = file.at(index) === 'default' && ['export', 'as'].includes(file.at(index - 1))
  return isDefault ? { rule: 'no-default-export', advice: 'export it by its name' } : undefined
}

function isNotErasable(file: SourceFile, index: number): Finding | undefined {
  const word = file.at(index)
  if (file.tokens[index]?.kind === 'mark') {
    return word === '@'
      ? { rule: 'erasable', advice: 'call a function instead of decorating' }
      : undefined
  }
  const declares = file.isWord(index + 1) && file.at(index + 2) === '{' && !file.isMember(index)
  if (!declares) return undefined
  if (word === 'enum') return { rule: 'erasable', advice: 'write a union of string literals' }
  const isNamespace = word === 'namespace' || word === 'module'
  return isNamespace ? { rule: 'erasable', advice: 'a file is the namespace' } : undefined
}
