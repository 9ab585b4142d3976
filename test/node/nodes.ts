/** Nodes for tests: quiet, quick to find each other, on a store of their own. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { type NodeOptions, type SherdNode, startNode } from '../../src/node/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'

/** The counter of the README. */
export const Counter = defineEntity('Counter', {
  state: () => ({ count: 0 }),
  events: { Incremented: (state, by: number) => ({ count: state.count + by }) },
  commands: {
    increment: (self, by: number) => self.persist('Incremented', by).count,
    get: (self) => self.state.count,
    fail: (_, words: string) => {
      throw Object.assign(new RangeError(words), { code: 'NO' })
    },
  },
})

const nodes: SherdNode[] = []
const folders: string[] = []

afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })))
})

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sherd-node-'))
  folders.push(folder)
  return folder
}

/** In memory unless told otherwise. Stopped after the test. */
export async function nodeFor(options: NodeOptions): Promise<SherdNode> {
  const { environment, settings } = options
  const node = await startNode({
    store: 'memory',
    ...options,
    environment: { logger: new CapturedLogs(), ...environment },
    settings: { ...settings, actor: { hookSignals: false, ...settings?.actor } },
  })
  nodes.push(node)
  return node
}

/** Why it does not start. */
export async function refusalOf(options: NodeOptions): Promise<Error> {
  try {
    await nodeFor(options)
  } catch (error) {
    return error as Error
  }
  throw new Error('the node has started')
}

/** Resolves when it holds: asked again after every event of these nodes' clusters. */
export function whenAll(
  among: readonly SherdNode[],
  holds: (node: SherdNode) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const ends: (() => void)[] = []
    const look = (): void => {
      if (!among.every(holds)) return
      for (const end of ends.splice(0)) end()
      resolve()
    }
    for (const { cluster } of among) ends.push(cluster.subscribe(look))
    look()
  })
}
