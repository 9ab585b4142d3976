import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './reader.ts'

/** Every page that people read, from the root of the repository. */
const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'test/README.md'],
  ...['docs', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
]

test.for(pages)('%s links to what is there', (page) => {
  expect(linksIn(page).filter((link) => !isThere(page, link))).toEqual([])
})

/** What npm gives to users, by `files` of the package. */
const { files: shipped } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly files: readonly string[]
}
const isShipped = (path: string): boolean =>
  shipped.some((place) => path === place || path.startsWith(`${place}/`))

test.for(pages.filter(isShipped))('%s links to what is in the package, too', (page) => {
  const targets = linksIn(page)
    .map((link) => link.split('#')[0]!)
    .filter((path) => path !== '')
    .map((path) => relative(root, join(root, dirname(page), path)))
  expect(targets.filter((target) => !isShipped(target))).toEqual([])
})

/** Links within the repository. */
function linksIn(page: string): string[] {
  const prose = proseOf(page).replace(/`[^`]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^\w+:/.test(link))
}

function isThere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : relative(root, join(root, dirname(page), path))
  if (!existsSync(join(root, target))) return false
  if (anchor === undefined) return true
  return statSync(join(root, target)).isFile() && anchorsIn(target).includes(anchor)
}

/** Headings as they stand in addresses: small letters, without punctuation, a hyphen for each space. */
function anchorsIn(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8').replace(/^```[^]*?^```$/gm, '')
}
