import { afterAll, beforeAll, describe, test } from 'vitest'
import { PostgresJournal, type PostgresSettings } from '../../src/persistence/index.ts'
import { journalContract } from '../../src/testkit/index.ts'
import { postgresForTests, type TestDatabases } from './postgres-server.ts'

let servers: TestDatabases
const urls: string[] = []

beforeAll(async () => {
  servers = await postgresForTests()
  for (let count = 0; count < 2; count++) urls.push(await servers.newDatabase())
})
afterAll(() => servers.stop())

let stores = 0

/** A schema for each test: quicker than a database. They go with the server. */
function postgresContract(
  name: string,
  partitions: () => readonly string[],
  own: Partial<PostgresSettings> = {},
): void {
  const newStore = async () => {
    const schema = `store_${++stores}`
    return {
      open: (settings = {}) =>
        PostgresJournal.open({
          partitions: partitions(),
          schema,
          settings: { ...own, ...settings },
        }),
    }
  }
  const ports = { readsSlices: true, keepsRegisters: true, deletesEvents: true }
  journalContract({ describe, test }, { name, ...ports, newStore })
}

postgresContract('PostgresJournal', () => urls.slice(0, 1))

postgresContract('PostgresJournal on two servers, with several connections', () => urls, {
  writeConnections: 2,
  readEventsMax: 7,
})
