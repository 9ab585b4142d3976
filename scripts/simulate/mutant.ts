/** Seeds a known bug: edits the source of some modules and lets the loader take those instead of the ones in `build`. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { mutants } from '../../test/mutants/index.ts'
import { type Edit, edited } from '../../test/mutants/mutant.ts'

/** Two above this file lies what was compiled, and there or above it the sources. */
const build = fileURLToPath(new URL('../../', import.meta.url))
const root = rootAbove(build)

/** The mutant these words ask for. They are read in full later, by what may have to be edited first. */
export function mutantIn(words: readonly string[]): string | undefined {
  const option = '--mutant'
  const at = words.indexOf(option)
  if (at >= 0) return words[at + 1]
  return words.find((word) => word.startsWith(`${option}=`))?.slice(option.length + 1)
}

/**
 * To be called before the first import of what it edits. Throws when an edit does not apply; answers what is wrong when
 * there is no such mutant, or nothing that it could edit.
 */
export function seedMutant(name: string): string | undefined {
  const mutant = mutants.get(name)
  if (mutant === undefined) {
    return `There is no mutant "${name}". There are: ${[...mutants.keys()].join(', ')}`
  }
  if (import.meta.url.endsWith('.ts')) {
    return 'Only compiled code can be edited, and this is the source: use npm run simulate.'
  }
  // Of this process alone: several may do the same.
  const folder = join(build, 'mutants', `${name}-${process.pid}`)
  const sources = new Map<string, string>()
  for (const edit of mutant.edits) {
    const before = sources.get(edit.file) ?? readFileSync(join(root, edit.file), 'utf8')
    sources.set(edit.file, edited(before, edit))
  }
  const replaced = [...sources].map(([file, source]) => [
    pathToFileURL(join(build, asJavaScript(file))).href,
    transpiled(folder, file, source),
  ])
  rmSync(folder, { recursive: true, force: true })
  register('data:text/javascript,' + encodeURIComponent(hooks), {
    parentURL: import.meta.url,
    data: replaced,
  })
  return undefined
}

/** What the loader runs, on a thread of its own. */
const hooks = `
let replaced
export const initialize = (data) => void (replaced = new Map(data))
export const load = async (url, context, next) => {
  const source = replaced.get(url)
  return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
}`

function transpiled(folder: string, file: string, source: string): string {
  const path = join(folder, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, source)
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const options =
    '--ignoreConfig --noCheck --noResolve --target es2023 --module nodenext --verbatimModuleSyntax --rewriteRelativeImportExtensions'
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...options.split(' '), path], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The edited ${file} does not compile:\n${stdout}`)
  return readFileSync(asJavaScript(path), 'utf8')
}

function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const above = dirname(folder)
  if (above === folder) throw new Error(`No package.json lies above ${build}.`)
  return rootAbove(above)
}

function asJavaScript(file: Edit['file']): string {
  return file.replace(/\.ts$/, '.js')
}
