/** A file of tests is for the runner alone: whoever imports it runs its tests a second time. `test-import`. */
import { importsOf, targetOf } from './imports.ts'
import type { SourceFile } from './source-file.ts'
import type { Violation } from './violation.ts'

export function testImports(file: SourceFile): Violation[] {
  return importsOf(file)
    .filter((imported) => targetOf(file, imported)?.endsWith('.test.ts'))
    .map(({ line }) => ({
      path: file.path,
      line,
      rule: 'test-import',
      advice: 'move what both need into a file that is no test',
    }))
}
