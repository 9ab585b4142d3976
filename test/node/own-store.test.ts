import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import type { Environment } from '../../src/foundation/environment.ts'
import { type Journal, MemoryJournal } from '../../src/persistence/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { Counter, nodeFor, refusalOf } from './nodes.ts'

const isClosed = (journal: Journal): Promise<boolean> =>
  journal.highestSequenceNr('a').then(
    () => false,
    ({ code }: { code: string }) => code === 'JOURNAL_CLOSED',
  )

test('a store that a function opens gets the environment of the node, and is closed with it', async () => {
  const logger = new CapturedLogs()
  const journal = new MemoryJournal()
  const store = async (environment: Environment): Promise<Journal> => {
    environment.logger.info({}, 'opened by a function')
    await new Promise(setImmediate)
    return journal
  }
  const node = await nodeFor({ entities: [Counter], store, environment: { logger } })
  expect(logger.matching('opened by a function')).toHaveLength(1)
  expect(await node.entity(Counter, 'a').increment(3)).toBe(3)
  expect(await journal.highestSequenceNr('Counter|a')).toBe(1)
  await node.stop()
  expect(await isClosed(journal)).toBe(true)
})

test('a journal that was open before is left open', async () => {
  const store = new MemoryJournal()
  const node = await nodeFor({ entities: [Counter], store })
  await node.stop()
  expect(await isClosed(store)).toBe(false)
})

test('a store that does not open ends the start with its own error', async () => {
  const unreachable = new Error('The database at 10.0.0.7 does not answer. Is it up?')
  const rejecting = async (): Promise<Journal> => {
    throw unreachable
  }
  expect(await refusalOf({ store: rejecting })).toBe(unreachable)
  const throwing = (): Promise<Journal> => {
    throw unreachable
  }
  expect(await refusalOf({ store: throwing })).toBe(unreachable)
})

test('a function that opens no journal is told so', async () => {
  const store = async (): Promise<Journal> => ({ url: 'postgres://' }) as unknown as Journal
  const error = await refusalOf({ store })
  expect(error).toMatchObject({ code: 'INVALID_SETTINGS' })
  expect(error.message).toContain("store must resolve with a journal, not { url: 'postgres://' }")
})

test('a store that was opened is closed again when the start fails later', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const journal = new MemoryJournal()
  const error = await refusalOf({ store: async () => journal, port })
  expect(error).toMatchObject({ code: 'PORT_TAKEN' })
  expect(await isClosed(journal)).toBe(true)
  server.close()
})

test('a node with a store of another id is refused, and told how it names its own', async () => {
  const seed = await nodeFor({ entities: [Counter], store: async () => new MemoryJournal() })
  const other = { entities: [Counter], store: async () => new MemoryJournal() }
  const error = await refusalOf({ ...other, seeds: [seed.address] })
  expect(error).toMatchObject({ code: 'INCOMPATIBLE_SETTINGS' })
  expect(error.message).toContain('this node uses a journal that it opened')
})
