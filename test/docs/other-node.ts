/** Other versions of Node, from npm's `node` package. Each is fetched once, into `build`, and is no dependency of ours. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './reader.ts'

/** The program of the newest Node of this major version. */
export async function nodeOf(major: number): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const folder = join(root, 'build', `node-${major}`)
  const program = join(folder, 'node_modules', 'node', 'bin', 'node')
  if (!existsSync(program)) await fetchTo(folder, major)
  const { stdout } = await promisify(execFile)(program, ['--version'])
  if (!stdout.startsWith(`v${major}.`)) throw new Error(`${program} is Node ${stdout}`)
  return program
}

async function fetchTo(folder: string, major: number): Promise<void> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const words = ['install', '--no-audit', '--no-fund', `node@${major}`]
  try {
    await promisify(execFile)('npm', words, { cwd: folder, shell: process.platform === 'win32' })
  } catch (error) {
    const advice =
      'This test needs the npm registry once. Without it, run the rest with ' +
      '"npx vitest run --mode full --exclude test/docs/first-cluster.full.test.ts", or put the ' +
      `package there by hand: npm install --prefix ${folder} node@${major}`
    throw new Error(`Node ${major} could not be fetched. ${advice}`, { cause: error })
  }
}
