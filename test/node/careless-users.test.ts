import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, test, vi } from 'vitest'
import type { SherdNode } from '../../src/node/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { Counter, nodeFor, refusalOf, temporaryFolder } from './nodes.ts'

const fail = (): never => {
  throw new Error('a mistake of the user')
}

/** As it is without types: nobody says that a listener may not be async. */
const failLater = (async () => fail()) as () => void

class News {
  readonly type = 'News'
}

/** Resolves when nobody listens there. */
async function portIsFree(port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  await new Promise((resolve) => server.close(resolve))
}

test.for([
  ['throws', fail],
  ['rejects', async () => fail()],
] as const)('a beforeJoin that %s ends the start, and nothing is left', async ([, beforeJoin]) => {
  let begun: SherdNode | undefined
  const error = await refusalOf({
    entities: [Counter],
    beforeJoin: (node) => {
      begun = node
      return beforeJoin()
    },
  })
  expect(error.message).toBe('a mistake of the user')
  expect(await begun?.whenStopped).toEqual({ type: 'actor-system-terminate' })
  await portIsFree(Number(begun?.address.split(':')[1]))
})

test('a promise of beforeJoin is waited for', async () => {
  const news: string[] = []
  await nodeFor({
    beforeJoin: async ({ cluster }) => {
      await new Promise((resolve) => setImmediate(resolve))
      cluster.subscribe(({ type }) => void news.push(type))
    },
  })
  expect(news).toContain('MemberJoined')
})

test('listeners that throw or reject do not end a node', async () => {
  const logs = new CapturedLogs()
  const node = await nodeFor({
    entities: [Counter],
    environment: { logger: logs },
    beforeJoin: ({ cluster, system }) => {
      cluster.subscribe(fail)
      cluster.subscribe(failLater)
      system.eventStream.subscribe(News, fail)
      system.eventStream.subscribe(News, failLater)
    },
  })
  node.system.eventStream.publish(new News())
  expect(await node.entity(Counter, 'a').increment(1)).toBe(1)
  expect(logs.matching(/A listener for cluster events threw/, 'error').length).toBeGreaterThan(1)
  expect(logs.matching(/A subscriber of the event stream threw/, 'error')).toHaveLength(2)
})

test('a logger that throws does not end a node, not even when its store is taken away', async () => {
  const folder = temporaryFolder()
  const logger = { trace: fail, debug: fail, info: fail, warn: fail, error: fail }
  const node = await nodeFor({ entities: [Counter], store: { folder }, environment: { logger } })
  expect(await node.entity(Counter, 'a').increment(1)).toBe(1)
  rmSync(folder, { recursive: true })
  // The store looks for its files ten times a second, with the next write.
  await vi.waitFor(() =>
    expect(node.entity(Counter, 'a').increment(1)).rejects.toThrow(/no longer the file/),
  )
  expect(node.cluster.state.members).toMatchObject([{ status: 'Up' }])
})
