/** Many nodes live in one process, so modules hold no state: `module-state`. */
import type { SourceFile } from './source-file.ts'
import type { Violation } from './violation.ts'

const collections =
  /^(Map|Set|WeakMap|WeakSet|Array|ArrayBuffer|SharedArrayBuffer|DataView|\w*(8|16|32|64)(Clamped)?Array|Buffer)$/
const assignments = /^(=|\+\+|--|[-+*/%&|^]=|&&=|\|\|=|\?\?=)$/

export function moduleState(file: SourceFile): Violation[] {
  if (!file.isSource || file.isTest) return []
  const constants = new Set<string>()
  const violations: Violation[] = []
  for (const index of file.tokens.keys()) {
    const isConstant = file.isTopLevel(index) && file.at(index) === 'const'
    if (isConstant && file.isWord(index + 1)) constants.add(file.at(index + 1))
    const advice = adviceAt(file, index) ?? mutationAt(file, index, constants)
    if (advice)
      violations.push({ path: file.path, line: file.line(index), rule: 'module-state', advice })
  }
  return violations
}

function adviceAt(file: SourceFile, index: number): string | undefined {
  if (!file.isWord(index) || file.isMember(index)) return undefined
  const word = file.at(index)
  if (word === 'static') return staticField(file, index)
  if (!file.isTopLevel(index)) return undefined
  if ((word === 'let' || word === 'var') && startsDeclaration(file, index)) {
    return `move "${file.at(index + 1)}" into the object that owns it`
  }
  return word === 'const' && file.at(index - 1) !== 'declare' ? collection(file, index) : undefined
}

function startsDeclaration(file: SourceFile, index: number): boolean {
  return file.isWord(index + 1) || ['{', '['].includes(file.at(index + 1))
}

/** A collection that anyone may fill, unless its type or a freeze says otherwise. */
function collection(file: SourceFile, index: number): string | undefined {
  let equals = index
  while (equals < file.tokens.length && file.at(equals) !== '=') equals++
  const type = file.tokens.slice(index + 2, equals).map((token) => token.text)
  if (type.some((text) => /^readonly$|^Readonly/.test(text))) return undefined

  const value = equals + 1
  const close = file.partner(value)
  const isConst = file.at(close + 1) === 'as' && file.at(close + 2) === 'const'
  const isLiteral =
    close > value && (file.at(value) === '[' || (file.at(value) === '{' && close === value + 1))
  const isNew = file.at(value) === 'new' && collections.test(file.at(value + 1))
  if (!isNew && (!isLiteral || isConst)) return undefined
  return `give "${file.at(index + 1)}" a Readonly type, freeze it, or move it into the object that owns it`
}

/** `static` fields belong to the module too. */
function staticField(file: SourceFile, index: number): string | undefined {
  let name = index + 1
  while (['private', 'public', 'protected', 'override', 'declare'].includes(file.at(name))) name++
  const isField = file.isWord(name) && ['=', ':', '?', '!'].includes(file.at(name + 1))
  return isField
    ? `make static "${file.at(name)}" readonly, or move it into the instance`
    : undefined
}

/** `settings.limit = 1` or `counts.total++` on a constant of this module. */
function mutationAt(
  file: SourceFile,
  index: number,
  constants: ReadonlySet<string>,
): string | undefined {
  if (file.isMember(index) || !constants.has(file.at(index))) return undefined
  let at = index
  while (['.', '['].includes(file.at(at + 1))) {
    at = file.at(at + 1) === '.' ? at + 2 : file.partner(at + 1)
  }
  const isMutation = at > index && assignments.test(file.at(at + 1))
  return isMutation
    ? `"${file.at(index)}" is shared by the whole process; do not change it`
    : undefined
}
