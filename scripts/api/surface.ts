/** What users can import: follows every name that a package export gives to the declaration behind it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tokenizer } from '../tidy/tokenizer.ts'
import { type Declaration, DeclarationFile, type Link } from './declaration-file.ts'

/** A name as a file exports it. */
export interface PublicName {
  readonly name: string
  /** The file that declares it, and its name there: `actor/ref/actor-ref.d.ts#ActorRef`. */
  readonly origin: string
  /**
   * The overloads of a function, or all that a file gives when the name stands for it; behind them what they need and only
   * their file knows.
   */
  readonly declarations: readonly Declaration[]
  readonly isNamespace: boolean
  /** Nothing of it is left when the program runs. A class can then be named, but neither made nor extended. */
  readonly isTypeOnly: boolean
}

export class Surface {
  readonly #folder: string
  readonly #files = new Map<string, DeclarationFile>()
  readonly #names = new Map<string, readonly PublicName[]>()

  /** The folder of the built declarations. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** All names that a file exports, in one order on every machine. */
  namesOf(path: string): readonly PublicName[] {
    const known = this.#names.get(path)
    if (known !== undefined) return known
    const file = this.#file(path)
    const all = [
      ...namesIn(file),
      ...file.reexports.map((link) => this.#linked(link)),
      ...file.stars.flatMap(({ file: from, isType }) =>
        this.namesOf(from).map((name) => (isType ? asType(name) : name)),
      ),
    ]
    // The first of a name is the nearest.
    const names = [...new Map(all.toReversed().map((each) => [each.name, each])).values()]
    names.sort((a, b) => inOrder(a.name, b.name))
    this.#names.set(path, names)
    return names
  }

  /** The origins of everything that the declarations of a name speak of. */
  mentions({ origin, declarations }: PublicName): string[] {
    const [path = ''] = origin.split('#')
    const words = wordsIn(declarations)
    const here = this.namesOf(path).filter(({ name }) => words.has(name))
    const imported = this.#file(path).imports.filter(({ outer }) => words.has(outer))
    return [...here, ...imported.map((link) => this.#linked(link))].map((each) => each.origin)
  }

  #linked({ file, inner, outer, isType }: Link): PublicName {
    const names = this.namesOf(file)
    if (inner === '*') {
      const declarations = names.flatMap((each) => each.declarations)
      return { name: outer, origin: file, declarations, isNamespace: true, isTypeOnly: isType }
    }
    const found = names.find(({ name }) => name === inner)
    if (found === undefined) throw new Error(`${file} does not export ${inner}.`)
    const named = { ...found, name: outer }
    return isType ? asType(named) : named
  }

  #file(path: string): DeclarationFile {
    const known = this.#files.get(path)
    if (known !== undefined) return known
    const file = new DeclarationFile(path, readFileSync(join(this.#folder, path), 'utf8'))
    this.#files.set(path, file)
    return file
  }
}

/** What a file declares and exports itself. */
function namesIn(file: DeclarationFile): PublicName[] {
  const exported = file.declarations.filter(({ isExported }) => isExported)
  return [...new Set(exported.map(({ name }) => name))].map((name) => {
    const own = file.declarations.filter((each) => each.name === name)
    return {
      name,
      origin: `${file.path}#${name}`,
      declarations: withHelpers(file, own),
      isNamespace: false,
      isTypeOnly: own.every(({ isType }) => isType),
    }
  })
}

function asType(name: PublicName): PublicName {
  if (name.isTypeOnly) return name
  const declarations = name.declarations.map((each) => ({ ...each, code: each.codeAsType }))
  return { ...name, declarations, isTypeOnly: true }
}

/** What no other file can name is a part of who uses it. */
function withHelpers(file: DeclarationFile, declarations: readonly Declaration[]): Declaration[] {
  const words = wordsIn(declarations)
  const helpers = file.declarations.filter(
    (each) => !each.isExported && words.has(each.name) && !declarations.includes(each),
  )
  if (helpers.length === 0) return [...declarations]
  return withHelpers(file, [...declarations, ...helpers])
}

/** All words but the names of fields, which may be the same as that of a function. */
function wordsIn(declarations: readonly Declaration[]): ReadonlySet<string> {
  const tokens = declarations.flatMap(({ code }) => new Tokenizer(code).tokens)
  const words = tokens.filter(
    ({ kind }, index) => kind === 'word' && tokens[index - 1]?.text !== 'readonly',
  )
  return new Set(words.map(({ text }) => text))
}

/** As in a dictionary, and the same in every language. */
function inOrder(a: string, b: string): number {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()]
  if (left !== right) return left < right ? -1 : 1
  return a < b ? -1 : 1
}
