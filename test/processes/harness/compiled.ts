/**
 * Programs that tests start, as plain JavaScript: a loader of TypeScript takes most of a second of every start, and tests
 * start programs all the time. They are compiled once, before the tests (test/compile.ts).
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = join(root, 'build', 'tests')

/** Compiles what changed, without checking types, which is what `npm run check` does. */
export function compileForTests(): void {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
      ...['-p', join(root, 'tsconfig.tools.json'), '--noCheck', '--noEmitOnError', 'false'],
      ...['--outDir', folder, '--tsBuildInfoFile', join(folder, '.tsbuildinfo')],
    ],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`cannot compile the programs of tests: ${stdout}${stderr}`)
}

/** Where the compiled form of this source is. */
export function compiledFile(source: URL): string {
  const path = fileURLToPath(source)
  // Started from compiled code, as in `npm run chaos`: it lies beside this file.
  const isCompiled = import.meta.url.endsWith('.js')
  return (isCompiled ? path : join(folder, path.slice(root.length))).replace(/\.ts$/, '.js')
}
