/**
 * A reader of the documentation: somebody who has installed the package in a project of their own and tries what the
 * pages say. The project lives in `build`; the package in it is built like the one we ship, from the source as it is.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Snippet } from './snippets.ts'

/** Only what hangs should meet it: a machine that is busy with other tests makes a program ten times slower. */
const programMs = 120_000

/** Long enough for tests that run two programs one after the other. */
export const patience = { testTimeout: 2.5 * programMs, hookTimeout: 2.5 * programMs }

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** What a strict project would ask for. It checks our declarations too. */
const tsconfig = {
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2023', 'ESNext.Disposable'],
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitReturns: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    verbatimModuleSyntax: true,
    sourceMap: true,
  },
  include: ['*.ts'],
}

export interface Outcome {
  /** Null when it had to be ended. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export class Reader {
  readonly #folder: string

  /** Begins a project in this folder under `build`. */
  constructor(folder: string) {
    this.#folder = join(root, 'build', folder)
    rmSync(this.#folder, { recursive: true, force: true })
    mkdirSync(this.#folder, { recursive: true })
    this.#write('package.json', '{ "name": "reader", "type": "module" }')
    this.#write('tsconfig.json', JSON.stringify(tsconfig))
    // Or vitest would take ours, further up.
    this.#write('vitest.config.js', 'export default {}')
  }

  /** Installs the package; projects in folders below have it then, too. */
  async install(): Promise<void> {
    await buildTo(join(this.#folder, 'node_modules', 'sherd'))
  }

  /** Compiles all snippets at once. Answers the complaints, each with page and line. */
  async compile(snippets: readonly Snippet[]): Promise<string[]> {
    for (const snippet of snippets) {
      this.#write(`${nameOf(snippet)}.ts`, snippet.code)
    }
    const { stdout } = await tsc('-p', this.#folder, '--pretty', 'false')
    const pages = new Map(snippets.map((snippet) => [nameOf(snippet), snippet.page]))
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) =>
        line.replace(/^.*?([\w.-]+)\.ts\((\d+),\d+\): /, (whole, name: string, at: string) =>
          pages.has(name) ? `${pages.get(name)}:${at} ` : whole,
        ),
      )
  }

  /** Runs a compiled snippet; one that is a test for vitest runs there. */
  run(snippet: Snippet): Promise<Outcome> {
    const file = `${nameOf(snippet)}.js`
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const words = isForVitest(snippet) ? [vitest, 'run', file] : ['--enable-source-maps', file]
    return node(words, { cwd: this.#folder })
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), text)
  }
}

/** Packs the package as we would publish it, from the source as it is: `sherd-0.1.0.tgz` in this folder. */
export async function packTo(folder: string, name: string): Promise<void> {
  const made = join(root, 'build', name)
  rmSync(made, { recursive: true, force: true })
  await buildTo(made)
  for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md']) {
    copyFileSync(join(root, file), join(made, file))
  }
  const words = ['pack', '--ignore-scripts', '--pack-destination', folder]
  await promisify(execFile)('npm', words, { cwd: made, shell: process.platform === 'win32' })
}

async function buildTo(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'))
  const project = join(root, 'tsconfig.build.json')
  const built = await tsc('-p', project, '--outDir', join(folder, 'dist'))
  if (built.code !== 0) throw new Error(`The package cannot be built:\n${built.stdout}`)
}

export interface NodeOptions {
  readonly cwd?: string
  /** Presses Ctrl-C once this has been printed. */
  readonly interruptAfter?: string
}

/** Runs a program of Node to its end; one that does not end is ended. */
export function node(words: readonly string[], options: NodeOptions = {}): Promise<Outcome> {
  const { cwd = root, interruptAfter } = options
  // The variables that vitest sets for its workers are not the program's.
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' }
  const settings = {
    cwd,
    env,
    timeout: programMs,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 26,
  } as const
  return new Promise((resolve) => {
    const child = execFile(process.execPath, words, settings, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
    if (interruptAfter === undefined) return
    let printed = ''
    const listen = (text: string): void => {
      printed += text
      if (!printed.includes(interruptAfter)) return
      child.stdout?.off('data', listen)
      child.kill('SIGINT')
    }
    child.stdout?.on('data', listen)
  })
}

function tsc(...words: readonly string[]): Promise<Outcome> {
  return node([join(root, 'node_modules/typescript/bin/tsc'), ...words])
}

/** `docs/guide/09-actors.md`, line 12: `docs-guide-09-actors-12`. */
function nameOf(snippet: Snippet): string {
  const { page, line } = snippet
  const name = `${page.replace(/\.md$/, '').replace(/\W+/g, '-')}-${line}`
  return isForVitest(snippet) ? `${name}.test` : name
}

function isForVitest({ code }: Snippet): boolean {
  return code.includes("from 'vitest'")
}
