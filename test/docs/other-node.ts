/** Other versions of Node, from npm's `node` package. Each is fetched once, into `build`, and is no dependency of ours. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './reader.ts'

const run = promisify(execFile)

/** The program of the newest Node of this major version. */
export async function nodeOf(major: number): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const folder = join(root, 'build', `node-${major}`)
  const program = join(folder, 'node_modules', 'node', 'bin', 'node')
  try {
    if (!existsSync(program)) await fetchTo(folder, major)
    const { stdout } = await run(program, ['--version'])
    if (!stdout.startsWith(`v${major}.`)) throw new Error(`${program} is Node ${stdout}`)
  } catch (error) {
    throw new Error(
      `Node ${major} could not be fetched from the npm registry; all other tests do without it. With a connection, ` +
        `"npm install --prefix ${folder} node@${major}" says more, and ` +
        '"npx vitest run --mode full test/docs/first-cluster" tries this test again.',
      { cause: error },
    )
  }
  return program
}

async function fetchTo(folder: string, major: number): Promise<void> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const words = ['install', '--no-audit', '--no-fund', `node@${major}`]
  await run('npm', words, { cwd: folder, shell: process.platform === 'win32' })
}
