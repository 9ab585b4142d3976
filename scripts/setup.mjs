/**
 * Makes a clone ready to work in. Plain JavaScript without dependencies, because it runs before there are any: checks
 * the version of Node and runs `npm ci` when node_modules is not what package-lock.json says. Silent when all is well.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The oldest minor version per major that the tools take; of 24 and later they take all, of odd ones before none. */
const oldestMinors = { 20: 19, 22: 12 }

/** The folder of package.json, wherever the script was started from. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Checks Node and brings `folder`, which has a package-lock.json, up to it. Ends the process if it cannot. */
export function setUp(folder = root) {
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  if (major < 24 && !(minor >= oldestMinors[major])) {
    stop(
      `A clone of Sherd needs Node 20.19, 22.12, or 24 and newer, and this is ${node}. Please install another Node.`,
    )
  }
  const difference = differenceToLock(folder)
  if (difference === undefined) return

  console.error(`Setting up: ${difference}, so this runs "npm ci" once.`)
  // None of our tools needs its install script, so none is run. Words about the set-up go to standard error: standard
  // output is for what was asked for. The level is given since `npm run --silent` would silence this npm as well.
  const { status, error } = spawnSync('npm', ['ci', '--ignore-scripts', '--loglevel=notice'], {
    cwd: folder,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  })
  if (error) stop(`npm could not be started (${error.message}). Is it installed next to Node?`)
  if (status !== 0) stop('"npm ci" failed; its own words are above.')
}

/** What is wrong with node_modules, in words; undefined when it is as the lock file says. */
function differenceToLock(folder) {
  const installedPath = join(folder, 'node_modules', '.package-lock.json')
  if (!existsSync(installedPath)) return 'node_modules is missing'

  const locked = packagesIn(join(folder, 'package-lock.json'))
  const installed = packagesIn(installedPath)
  for (const [path, entry] of Object.entries(locked)) {
    if (path === '') continue
    const found = installed[path]
    // npm leaves out optional packages that are for other platforms.
    if (found === undefined && entry.optional) continue
    // Its list says what npm once put there, and not whether it still is.
    if (found === undefined || !existsSync(join(folder, path))) return `${path} is missing`
    if (found.version !== entry.version || found.integrity !== entry.integrity) {
      return `${path} is not the one in package-lock.json`
    }
  }
  const stranger = Object.keys(installed).find((path) => locked[path] === undefined)
  return stranger && `${stranger} is not in package-lock.json`
}

function packagesIn(lockPath) {
  return JSON.parse(readFileSync(lockPath, 'utf8')).packages
}

function stop(words) {
  console.error(words)
  process.exit(1)
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  setUp(process.argv[2] && resolve(process.argv[2]))
}
