/**
 * Which tests cover which scenario of the acceptance catalogue. The ids and titles stand in `test/README.md`, in rows like
 * `| AT-001 | title | tests |`; the last column is written from the ids in the names of test files and in the files.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const row = /^\| ([A-Z]{2}-\d{3}) \| (.*?) \| .* \|$/
const inName = /(?:^|\/)([a-z]{2}-\d{3})-[^/]*$/
const inText = /\b[A-Z]{2}-\d{3}\b/g

export interface TestFile {
  /** From the root of the repository. */
  readonly path: string
  readonly text: string
}

/** The page with its last column written anew. Throws when a test names a scenario that the page does not have. */
export function listed(page: string, tests: readonly TestFile[]): string {
  const covering = filesByScenario(tests)
  const lines = page.split('\n').map((line) => {
    const [, id = '', title] = row.exec(line) ?? []
    if (title === undefined) return line
    const links = [...(covering.get(id) ?? [])].map(linkTo)
    covering.delete(id)
    return `| ${id} | ${title} | ${links.length === 0 ? 'not yet' : links.join(', ')} |`
  })
  for (const [id, [path]] of covering) {
    throw new Error(`${path} names ${id}, and test/README.md has no such scenario`)
  }
  return lines.join('\n')
}

function filesByScenario(tests: readonly TestFile[]): Map<string, string[]> {
  const files = new Map<string, string[]>()
  for (const { path, text } of tests.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const named = inName.exec(path)?.[1]?.toUpperCase()
    const ids = new Set([...(named === undefined ? [] : [named]), ...(text.match(inText) ?? [])])
    for (const id of ids) files.set(id, [...(files.get(id) ?? []), path])
  }
  return files
}

function linkTo(path: string): string {
  return `[${posix.basename(path, '.test.ts')}](${posix.relative('test', path)})`
}

/** All tests that may cover a scenario. */
export function testsBelow(root: string): TestFile[] {
  return ['src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  )
}
