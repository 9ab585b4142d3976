/**
 * The program of node processes as plain JavaScript. A loader of TypeScript takes more than a second of every start, and
 * tests start nodes all the time; compiling what changed since the last run takes half of one, once per test file.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Compiles without checking types, which is what `npm run check` does, and answers where the file of this name is now. */
export function compiledFile(source: URL): string {
  const path = fileURLToPath(source)
  // Started from compiled code, as in `npm run chaos`: all is there.
  if (import.meta.url.endsWith('.js')) return path.replace(/\.ts$/, '.js')
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  // Each worker of the test runner has its own, so that none reads what another one writes.
  const folder = join(root, 'build', `processes-${process.env['VITEST_POOL_ID'] ?? 0}`)
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
      ...['-p', join(root, 'tsconfig.tools.json'), '--noCheck', '--noEmitOnError', 'false'],
      ...['--outDir', folder, '--tsBuildInfoFile', join(folder, '.tsbuildinfo')],
    ],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`cannot compile the nodes of tests: ${stdout}${stderr}`)
  return join(folder, path.slice(root.length)).replace(/\.ts$/, '.js')
}
