/** Builds the package: `src` without its tests becomes `dist`. Starts from nothing: no deleted file is shipped. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from './compile.mjs'
import { root, setUp } from './setup.mjs'

setUp()
rmSync(join(root, 'dist'), { recursive: true, force: true })
compile('tsconfig.build.json')
