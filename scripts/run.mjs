/**
 * Runs one TypeScript program of this repository: `node scripts/run.mjs bench/run.ts [arguments]`. Sets up if needed,
 * compiles what changed into `build`, then becomes the program: in the same process, so that signals, exit code and
 * Node's flags are its own. Compiled code is what we ship and so what we measure; a loader would add to every function.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compile } from './compile.mjs'
import { root, setUp } from './setup.mjs'

const [entry = '', ...programArguments] = process.argv.slice(2)
if (!entry.endsWith('.ts') || !existsSync(join(root, entry))) {
  console.error(
    `There is no program ${entry || '(none named)'}; name a .ts file from the root of the repository.`,
  )
  process.exit(1)
}

setUp()
compile('tsconfig.tools.json')

const program = join(root, 'build', entry.replace(/\.ts$/, '.js'))
process.argv = [process.execPath, program, ...programArguments]
await import(pathToFileURL(program).href)
