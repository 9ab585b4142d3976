/** Every program in the documentation, as tests for the runner: each does what its page says. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { type Reader, root } from './reader.ts'
import { type Snippet, snippetsIn } from './snippets.ts'

const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs/guide'), { encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/guide/${name}`),
]

export const programs: readonly Snippet[] = pages.flatMap((page) =>
  snippetsIn(page, readFileSync(join(root, page), 'utf8')),
)

/** The reader has compiled them by the time the tests run. */
export function testPrograms(reader: Reader, snippets: readonly Snippet[]): void {
  const all = snippets.map((snippet) => [`${snippet.page}:${snippet.line}`, snippet] as const)
  test.concurrent.for(all)('%s does what the page says', async ([where, snippet], context) => {
    const { code, stdout, stderr } = await reader.run(snippet)
    if (code !== 0) throw new Error(`${where} ended with ${code ?? 'a kill'}:\n${stdout}${stderr}`)
    if (snippet.output !== undefined) context.expect(stdout, where).toBe(snippet.output)
  })
}
