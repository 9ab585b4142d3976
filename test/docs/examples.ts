/** Runs the examples, and says what their READMEs promise. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compiledFile } from '../processes/harness/compiled.ts'
import { node, type NodeOptions, type Outcome, root } from './reader.ts'

/** As `node scripts/run.mjs` does, but for the compiler, which ran before the tests. */
export function runExample(
  example: string,
  words: readonly string[] = [],
  options: NodeOptions = {},
): Promise<Outcome> {
  const source = pathToFileURL(join(root, 'examples', example, 'main.ts'))
  return node(['--enable-source-maps', compiledFile(source), ...words], options)
}

/** What the README of an example says it prints. */
export function promised(example: string): string {
  const page = readFileSync(join(root, 'examples', example, 'README.md'), 'utf8')
  const output = /```text\n([^]*?)```/.exec(page)?.[1]
  if (output === undefined) throw new Error(`the README of ${example} does not say what it prints`)
  return output
}

/** The lines of a sample as patterns: other numbers and other columns are as good. */
export function samplesOf(text: string): RegExp[] {
  return (
    text
      .split('\n')
      .map((line) => line.trim())
      // Where shards move, and how many at once, is chance.
      .filter((line) => line !== '' && line !== '…' && !line.includes('→'))
      .map((line) => {
        const pattern = line
          .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
          .replaceAll(/\bms\b/g, 'm?s')
          .replaceAll(/\d(?:[\d,]|\\\.(?=\d))*/g, '[\\d,.]+')
          .replaceAll(/ +/g, ' +')
          .replace(/, …$/, '.*')
        return new RegExp(`^ *${pattern}$`, 'm')
      })
  )
}

/** The promised lines as patterns, in which NUMBER and HASH stand for any and … for more. */
export function linesOf(text: string): RegExp[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && line !== '…')
    .map((line) => {
      const pattern = line
        .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replace(/, …$/, '')
        .replace(/NUMBER [a-z-]+, NUMBER [a-z-]+\\\.$/, '.+\\.')
        .replace(/messages lost: .*/, 'messages lost: .+')
        .replaceAll('NUMBER', '[\\d,.]+')
        .replaceAll('HASH', '[0-9a-f]{16}')
      return new RegExp(`^${pattern}$`, 'm')
    })
}
