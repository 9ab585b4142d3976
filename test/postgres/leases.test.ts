import { afterAll, beforeAll, describe, test } from 'vitest'
import { registerLeases } from '../../src/lease/index.ts'
import { PostgresJournal } from '../../src/persistence/index.ts'
import { leaseContract } from '../../src/testkit/index.ts'
import { postgresForTests, type TestDatabases } from './postgres-server.ts'

let server: TestDatabases
beforeAll(async () => {
  server = await postgresForTests()
})
afterAll(() => server.stop())

leaseContract(
  { describe, test },
  {
    name: 'leases on PostgreSQL',
    // A busy disk may take most of a second for a commit.
    ttlMs: 3_000,
    newStore: async () => {
      const journal = await PostgresJournal.open({ url: await server.newDatabase() })
      return { open: () => registerLeases(journal), remove: () => journal.close() }
    },
  },
)
