import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Follower } from './follower.ts'
import { type LocalRegistry, startRegistry } from './local-registry.ts'
import { nodeOf } from './other-node.ts'
import { packTo, root } from './reader.ts'
import { blocksIn } from './snippets.ts'

const page = 'docs/guide/01-first-cluster.md'
const folder = mkdtempSync(join(tmpdir(), 'sherd-first-cluster-'))
let registry: LocalRegistry

beforeAll(async () => {
  const shelf = join(folder, 'shelf')
  mkdirSync(shelf)
  await packTo(shelf, 'counter-package')
  registry = await startRegistry(shelf)
}, 120_000)

afterAll(() => {
  registry.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The package as npm would give it to users, on each Node that has long support. */
test.for([20, 22, 24])(
  'the first cluster can be built from an empty folder, on Node %i',
  { timeout: 240_000 },
  async (major) => {
    const node = await nodeOf(major)
    const project = mkdtempSync(join(folder, 'counter-'))
    const environment = {
      npm_config_registry: registry.url,
      npm_config_cache: join(folder, 'cache'),
    }
    const follower = new Follower({ page, folder: project, node, environment })
    onTestFinished(() => follower.close())
    await follower.follow(blocksIn(page, readFileSync(join(root, page), 'utf8')))

    const counts = ['2551', '2552', '2553'].map((port) => countsOf(follower.linesOf(port)))
    for (const own of counts) expect(own).toEqual([...own].sort((a, b) => a - b))
    const all = counts.flat()
    expect(new Set(all).size, 'no number is printed twice').toBe(all.length)
  },
)

function countsOf(lines: readonly string[]): number[] {
  return lines.flatMap((line) => {
    const count = /^(\d+) visits/.exec(line)?.[1]
    return count === undefined ? [] : [Number(count)]
  })
}
