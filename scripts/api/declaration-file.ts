/**
 * One built declaration file, read as the compiler prints it: every statement begins at the start of a line, and an import
 * or a re-export takes one line.
 */
import { posix } from 'node:path'

export interface Declaration {
  readonly name: string
  /** As users get it: without `export declare`, what is private, and the interfaces that its members show anyway. */
  readonly code: string
  /** The same of a class of which users have the type only: without constructor and static members. */
  readonly codeAsType: string
  /** The prose before it; empty when there is none. */
  readonly comment: string
  /** Nothing of it is left when the program runs. */
  readonly isType: boolean
  readonly isExported: boolean
}

/** `export { inner as outer } from 'file'`, or the same as an import. */
export interface Link {
  readonly file: string
  /** `*` for all of the file as one value. */
  readonly inner: string
  readonly outer: string
  readonly isType: boolean
}

const comment = String.raw`/\*\*(?:(?!\*/)[^])*\*/\n`
const starts = String.raw`(?:export|declare|import|abstract|class|interface|type)\b`
/** Where a statement starts: at the comment before it, if there is one. */
const statement = new RegExp(`^(?=${comment}${starts})|(?<!\\*/\\n)^(?=${starts})`, 'm')
const parts = new RegExp(`^(${comment})?(export )?(?:declare )?([^]*)$`)
const declared = /^(?:abstract )?(class|interface|type|function|const) (\w+)/
const implemented = /(?<=^(?:abstract )?class .*) implements .*(?= \{$)/m
/** A member ends where the next one begins, or the class ends. */
const ofTheValue =
  /^ {4}(?:\/\*\*(?:(?!\*\/)[^])*\*\/\n {4})?(?:private )?(?:static |constructor\()[^]*?;\n(?= {4}[^\s}]|\})/gm
const linked = /^(import|export) (type )?(\{[^}]*\}|\*(?: as \w+)?) from ['"](\..*)['"];?$/m

export class DeclarationFile {
  readonly path: string
  /** The functions of one name are several: its overloads. */
  readonly declarations: readonly Declaration[]
  readonly imports: readonly Link[]
  readonly reexports: readonly Link[]
  /** Files all of whose names are handed on. */
  readonly stars: readonly Pick<Link, 'file' | 'isType'>[]

  /** `path` is from the folder of all declarations. */
  constructor(path: string, text: string) {
    this.path = path
    const statements = text.split(statement)
    this.declarations = statements.flatMap(declarationIn)
    const links = statements.flatMap((words) => linksIn(path, words))
    this.imports = links.filter(({ keyword }) => keyword === 'import')
    const exports = links.filter(({ keyword }) => keyword === 'export')
    this.stars = exports.filter(({ outer }) => outer === '*')
    this.reexports = exports.filter(({ outer }) => outer !== '*')
  }
}

function declarationIn(words: string): Declaration[] {
  const [, before = '', exported, code = ''] = parts.exec(words) ?? []
  const [, kind = '', name] = declared.exec(code) ?? []
  if (name === undefined) return []
  const shown = code
    .replace(/^ +#private;\n/m, '')
    .replace(implemented, '')
    .trim()
  return [
    {
      name,
      code: shown,
      codeAsType: shown.replace(ofTheValue, ''),
      comment: proseOf(before),
      isType: ['interface', 'type'].includes(kind),
      isExported: exported !== undefined,
    },
  ]
}

function proseOf(before: string): string {
  const lines = before.replace(/^\/\*\*|\*\/$/gm, '').split('\n')
  return lines
    .map((line) => line.replace(/^ *\* ?/, '').trimEnd())
    .join('\n')
    .trim()
}

function linksIn(path: string, words: string): (Link & { readonly keyword: string })[] {
  const [, keyword = '', type, clause = '', specifier] = linked.exec(words) ?? []
  if (specifier === undefined) return []
  const file = posix.join(posix.dirname(path), specifier.replace(/\.ts$/, '.d.ts'))
  return clause
    .replace(/[{}]/g, '')
    .split(',')
    .filter((name) => name.trim() !== '')
    .map((name) => {
      const [inner = '', outer = inner] = name
        .trim()
        .replace(/^type /, '')
        .split(' as ')
      const isType = type !== undefined || name.trim().startsWith('type ')
      return { keyword, file, inner, outer, isType }
    })
}
