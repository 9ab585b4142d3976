/** The contract of journals on PostgreSQL, on one server or on several: a schema for each test, which go with the server. */
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
  let servers: TestDatabases
  const partitions: string[] = []
  beforeAll(async () => {
    servers = await postgresForTests()
    for (let made = 0; made < count; made++) partitions.push(await servers.newDatabase())
  })
  afterAll(() => servers.stop())
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
    ...{ keepsStates: true, listsIds: true, transfers: true },
  }
  journalContract({ describe, test }, { name, ...ports, newStore })
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
