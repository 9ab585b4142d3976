import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { node, patience, Reader, root } from './reader.ts'
import { blocksIn } from './snippets.ts'

vi.setConfig(patience)

const page = 'docs/guide/08-shipping.md'
const blocks = blocksIn(page, readFileSync(join(root, page), 'utf8'))
const folder = join(root, 'build', 'shipping')

function blockWith(language: string, text: string): string {
  const found = blocks.find(
    (each) => each.language === language && each.lines.join().includes(text),
  )
  if (found === undefined) throw new Error(`${page} has no ${language} block with ${text}`)
  return found.lines.join('\n')
}

async function printedBy(...words: readonly string[]): Promise<string> {
  const { stdout, code, stderr } = await node(words, { cwd: folder })
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${stderr}`)
  return stdout
}

const counter = `
import { defineEntity, startNode } from 'sherd'

const Counter = defineEntity('Counter', {
  state: () => ({ count: 0 }),
  events: { Incremented: (state, by) => ({ count: state.count + by }) },
  commands: { increment: (self, by) => self.persist('Incremented', by).count },
})

async function main() {
  const node = await startNode({ entities: [Counter], store: { folder: process.argv[2] } })
  console.log(await node.entity(Counter, 'visits').increment(2))
  await node.stop()
}

void main()
`

describe('a program on its way to where it runs', () => {
  beforeAll(async () => {
    const reader = new Reader('shipping')
    await reader.install()
    writeFileSync(join(folder, 'service.mjs'), counter)
  })

  test.for([
    ['as the page says', 'esm', 'bundle.mjs', []],
    ['minified', 'esm', 'small.mjs', ['--minify']],
    ['as CommonJS', 'cjs', 'bundle.cjs', []],
  ] as const)('works when it is bundled %s', async ([, format, file, more]) => {
    const [, , ...words] = blockWith('sh', 'esbuild').split(' ')
    const told = words.map((word) =>
      word.replace('--format=esm', `--format=${format}`).replace('bundle.mjs', file),
    )
    execFileSync(join(root, 'node_modules/.bin/esbuild'), [...told, ...more, '--log-level=error'], {
      cwd: folder,
      shell: process.platform === 'win32',
    })
    expect(await printedBy(file, `data-${file}`)).toBe('2\n')
  })

  test('is required by a CommonJS module as the page says', async () => {
    writeFileSync(join(folder, 'counter.cjs'), blockWith('js', 'require('))
    expect(await printedBy('counter.cjs')).toBe('2\n')
  })
})
