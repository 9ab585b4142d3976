/**
 * The contract of journals on PostgreSQL, on one server or on several, each a server of its own unless one was named: a schema for
 * each test, which go with the server.
 */
import { afterAll, beforeAll, describe, test } from 'vitest'
import { systemTimers } from '../../src/foundation/system-timers.ts'
import { PostgresJournal, type PostgresSettings } from '../../src/persistence/index.ts'
import { RememberJournal } from '../../src/sharding/internals.ts'
import { journalContract, rememberStoreContract } from '../../src/testkit/index.ts'
import { postgresForTests, type TestDatabases } from './postgres-server.ts'

export function postgresContract(
  name: string,
  {
    count,
    settings: own,
  }: { readonly count: number; readonly settings: Partial<PostgresSettings> },
): void {
  const servers: TestDatabases[] = []
  const partitions: string[] = []
  beforeAll(async () => {
    for (let made = 0; made < count; made++) {
      const server = await postgresForTests()
      servers.push(server)
      partitions.push(await server.newDatabase())
    }
  })
  afterAll(() => Promise.all(servers.map((server) => server.stop())))
  let stores = 0
  const newStore = () => {
    const schema = `store_${++stores}`
    return {
      open: (settings = {}) =>
        PostgresJournal.open({ partitions, schema, settings: { ...own, ...settings } }),
    }
  }
  const ports = {
    ...{ readsSlices: true, keepsRegisters: true, deletesEvents: true, keepsSnapshots: true },
    ...{ keepsStates: true, listsIds: true, transfers: true, fencesClaims: true },
  }
  journalContract({ describe, test }, { name: `PT-012 ${name}`, ...ports, newStore })
  rememberStoreContract(
    { describe, test },
    {
      name: `RememberJournal on ${name}`,
      newStore: async () => {
        const journal = await newStore().open()
        return {
          open: (options) => new RememberJournal({ journal, timers: systemTimers, ...options }),
          remove: () => journal.close(),
        }
      },
    },
  )
}
