/** Builds the declarations of the package and says which of them its exports give to users. */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Export } from './pages.ts'
import { Surface } from './surface.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export const apiFolder = join(root, 'docs/api')

export interface PublicSurface {
  readonly surface: Surface
  readonly exports: readonly Export[]
}

/** From the source as it is; `name` is of a folder in `build`, for whoever runs at the same time. */
export async function publicSurface(name: string): Promise<PublicSurface> {
  const folder = join(root, 'build', name)
  rmSync(folder, { recursive: true, force: true })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const flags = ['--emitDeclarationOnly', '--sourceMap', 'false', '--inlineSources', 'false']
  const words = ['-p', join(root, 'tsconfig.build.json'), ...flags, '--outDir', folder]
  execFileSync(process.execPath, [tsc, ...words], { stdio: ['ignore', 'inherit', 'inherit'] })
  return { surface: new Surface(folder), exports: await packageExports() }
}

async function packageExports(): Promise<Export[]> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly types?: string }>>
  }
  const typed = Object.entries(exports).flatMap(([path, { types }]) =>
    types === undefined
      ? []
      : [{ specifier: path.replace(/^\./, 'sherd'), types: types.replace('./dist/', '') }],
  )
  return Promise.all(typed.map(async (each) => ({ ...each, values: await valuesOf(each) })))
}

/** From the source as well: what is in `dist` may be older. */
async function valuesOf({ types }: Export): Promise<Readonly<Record<string, unknown>>> {
  const source = join(root, 'src', types.replace(/\.d\.ts$/, '.ts'))
  return (await import(pathToFileURL(source).href)) as Readonly<Record<string, unknown>>
}
