import { describe, expect, test } from 'vitest'
import { type Journal, MemoryJournal } from '../../src/persistence/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { recordOfBytes } from '../../src/cluster/founding/founding-record.ts'
import { Counter, nodeFor, refusalOf, temporaryFolder } from './nodes.ts'

const entities = [Counter]

async function recordIn(store: MemoryJournal, name = 'sherd') {
  const register = await store.readRegister(`founding/${name}`)
  return register && recordOfBytes(register.bytes)
}

describe('the founding of a cluster', () => {
  test.each(['a folder', 'a journal object'])('is refused twice on %s', async (kind) => {
    const store = kind === 'a folder' ? { folder: temporaryFolder() } : new MemoryJournal()
    const logger = new CapturedLogs()
    const first = await nodeFor({ entities, store })
    const error = await refusalOf({ entities, store, environment: { logger } })
    expect(error).toMatchObject({ code: 'CLUSTER_ELSEWHERE', addresses: [first.address] })
    expect(error.message).toContain(`seeds: ['${first.address}']`)
    expect(error.message).toContain('another `store.folder` or another `name`')
    expect(logger.matching('a cluster of the same name already lives', 'error')).toHaveLength(1)
    expect(await first.entity(Counter, 'a').increment(1)).toBe(1)
    const other = await nodeFor({ entities, store, name: 'other' })
    expect(other.cluster.state.members).toHaveLength(1)
  })

  test('is recorded with its members, who take themselves out when they stop', async () => {
    const store = new MemoryJournal()
    const first = await nodeFor({ entities, store })
    const second = await nodeFor({ entities, store, seeds: [first.address] })
    const record = await recordIn(store)
    expect(record).toMatchObject({ number: 1, founder: first.id })
    expect(record?.members.map(({ node }) => node)).toEqual([first.id, second.id])
    await first.stop()
    expect((await recordIn(store))?.members.map(({ node }) => node)).toEqual([second.id])
    await second.stop()
    expect(await recordIn(store)).toMatchObject({ members: [] })
    const third = await nodeFor({ entities, store })
    expect(await recordIn(store)).toMatchObject({ number: 2, founder: third.id })
  })

  test('leads a node whose seeds are all gone to the members that are left', async () => {
    const store = new MemoryJournal()
    const seed = await nodeFor({ entities, store })
    const other = await nodeFor({ entities, store, seeds: [seed.address] })
    await seed.stop()
    const late = await nodeFor({ entities, store, seeds: [seed.address] })
    expect(late.cluster.state.members.map(({ node }) => node)).toContain(other.id)
  })

  test('is not founded over a record that nobody can read', async () => {
    const store = new MemoryJournal()
    const bytes = new Uint8Array([1, 2, 3])
    await store.writeRegister({ name: 'founding/sherd', expectedRevision: 0, bytes })
    const error = await refusalOf({ entities, store })
    expect(error).toMatchObject({ code: 'JOIN_FAILED' })
    expect(error.message).toContain('the record of the founding in the store cannot be read')
    expect(await store.readRegister('founding/sherd')).toMatchObject({ revision: 1, bytes })
  })

  test('is a matter of seeds alone for who hosts nothing, and where the store has no registers', async () => {
    const shared = new MemoryJournal()
    const proxies = [Counter]
    const callers = [
      await nodeFor({ proxies, store: shared }),
      await nodeFor({ proxies, store: shared }),
    ]
    expect(callers.map(({ cluster }) => cluster.state.members.length)).toEqual([1, 1])
    expect(await recordIn(shared)).toBeUndefined()
    const memory = new MemoryJournal()
    const store: Journal = {
      storeId: 'one',
      claim: (id, writer) => memory.claim(id, writer),
      append: (batch) => memory.append(batch),
      read: (range, onEvent) => memory.read(range, onEvent),
      highestSequenceNr: (id) => memory.highestSequenceNr(id),
      close: async () => {},
    }
    const hosts = [await nodeFor({ entities, store }), await nodeFor({ entities, store })]
    expect(hosts.map(({ cluster }) => cluster.state.members.length)).toEqual([1, 1])
  })
})
