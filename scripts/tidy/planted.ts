/** Plants files in a fresh tree for the tests of the rules, and says what is found there. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inspect } from './inspect.ts'

export const opening = '/** What this is. */'

/** Answers `path:line rule` for every violation in these files. */
export function planted(files: Record<string, string | readonly string[]>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'sherd-tidy-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(path)), { recursive: true })
      writeFileSync(join(root, path), typeof text === 'string' ? text : text.join('\n') + '\n')
    }
    return inspect(root).map(({ path, line, rule }) => `${path}:${line} ${rule}`)
  } finally {
    rmSync(root, { recursive: true })
  }
}

/** The same for one file that opens well and goes on with `code` on line 2. */
export function found(path: string, ...code: string[]): string[] {
  return planted({ [path]: [opening, ...code] })
}
