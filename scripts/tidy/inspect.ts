/** Walks a tree and collects what every rule has to say about every file of code in it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { layering } from './layering.ts'
import { moduleState } from './module-state.ts'
import { names, typeNames } from './names.ts'
import { plainTypeScript } from './plain-typescript.ts'
import { packageExports, publicDoor } from './public-door.ts'
import { sizes } from './sizes.ts'
import { SourceFile } from './source-file.ts'
import { testImports } from './test-imports.ts'
import type { Violation } from './violation.ts'
import { samplesBelow, wireSamples } from './wire-samples.ts'
import { worldAccess } from './world-access.ts'

const folders = ['src', 'test', 'bench', 'scripts', 'examples']
const rules = [
  layering,
  publicDoor,
  worldAccess,
  sizes,
  names,
  moduleState,
  plainTypeScript,
  testImports,
]

/** All violations below `root`, in the order of a reader: by file, then by line. */
export function inspect(root: string): Violation[] {
  const samples = samplesBelow(root)
  const files = codeBelow(
    root,
    folders.filter((folder) => existsSync(join(root, folder))),
  ).map((path) => new SourceFile(path, readFileSync(join(root, path), 'utf8')))
  const violations = files.flatMap((file) => [
    ...rules.flatMap((rule) => rule(file)),
    ...wireSamples(file, samples),
  ])
  return [...violations, ...typeNames(files), ...packageExports(root)].sort(
    (a, b) => a.path.localeCompare(b.path) || a.line - b.line,
  )
}

function codeBelow(root: string, paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const entries = readdirSync(join(root, path), { withFileTypes: true })
    const inside = entries.filter(({ name }) => name !== 'node_modules' && !name.startsWith('.'))
    const code = inside.filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    const deeper = inside.filter((entry) => entry.isDirectory())
    return [
      ...code.map(({ name }) => `${path}/${name}`),
      ...codeBelow(
        root,
        deeper.map(({ name }) => `${path}/${name}`),
      ),
    ]
  })
}
