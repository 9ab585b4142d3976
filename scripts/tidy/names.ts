/**
 * A file is named after what it holds and opens by saying what it is: `file-name` and `opening-comment`. A name of a type
 * has one meaning in the whole house: `type-name`.
 */
import type { SourceFile } from './source-file.ts'
import type { Violation } from './violation.ts'

const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/
const emptyWords = /^(utils?|common|helpers?|managers?|impl|misc)$/

export function names(file: SourceFile): Violation[] {
  return [...fileName(file), ...openingComment(file)]
}

/** Of two types of one name, the later is reported: only their imports would tell them apart. */
export function typeNames(files: readonly SourceFile[]): Violation[] {
  const homes = new Map<string, string>()
  return files
    .filter(({ isSource, isTest }) => isSource && !isTest)
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:interface|type|class) (\w+)/gm)].flatMap((found) => {
        const name = found[1] ?? ''
        const home = homes.get(name) ?? path
        homes.set(name, home)
        if (home === path) return []
        const line = text.slice(0, found.index).split('\n').length
        const advice = `${home} has another ${name}; give one of them a name of its own`
        return [{ path, line, rule: 'type-name', advice }]
      }),
    )
}

function fileName({ path }: SourceFile): Violation[] {
  const advice = adviceFor(path.split('/').map((part) => part.replace(/\..*$/, '')))
  return advice === undefined ? [] : [{ path, line: 1, rule: 'file-name', advice }]
}

function adviceFor(parts: readonly string[]): string | undefined {
  const odd = parts.find((part) => !kebabCase.test(part))
  if (odd !== undefined) return `write "${odd}" in kebab-case`
  const empty = parts.flatMap((part) => part.split('-')).find((word) => emptyWords.test(word))
  return empty && `"${empty}" says nothing; name the file after its main export`
}

function openingComment({ path, text, isTest }: SourceFile): Violation[] {
  const opens = /^(#![^\n]*\n)?\/\*\*[\s*]*[^\s*/]/.test(text)
  if (opens || isTest) return []
  const advice = 'open the file with a /** comment */ that says what it is'
  return [{ path, line: 1, rule: 'opening-comment', advice }]
}
