/** Writes what the package exports to `docs/api`, a page per export: `npm run api`. A change of the API is a change there. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiPages } from './api/pages.ts'
import { apiFolder, publicSurface } from './api/public-surface.ts'

const { surface, exports } = await publicSurface('api')
const pages = await apiPages(surface, exports)
rmSync(apiFolder, { recursive: true, force: true })
mkdirSync(apiFolder, { recursive: true })
for (const [name, text] of pages) writeFileSync(join(apiFolder, name), text)
