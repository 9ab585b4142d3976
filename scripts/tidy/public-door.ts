/**
 * What users get is chosen: `public-door`. An `index.ts` gives them neither what stands behind the second door nor how nodes
 * decide and what they say to each other, and the package exports nothing but `index.ts` files.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { publicMessages } from './house.ts'
import { importsOf, targetOf } from './imports.ts'
import type { SourceFile } from './source-file.ts'
import type { Violation } from './violation.ts'

const rule = 'public-door'
const insides = /(?:-(machine|inputs|wire|messages)|\/internals)\.ts$/
const advice = 'users do not get this by index.ts; rooms have it by internals.ts'

export function publicDoor(file: SourceFile): Violation[] {
  if (!/^src\/([^/]+\/)?index\.ts$/.test(file.path)) return []
  return importsOf(file)
    .filter((taken) => isInside(targetOf(file, taken) ?? '') || taken.names.some(isCheck))
    .map(({ line }) => ({ path: file.path, line, rule, advice }))
}

function isInside(target: string): boolean {
  return insides.test(target) && !publicMessages.has(target)
}

/** Every problem with settings at once: for the room that takes them. */
function isCheck(name: string): boolean {
  return name.startsWith('problemsWith')
}

/** Every file that package.json gives to users must be built from an `index.ts`. */
export function packageExports(root: string): Violation[] {
  const path = 'package.json'
  if (!existsSync(join(root, path))) return []
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  return lines.flatMap((text, index) => {
    const [, built] = /"\.\/dist\/(.*)"/.exec(text) ?? []
    if (built === undefined || /^([^/]+\/)?index\.(d\.ts|js)$/.test(built)) return []
    return [
      { path, line: index + 1, rule, advice: 'the package exports index.ts files and no others' },
    ]
  })
}
